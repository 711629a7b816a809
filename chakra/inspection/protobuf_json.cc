#include "chakra/inspection/trace_printing.h"

#include <et_def.pb.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "chakra/json/json_value.h"
#include "chakra/wire/node_codec.h"

namespace npunet::chakra {

namespace {

/// In base 64, RFC 4648.
std::string base64(const std::string& bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? digits[group >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return text;
}

/// "int64_val" becomes "int64Val".
std::string camel_case(std::string_view name) {
    std::string text;
    bool upper = false;
    for (const char c : name) {
        if (c == '_') {
            upper = true;
        } else {
            text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
            upper = false;
        }
    }
    return text;
}

/// A float with the digits that tell it from its neighbours, as a number.
OrderedJson number_of(double value, bool is_float) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "Infinity" : "-Infinity";
    }
    if (!is_float) {
        return value;
    }
    const std::string text = fmt::format("{}", static_cast<float>(value));
    double shortest = 0;
    std::from_chars(text.data(), text.data() + text.size(), shortest);
    return shortest;
}

bool has_64_bits(ValueMember scalar) {
    switch (scalar) {
        case ValueMember::Int64:
        case ValueMember::Uint64:
        case ValueMember::Sint64:
        case ValueMember::Fixed64:
        case ValueMember::Sfixed64:
            return true;
        default:
            return false;
    }
}

template <class List>
OrderedJson numbers_of(const List& list, bool is_float) {
    OrderedJson values = OrderedJson::array();
    for (const auto value : list.values()) {
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
            values.push_back(number_of(double{value}, is_float));
        } else {
            values.push_back(std::to_string(value));
        }
    }
    return values;
}

struct MappedValue {
    ValueMember member;

    [[nodiscard]] ValueMember scalar() const {
        return static_cast<ValueMember>(static_cast<int>(member) - 1);
    }
    static OrderedJson list(OrderedJson values) {
        return values.empty() ? OrderedJson::object() : OrderedJson{{"values", std::move(values)}};
    }

    OrderedJson operator()(std::monostate) const { return nullptr; }
    OrderedJson operator()(bool value) const { return value; }
    OrderedJson operator()(std::int32_t value) const { return value; }
    OrderedJson operator()(std::uint32_t value) const { return value; }
    OrderedJson operator()(std::int64_t value) const { return std::to_string(value); }
    OrderedJson operator()(std::uint64_t value) const { return std::to_string(value); }
    OrderedJson operator()(float value) const { return number_of(double{value}, true); }
    OrderedJson operator()(double value) const { return number_of(value, false); }
    OrderedJson operator()(const std::string& value) const {
        return member == ValueMember::Bytes ? base64(value) : value;
    }
    OrderedJson operator()(const std::vector<std::int64_t>& values) const {
        OrderedJson all = OrderedJson::array();
        for (const std::int64_t value : values) {
            all.push_back(has_64_bits(scalar()) ? OrderedJson(std::to_string(value))
                                                : OrderedJson(value));
        }
        return list(std::move(all));
    }
    OrderedJson operator()(const std::vector<std::string>& values) const {
        OrderedJson all = OrderedJson::array();
        for (const std::string& value : values) {
            all.push_back(member == ValueMember::BytesList ? base64(value) : value);
        }
        return list(std::move(all));
    }
    OrderedJson operator()(const std::vector<bool>& values) const {
        OrderedJson all = OrderedJson::array();
        for (const bool value : values) {
            all.push_back(value);
        }
        return list(std::move(all));
    }
    OrderedJson operator()(const UnmodelledValue& value) const {
        ChakraProtoMsg::AttributeProto message;
        (void)message.ParseFromString(value.wire);
        switch (member) {
            case ValueMember::DoubleList:
                return list(numbers_of(message.double_list(), false));
            case ValueMember::FloatList:
                return list(numbers_of(message.float_list(), true));
            case ValueMember::Uint64List:
                return list(numbers_of(message.uint64_list(), false));
            default:
                return list(numbers_of(message.fixed64_list(), false));
        }
    }
};

std::string doc_string_of(const Attribute& attribute) {
    ChakraProtoMsg::AttributeProto message;
    (void)message.ParseFromString(attribute.rest);
    return message.doc_string();
}

OrderedJson mapped(const Attribute& attribute) {
    OrderedJson json = OrderedJson::object();
    if (!attribute.name.empty()) {
        json["name"] = attribute.name;
    }
    if (const std::string doc = doc_string_of(attribute); !doc.empty()) {
        json["docString"] = doc;
    }
    const ValueMember member = member_of(attribute);
    if (member != ValueMember::None) {
        json[camel_case(name_of(member))] = std::visit(MappedValue{member}, attribute.value);
    }
    return json;
}

OrderedJson mapped(const std::vector<Attribute>& attributes) {
    OrderedJson list = OrderedJson::array();
    for (const Attribute& attribute : attributes) {
        list.push_back(mapped(attribute));
    }
    return list;
}

OrderedJson mapped(const TensorText& tensors) {
    OrderedJson json = OrderedJson::object();
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty()) {
            json[key] = text;
        }
    };
    add("values", tensors.values);
    add("shapes", tensors.shapes);
    add("types", tensors.types);
    return json;
}

void write(const OrderedJson& json, std::ostream& out) {
    out << json.dump(2, ' ', true, OrderedJson::error_handler_t::replace);
}

}  // namespace

void write_protobuf_json(const TraceMetadata& metadata, std::ostream& out) {
    OrderedJson json = OrderedJson::object();
    if (!metadata.version.empty()) {
        json["version"] = metadata.version;
    }
    if (!metadata.attributes.empty()) {
        json["attr"] = mapped(metadata.attributes);
    }
    write(json, out);
}

void write_protobuf_json(const Node& node, std::ostream& out) {
    OrderedJson json = OrderedJson::object();
    const auto add_number = [&](const char* key, std::uint64_t number) {
        if (number != 0) {
            json[key] = std::to_string(number);
        }
    };
    const auto add_ids = [&](const char* key, const std::vector<std::uint64_t>& ids) {
        for (const std::uint64_t id : ids) {
            json[key].push_back(std::to_string(id));
        }
    };
    add_number("id", node.id);
    if (!node.name.empty()) {
        json["name"] = node.name;
    }
    if (node.type != NodeType::Invalid) {
        const auto known = node_type_from(static_cast<std::int64_t>(node.type));
        json["type"] = known ? OrderedJson(name_of(node.type))
                             : OrderedJson(static_cast<std::int32_t>(node.type));
    }
    add_ids("ctrlDeps", node.ctrl_deps);
    add_ids("dataDeps", node.data_deps);
    add_number("startTimeMicros", node.start_time_micros);
    add_number("durationMicros", node.duration_micros);
    if (node.inputs.present || !node.inputs.empty()) {
        json["inputs"] = mapped(node.inputs);
    }
    if (node.outputs.present || !node.outputs.empty()) {
        json["outputs"] = mapped(node.outputs);
    }
    if (!node.attributes.empty()) {
        json["attr"] = mapped(node.attributes);
    }
    write(json, out);
}

}  // namespace npunet::chakra
