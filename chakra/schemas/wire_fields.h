// The fields of an encoded message one by one, against what a schema says about them. Where a
// parser skips what it does not expect, this says what it was: that is how the schema of a file is
// told from its bytes. For the sources of chakra only.
//
//     for (WireFields fields(frame); fields.next();) {
//         use(fields.field());
//     }
//
// Source of the encoding: protobuf.dev, "Encoding".
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "chakra/wire/wire.h"

namespace npunet::chakra {

/// "a number", "text or a message", ...
[[nodiscard]] std::string_view name_of(WireType type);

struct WireField {
    int number = 0;
    WireType type = WireType::Varint;
    std::uint64_t value = 0;  ///< of all types but Bytes
    std::string_view bytes;   ///< of type Bytes
};

/// Goes through the fields of one message.
class WireFields {
public:
    explicit WireFields(std::string_view message) : cursor_(message) {}

    /// False at the end, or where the bytes are no field: damaged() tells which.
    bool next();
    [[nodiscard]] const WireField& field() const { return field_; }
    [[nodiscard]] bool damaged() const { return damaged_; }

private:
    WireCursor cursor_;
    WireField field_;
    bool damaged_ = false;
};

/// What is remarkable about a message under a schema.
struct WireFindings {
    std::string fault;  ///< "field 18 is a number": the message cannot be of this schema
    int unusual = 0;    ///< encodings that the schema's own writers do not make
};

/// The highest number of a field of the message.
[[nodiscard]] int highest_field(const google::protobuf::Descriptor& schema);

/// As `past_fields`: numbers of the future are not allowed for.
inline constexpr int any_field = std::numeric_limits<int>::max();

/// Checks fields, wire types and, within messages, their fields in turn. A number that the schema
/// does not know is a fault; but where a later schema may have added fields, one above
/// `past_fields` (or, within, above the highest known) is only unusual. `place` stands before the
/// fault: "inputs (8), ".
void check_message(const google::protobuf::Descriptor& schema, std::string_view message,
                   int past_fields, WireFindings& findings, const std::string& place = "");

/// Whether the schema's message has such a field.
[[nodiscard]] bool accepts(const google::protobuf::Descriptor& schema, const WireField& field);

}  // namespace npunet::chakra
