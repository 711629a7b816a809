#include "chakra/schemas/older_nodes.h"

#include <et_def_0_0_1.pb.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

#include "chakra/schemas/older_schemas.h"

namespace npunet::chakra {

namespace {

using Message = v001::Node;

constexpr std::uint64_t largest_32 = std::numeric_limits<std::uint32_t>::max();

/// A field of a message that is an attribute of 0.0.4, both ways. Field: the type of the field.
template <class Field>
struct FieldAccess {
    std::string_view name;
    bool (Message::*has)() const;
    Field (Message::*get)() const;
    void (Message::*set)(Field);
};

constexpr std::array<FieldAccess<std::int32_t>, 3> locations{
    {{"tensor_loc", &Message::has_tensor_loc, &Message::tensor_loc, &Message::set_tensor_loc},
     {"input_tensor_loc", &Message::has_input_tensor_loc, &Message::input_tensor_loc,
      &Message::set_input_tensor_loc},
     {"output_tensor_loc", &Message::has_output_tensor_loc, &Message::output_tensor_loc,
      &Message::set_output_tensor_loc}}};

constexpr std::array<FieldAccess<std::uint64_t>, 4> sizes{
    {{"tensor_size", &Message::has_tensor_size, &Message::tensor_size, &Message::set_tensor_size},
     {"input_tensor_size", &Message::has_input_tensor_size, &Message::input_tensor_size,
      &Message::set_input_tensor_size},
     {"output_tensor_size", &Message::has_output_tensor_size, &Message::output_tensor_size,
      &Message::set_output_tensor_size},
     {"comm_size", &Message::has_comm_size, &Message::comm_size, &Message::set_comm_size}}};

constexpr FieldAccess<std::uint64_t> operations{"num_ops", &Message::has_num_ops, &Message::num_ops,
                                                &Message::set_num_ops};

constexpr std::array<FieldAccess<std::uint64_t>, 4> ranks_and_tags{
    {{"comm_src", &Message::has_comm_src, &Message::comm_src, &Message::set_comm_src},
     {"comm_dst", &Message::has_comm_dst, &Message::comm_dst, &Message::set_comm_dst},
     {"comm_tag", &Message::has_comm_tag, &Message::comm_tag, &Message::set_comm_tag},
     {"comm_priority", &Message::has_comm_priority, &Message::comm_priority,
      &Message::set_comm_priority}}};

/// The number as the type that other producers give the attribute, or as the unsigned one where it
/// is too large for that.
template <class Signed>
AttributeValue fitting(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<Signed>::max())) {
        return static_cast<Signed>(value);
    }
    return static_cast<std::make_unsigned_t<Signed>>(value);
}

void decode_sizes(const Message& message, Node& node) {
    for (const auto& field : locations) {
        if ((message.*field.has)()) {
            node.attributes.push_back({std::string(field.name), (message.*field.get)()});
        }
    }
    for (const auto& field : sizes) {
        if ((message.*field.has)()) {
            node.attributes.push_back({std::string(field.name), (message.*field.get)()});
        }
    }
    if (message.has_num_ops()) {
        node.attributes.push_back({"num_ops", fitting<std::int64_t>(message.num_ops())});
    }
}

bool decode_communication(const Message& message, Node& node, std::string& error) {
    // Number 0 says that there is no collective.
    if (message.has_comm_type() && message.comm_type() != v001::INVALID_COMM) {
        const auto type =
            older_collective(Schema::V0_0_1, static_cast<std::uint64_t>(message.comm_type()));
        if (!type) {
            error = fmt::format("node {} with comm_type {}", node.id, message.comm_type());
            return false;
        }
        node.attributes.push_back({"comm_type", static_cast<std::int64_t>(*type)});
    }
    if (message.involved_dim_size() > 0) {
        const auto& dims = message.involved_dim();
        node.attributes.push_back({"involved_dim", std::vector<bool>(dims.begin(), dims.end())});
    }
    if (message.has_communicator_id()) {
        node.attributes.push_back({"pg_name", std::to_string(message.communicator_id())});
    }
    for (const auto& field : ranks_and_tags) {
        if ((message.*field.has)()) {
            const std::uint64_t value = (message.*field.get)();
            if (value > largest_32) {
                error = fmt::format("node {} with {} {}", node.id, field.name, value);
                return false;
            }
            node.attributes.push_back({std::string(field.name), fitting<std::int32_t>(value)});
        }
    }
    return true;
}

/// Puts the attributes of one node into a message, and counts what it cannot.
class AttributeEncoder {
public:
    AttributeEncoder(const Node& node, Message& message) : node_(node), message_(message) {}

    [[nodiscard]] bool encode(std::string& error);
    /// The reasons for which the node loses something.
    [[nodiscard]] const std::set<std::string>& lost() const { return lost_; }

private:
    void encode(const Attribute& attribute);
    [[nodiscard]] bool encode_number(std::string_view name, std::uint64_t value);
    [[nodiscard]] bool encode_group(const Attribute& attribute);
    [[nodiscard]] bool encode_collective(std::uint64_t number);

    const Node& node_;
    Message& message_;
    std::set<std::string> lost_;
};

bool AttributeEncoder::encode(std::string& error) {
    const auto size = node_.integer("comm_size");
    if (node_.find("comm_size") != nullptr &&
        (!size || *size < 0 || static_cast<std::uint64_t>(*size) > largest_32)) {
        error =
            size ? fmt::format("node {} with comm_size {}", node_.id, *size)
                 : fmt::format("node {} with a comm_size that is no number of 63 bits", node_.id);
        return false;
    }
    for (const Attribute& attribute : node_.attributes) {
        if (node_.find(attribute.name) == &attribute) {
            encode(attribute);
        } else {
            lost_.insert("attribute " + attribute.name);
        }
    }
    return true;
}

