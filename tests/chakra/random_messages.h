// Messages of schema 0.0.4 at random: what Protobuf writes, and what it takes but never writes.
//
//     RandomMessages random(7);
//     const std::string frame = random.node().SerializeAsString();
//     const std::string odd = random.odd_node();
#pragma once

#include <et_def.pb.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "chakra/trace/attribute.h"

namespace npunet::chakra {

class RandomMessages {
public:
    explicit RandomMessages(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] std::size_t below(std::size_t limit) {
        return static_cast<std::size_t>(random_() % limit);
    }
    [[nodiscard]] bool one_in(std::size_t chances) { return below(chances) == 0; }
    /// Of any magnitude; 0 and 2^64 - 1 among them.
    [[nodiscard]] std::uint64_t number();
    /// With NaN of any payload, infinities, -0.0 and subnormal numbers among them.
    [[nodiscard]] double real();
    [[nodiscard]] float short_real();
    /// Printable, or any bytes.
    [[nodiscard]] std::string text();

    /// Sets the member to a random value; a list may be empty.
    void fill(ValueMember member, ChakraProtoMsg::AttributeProto& attribute);
    /// With any member or none, with or without doc string and unknown fields.
    [[nodiscard]] ChakraProtoMsg::AttributeProto attribute();
    [[nodiscard]] ChakraProtoMsg::Node node();

    /// A node put together field by field: fields in any order and several times, packed or not,
    /// unknown ones, groups, known ones of another wire type, over-long integers.
    [[nodiscard]] std::string odd_node();
    [[nodiscard]] std::string odd_attribute();

    std::mt19937_64& engine() { return random_; }

private:
    [[nodiscard]] std::string odd_varint(std::uint64_t value);
    [[nodiscard]] std::string odd_tag(unsigned number, unsigned wire_type);
    [[nodiscard]] std::string odd_bytes(unsigned number, const std::string& content);
    [[nodiscard]] std::string any_field(unsigned number, int depth);
    [[nodiscard]] std::string odd_dependencies(unsigned number);
    [[nodiscard]] std::string odd_list(ValueMember member);
    [[nodiscard]] std::string odd_tensors();
    [[nodiscard]] std::string odd_value(ValueMember member);
    void fill_list(ValueMember member, ChakraProtoMsg::AttributeProto& attribute);
    void add_unknown_fields(google::protobuf::Message& message);

    std::mt19937_64 random_;
};

/// All members of AttributeProto's oneof.
constexpr unsigned first_value_member = static_cast<unsigned>(ValueMember::Double);
constexpr unsigned last_value_member = static_cast<unsigned>(ValueMember::BytesList);

}  // namespace npunet::chakra
