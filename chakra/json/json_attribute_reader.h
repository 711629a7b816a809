// A list of attributes of a JSON trace, each of which becomes an AttributeProto on the wire while
// it is parsed. For the sources of chakra only.
//
//     JsonAttributesReader attributes(place, [&](ByteBlocks&& message) { ... });
//     return attributes.begin();        // the level of the list
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "chakra/json/json_attribute_value.h"
#include "chakra/json/json_level.h"

namespace npunet::chakra {

/// {"name": ..., "type": ..., "value": ...}, and "rest" or "member", in any order.
class JsonAttributeReader final : public JsonLevel {
public:
    /// Gets each attribute at its end.
    using Use = std::function<void(ByteBlocks&& message)>;

    JsonAttributeReader(JsonPlace& place, Use use)
        : place_(place), use_(std::move(use)), values_(*this) {}

    /// `number`: its place in the list, for errors.
    JsonLevel* begin(std::size_t number);

    void key(std::string_view name) override;
    void value(const JsonToken& token) override;
    JsonLevel* object() override;
    JsonLevel* list() override;
    void end() override;

private:
    enum class Key : std::uint8_t { Name, Type, Member, Value, Rest, Other };
    enum class Type : std::uint8_t { Unknown, Wire, Known };

    /// The values of a list.
    class Values final : public JsonLevel {
    public:
        explicit Values(JsonAttributeReader& attribute) : attribute_(attribute) {}
        void value(const JsonToken& token) override { attribute_.take_value(token); }
        JsonLevel* object() override { return attribute_.place_.hex.begin(*this); }

    private:
        JsonAttributeReader& attribute_;
    };

    static Key key_of(std::string_view name);
    void take_name(const JsonToken& token);
    void take_type(const JsonToken& token);
    void take_rest(const JsonToken& token);
    void take_value(const JsonToken& token);
    void write_value();
    void write_wire();
    [[noreturn]] void fail(std::string found, std::string expected) const;

    JsonPlace& place_;
    Use use_;
    std::size_t number_ = 0;
    SeenKeys<Key> seen_;
    Key key_ = Key::Other;
    Type type_ = Type::Unknown;
    ValueMember member_ = ValueMember::None;  // the type
    std::optional<ValueMember> wire_member_;  // of a value as bytes
    JsonValueEncoder encoder_;
    JsonTape tape_;     // the value, while the type is not known
    std::string wire_;  // the value, as bytes
    ByteBlocks message_;
    Values values_;
};

class JsonAttributesReader final : public JsonLevel {
public:
    JsonAttributesReader(JsonPlace& place, JsonAttributeReader::Use use)
        : place_(place), attribute_(place, std::move(use)) {}

    JsonLevel* begin();

    void value(const JsonToken& token) override;
    JsonLevel* object() override { return attribute_.begin(count_++); }

private:
    JsonPlace& place_;
    JsonAttributeReader attribute_;
    std::size_t count_ = 0;
};

}  // namespace npunet::chakra
