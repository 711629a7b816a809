#include "chakra/json/json_attribute_reader.h"

#include <et_def.pb.h>
#include <fmt/format.h>

#include <array>

#include "chakra/wire/node_view.h"
#include "chakra/wire/unknown_fields.h"

namespace npunet::chakra {

namespace {

using ChakraProtoMsg::AttributeProto;
using Kind = JsonToken::Kind;

/// The type of a value that has members which no list of numbers can say.
constexpr const char* expected_attribute =
    "an attribute such as {\"name\": \"comm_size\", \"type\": \"int64_val\", \"value\": 1024}";

/// are_unknown_fields() of an attribute, whose doc string is of the schema but no member of
/// Attribute.
bool are_unknown_attribute_fields(const std::string& bytes) {
    using ChakraProtoMsg::AttributeProto;
    std::string others;
    WireCursor fields(bytes, 1);
    while (fields.next()) {
        const bool doc_string = fields.field() == AttributeProto::kDocStringFieldNumber &&
                                fields.type() == WireType::Bytes;
        if (!doc_string) {
            others += fields.whole();
        }
    }
    return fields.good() && are_unknown_fields<AttributeProto>(others, 1);
}

std::string place_of(std::size_t number) {
    return fmt::format("attribute {}", number);
}

}  // namespace

JsonAttributeReader::Key JsonAttributeReader::key_of(std::string_view name) {
    return name == "name"     ? Key::Name
           : name == "type"   ? Key::Type
           : name == "member" ? Key::Member
           : name == "value"  ? Key::Value
           : name == "rest"   ? Key::Rest
                              : Key::Other;
}

JsonLevel* JsonAttributeReader::begin(std::size_t number) {
    number_ = number;
    seen_.clear();
    type_ = Type::Unknown;
    wire_member_.reset();
    tape_.clear();
    wire_ = {};
    message_.clear();
    return this;
}

void JsonAttributeReader::key(std::string_view name) {
    key_ = key_of(name);
    if (key_ != Key::Other && !seen_.add(key_)) {
        fail(fmt::format("the key {} twice", name), expected_once);
    }
}

JsonLevel* JsonAttributeReader::object() {
    const bool text = key_ == Key::Name || key_ == Key::Rest || key_ == Key::Value;
    return text ? place_.hex.begin(*this) : JsonLevel::object();
}

JsonLevel* JsonAttributeReader::list() {
    JsonLevel::list();
    return key_ == Key::Value ? &values_ : nullptr;
}

void JsonAttributeReader::value(const JsonToken& token) {
    switch (key_) {
        case Key::Name:
            return take_name(token);
        case Key::Type:
            return take_type(token);
        case Key::Member:
            wire_member_ = token.kind == Kind::Text ? value_member_from(token.text) : std::nullopt;
            return;
        case Key::Value:
            return take_value(token);
        case Key::Rest:
            return take_rest(token);
        case Key::Other:
            return;
    }
}

void JsonAttributeReader::take_name(const JsonToken& token) {
    if (!token.is_text()) {
        fail(described(token), "the name of an attribute");
    }
    if (!token.text.empty()) {
        message_.append_bytes(AttributeProto::kNameFieldNumber, token.text);
    }
}

void JsonAttributeReader::take_type(const JsonToken& token) {
    const bool text = token.kind == Kind::Text;
    const auto member = text ? value_member_from(token.text) : std::nullopt;
    if (text && token.text == json_wire_type) {
        type_ = Type::Wire;
    } else if (member) {
        type_ = Type::Known;
        member_ = *member;
        encoder_.begin(member_);
    } else {
        fail(described(token), "a type of the schema, such as int64_val, bool_val or string_list");
    }
    tape_.replay([this](const JsonToken& kept) { take_value(kept); });
}

void JsonAttributeReader::take_value(const JsonToken& token) {
    switch (type_) {
        case Type::Unknown:
            return tape_.add(token);
        case Type::Wire:
            if (!token.is_text()) {
                fail(described(token), "a value as bytes, and its member");
            }
            wire_ = token.text;
            return;
        case Type::Known:
            if (!encoder_.add(token)) {
                fail(described(token), fmt::format("a value of type {}", name_of(member_)));
            }
            return;
    }
}

void JsonAttributeReader::take_rest(const JsonToken& token) {
    const std::string bytes(token.text);
    if (!token.is_text() || !are_unknown_attribute_fields(bytes)) {
        fail(described(token),
             "a doc string and fields that schema 0.0.4 does not have, as bytes in hexadecimal "
             "digits");
    }
    message_.append(bytes);
}

void JsonAttributeReader::end() {
    if (!seen_.has(Key::Name)) {
        fail("an object without the key name", expected_attribute);
    }
    write_value();
    use_(std::move(message_));
    message_.clear();
}

void JsonAttributeReader::write_value() {
    if (type_ == Type::Unknown) {
        tape_.clear();
    } else if (type_ == Type::Wire) {
        write_wire();
    } else if (!seen_.has(Key::Value)) {
        fail("an attribute without the key value",
             fmt::format("a value of type {}", name_of(member_)));
    } else {
        encoder_.write(message_);
    }
}

void JsonAttributeReader::write_wire() {
    AttributeView view;
    if (!wire_member_ || !view.parse(wire_) || view.member != *wire_member_ || !view.plain ||
        !view.name.empty()) {
        fail("bytes that are no value of a member", "a value as bytes, and its member");
    }
    message_.append(wire_);
}

void JsonAttributeReader::fail(std::string found, std::string expected) const {
    place_.fail(place_of(number_), std::move(found), std::move(expected));
}

JsonLevel* JsonAttributesReader::begin() {
    count_ = 0;
    return this;
}

void JsonAttributesReader::value(const JsonToken& token) {
    place_.fail(place_of(count_), described(token), expected_attribute);
}

}  // namespace npunet::chakra
