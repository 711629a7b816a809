#include "protobuf_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "chakra/wire/node_codec.h"

namespace npunet::chakra {

namespace {

using ChakraProtoMsg::AttributeProto;

std::optional<std::int64_t> integer_of(const AttributeProto& attribute) {
    switch (attribute.value_case()) {
        case AttributeProto::kInt32Val:
            return attribute.int32_val();
        case AttributeProto::kInt64Val:
            return attribute.int64_val();
        case AttributeProto::kUint32Val:
            return attribute.uint32_val();
        case AttributeProto::kSint32Val:
            return attribute.sint32_val();
        case AttributeProto::kSint64Val:
            return attribute.sint64_val();
        case AttributeProto::kFixed32Val:
            return attribute.fixed32_val();
        case AttributeProto::kSfixed32Val:
            return attribute.sfixed32_val();
        case AttributeProto::kSfixed64Val:
            return attribute.sfixed64_val();
        case AttributeProto::kBoolVal:
            return attribute.bool_val() ? 1 : 0;
        case AttributeProto::kUint64Val:
        case AttributeProto::kFixed64Val: {
            const std::uint64_t value = attribute.value_case() == AttributeProto::kUint64Val
                                            ? attribute.uint64_val()
                                            : attribute.fixed64_val();
            return value >> 63U == 0 ? std::optional(static_cast<std::int64_t>(value))
                                     : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

std::optional<std::string> text_of(const AttributeProto& attribute) {
    return attribute.has_string_val()  ? std::optional(attribute.string_val())
           : attribute.has_bytes_val() ? std::optional(attribute.bytes_val())
                                       : std::nullopt;
}

template <class Number>
bool is(const AttributeValue& value, Number expected) {
    const auto* number = std::get_if<Number>(&value);
    // Bit by bit: a NaN is equal to itself, and 0 is not -0.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    return number != nullptr && std::memcmp(number, &expected, sizeof expected) == 0;
}

template <class List>
bool is_list(const AttributeValue& value, const List& list) {
    using Element = std::decay_t<decltype(list.values(0))>;
    using Ours = std::conditional_t<
        std::is_same_v<Element, bool>, bool,
        std::conditional_t<std::is_same_v<Element, std::string>, std::string, std::int64_t>>;
    const auto* ours = std::get_if<std::vector<Ours>>(&value);
    const bool no_rest = list.GetReflection()->GetUnknownFields(list).empty();
    return ours != nullptr && no_rest &&
           *ours == std::vector<Ours>(list.values().begin(), list.values().end());
}

/// Of those that are kept as they stood.
bool is_as_it_stood(const AttributeValue& value, AttributeProto expected) {
    const auto* kept = std::get_if<UnmodelledValue>(&value);
    AttributeProto parsed;
    if (kept == nullptr || !parsed.ParseFromString(kept->wire)) {
        return false;
    }
    expected.clear_name();
    expected.clear_doc_string();
    expected.GetReflection()->MutableUnknownFields(&expected)->Clear();
    return parsed.SerializeAsString() == expected.SerializeAsString();
}

bool has_value(const AttributeProto& expected, const AttributeValue& value) {
    if (std::holds_alternative<UnmodelledValue>(value)) {
        return static_cast<int>(expected.value_case()) % 2 == 0 && is_as_it_stood(value, expected);
    }
    switch (expected.value_case()) {
        case AttributeProto::VALUE_NOT_SET:
            return std::holds_alternative<std::monostate>(value);
        case AttributeProto::kDoubleVal:
            return is(value, expected.double_val());
        case AttributeProto::kFloatVal:
            return is(value, expected.float_val());
        case AttributeProto::kUint64Val:
            return is(value, expected.uint64_val());
        case AttributeProto::kFixed64Val:
            return is(value, expected.fixed64_val());
        case AttributeProto::kUint32Val:
        case AttributeProto::kFixed32Val:
            return is(value, static_cast<std::uint32_t>(*integer_of(expected)));
        case AttributeProto::kInt32Val:
        case AttributeProto::kSint32Val:
        case AttributeProto::kSfixed32Val:
            return is(value, static_cast<std::int32_t>(*integer_of(expected)));
        case AttributeProto::kInt64Val:
        case AttributeProto::kSint64Val:
        case AttributeProto::kSfixed64Val:
            return is(value, *integer_of(expected));
        case AttributeProto::kBoolVal:
            return is(value, expected.bool_val());
        case AttributeProto::kStringVal:
        case AttributeProto::kBytesVal:
            return value == AttributeValue(*text_of(expected));
        case AttributeProto::kInt32List:
            return is_list(value, expected.int32_list());
        case AttributeProto::kInt64List:
            return is_list(value, expected.int64_list());
        case AttributeProto::kUint32List:
            return is_list(value, expected.uint32_list());
        case AttributeProto::kSint32List:
            return is_list(value, expected.sint32_list());
        case AttributeProto::kSint64List:
            return is_list(value, expected.sint64_list());
        case AttributeProto::kFixed32List:
            return is_list(value, expected.fixed32_list());
        case AttributeProto::kSfixed32List:
            return is_list(value, expected.sfixed32_list());
        case AttributeProto::kSfixed64List:
            return is_list(value, expected.sfixed64_list());
        case AttributeProto::kBoolList:
            return is_list(value, expected.bool_list());
        case AttributeProto::kStringList:
            return is_list(value, expected.string_list());
        case AttributeProto::kBytesList:
            return is_list(value, expected.bytes_list());
        default:
            return false;  // the other lists are kept as they stood
    }
}

std::string difference(const AttributeProto& expected, const AttributeView& view,
                       const Attribute& copy) {
    const auto member = static_cast<ValueMember>(expected.value_case());
    const auto text = view.text();
    if (view.name != expected.name() || copy.name != expected.name()) {
        return "name";
    }
    if (view.member != member || copy.member != member) {
        return fmt::format("member {}", name_of(view.member));
    }
    if (view.integer() != integer_of(expected)) {
        return "integer()";
    }
    if ((text ? std::optional(std::string(*text)) : std::nullopt) != text_of(expected)) {
        return "text()";
    }
    return has_value(expected, copy.value) ? "" : fmt::format("value of {}", name_of(member));
}

bool equal(const google::protobuf::RepeatedField<std::uint64_t>& expected,
           const std::vector<std::uint64_t>& ids) {
    return std::vector<std::uint64_t>(expected.begin(), expected.end()) == ids;
}

bool equal(bool has, const ChakraProtoMsg::IOInfo& tensors, const TensorText& copy) {
    return copy.present == has && copy.values == tensors.values() &&
           copy.shapes == tensors.shapes() && copy.types == tensors.types();
}

std::string difference_of_fields(const ChakraProtoMsg::Node& expected, const NodeView& view,
                                 const Node& copy) {
    if (view.id() != expected.id() || copy.id != expected.id()) {
        return "id";
    }
    if (view.name() != expected.name() || copy.name != expected.name()) {
        return "name";
    }
    if (view.type_number() != expected.type() || static_cast<int>(copy.type) != expected.type()) {
        return "type";
    }
    if (!equal(expected.ctrl_deps(), view.ctrl_deps()) || copy.ctrl_deps != view.ctrl_deps()) {
        return "ctrl_deps";
    }
    if (!equal(expected.data_deps(), view.data_deps()) || copy.data_deps != view.data_deps()) {
        return "data_deps";
    }
    if (view.start_time_micros() != expected.start_time_micros() ||
        copy.start_time_micros != expected.start_time_micros()) {
        return "start_time_micros";
    }
    if (view.duration_micros() != expected.duration_micros() ||
        copy.duration_micros != expected.duration_micros()) {
        return "duration_micros";
    }
    if (!equal(expected.has_inputs(), expected.inputs(), copy.inputs)) {
        return "inputs";
    }
    return equal(expected.has_outputs(), expected.outputs(), copy.outputs) ? "" : "outputs";
}

/// find(), integer() and text() by name: those of the first attribute that has it.
std::string difference_of_finding(const ChakraProtoMsg::Node& expected, const NodeView& view,
                                  const Node& copy) {
    for (const AttributeProto& wanted : expected.attr()) {
        const auto first =
            std::find_if(expected.attr().begin(), expected.attr().end(),
                         [&](const AttributeProto& one) { return one.name() == wanted.name(); });
        const auto text = view.text(wanted.name());
        if (view.integer(wanted.name()) != integer_of(*first) ||
            copy.integer(wanted.name()) != integer_of(*first) || copy.text(wanted.name()) != text ||
            text.has_value() != text_of(*first).has_value() ||
            (text && *text != *text_of(*first))) {
            return fmt::format("attribute '{}' by name", wanted.name());
        }
    }
    return "";
}

}  // namespace

std::string difference(const ChakraProtoMsg::Node& expected, const NodeView& view) {
    Node copy;
    copy.name = "of another node";
    copy.attributes.resize(3, {"another", std::int64_t{7}, ValueMember::Sint64, "rest"});
    copy.rest = copy.inputs.rest = "another";
    const bool known_type = view.copy_to(copy);
    if (known_type != ChakraProtoMsg::NodeType_IsValid(expected.type())) {
        return "copy_to() about the type";
    }
    if (auto found = difference_of_fields(expected, view, copy); !found.empty()) {
        return found;
    }
    if (copy.attributes.size() != static_cast<std::size_t>(expected.attr_size())) {
        return "number of attributes";
    }
    AttributeCursor cursor = view.attributes();
    for (int i = 0; i < expected.attr_size(); ++i) {
        if (!cursor.next()) {
            return fmt::format("attribute {} is missing", i);
        }
        const auto found = difference(expected.attr(i), cursor.attribute(),
                                      copy.attributes[static_cast<std::size_t>(i)]);
        if (!found.empty()) {
            return fmt::format("attribute {}: {}", i, found);
        }
    }
    if (cursor.next()) {
        return "an attribute too many";
    }
    if (auto found = difference_of_finding(expected, view, copy); !found.empty()) {
        return found;
    }
    // With everything else that the messages hold: doc strings, fields of later schemas.
    ChakraProtoMsg::Node written;
    encode_node(copy, written);
    return written.SerializeAsString() == expected.SerializeAsString() ? "" : "the bytes of a copy";
}

std::string difference_to_protobuf(std::string_view frame) {
    ChakraProtoMsg::Node expected;
    const bool accepted = expected.ParseFromArray(frame.data(), static_cast<int>(frame.size()));
    NodeView view;
    NodeView dependencies;
    std::string rewritten;
    bool ours = view.parse(frame);
    if (!ours) {
        if (auto canonical = canonical_node(frame)) {
            rewritten = *std::move(canonical);
            ours = view.parse(rewritten);
        }
    }
    if (ours != accepted) {
        return ours ? "Protobuf refuses it" : "only Protobuf takes it";
    }
    if (!accepted) {
        return "";
    }
    if (!dependencies.parse_dependencies(frame) || dependencies.id() != expected.id() ||
        !equal(expected.ctrl_deps(), dependencies.ctrl_deps()) ||
        !equal(expected.data_deps(), dependencies.data_deps())) {
        return "parse_dependencies()";
    }
    return difference(expected, view);
}

}  // namespace npunet::chakra
