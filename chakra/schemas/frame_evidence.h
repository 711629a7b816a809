// What one frame says about the schema it is of: chakra/schemas/schema_detection.h adds that up.
// For the sources of chakra only.
#pragma once

#include <google/protobuf/descriptor.h>

#include <array>
#include <string>
#include <string_view>

#include "chakra/trace/schema.h"

namespace npunet::chakra {

/// Schemas that have the same node message.
enum class NodeForm { V0_0_1, V0_0_2, V0_0_3a, V0_0_3d, V0_0_4 };

inline constexpr std::array<NodeForm, 5> node_forms{
    NodeForm::V0_0_1, NodeForm::V0_0_2, NodeForm::V0_0_3a, NodeForm::V0_0_3d, NodeForm::V0_0_4};

[[nodiscard]] NodeForm node_form(Schema schema);

/// The message that nodes of the form are.
[[nodiscard]] const google::protobuf::Descriptor& node_message(NodeForm form);

/// The metadata message; the schema has one.
[[nodiscard]] const google::protobuf::Descriptor& metadata_message(Schema schema);

// Points. What contradicts the writer of the file, or what no sane file has, outweighs any number
// of weak signs in the same node.
inline constexpr int contradiction = 8;
inline constexpr int improbable = 4;
inline constexpr int odd = 2;

struct Evidence {
    std::string fault;      ///< why the frame cannot be what it is taken for; empty when it can
    int points = 0;         ///< for, or against when negative
    std::string objection;  ///< what speaks against it the most
    int objection_points = 0;
};

/// Adds points; the worst objection of all is the one that is told.
void add_points(Evidence& evidence, int points, std::string objection = "");

/// The frame as a node.
[[nodiscard]] Evidence evidence_of_node(NodeForm form, std::string_view frame);

/// The frame as the metadata of a schema that has some.
[[nodiscard]] Evidence evidence_of_metadata(Schema schema, std::string_view frame);

// Parts of evidence_of_node().

/// What the attributes of one node say about its type.
struct AttributeSigns {
    bool named = false;          ///< the last one has a printable name
    bool communication = false;  ///< a name that begins with comm_, or pg_name
    bool collective = false;     ///< comm_type
    bool message = false;        ///< comm_src or comm_dst
    bool computation = false;    ///< num_ops or a run time
    bool size = false;           ///< tensor_size
};

/// Judges an attribute, whose fields are those of the form.
void judge_attribute(NodeForm form, std::string_view attribute, AttributeSigns& signs,
                     Evidence& evidence);

/// Whether there is a character below the space: what is no text.
[[nodiscard]] bool has_control_characters(std::string_view text);

}  // namespace npunet::chakra
