// A node as it stands in the bytes of its frame: what is asked for is decoded, nothing is copied.
//
//     NodeView view;
//     if (view.parse(frame)) {
//         if (const auto size = view.integer("comm_size")) { ... }
//         for (AttributeCursor attributes = view.attributes(); attributes.next();) {
//             use(attributes.attribute().name);
//         }
//     }
//
// Reads schema 0.0.4, to which the readers of chakra bring every other one. Several times as
// fast as chakra::Node (chakra/trace/node.h), which owns what it holds and can be changed. Protobuf
// defines what the bytes mean; a test holds the two against each other.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/node.h"
#include "chakra/wire/attribute_view.h"

namespace npunet::chakra {

class NodeView;

/// Goes through the attributes of a node that was parsed; valid as long as the view is.
class AttributeCursor {
public:
    explicit AttributeCursor(const NodeView& node);

    /// Moves on to the next attribute in the order of the file; false at the end.
    [[nodiscard]] bool next();
    [[nodiscard]] const AttributeView& attribute() const { return *attribute_; }

private:
    const NodeView& node_;
    const AttributeView* attribute_ = nullptr;
    std::uint32_t number_ = 0;  // of the next attribute
    std::string_view rest_;     // of the frame, behind the attributes that the view has decoded
    AttributeView further_;
};

/// Valid as long as the frame that was parsed.
class NodeView {
public:
    /// Reads a frame; false when it is malformed, or says something twice that Protobuf merges
    /// (see canonical_node()). The view is not to be used then.
    [[nodiscard]] bool parse(std::string_view frame);
    /// Reads only the id and the dependencies; all else is empty then, and need not be sound.
    [[nodiscard]] bool parse_dependencies(std::string_view frame);

    [[nodiscard]] std::uint64_t id() const { return id_; }
    [[nodiscard]] std::string_view name() const { return name_; }
    /// As it stands there: possibly of no NodeType.
    [[nodiscard]] std::int32_t type_number() const { return type_; }
    [[nodiscard]] const std::vector<std::uint64_t>& ctrl_deps() const { return ctrl_deps_; }
    [[nodiscard]] const std::vector<std::uint64_t>& data_deps() const { return data_deps_; }
    [[nodiscard]] std::uint64_t start_time_micros() const { return start_time_micros_; }
    [[nodiscard]] std::uint64_t duration_micros() const { return duration_micros_; }

    [[nodiscard]] AttributeCursor attributes() const { return AttributeCursor(*this); }
    /// The first attribute of this name.
    [[nodiscard]] std::optional<AttributeView> find(std::string_view attribute) const;
    /// As Node::integer() and Node::text().
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view attribute) const;
    [[nodiscard]] std::optional<std::string_view> text(std::string_view attribute) const;

    [[nodiscard]] std::string_view frame() const { return frame_; }
    /// The node with everything in it; the memory of `node` is reused. False when its type is no
    /// NodeType: node.type is the number all the same.
    [[nodiscard]] bool copy_to(Node& node) const;

private:
    friend class AttributeCursor;
    /// So many attributes stay decoded: more than nodes have, other than hostile ones.
    static constexpr std::uint32_t most_decoded = 16;

    void clear(std::string_view frame);
    enum class Parsed { Known, Unknown, Malformed };
    bool parse_field(std::uint32_t field, std::uint64_t number);
    Parsed parse_field(std::uint32_t field, std::string_view bytes);
    bool parse_attribute(std::string_view message);
    void copy_rest(Node& node) const;

    std::string_view frame_;
    std::string_view further_attributes_;  // the frame behind the decoded ones
    std::string_view name_;
    std::uint64_t id_ = 0;
    std::uint64_t start_time_micros_ = 0;
    std::uint64_t duration_micros_ = 0;
    std::int32_t type_ = 0;
    std::uint32_t attribute_count_ = 0;
    std::vector<std::uint64_t> ctrl_deps_;
    std::vector<std::uint64_t> data_deps_;
    std::array<AttributeView, most_decoded> attributes_;
    bool has_inputs_ = false;
    bool has_outputs_ = false;
    bool has_rest_ = false;  // fields of no schema of ours
    std::string_view inputs_;
    std::string_view outputs_;
};

/// The frame as Protobuf would write it again, with what stands there twice merged; nothing when
/// Protobuf refuses it. NodeView parses the result.
[[nodiscard]] std::optional<std::string> canonical_node(std::string_view frame);

}  // namespace npunet::chakra
