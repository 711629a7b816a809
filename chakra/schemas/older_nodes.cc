#include "chakra/schemas/older_nodes.h"

#include <et_def.pb.h>
#include <et_def_0_0_2.pb.h>
#include <et_def_0_0_3a.pb.h>
#include <et_def_0_0_3d.pb.h>
#include <et_def_0_0_4_pre.pb.h>
#include <fmt/format.h>

#include <cassert>
#include <limits>
#include <optional>

#include "chakra/schemas/older_schemas.h"
#include "chakra/wire/node_codec.h"

namespace npunet::chakra {

namespace {

/// The kinds of values that a typed attribute can have.
enum class OlderKind { Bool, Float, Uint, Int, String, Bools, Floats, Uints, Ints, Strings };

std::optional<OlderKind> kind_of(const v002::AttributeProto& attribute) {
    static constexpr std::array kinds{OlderKind::Float,  OlderKind::Int,  OlderKind::String,
                                      OlderKind::Floats, OlderKind::Ints, OlderKind::Strings};
    const auto number = static_cast<std::uint32_t>(attribute.type());
    return number < kinds.size() ? std::optional(kinds[number]) : std::nullopt;
}

std::optional<OlderKind> kind_of(const v003a::AttributeProto& attribute) {
    static constexpr std::array kinds{OlderKind::Bool,   OlderKind::Float,  OlderKind::Int,
                                      OlderKind::String, OlderKind::Bools,  OlderKind::Floats,
                                      OlderKind::Ints,   OlderKind::Strings};
    const auto number = static_cast<std::uint32_t>(attribute.type());
    return number < kinds.size() ? std::optional(kinds[number]) : std::nullopt;
}

std::optional<OlderKind> kind_of(const v003d::AttributeProto& attribute) {
    const auto number = static_cast<std::uint32_t>(attribute.type());
    return number <= static_cast<std::uint32_t>(OlderKind::Strings)
               ? std::optional(static_cast<OlderKind>(number))
               : std::nullopt;
}

/// A list that chakra/trace/node.h keeps as it is in the file: as the file of 0.0.4 would have it.
AttributeValue kept(const ChakraProtoMsg::AttributeProto& message) {
    return UnmodelledValue{message.SerializeAsString()};
}

AttributeValue float_list(const google::protobuf::RepeatedField<float>& values) {
    ChakraProtoMsg::AttributeProto message;
    *message.mutable_float_list()->mutable_values() = values;
    return kept(message);
}

template <class AttributeProto>
AttributeValue unsigned_value(const AttributeProto& attribute, OlderKind kind) {
    if constexpr (std::is_same_v<AttributeProto, v003d::AttributeProto>) {
        if (kind == OlderKind::Uints) {
            ChakraProtoMsg::AttributeProto message;
            *message.mutable_uint64_list()->mutable_values() = attribute.uints();
            return kept(message);
        }
        if (attribute.has_u()) {
            return std::uint64_t{attribute.u()};
        }
    }
    return std::monostate{};
}

template <class AttributeProto>
AttributeValue bool_value(const AttributeProto& attribute, OlderKind kind) {
    if constexpr (!std::is_same_v<AttributeProto, v002::AttributeProto>) {
        if (kind == OlderKind::Bools) {
            return std::vector<bool>(attribute.bools().begin(), attribute.bools().end());
        }
        if (attribute.has_b()) {
            return attribute.b();
        }
    }
    return std::monostate{};
}

/// The value in the field of its kind; an attribute without a value where that field is absent.
template <class AttributeProto>
AttributeValue value_of(const AttributeProto& attribute, OlderKind kind) {
    switch (kind) {
        case OlderKind::Float:
            return attribute.has_f() ? AttributeValue(attribute.f()) : AttributeValue();
        case OlderKind::Int:
            return attribute.has_i() ? AttributeValue(std::int64_t{attribute.i()})
                                     : AttributeValue();
        case OlderKind::String:
            return attribute.has_s() ? AttributeValue(attribute.s()) : AttributeValue();
        case OlderKind::Floats:
            return float_list(attribute.floats());
        case OlderKind::Ints:
            return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
        case OlderKind::Strings:
            return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
        case OlderKind::Uint:
        case OlderKind::Uints:
            return unsigned_value(attribute, kind);
        default:
            return bool_value(attribute, kind);
    }
}

/// The member of a value that is kept as the file of 0.0.4 would have it: the bytes alone do not
/// tell a writer of other forms.
ValueMember member_of_kept(OlderKind kind) {
    return kind == OlderKind::Floats  ? ValueMember::FloatList
           : kind == OlderKind::Uints ? ValueMember::Uint64List
                                      : ValueMember::None;
}

template <class Attributes>
bool decode_attributes(const Attributes& messages, std::vector<Attribute>& attributes,
                       std::string& error) {
    attributes.clear();
    for (const auto& message : messages) {
        const auto kind = kind_of(message);
        if (!kind || !message.has_type()) {
            error = message.has_type()
                        ? fmt::format("attribute '{}' of type {}", message.name(), message.type())
                        : fmt::format("attribute '{}' without a type", message.name());
            return false;
        }
        attributes.push_back({message.name(), value_of(message, *kind), member_of_kept(*kind)});
    }
    return true;
}

/// The number of a collective as in 0.0.4. Nodes that are no collectives keep theirs: what stands
/// there need not be a collective at all.
bool renumber_collective(Schema schema, Node& node, std::string& error) {
    const auto number = node.integer("comm_type");
    if (!number) {
        return true;
    }
    const auto type = older_collective(schema, static_cast<std::uint64_t>(*number));
    if (type) {
        node.set_integer("comm_type", static_cast<std::int64_t>(*type));
    } else if (node.type == NodeType::CommCollective) {
        error = fmt::format("node {} with comm_type {}", node.id, *number);
        return false;
    }
    return true;
}

/// Moves the run time from the attributes to where 0.0.4 has it.
void take_run_time(Node& node) {
    for (const char* name : {"runtime", "simulated_run_time"}) {
        const auto time = node.integer(name);
        if (time && *time >= 0) {
            node.duration_micros = static_cast<std::uint64_t>(*time);
            node.attributes.erase(node.attributes.begin() +
                                  (node.find(name) - node.attributes.data()));
            return;
        }
    }
}

template <class Message>
bool decode_typed_node(Schema schema, std::string_view frame, Node& node, std::string& error) {
    Message message;
    if (!parse_older(frame, message, error)) {
        return false;
    }
    const auto type = older_node_type(schema, message.type());
    if (!type) {
        error = fmt::format("node {} of type {}", message.id(), message.type());
        return false;
    }
    node = Node{};
    node.id = message.id();
    node.name = message.name();
    node.type = *type;
    node.data_deps.assign(message.parent().begin(), message.parent().end());
    node.inputs = {message.inputs(), message.input_shapes(), message.input_types()};
    node.outputs = {message.outputs(), message.output_shapes(), message.output_types()};
    if (!decode_attributes(message.attribute(), node.attributes, error)) {
        error = fmt::format("node {} with {}", node.id, error);
        return false;
    }
    take_run_time(node);
    return renumber_collective(schema, node, error);
}

template <class Message>
bool decode_typed_metadata(std::string_view frame, std::vector<Attribute>& attributes,
                           std::string& error) {
    Message message;
    return parse_older(frame, message, error) &&
           decode_attributes(message.attribute(), attributes, error);
}

}  // namespace

bool decode_older_node(Schema schema, std::string_view frame, Node& node, std::string& error) {
    switch (schema) {
        case Schema::V0_0_1:
            return decode_node_0_0_1(frame, node, error);
        case Schema::V0_0_2:
            return decode_typed_node<v002::Node>(schema, frame, node, error);
        case Schema::V0_0_3a:
        case Schema::V0_0_3c:
            return decode_typed_node<v003a::Node>(schema, frame, node, error);
        case Schema::V0_0_3d:
            return decode_typed_node<v003d::Node>(schema, frame, node, error);
        default:
            assert(false && "nodes of 0.0.4 are read by chakra/wire/node_codec.h");
            return false;
    }
}

bool decode_older_metadata(Schema schema, std::string_view frame,
                           std::vector<Attribute>& attributes, std::string& error) {
    if (schema == Schema::V0_0_3c) {
        return decode_typed_metadata<v003a::GlobalMetadata>(frame, attributes, error);
    }
    if (schema == Schema::V0_0_3d) {
        return decode_typed_metadata<v003d::GlobalMetadata>(frame, attributes, error);
    }
    assert(schema == Schema::V0_0_4pre && "the schema has metadata and is not the last");
    v004pre::GlobalMetadata message;
    if (!parse_older(frame, message, error)) {
        return false;
    }
    attributes.clear();
    for (const auto& attribute : message.attr()) {
        decode_attribute(attribute, attributes.emplace_back());
    }
    return true;
}

}  // namespace npunet::chakra
