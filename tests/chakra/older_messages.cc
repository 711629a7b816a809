#include "older_messages.h"

#include <et_def.pb.h>
#include <et_def_0_0_1.pb.h>
#include <et_def_0_0_2.pb.h>
#include <et_def_0_0_3a.pb.h>
#include <et_def_0_0_3d.pb.h>
#include <et_def_0_0_4_pre.pb.h>

#include <array>
#include <map>

namespace npunet::chakra {

namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t limit) {
    return random() % limit;
}

// What a collective is called in a schema, and in 0.0.4.
struct Collective {
    int number;
    CollectiveType type;
};

Collective any_collective(Schema schema, Random& random) {
    static const std::vector<Collective> since_0_0_2{{0, CollectiveType::AllReduce},
                                                     {1, CollectiveType::AllToAll},
                                                     {2, CollectiveType::AllGather},
                                                     {3, CollectiveType::ReduceScatter},
                                                     {4, CollectiveType::Broadcast}};
    Collective chosen = since_0_0_2[below(random, schema == Schema::V0_0_3d ? 5 : 4)];
    chosen.number += schema == Schema::V0_0_1 ? 1 : 0;
    return chosen;
}

/// The type that this node has in the made trace; `all`: METADATA too.
NodeType any_type(Random& random, bool all) {
    return static_cast<NodeType>(all ? 1 + below(random, 7) : 2 + below(random, 6));
}

std::string any_name(const Node& node, bool telling) {
    return (telling ? std::string(name_of(node.type)) : "op") + "_" + std::to_string(node.id);
}

Node base_node(Schema schema, int index, const MadeTraceOptions& options, Random& random) {
    Node node;
    node.id = static_cast<std::uint64_t>(index) + 1;
    node.type = any_type(random, schema > Schema::V0_0_2);
    node.name = any_name(node, options.telling_names);
    if (index > 0) {
        node.data_deps = {1 + below(random, static_cast<std::uint64_t>(index))};
    }
    return node;
}

bool communicates(const Node& node) {
    return node.type >= NodeType::CommSend;
}

v001::Node flat_node(Node& node, const MadeTraceOptions& options, Random& random) {
    v001::Node message;
    message.set_id(node.id);
    message.set_name(node.name);
    message.set_node_type(static_cast<int>(node.type) - 1);
    for (const auto dep : node.data_deps) {
        message.add_parent(dep);
    }
    if (!options.attributes) {
        return message;
    }
    if (node.type == NodeType::Compute) {
        node.duration_micros = 1 + below(random, 1000);
        message.set_simulated_run_time(node.duration_micros);
        const auto operations = below(random, 1ULL << 40U);
        message.set_tensor_loc(v001::REMOTE_MEMORY);
        message.set_num_ops(operations);
        node.attributes = {{"tensor_loc", std::int32_t{2}},
                           {"num_ops", static_cast<std::int64_t>(operations)}};
    } else if (!communicates(node)) {
        const auto size = below(random, 1ULL << 40U);
        message.set_tensor_size(size);
        node.attributes = {{"tensor_size", size}};
    } else {
        const auto size = below(random, 1ULL << 32U);
        message.set_comm_size(size);
        node.attributes = {{"comm_size", size}};
        if (node.type == NodeType::CommCollective) {
            const Collective collective = any_collective(Schema::V0_0_1, random);
            message.set_comm_type(collective.number);
            message.add_involved_dim(true);
            message.add_involved_dim(false);
            message.set_communicator_id(7);
            node.set_integer("comm_type", static_cast<std::int64_t>(collective.type));
            node.set("involved_dim", std::vector<bool>{true, false});
            node.set_text("pg_name", "7");
        } else {
            message.set_comm_src(3);
            message.set_comm_dst(4);
            message.set_comm_tag(5);
            message.set_comm_priority(6);
            node.set_int32("comm_src", 3);
            node.set_int32("comm_dst", 4);
            node.set_int32("comm_tag", 5);
            node.set_int32("comm_priority", 6);
        }
    }
    return message;
}

