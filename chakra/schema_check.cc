#include "chakra/schema_check.h"

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>

#include "chakra/node.h"

namespace npunet::chakra {

namespace {

/// The highest field number of a node in any schema.
constexpr int highest_known_field = 20;

template <class Message>
bool parse(std::string_view bytes, Message& message) {
    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

const google::protobuf::UnknownFieldSet& unknown_fields(const google::protobuf::Message& message) {
    return message.GetReflection()->GetUnknownFields(message);
}

/// Fields that our schema does not know but an older one does.
bool has_older_fields(const ChakraProtoMsg::Node& node) {
    const auto& unknown = unknown_fields(node);
    for (int i = 0; i < unknown.field_count(); ++i) {
        if (unknown.field(i).number() <= highest_known_field) {
            return true;
        }
    }
    return false;
}

bool strictly_metadata(const ChakraProtoMsg::GlobalMetadata& metadata) {
    return unknown_fields(metadata).empty() &&
           std::all_of(metadata.attr().begin(), metadata.attr().end(),
                       [](const auto& attribute) { return unknown_fields(attribute).empty(); });
}

bool older_version(std::string_view version) {
    const bool control = std::any_of(version.begin(), version.end(),
                                     [](char c) { return static_cast<unsigned char>(c) < ' '; });
    return control || version == "0.0.1" || version == "0.0.2" || version == "0.0.3";
}

}  // namespace

FrameKind classify_node_frame(std::string_view frame, ChakraProtoMsg::Node& node) {
    if (!parse(frame, node)) {
        return FrameKind::Unknown;
    }
    return has_older_fields(node) ? FrameKind::Older : FrameKind::Node;
}

FrameKind classify_first_frame(std::string_view frame, ChakraProtoMsg::GlobalMetadata& metadata,
                               ChakraProtoMsg::Node& node) {
    // A node always has an unknown field as metadata, unless it is without type, id and
    // dependencies.
    if (parse(frame, metadata) && strictly_metadata(metadata)) {
        return older_version(metadata.version()) ? FrameKind::Older : FrameKind::Metadata;
    }
    metadata.Clear();
    const FrameKind kind = classify_node_frame(frame, node);
    if (kind == FrameKind::Node && name_contradicts_type(node)) {
        return FrameKind::Older;
    }
    return kind;
}

bool name_contradicts_type(const ChakraProtoMsg::Node& node) {
    const std::string_view name = node.name();
    for (std::int64_t number = 1; const auto type = node_type_from(number); ++number) {
        const std::string_view type_name = name_of(*type);
        if (name.substr(0, type_name.size()) == type_name) {
            return number != node.type();
        }
    }
    return false;
}

}  // namespace npunet::chakra
