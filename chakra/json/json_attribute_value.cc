#include "chakra/json/json_attribute_value.h"

#include <cstring>
#include <utility>

#include "chakra/wire/attribute_view.h"

namespace npunet::chakra {

namespace {

using Kind = JsonToken::Kind;

/// A field of a list's message: its values.
constexpr int values_field = 1;

bool is_text_member(ValueMember scalar) {
    return scalar == ValueMember::String || scalar == ValueMember::Bytes;
}

}  // namespace

bool JsonValueEncoder::is_list() const {
    return member_ != scalar_;
}

void JsonValueEncoder::begin(ValueMember member) {
    member_ = member;
    const auto number = static_cast<unsigned>(member);
    scalar_ = static_cast<ValueMember>(number % 2 == 0 ? number - 1 : number);
    in_list_ = false;
    bytes_.clear();
}

bool JsonValueEncoder::add(const JsonToken& token) {
    if (is_list() && !in_list_) {
        in_list_ = true;
        return token.kind == Kind::List;
    }
    return is_text_member(scalar_) ? add_text(token) : add_scalar(token);
}

bool JsonValueEncoder::add_text(const JsonToken& token) {
    if (!token.is_text()) {
        return false;
    }
    if (is_list()) {
        bytes_.append_bytes(values_field, token.text);
    } else {
        bytes_.append(token.text);
    }
    return true;
}

bool JsonValueEncoder::add_scalar(const JsonToken& token) {
    switch (scalar_) {
        case ValueMember::Double:
            return add_real<double>(token);
        case ValueMember::Float:
            return add_real<float>(token);
        case ValueMember::Int32:
            return add_varint<std::int32_t>(token);
        case ValueMember::Int64:
            return add_varint<std::int64_t>(token);
        case ValueMember::Uint32:
            return add_varint<std::uint32_t>(token);
        case ValueMember::Uint64:
            return add_varint<std::uint64_t>(token);
        case ValueMember::Sint32:
            return add_zigzag<std::int32_t>(token);
        case ValueMember::Sint64:
            return add_zigzag<std::int64_t>(token);
        case ValueMember::Fixed32:
            return add_fixed<std::uint32_t>(token);
        case ValueMember::Sfixed32:
            return add_fixed<std::int32_t>(token);
        case ValueMember::Fixed64:
            return add_fixed<std::uint64_t>(token);
        case ValueMember::Sfixed64:
            return add_fixed<std::int64_t>(token);
        default:  // Bool
            bytes_.append(static_cast<char>(token.number & 1U));
            return token.kind == Kind::Bool;
    }
}

/// Negative numbers are 64 bits long, whatever their type.
template <class Integer>
bool JsonValueEncoder::add_varint(const JsonToken& token) {
    const auto value = integer_of<Integer>(token);
    if (value) {
        bytes_.append_varint(static_cast<std::uint64_t>(*value));
    }
    return value.has_value();
}

template <class Integer>
bool JsonValueEncoder::add_zigzag(const JsonToken& token) {
    const auto value = integer_of<Integer>(token);
    if (value) {
        const auto bits = static_cast<std::uint64_t>(*value);
        bytes_.append_varint(bits << 1U ^ (*value < 0 ? ~std::uint64_t{0} : 0));
    }
    return value.has_value();
}

template <class Integer>
bool JsonValueEncoder::add_fixed(const JsonToken& token) {
    const auto value = integer_of<Integer>(token);
    if (!value) {
        return false;
    }
    if constexpr (sizeof(Integer) == sizeof(std::uint32_t)) {
        bytes_.append_fixed32(static_cast<std::uint32_t>(*value));
    } else {
        bytes_.append_fixed64(static_cast<std::uint64_t>(*value));
    }
    return true;
}

template <class Real>
bool JsonValueEncoder::add_real(const JsonToken& token) {
    const auto value = real_of<Real>(token);
    if (!value) {
        return false;
    }
    if constexpr (std::is_same_v<Real, float>) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &*value, sizeof bits);
        bytes_.append_fixed32(bits);
    } else {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &*value, sizeof bits);
        bytes_.append_fixed64(bits);
    }
    return true;
}

void JsonValueEncoder::write(ByteBlocks& attribute) {
    const int field = static_cast<int>(member_);
    if (is_text_member(scalar_)) {
        attribute.append_bytes(field, std::move(bytes_));
    } else if (!is_list()) {
        attribute.append_tag(field, wire_type_of(scalar_));
        attribute.append(std::move(bytes_));
    } else if (bytes_.empty()) {
        attribute.append_bytes(field, std::string_view());
    } else {
        ByteBlocks head;
        head.append_tag(values_field, WireType::Bytes);
        head.append_varint(bytes_.size());
        attribute.append_tag(field, WireType::Bytes);
        attribute.append_varint(head.size() + bytes_.size());
        attribute.append(std::move(head));
        attribute.append(std::move(bytes_));
    }
}

void JsonTape::add(const JsonToken& token) {
    bytes_.append(static_cast<char>(token.kind));
    switch (token.kind) {
        case Kind::Bool:
        case Kind::Unsigned:
            return bytes_.append_varint(token.number);
        case Kind::Signed:  // below 0, but for "-0"
            return bytes_.append_varint(~token.number);
        case Kind::Real: {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &token.real, sizeof bits);
            return bytes_.append_fixed64(bits);
        }
        case Kind::Text:
        case Kind::Bytes:
            bytes_.append_varint(token.text.size());
            return bytes_.append(token.text);
        default:
            return;
    }
}

const char* JsonTape::read(const char* at, const char* end, JsonToken& token) {
    token = JsonToken{};
    token.kind = static_cast<Kind>(*at++);
    switch (token.kind) {
        case Kind::Bool:
        case Kind::Unsigned:
            return read_varint(at, end, token.number);
        case Kind::Signed:
            at = read_varint(at, end, token.number);
            token.number = ~token.number;
            return at;
        case Kind::Real: {
            const std::uint64_t bits = read_fixed64(at);
            std::memcpy(&token.real, &bits, sizeof bits);
            return at + sizeof bits;
        }
        case Kind::Text:
        case Kind::Bytes: {
            std::uint64_t length = 0;
            at = read_varint(at, end, length);
            token.text = {at, static_cast<std::size_t>(length)};
            return at + length;
        }
        default:
            return at;
    }
}

}  // namespace npunet::chakra