/// The numbers of the attribute types of a schema, by name.
std::map<std::string, int> attribute_types(Schema schema) {
    if (schema == Schema::V0_0_2) {
        return {{"FLOAT", 0},  {"INT", 1},  {"STRING", 2},
                {"FLOATS", 3}, {"INTS", 4}, {"STRINGS", 5}};
    }
    if (schema == Schema::V0_0_3d) {
        return {{"BOOL", 0},  {"FLOAT", 1},  {"UINT", 2},  {"INT", 3},  {"STRING", 4},
                {"BOOLS", 5}, {"FLOATS", 6}, {"UINTS", 7}, {"INTS", 8}, {"STRINGS", 9}};
    }
    return {{"BOOL", 0},  {"FLOAT", 1},  {"INT", 2},  {"STRING", 3},
            {"BOOLS", 4}, {"FLOATS", 5}, {"INTS", 6}, {"STRINGS", 7}};
}

template <class AttributeProto>
AttributeProto& start(AttributeProto& message, Schema schema, const std::string& name,
                      const std::string& type) {
    message.set_name(name);
    message.set_type(attribute_types(schema).at(type));
    return message;
}

UnmodelledValue floats(float a, float b) {
    ChakraProtoMsg::AttributeProto message;
    message.mutable_float_list()->add_values(a);
    message.mutable_float_list()->add_values(b);
    return {message.SerializeAsString()};
}

/// One attribute of each kind that the schema has.
template <class Message>
void add_all_kinds(Schema schema, Message& message, std::vector<Attribute>& attributes,
                   Random& random) {
    const auto number = static_cast<std::int64_t>(random());
    const auto add = [&](const char* name, const char* type) -> auto& {
        return start(*message.add_attribute(), schema, name, type);
    };
    add("an_int", "INT").set_i(number);
    attributes.push_back({"an_int", number});
    add("a_float", "FLOAT").set_f(1.5F);
    attributes.push_back({"a_float", 1.5F});
    add("text", "STRING").set_s("value \xFF");
    attributes.push_back({"text", std::string("value \xFF")});
    auto& all_floats = add("floats", "FLOATS");
    all_floats.add_floats(0.5F);
    all_floats.add_floats(-2.0F);
    attributes.push_back({"floats", floats(0.5F, -2.0F)});
    auto& ints = add("ints", "INTS");
    ints.add_ints(number);
    ints.add_ints(-1);
    attributes.push_back({"ints", std::vector<std::int64_t>{number, -1}});
    auto& strings = add("strings", "STRINGS");
    strings.add_strings("a");
    strings.add_strings("");
    attributes.push_back({"strings", std::vector<std::string>{"a", ""}});
    if constexpr (!std::is_same_v<Message, v002::Node>) {
        add("yes", "BOOL").set_b(true);
        attributes.push_back({"yes", true});
        auto& bools = add("bools", "BOOLS");
        bools.add_bools(false);
        bools.add_bools(true);
        attributes.push_back({"bools", std::vector<bool>{false, true}});
    }
    if constexpr (std::is_same_v<Message, v003d::Node> ||
                  std::is_same_v<Message, v003d::GlobalMetadata>) {
        const std::uint64_t large = random() | (1ULL << 63U);
        add("a_uint", "UINT").set_u(large);
        attributes.push_back({"a_uint", large});
        add("uints", "UINTS").add_uints(large);
        ChakraProtoMsg::AttributeProto list;
        list.mutable_uint64_list()->add_values(large);
        attributes.push_back({"uints", UnmodelledValue{list.SerializeAsString()}});
    }
}

