#include "chakra/json/json_value.h"

#include <et_def.pb.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "chakra/json/json_attribute_value.h"
#include "chakra/wire/node_codec.h"

namespace npunet::chakra {

namespace {

using ChakraProtoMsg::AttributeProto;

bool is_utf8(const std::string& text) {
    try {
        (void)OrderedJson(text).dump();
        return true;
    } catch (const OrderedJson::exception&) {
        return false;
    }
}

OrderedJson json_of_number(double number) {
    if (std::isfinite(number)) {
        return number;
    }
    return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

/// The values of a list; there are many NaNs, of which "NaN" is one: the list has that one then.
template <class List>
OrderedJson json_of_list(List& list) {
    OrderedJson values = OrderedJson::array();
    for (auto& value : *list.mutable_values()) {
        using Number = std::decay_t<decltype(value)>;
        if constexpr (std::is_floating_point_v<Number>) {
            value = std::isnan(value) ? std::numeric_limits<Number>::quiet_NaN() : value;
            values.push_back(json_of_number(double{value}));
        } else {
            values.push_back(value);
        }
    }
    return values;
}

OrderedJson json_of_list(ValueMember member, AttributeProto& message) {
    switch (member) {
        case ValueMember::DoubleList:
            return json_of_list(*message.mutable_double_list());
        case ValueMember::FloatList:
            return json_of_list(*message.mutable_float_list());
        case ValueMember::Uint64List:
            return json_of_list(*message.mutable_uint64_list());
        case ValueMember::Fixed64List:
            return json_of_list(*message.mutable_fixed64_list());
        default:
            return {};
    }
}

/// The values of a list that is kept as it stood; nothing when there is more to it than values.
std::optional<OrderedJson> json_of_unmodelled(ValueMember member, const std::string& wire) {
    AttributeProto message;
    if (!message.ParseFromString(wire)) {
        return std::nullopt;
    }
    OrderedJson values = json_of_list(member, message);
    message.DiscardUnknownFields();
    return values.is_array() && message.SerializeAsString() == wire ? std::optional(values)
                                                                    : std::nullopt;
}

struct ValueText {
    ValueMember member;
    OrderedJson& json;

    void put(OrderedJson value) const {
        json["type"] = name_of(member);
        json["value"] = std::move(value);
    }

    void put_wire(const std::string& wire) const {
        json["type"] = json_wire_type;
        json["member"] = name_of(member);
        json["value"] = json_of_bytes(wire);
    }
    /// There are many NaNs, of which "NaN" is one.
    template <class Real>
    void put_real(Real value) const {
        using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
        constexpr auto plain_nan = std::bit_cast<Bits>(std::numeric_limits<Real>::quiet_NaN());
        if (!std::isnan(value) || std::bit_cast<Bits>(value) == plain_nan) {
            return put(json_of_number(double{value}));
        }
        AttributeProto message;
        encode_attribute({"", value}, message);
        put_wire(message.SerializeAsString());
    }

    void operator()(std::monostate) const {}
    void operator()(float value) const { put_real(value); }
    void operator()(double value) const { put_real(value); }
    void operator()(const std::string& value) const { put(json_of_text(value)); }
    void operator()(const std::vector<std::string>& values) const {
        OrderedJson list = OrderedJson::array();
        for (const std::string& value : values) {
            list.push_back(json_of_text(value));
        }
        put(std::move(list));
    }
    void operator()(const std::vector<bool>& values) const {
        OrderedJson list = OrderedJson::array();
        for (const bool value : values) {
            list.push_back(value);
        }
        put(std::move(list));
    }
    void operator()(const UnmodelledValue& value) const {
        if (auto values = json_of_unmodelled(member, value.wire)) {
            put(*std::move(values));
        } else {
            put_wire(value.wire);
        }
    }
    template <class Number>
    void operator()(const Number& value) const {
        put(value);
    }
};

}  // namespace

OrderedJson json_of_bytes(const std::string& bytes) {
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        fmt::format_to(std::back_inserter(hex), "{:02x}", static_cast<unsigned char>(byte));
    }
    return OrderedJson{{"hex", std::move(hex)}};
}

OrderedJson json_of_text(const std::string& text) {
    return is_utf8(text) ? OrderedJson(text) : json_of_bytes(text);
}

OrderedJson json_of(const Attribute& attribute) {
    OrderedJson json{{"name", json_of_text(attribute.name)}};
    std::visit(ValueText{member_of(attribute), json}, attribute.value);
    if (!attribute.rest.empty()) {
        json["rest"] = json_of_bytes(attribute.rest);
    }
    return json;
}

}  // namespace npunet::chakra