void AttributeEncoder::encode(const Attribute& attribute) {
    bool written = false;
    if (const auto* dims = std::get_if<std::vector<bool>>(&attribute.value)) {
        written = attribute.name == "involved_dim";
        if (written) {
            message_.mutable_involved_dim()->Assign(dims->begin(), dims->end());
        }
    } else if (attribute.name == "pg_name") {
        written = encode_group(attribute);
    } else if (const auto* large = std::get_if<std::uint64_t>(&attribute.value)) {
        written = encode_number(attribute.name, *large);
    } else if (const auto number = node_.integer(attribute.name); number && *number >= 0) {
        written = encode_number(attribute.name, static_cast<std::uint64_t>(*number));
    }
    if (!written) {
        const bool collective = attribute.name == "comm_type" &&
                                node_.type == NodeType::CommCollective &&
                                node_.integer("comm_type");
        lost_.insert(collective ? "collective types without number in 0.0.1"
                                : "attribute " + attribute.name);
    }
}

bool AttributeEncoder::encode_number(std::string_view name, std::uint64_t value) {
    if (name == "comm_type") {
        return encode_collective(value);
    }
    if (name == operations.name) {
        (message_.*operations.set)(value);
        return true;
    }
    for (const auto& field : sizes) {
        if (field.name == name) {
            (message_.*field.set)(value);
            return true;
        }
    }
    for (const auto& field : ranks_and_tags) {
        if (field.name == name && value <= largest_32) {
            (message_.*field.set)(value);
            return true;
        }
    }
    for (const auto& field : locations) {
        if (field.name == name && value <= v001::REMOTE_MEMORY) {
            (message_.*field.set)(static_cast<std::int32_t>(value));
            return true;
        }
    }
    return false;
}

bool AttributeEncoder::encode_group(const Attribute& attribute) {
    const auto* text = std::get_if<std::string>(&attribute.value);
    std::uint32_t group = 0;
    if (text == nullptr) {
        return false;
    }
    const char* const end = text->data() + text->size();
    const auto [rest, problem] = std::from_chars(text->data(), end, group);
    // "007" would not come back as it was.
    if (problem != std::errc() || rest != end || std::to_string(group) != *text) {
        return false;
    }
    message_.set_communicator_id(group);
    return true;
}

bool AttributeEncoder::encode_collective(std::uint64_t number) {
    const auto type = number <= static_cast<std::uint64_t>(CollectiveType::Barrier)
                          ? collective_type_from(static_cast<std::int64_t>(number))
                          : std::nullopt;
    const auto older = type ? number_in_0_0_1(*type) : std::nullopt;
    if (older) {
        message_.set_comm_type(*older);
    }
    return older.has_value();
}

/// What of the fields of 0.0.4 has no place.
std::set<std::string> lost_fields(const Node& node) {
    std::set<std::string> lost;
    if (node.type == NodeType::Metadata) {
        lost.insert("METADATA nodes");
    }
    if (!node.ctrl_deps.empty()) {
        lost.insert("control dependencies");
    }
    if (node.start_time_micros != 0) {
        lost.insert("start times");
    }
    if (!node.inputs.empty() || !node.outputs.empty()) {
        lost.insert("inputs and outputs");
    }
    const bool attributes_have_more =
        std::any_of(node.attributes.begin(), node.attributes.end(),
                    [](const Attribute& attribute) { return !attribute.rest.empty(); });
    if (attributes_have_more) {
        lost.insert("doc strings and other fields of attributes");
    }
    if (!node.rest.empty() || !node.inputs.rest.empty() || !node.outputs.rest.empty()) {
        lost.insert("fields of later schemas");
    }
    return lost;
}

}  // namespace

bool decode_node_0_0_1(std::string_view frame, Node& node, std::string& error) {
    Message message;
    if (!parse_older(frame, message, error)) {
        return false;
    }
    const auto type = older_node_type(Schema::V0_0_1, message.node_type());
    if (!type) {
        error = fmt::format("node {} of type {}", message.id(), message.node_type());
        return false;
    }
    node = Node{};
    node.id = message.id();
    node.name = message.name();
    node.type = *type;
    node.data_deps.assign(message.parent().begin(), message.parent().end());
    node.duration_micros = message.simulated_run_time();
    decode_sizes(message, node);
    return decode_communication(message, node, error);
}

bool encode_node_0_0_1(const Node& node, std::string& frame, Losses& losses, std::string& error) {
    Message message;
    message.set_id(node.id);
    message.set_name(node.name);
    const auto type = static_cast<std::int32_t>(node.type);
    message.set_node_type(node.type > NodeType::Metadata ? type - 1 : v001::INVALID_NODE);
    message.mutable_parent()->Assign(node.data_deps.begin(), node.data_deps.end());
    if (node.duration_micros != 0) {
        message.set_simulated_run_time(node.duration_micros);
    }
    AttributeEncoder attributes(node, message);
    if (!attributes.encode(error)) {
        return false;
    }
    std::set<std::string> lost = lost_fields(node);
    lost.insert(attributes.lost().begin(), attributes.lost().end());
    for (const std::string& reason : lost) {
        ++losses[reason];
    }
    frame.clear();
    return message.AppendToString(&frame);
}

}  // namespace npunet::chakra
