#include "chakra/wire/node_codec.h"

#include <cassert>
#include <cstring>

#include "chakra/wire/wire.h"

namespace npunet::chakra {

namespace {

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::IOInfo;

// ---- reading ----

template <class To, class From>
To bit_copy(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

/// A scalar's bits on the wire as a number of the list types, whose C++ type is int64.
std::int64_t list_integer(ValueMember scalar, std::uint64_t bits) {
    AttributeView view;
    view.member = scalar;
    view.bits = bits;
    return view.integer().value_or(0);  // those beyond 63 bits are of the lists kept as they stand
}

/// Calls `use` with the bits of each number of a list.
template <class Use>
void for_each_number(ValueMember scalar, std::string_view list, Use use) {
    const bool fixed = scalar == ValueMember::Fixed32 || scalar == ValueMember::Sfixed32;
    const bool fixed64 = scalar == ValueMember::Sfixed64;
    WireCursor fields(list);
    while (fields.next()) {
        if (fields.type() != WireType::Bytes) {
            use(fields.number());
            continue;
        }
        const char* at = fields.bytes().data();
        const char* const end = at + fields.bytes().size();
        while (at != end) {
            std::uint64_t bits = 0;
            if (fixed) {
                bits = read_fixed32(at);
                at += 4;
            } else if (fixed64) {
                bits = read_fixed64(at);
                at += 8;
            } else {
                at = read_varint(at, end, bits);
            }
            use(bits);
        }
    }
}

AttributeValue unmodelled(const AttributeView& view) {
    AttributeProto nameless;
    [[maybe_unused]] const bool parsed =
        nameless.ParseFromArray(view.message.data(), static_cast<int>(view.message.size()));
    assert(parsed && "what an AttributeView parses, Protobuf parses");
    nameless.clear_name();
    nameless.clear_doc_string();
    nameless.GetReflection()->MutableUnknownFields(&nameless)->Clear();
    return UnmodelledValue{nameless.SerializeAsString()};
}

/// Whether a list holds nothing but values in the form in which Protobuf writes them.
bool only_values(ValueMember scalar, std::string_view list) {
    const bool text = scalar == ValueMember::String || scalar == ValueMember::Bytes;
    WireCursor fields(list);
    std::size_t count = 0;
    while (fields.next()) {
        if (fields.field() != 1 || fields.type() != WireType::Bytes) {
            return false;
        }
        ++count;
    }
    return text || count <= 1;
}

AttributeValue decode_list(const AttributeView& view) {
    const auto scalar = static_cast<ValueMember>(static_cast<int>(view.member) - 1);
    if (!only_values(scalar, view.bytes)) {
        return unmodelled(view);
    }
    switch (scalar) {
        case ValueMember::Double:
        case ValueMember::Float:
        case ValueMember::Uint64:
        case ValueMember::Fixed64:
            return unmodelled(view);
        case ValueMember::Bool: {
            std::vector<bool> values;
            for_each_number(scalar, view.bytes,
                            [&](std::uint64_t bits) { values.push_back(bits != 0); });
            return values;
        }
        case ValueMember::String:
        case ValueMember::Bytes: {
            std::vector<std::string> values;
            for (WireCursor fields(view.bytes); fields.next();) {
                values.emplace_back(fields.bytes());
            }
            return values;
        }
        default: {
            std::vector<std::int64_t> values;
            for_each_number(scalar, view.bytes, [&](std::uint64_t bits) {
                values.push_back(list_integer(scalar, bits));
            });
            return values;
        }
    }
}

AttributeValue decode_value(const AttributeView& view) {
    const auto integer = [&] { return view.integer().value_or(0); };
    switch (view.member) {
        case ValueMember::None:
            return std::monostate{};
        case ValueMember::Double:
            return bit_copy<double>(view.bits);
        case ValueMember::Float:
            return bit_copy<float>(static_cast<std::uint32_t>(view.bits));
        case ValueMember::Int32:
        case ValueMember::Sint32:
        case ValueMember::Sfixed32:
            return static_cast<std::int32_t>(integer());
        case ValueMember::Int64:
        case ValueMember::Sint64:
        case ValueMember::Sfixed64:
            return integer();
        case ValueMember::Uint32:
        case ValueMember::Fixed32:
            return static_cast<std::uint32_t>(view.bits);
        case ValueMember::Uint64:
        case ValueMember::Fixed64:
            return view.bits;
        case ValueMember::Bool:
            return view.bits != 0;
        case ValueMember::String:
        case ValueMember::Bytes:
            return std::string(view.bytes);
        default:
            return decode_list(view);
    }
}

// ---- writing ----

/// Puts each kind of value into a member of the oneof.
struct ValueEncoder {
    AttributeProto& message;
    ValueMember member;

    void operator()(std::monostate) const {}
    void operator()(bool value) const { message.set_bool_val(value); }
    void operator()(float value) const { message.set_float_val(value); }
    void operator()(double value) const { message.set_double_val(value); }
    void operator()(std::int32_t value) const {
        switch (member) {
            case ValueMember::Sint32:
                return message.set_sint32_val(value);
            case ValueMember::Sfixed32:
                return message.set_sfixed32_val(value);
            default:
                return message.set_int32_val(value);
        }
    }
    void operator()(std::int64_t value) const {
        switch (member) {
            case ValueMember::Sint64:
                return message.set_sint64_val(value);
            case ValueMember::Sfixed64:
                return message.set_sfixed64_val(value);
            default:
                return message.set_int64_val(value);
        }
    }
    void operator()(std::uint32_t value) const {
        member == ValueMember::Fixed32 ? message.set_fixed32_val(value)
                                       : message.set_uint32_val(value);
    }
    void operator()(std::uint64_t value) const {
        member == ValueMember::Fixed64 ? message.set_fixed64_val(value)
                                       : message.set_uint64_val(value);
    }
    void operator()(const std::string& value) const {
        member == ValueMember::Bytes ? message.set_bytes_val(value) : message.set_string_val(value);
    }
    void operator()(const std::vector<std::int64_t>& values) const {
        const auto fill = [&values](auto* list) {
            using Integer = std::decay_t<decltype(list->values(0))>;
            for (const std::int64_t value : values) {
                list->add_values(static_cast<Integer>(value));
            }
        };
        switch (member) {
            case ValueMember::Int32List:
                return fill(message.mutable_int32_list());
            case ValueMember::Uint32List:
                return fill(message.mutable_uint32_list());
            case ValueMember::Sint32List:
                return fill(message.mutable_sint32_list());
            case ValueMember::Sint64List:
                return fill(message.mutable_sint64_list());
            case ValueMember::Fixed32List:
                return fill(message.mutable_fixed32_list());
            case ValueMember::Sfixed32List:
                return fill(message.mutable_sfixed32_list());
            case ValueMember::Sfixed64List:
                return fill(message.mutable_sfixed64_list());
            default:
                return fill(message.mutable_int64_list());
        }
    }
    void operator()(const std::vector<std::string>& values) const {
        auto* list = member == ValueMember::BytesList
                         ? message.mutable_bytes_list()->mutable_values()
                         : message.mutable_string_list()->mutable_values();
        list->Assign(values.begin(), values.end());
    }
    void operator()(const std::vector<bool>& values) const {
        auto* list = message.mutable_bool_list()->mutable_values();
        list->Assign(values.begin(), values.end());
    }
    void operator()(const UnmodelledValue& value) const { merge(value.wire, message); }

    template <class Message>
    static void merge(const std::string& wire, Message& into) {
        [[maybe_unused]] const bool parsed = into.MergeFromString(wire);
        assert(parsed && "what is kept as it stood was parsed");
    }
};

void encode_tensors(const TensorText& tensors, IOInfo& message) {
    message.set_values(tensors.values);
    message.set_shapes(tensors.shapes);
    message.set_types(tensors.types);
    ValueEncoder::merge(tensors.rest, message);
}

}  // namespace

void decode_attribute(const AttributeView& view, Attribute& attribute) {
    attribute.name = view.name;
    attribute.value = decode_value(view);
    attribute.member = view.member;
    attribute.rest.clear();
    if (view.plain) {
        return;
    }
    for (WireCursor fields(view.message); fields.next();) {
        const bool name =
            fields.field() == AttributeProto::kNameFieldNumber && fields.type() == WireType::Bytes;
        if (!name && fields.whole().data() != view.value_begin) {
            attribute.rest += fields.whole();
        }
    }
}

void decode_attribute(const AttributeProto& message, Attribute& attribute) {
    const std::string bytes = message.SerializeAsString();
    AttributeView view;
    [[maybe_unused]] const bool parsed = view.parse(bytes);
    assert(parsed && "what Protobuf writes, an AttributeView parses");
    decode_attribute(view, attribute);
}

void decode_tensors(std::string_view message, bool present, TensorText& tensors) {
    tensors.present = present;
    tensors.values.clear();
    tensors.shapes.clear();
    tensors.types.clear();
    tensors.rest.clear();
    for (WireCursor fields(message); fields.next();) {
        const bool text = fields.type() == WireType::Bytes;
        switch (text ? fields.field() : 0) {
            case IOInfo::kValuesFieldNumber:
                tensors.values = fields.bytes();
                break;
            case IOInfo::kShapesFieldNumber:
                tensors.shapes = fields.bytes();
                break;
            case IOInfo::kTypesFieldNumber:
                tensors.types = fields.bytes();
                break;
            default:
                tensors.rest += fields.whole();
                break;
        }
    }
}

bool decode_metadata(std::string_view frame, TraceMetadata& metadata) {
    ChakraProtoMsg::GlobalMetadata message;
    if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
        return false;
    }
    metadata = TraceMetadata{};
    metadata.version = message.version();
    for (const AttributeProto& attribute : message.attr()) {
        decode_attribute(attribute, metadata.attributes.emplace_back());
    }
    message.clear_version();
    message.clear_attr();
    metadata.rest = message.SerializeAsString();
    return true;
}

void encode_metadata(const TraceMetadata& metadata, std::string& frame) {
    ChakraProtoMsg::GlobalMetadata message;
    message.set_version(metadata.version);
    for (const Attribute& attribute : metadata.attributes) {
        encode_attribute(attribute, *message.add_attr());
    }
    ValueEncoder::merge(metadata.rest, message);
    frame = message.SerializeAsString();
}

void encode_attribute(const Attribute& attribute, AttributeProto& message) {
    message.Clear();
    message.set_name(attribute.name);
    std::visit(ValueEncoder{message, member_of(attribute)}, attribute.value);
    ValueEncoder::merge(attribute.rest, message);
}

void encode_node(const Node& node, ChakraProtoMsg::Node& message) {
    message.Clear();
    message.set_id(node.id);
    message.set_name(node.name);
    message.set_type(static_cast<ChakraProtoMsg::NodeType>(node.type));
    message.mutable_ctrl_deps()->Assign(node.ctrl_deps.begin(), node.ctrl_deps.end());
    message.mutable_data_deps()->Assign(node.data_deps.begin(), node.data_deps.end());
    message.set_start_time_micros(node.start_time_micros);
    message.set_duration_micros(node.duration_micros);
    if (node.inputs.present || !node.inputs.empty()) {
        encode_tensors(node.inputs, *message.mutable_inputs());
    }
    if (node.outputs.present || !node.outputs.empty()) {
        encode_tensors(node.outputs, *message.mutable_outputs());
    }
    for (const Attribute& attribute : node.attributes) {
        encode_attribute(attribute, *message.add_attr());
    }
    ValueEncoder::merge(node.rest, message);
}

}  // namespace npunet::chakra
