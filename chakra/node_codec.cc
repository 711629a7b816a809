#include "chakra/node_codec.h"

#include <cassert>

namespace npunet::chakra {

namespace {

using ChakraProtoMsg::AttributeProto;

/// A list message as a vector of our element type.
template <class Element, class List>
std::vector<Element> to_vector(const List& list) {
    return std::vector<Element>(list.values().begin(), list.values().end());
}

AttributeValue unmodelled(const AttributeProto& message) {
    AttributeProto nameless = message;
    nameless.clear_name();
    nameless.clear_doc_string();
    return UnmodelledValue{nameless.SerializeAsString()};
}

AttributeValue decode_list(const AttributeProto& message) {
    switch (message.value_case()) {
        case AttributeProto::kInt32List:
            return to_vector<std::int64_t>(message.int32_list());
        case AttributeProto::kInt64List:
            return to_vector<std::int64_t>(message.int64_list());
        case AttributeProto::kUint32List:
            return to_vector<std::int64_t>(message.uint32_list());
        case AttributeProto::kSint32List:
            return to_vector<std::int64_t>(message.sint32_list());
        case AttributeProto::kSint64List:
            return to_vector<std::int64_t>(message.sint64_list());
        case AttributeProto::kFixed32List:
            return to_vector<std::int64_t>(message.fixed32_list());
        case AttributeProto::kSfixed32List:
            return to_vector<std::int64_t>(message.sfixed32_list());
        case AttributeProto::kSfixed64List:
            return to_vector<std::int64_t>(message.sfixed64_list());
        case AttributeProto::kBoolList:
            return to_vector<bool>(message.bool_list());
        case AttributeProto::kStringList:
            return to_vector<std::string>(message.string_list());
        case AttributeProto::kBytesList:
            return to_vector<std::string>(message.bytes_list());
        default:
            return unmodelled(message);
    }
}

AttributeValue decode_value(const AttributeProto& message) {
    switch (message.value_case()) {
        case AttributeProto::VALUE_NOT_SET:
            return std::monostate{};
        case AttributeProto::kDoubleVal:
            return message.double_val();
        case AttributeProto::kFloatVal:
            return message.float_val();
        case AttributeProto::kInt32Val:
            return message.int32_val();
        case AttributeProto::kInt64Val:
            return std::int64_t{message.int64_val()};
        case AttributeProto::kUint32Val:
            return message.uint32_val();
        case AttributeProto::kUint64Val:
            return std::uint64_t{message.uint64_val()};
        case AttributeProto::kSint32Val:
            return message.sint32_val();
        case AttributeProto::kSint64Val:
            return std::int64_t{message.sint64_val()};
        case AttributeProto::kFixed32Val:
            return message.fixed32_val();
        case AttributeProto::kFixed64Val:
            return std::uint64_t{message.fixed64_val()};
        case AttributeProto::kSfixed32Val:
            return message.sfixed32_val();
        case AttributeProto::kSfixed64Val:
            return std::int64_t{message.sfixed64_val()};
        case AttributeProto::kBoolVal:
            return message.bool_val();
        case AttributeProto::kStringVal:
            return message.string_val();
        case AttributeProto::kBytesVal:
            return message.bytes_val();
        default:
            return decode_list(message);
    }
}

void decode_tensors(const ChakraProtoMsg::IOInfo& message, TensorText& tensors) {
    tensors.values = message.values();
    tensors.shapes = message.shapes();
    tensors.types = message.types();
}

void encode_tensors(const TensorText& tensors, ChakraProtoMsg::IOInfo& message) {
    message.set_values(tensors.values);
    message.set_shapes(tensors.shapes);
    message.set_types(tensors.types);
}

/// Puts each kind of value into the oneof member of its type.
struct ValueEncoder {
    AttributeProto& message;

    void operator()(std::monostate) const {}
    void operator()(bool value) const { message.set_bool_val(value); }
    void operator()(std::int32_t value) const { message.set_int32_val(value); }
    void operator()(std::int64_t value) const { message.set_int64_val(value); }
    void operator()(std::uint32_t value) const { message.set_uint32_val(value); }
    void operator()(std::uint64_t value) const { message.set_uint64_val(value); }
    void operator()(float value) const { message.set_float_val(value); }
    void operator()(double value) const { message.set_double_val(value); }
    void operator()(const std::string& value) const { message.set_string_val(value); }
    void operator()(const std::vector<std::int64_t>& values) const {
        auto* list = message.mutable_int64_list()->mutable_values();
        list->Assign(values.begin(), values.end());
    }
    void operator()(const std::vector<std::string>& values) const {
        auto* list = message.mutable_string_list()->mutable_values();
        list->Assign(values.begin(), values.end());
    }
    void operator()(const std::vector<bool>& values) const {
        auto* list = message.mutable_bool_list()->mutable_values();
        list->Assign(values.begin(), values.end());
    }
    void operator()(const UnmodelledValue& value) const {
        [[maybe_unused]] const bool parsed = message.MergeFromString(value.wire);
        assert(parsed && "an UnmodelledValue comes from decode_attribute");
    }
};

}  // namespace

void decode_attribute(const AttributeProto& message, Attribute& attribute) {
    attribute.name = message.name();
    attribute.value = decode_value(message);
}

void decode_node(const ChakraProtoMsg::Node& message, Node& node) {
    node.id = message.id();
    node.name = message.name();
    node.ctrl_deps.assign(message.ctrl_deps().begin(), message.ctrl_deps().end());
    node.data_deps.assign(message.data_deps().begin(), message.data_deps().end());
    node.start_time_micros = message.start_time_micros();
    node.duration_micros = message.duration_micros();
    decode_tensors(message.inputs(), node.inputs);
    decode_tensors(message.outputs(), node.outputs);
    node.attributes.resize(static_cast<std::size_t>(message.attr_size()));
    auto attribute = node.attributes.begin();
    for (const AttributeProto& part : message.attr()) {
        decode_attribute(part, *attribute++);
    }
}

void encode_attribute(const Attribute& attribute, AttributeProto& message) {
    message.Clear();
    message.set_name(attribute.name);
    std::visit(ValueEncoder{message}, attribute.value);
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
    if (!node.inputs.empty()) {
        encode_tensors(node.inputs, *message.mutable_inputs());
    }
    if (!node.outputs.empty()) {
        encode_tensors(node.outputs, *message.mutable_outputs());
    }
    for (const Attribute& attribute : node.attributes) {
        encode_attribute(attribute, *message.add_attr());
    }
}

}  // namespace npunet::chakra