template <class Message>
Message typed_node(Schema schema, Node& node, const MadeTraceOptions& options, Random& random) {
    Message message;
    message.set_id(node.id);
    message.set_name(node.name);
    message.set_type(static_cast<int>(node.type) - (schema == Schema::V0_0_2 ? 1 : 0));
    for (const auto dep : node.data_deps) {
        message.add_parent(dep);
    }
    if (!options.attributes) {
        return message;
    }
    message.set_inputs("[[1, 2, 0, 4, 4, 'cpu']]");
    message.set_input_shapes("[[4]]");
    message.set_input_types("['Tensor(float)']");
    message.set_outputs("['<None>']");
    node.inputs = {"[[1, 2, 0, 4, 4, 'cpu']]", "[[4]]", "['Tensor(float)']"};
    node.outputs.values = "['<None>']";
    const auto add_int = [&](const char* name, std::int64_t value) {
        start(*message.add_attribute(), schema, name, "INT").set_i(value);
    };
    if (node.type == NodeType::Compute) {
        node.duration_micros = 1 + below(random, 1000);
        add_int("runtime", static_cast<std::int64_t>(node.duration_micros));
    } else if (communicates(node)) {
        add_int("comm_size", 4096);
        node.attributes.push_back({"comm_size", std::int64_t{4096}});
        if (node.type == NodeType::CommCollective) {
            const Collective collective = any_collective(schema, random);
            add_int("comm_type", collective.number);
            node.attributes.push_back({"comm_type", static_cast<std::int64_t>(collective.type)});
        }
    }
    add_all_kinds(schema, message, node.attributes, random);
    return message;
}

ChakraProtoMsg::Node current_node(Node& node, const MadeTraceOptions& options, Random& random) {
    ChakraProtoMsg::Node message;
    message.set_id(node.id);
    message.set_name(node.name);
    message.set_type(static_cast<ChakraProtoMsg::NodeType>(node.type));
    for (const auto dep : node.data_deps) {
        message.add_data_deps(dep);
    }
    if (options.attributes) {
        message.set_duration_micros(1 + below(random, 1000));
        message.mutable_inputs()->set_shapes("[[4]]");
        auto& attribute = *message.add_attr();
        attribute.set_name(communicates(node) ? "comm_size" : "tensor_size");
        attribute.set_int64_val(static_cast<std::int64_t>(below(random, 1ULL << 40U)));
    }
    return message;
}

std::string node_frame(Schema schema, Node& node, const MadeTraceOptions& options, Random& random) {
    switch (schema) {
        case Schema::V0_0_1:
            return flat_node(node, options, random).SerializeAsString();
        case Schema::V0_0_2:
            return typed_node<v002::Node>(schema, node, options, random).SerializeAsString();
        case Schema::V0_0_3a:
        case Schema::V0_0_3c:
            return typed_node<v003a::Node>(schema, node, options, random).SerializeAsString();
        case Schema::V0_0_3d:
            return typed_node<v003d::Node>(schema, node, options, random).SerializeAsString();
        default:
            return current_node(node, options, random).SerializeAsString();
    }
}

template <class Message>
std::string typed_metadata(Schema schema, std::vector<Attribute>& attributes, Random& random) {
    Message message;
    add_all_kinds(schema, message, attributes, random);
    return message.SerializeAsString();
}

std::string metadata_frame(Schema schema, std::vector<Attribute>& attributes, Random& random) {
    if (schema == Schema::V0_0_3c) {
        return typed_metadata<v003a::GlobalMetadata>(schema, attributes, random);
    }
    if (schema == Schema::V0_0_3d) {
        return typed_metadata<v003d::GlobalMetadata>(schema, attributes, random);
    }
    ChakraProtoMsg::AttributeProto attribute;
    attribute.set_name("schema");
    attribute.set_string_val("1.0.2-chakra.0.0.4");
    attributes = {{"schema", std::string("1.0.2-chakra.0.0.4")}};
    if (schema == Schema::V0_0_4pre) {
        v004pre::GlobalMetadata message;
        *message.add_attr() = attribute;
        return message.SerializeAsString();
    }
    ChakraProtoMsg::GlobalMetadata message;
    message.set_version("0.0.4");
    *message.add_attr() = attribute;
    return message.SerializeAsString();
}

}  // namespace

MadeTrace made_trace(Schema schema, const MadeTraceOptions& options, Random& random) {
    MadeTrace trace;
    if (options.metadata && has_metadata_frame(schema)) {
        trace.metadata_frame = true;
        trace.frames.push_back(metadata_frame(schema, trace.metadata, random));
    }
    for (int i = 0; i < options.nodes; ++i) {
        Node node = base_node(schema, i, options, random);
        trace.frames.push_back(node_frame(schema, node, options, random));
        trace.nodes.push_back(std::move(node));
    }
    return trace;
}

}  // namespace npunet::chakra
