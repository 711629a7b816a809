#include "chakra/schemas/frame_evidence.h"

#include <et_def.pb.h>
#include <et_def_0_0_1.pb.h>
#include <et_def_0_0_2.pb.h>
#include <et_def_0_0_3a.pb.h>
#include <et_def_0_0_3d.pb.h>
#include <et_def_0_0_4_pre.pb.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "chakra/schemas/older_schemas.h"
#include "chakra/schemas/wire_fields.h"
#include "chakra/trace/node.h"

namespace npunet::chakra {

namespace {

/// Up to here a number belongs to some schema of the past: those of 0.0.1 reach furthest. Only the
/// last schema can have got more fields since.
constexpr int highest_past_field = 20;

/// What a node says about itself, as far as all forms have it.
struct NodeScan {
    bool has_id = false;
    bool has_type = false;
    bool has_name = false;
    std::string_view name;
    std::uint64_t type_number = 0;
    NodeType type = NodeType::Invalid;
    std::array<bool, 21> has{};  ///< by field number
    AttributeSigns attributes;
};

bool is_memory(NodeType type) {
    return type == NodeType::MemoryLoad || type == NodeType::MemoryStore;
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

/// The type that a name begins with: "COMP_NODE_conv1"; the names of collectives as well.
std::optional<NodeType> type_in_name(std::string_view name) {
    for (std::int64_t number = 1; const auto type = node_type_from(number); ++number) {
        if (starts_with(name, name_of(*type))) {
            return type;
        }
    }
    for (std::int64_t number = 0; const auto type = collective_type_from(number); ++number) {
        if (starts_with(name, name_of(*type))) {
            return NodeType::CommCollective;
        }
    }
    return std::nullopt;
}

void judge_name(const NodeScan& scan, Evidence& evidence) {
    if (has_control_characters(scan.name)) {
        add_points(evidence, -odd, "a node's name has control characters");
    }
    const auto said = type_in_name(scan.name);
    if (!said) {
        return;
    }
    if (*said == scan.type) {
        add_points(evidence, odd);
    } else {
        add_points(evidence, -contradiction,
                   fmt::format("a node named {:.40} would be a {}", scan.name, name_of(scan.type)));
    }
}

/// What the fields of 0.0.1 say about the type.
void judge_flat_fields(const NodeScan& scan, Evidence& evidence) {
    const bool sends = std::any_of(scan.has.begin() + 13, scan.has.end(), [](bool b) { return b; });
    if (sends != is_communication(scan.type)) {
        add_points(evidence, -odd,
                   fmt::format("a {} would {}", name_of(scan.type),
                               sends ? "communicate" : "say nothing about what it communicates"));
    } else if (sends) {
        add_points(evidence, odd);
    }
    const bool computes = scan.has[7] || scan.has[12];
    if (computes) {
        add_points(evidence, scan.type == NodeType::Compute ? 1 : -1,
                   fmt::format("a {} would compute", name_of(scan.type)));
    }
    const bool has_size = scan.has[6] || scan.has[9] || scan.has[11];
    if (is_memory(scan.type) && !has_size) {
        add_points(evidence, -1, fmt::format("a {} would have no size", name_of(scan.type)));
    }
}

/// What the attributes of the other forms say about the type.
void judge_attributes(NodeForm form, const NodeScan& scan, Evidence& evidence) {
    const AttributeSigns& signs = scan.attributes;
    if (is_communication(scan.type) && !signs.communication) {
        add_points(
            evidence, -odd,
            fmt::format("a {} would say nothing about what it communicates", name_of(scan.type)));
    }
    if (signs.collective && scan.type != NodeType::CommCollective) {
        const bool message = is_communication(scan.type);
        add_points(evidence, message ? 0 : -odd,
                   fmt::format("a {} would have a comm_type", name_of(scan.type)));
    } else if (signs.collective) {
        add_points(evidence, 1);
    }
    if (signs.message) {
        const bool message = scan.type == NodeType::CommSend || scan.type == NodeType::CommReceive;
        add_points(evidence, message ? 1 : -1,
                   fmt::format("a {} would have a sender or receiver", name_of(scan.type)));
    }
    const bool timed = form == NodeForm::V0_0_4 && scan.has[7];
    if (signs.computation || timed) {
        add_points(evidence, scan.type == NodeType::Compute ? 1 : -1,
                   fmt::format("a {} would compute", name_of(scan.type)));
    }
    if (is_memory(scan.type) && !signs.size) {
        add_points(evidence, -1, fmt::format("a {} would have no size", name_of(scan.type)));
    }
}

/// What only 0.0.1 has: numbers with few values.
void judge_flat_field(const WireField& field, Evidence& evidence) {
    const bool location = field.number == 5 || field.number == 8 || field.number == 10;
    const bool narrow = field.number >= 15;
    if (location && field.value > v001::REMOTE_MEMORY) {
        add_points(evidence, -improbable,
                   fmt::format("field {} would be memory of kind {}", field.number, field.value));
    } else if (narrow && field.value > std::numeric_limits<std::uint32_t>::max()) {
        add_points(evidence, -odd, fmt::format("field {} has more than 32 bits", field.number));
    }
}

void scan_field(NodeForm form, const WireField& field, NodeScan& scan, Evidence& evidence) {
    if (field.number < static_cast<int>(scan.has.size())) {
        scan.has[static_cast<std::size_t>(field.number)] = true;
    }
    const int attribute = form == NodeForm::V0_0_4 ? 10 : 11;
    switch (field.number) {
        case 1:
            scan.has_id = true;
            return;
        case 2:
            scan.has_name = true;
            scan.name = field.bytes;
            return;
        case 3:
            scan.has_type = true;
            scan.type_number = field.value;
            return;
        case 4:
            return;
        default:
            break;
    }
    if (form == NodeForm::V0_0_1) {
        judge_flat_field(field, evidence);
    } else if (field.number == attribute) {
        judge_attribute(form, field.bytes, scan.attributes, evidence);
    } else if (form != NodeForm::V0_0_4 && has_control_characters(field.bytes)) {
        add_points(evidence, -contradiction,
                   fmt::format("the text in field {} has control characters", field.number));
    }
}

/// What a proto2 writer cannot leave out.
void require_fields(NodeForm form, const NodeScan& scan, Evidence& evidence) {
    const bool typed = form != NodeForm::V0_0_1;
    if (!scan.has_id) {
        evidence.fault = "a node has no id (field 1)";
    } else if (!scan.has_name) {
        evidence.fault = "a node has no name (field 2)";
    } else if (typed && !scan.has_type) {
        evidence.fault = "a node has no type (field 3)";
    }
}

void judge_type(NodeForm form, NodeScan& scan, bool empty, Evidence& evidence) {
    const Schema schema = form == NodeForm::V0_0_1   ? Schema::V0_0_1
                          : form == NodeForm::V0_0_2 ? Schema::V0_0_2
                                                     : Schema::V0_0_4;
    const auto type = scan.type_number > 1000
                          ? std::nullopt
                          : older_node_type(schema, static_cast<std::int64_t>(scan.type_number));
    if (!type && form == NodeForm::V0_0_4) {
        // A later schema may have more types; whoever reads the node says what is wrong with it.
        add_points(evidence, -contradiction, fmt::format("a node has type {}", scan.type_number));
        return;
    }
    if (!type) {
        evidence.fault = fmt::format("a node has type {}", scan.type_number);
        return;
    }
    scan.type = *type;
    if (scan.type == NodeType::Invalid) {
        add_points(evidence, empty ? -1 : -odd, "a node would be an INVALID_NODE");
    }
}

}  // namespace

NodeForm node_form(Schema schema) {
    switch (schema) {
        case Schema::V0_0_1:
            return NodeForm::V0_0_1;
        case Schema::V0_0_2:
            return NodeForm::V0_0_2;
        case Schema::V0_0_3a:
        case Schema::V0_0_3c:
            return NodeForm::V0_0_3a;
        case Schema::V0_0_3d:
            return NodeForm::V0_0_3d;
        default:
            return NodeForm::V0_0_4;
    }
}

const google::protobuf::Descriptor& node_message(NodeForm form) {
    switch (form) {
        case NodeForm::V0_0_1:
            return *v001::Node::descriptor();
        case NodeForm::V0_0_2:
            return *v002::Node::descriptor();
        case NodeForm::V0_0_3a:
            return *v003a::Node::descriptor();
        case NodeForm::V0_0_3d:
            return *v003d::Node::descriptor();
        default:
            return *ChakraProtoMsg::Node::descriptor();
    }
}

const google::protobuf::Descriptor& metadata_message(Schema schema) {
    switch (schema) {
        case Schema::V0_0_3c:
            return *v003a::GlobalMetadata::descriptor();
        case Schema::V0_0_3d:
            return *v003d::GlobalMetadata::descriptor();
        case Schema::V0_0_4pre:
            return *v004pre::GlobalMetadata::descriptor();
        default:
            return *ChakraProtoMsg::GlobalMetadata::descriptor();
    }
}

void add_points(Evidence& evidence, int points, std::string objection) {
    evidence.points += points;
    if (points < evidence.objection_points) {
        evidence.objection_points = points;
        evidence.objection = std::move(objection);
    }
}

namespace {

/// Whether the frame is a node of an older schema, as far as its fields tell.
bool is_older_node(std::string_view frame) {
    return std::any_of(node_forms.begin(), node_forms.end(), [&](NodeForm form) {
        return form != NodeForm::V0_0_4 && evidence_of_node(form, frame).fault.empty();
    });
}

/// The findings of 0.0.4: numbers up to that of the last schema before it are faults, unless
/// `is_other` denies that the frame is something else.
template <class IsOther>
WireFindings findings_of_last(const google::protobuf::Descriptor& message, std::string_view frame,
                              IsOther is_other) {
    WireFindings strict;
    check_message(message, frame, highest_past_field, strict);
    if (strict.fault.empty()) {
        return strict;
    }
    WireFindings lenient;
    check_message(message, frame, highest_field(message), lenient);
    return lenient.fault.empty() && !is_other() ? lenient : strict;
}

// A later schema has more fields, and the numbers that follow those of 0.0.4 are numbers of older
// schemas. They speak against 0.0.4 only where the frame as a whole is a node of one of these.
WireFindings findings_of_node(NodeForm form, std::string_view frame) {
    if (form == NodeForm::V0_0_4) {
        return findings_of_last(node_message(form), frame, [&] { return is_older_node(frame); });
    }
    WireFindings findings;
    check_message(node_message(form), frame, any_field, findings);
    return findings;
}

WireFindings findings_of_metadata(Schema schema, std::string_view frame) {
    if (schema == Schema::V0_0_4) {
        return findings_of_last(metadata_message(schema), frame, [&] {
            return is_older_node(frame) || evidence_of_node(NodeForm::V0_0_4, frame).fault.empty();
        });
    }
    WireFindings findings;
    check_message(metadata_message(schema), frame, any_field, findings);
    return findings;
}

}  // namespace

Evidence evidence_of_node(NodeForm form, std::string_view frame) {
    Evidence evidence;
    const WireFindings findings = findings_of_node(form, frame);
    if (!findings.fault.empty()) {
        evidence.fault = findings.fault;
        return evidence;
    }
    if (findings.unusual > 0) {
        add_points(evidence, -odd - 1, "its writers encode numbers in another way");
    }
    NodeScan scan;
    for (WireFields fields(frame); fields.next() && evidence.fault.empty();) {
        scan_field(form, fields.field(), scan, evidence);
    }
    if (form != NodeForm::V0_0_4 && evidence.fault.empty()) {
        require_fields(form, scan, evidence);
    }
    if (evidence.fault.empty()) {
        judge_type(form, scan, frame.empty(), evidence);
    }
    if (evidence.fault.empty()) {
        judge_name(scan, evidence);
        if (form == NodeForm::V0_0_1) {
            judge_flat_fields(scan, evidence);
        } else {
            judge_attributes(form, scan, evidence);
        }
    }
    return evidence;
}

Evidence evidence_of_metadata(Schema schema, std::string_view frame) {
    Evidence evidence;
    evidence.fault = findings_of_metadata(schema, frame).fault;
    AttributeSigns signs;
    for (WireFields fields(frame); evidence.fault.empty() && fields.next();) {
        const WireField& field = fields.field();
        if (schema == Schema::V0_0_4 && field.number == 1) {
            if (has_control_characters(field.bytes)) {
                add_points(evidence, -contradiction, "the version has control characters");
            }
            continue;
        }
        if (field.number > highest_field(metadata_message(schema))) {
            continue;
        }
        judge_attribute(node_form(schema), field.bytes, signs, evidence);
        if (evidence.fault.empty() && !signs.named) {
            add_points(evidence, -contradiction,
                       "an attribute of the metadata has no printable name");
        }
    }
    if (evidence.fault.empty() && !frame.empty()) {
        add_points(evidence, odd);
    }
    return evidence;
}

}  // namespace npunet::chakra
