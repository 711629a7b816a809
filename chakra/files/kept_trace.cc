#include "chakra/files/kept_trace.h"

#include <et_def.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <utility>

#include "chakra/files/frame_input.h"
#include "chakra/files/node_frames.h"
#include "chakra/wire/node_codec.h"

namespace npunet::chakra {

namespace {

// Frames are compared as bytes: making nodes of them would take ten times as long.

/// AttributeProto messages that stand at the same place of two nodes.
struct DifferentAttribute {
    std::string_view known;
    std::string_view other;
};

using google::protobuf::internal::WireFormatLite;

/// Reads the fields of one message from memory.
class Fields {
public:
    explicit Fields(std::string_view message)
        : message_(message),
          stream_(reinterpret_cast<const std::uint8_t*>(message.data()),
                  static_cast<int>(message.size())) {}

    /// 0 at the end, and where there is no tag.
    [[nodiscard]] std::uint32_t tag() { return stream_.ReadTag(); }
    [[nodiscard]] bool at_end() { return stream_.ConsumedEntireMessage(); }
    [[nodiscard]] bool number(std::uint64_t& value) { return stream_.ReadVarint64(&value); }
    /// A length, and that number of bytes.
    [[nodiscard]] bool bytes(std::string_view& value) {
        std::uint32_t length = 0;
        if (!stream_.ReadVarint32(&length)) {
            return false;
        }
        const auto begin = static_cast<std::size_t>(stream_.CurrentPosition());
        if (length > message_.size() - begin) {
            return false;
        }
        value = message_.substr(begin, length);
        return stream_.Skip(static_cast<int>(length));
    }
    [[nodiscard]] bool nothing_left() const {
        return static_cast<std::size_t>(stream_.CurrentPosition()) == message_.size();
    }

private:
    std::string_view message_;
    google::protobuf::io::CodedInputStream stream_;
};

bool numbers_shifted(Fields& known, Fields& other, std::uint64_t shift) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    return known.number(a) && other.number(b) && a + shift == b;
}

bool lists_shifted(std::string_view known, std::string_view other, std::uint64_t shift) {
    Fields a(known);
    Fields b(other);
    while (!a.nothing_left()) {
        if (b.nothing_left() || !numbers_shifted(a, b, shift)) {
            return false;
        }
    }
    return b.nothing_left();
}

/// Whether `other` holds the fields of `known` in the same order, with every id, its own and those
/// of dependencies, higher by `shift` (modulo 2^64), and attributes that may differ: those that do
/// are appended to `attributes`. False for anything that is no valid node, too.
bool frames_alike(std::string_view known, std::string_view other, std::uint64_t shift,
                  std::vector<DifferentAttribute>& attributes) {
    using ChakraProtoMsg::Node;
    Fields a(known);
    Fields b(other);
    bool has_id = false;
    while (const std::uint32_t tag = a.tag()) {
        if (b.tag() != tag) {
            return false;
        }
        const int field = WireFormatLite::GetTagFieldNumber(tag);
        has_id = has_id || field == Node::kIdFieldNumber;
        const bool ids = field == Node::kIdFieldNumber || field == Node::kCtrlDepsFieldNumber ||
                         field == Node::kDataDepsFieldNumber;
        switch (WireFormatLite::GetTagWireType(tag)) {
            case WireFormatLite::WIRETYPE_VARINT:
                if (!numbers_shifted(a, b, ids ? shift : 0)) {
                    return false;
                }
                break;
            case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: {
                std::string_view mine;
                std::string_view others;
                if (!a.bytes(mine) || !b.bytes(others)) {
                    return false;
                }
                if (ids ? lists_shifted(mine, others, shift) : mine == others) {
                    break;
                }
                if (field != Node::kAttrFieldNumber) {
                    return false;
                }
                attributes.push_back({mine, others});
                break;
            }
            default:  // fields of a node are numbers or have a length
                return false;
        }
    }
    // An id of 0 is not written: where both are, nothing has moved.
    return a.at_end() && b.tag() == 0 && b.at_end() && (has_id || shift == 0);
}

/// Adds the attributes in which a node differs; false when it must not differ in them.
bool add_values(const Node& known, std::size_t place,
                const std::vector<DifferentAttribute>& different,
                const std::vector<std::string_view>& allowed,
                std::vector<TraceDifference::Value>& values) {
    AttributeView mine;
    AttributeView other;
    for (const DifferentAttribute& messages : different) {
        TraceDifference::Value value;
        value.node = place;
        if (!mine.parse(messages.known) || !other.parse(messages.other) ||
            mine.name != other.name) {
            return false;
        }
        decode_attribute(other, value.attribute);
        const std::string& name = value.attribute.name;
        if (std::find(allowed.begin(), allowed.end(), name) == allowed.end() ||
            std::count_if(known.attributes.begin(), known.attributes.end(),
                          [&name](const Attribute& own) { return own.name == name; }) != 1) {
            return false;
        }
        values.push_back(std::move(value));
    }
    return true;
}

}  // namespace

KeptTrace::KeptTrace(const std::filesystem::path& path, std::vector<Node> nodes)
    : nodes_(std::move(nodes)) {
    const auto by_id = [](const Node& a, const Node& b) { return a.id < b.id; };
    if (!nodes_.empty()) {
        lowest_id_ = std::min_element(nodes_.begin(), nodes_.end(), by_id)->id;
        highest_id_ = std::max_element(nodes_.begin(), nodes_.end(), by_id)->id;
    }
    const TraceFormat format = NodeFrames(path).format();
    if (format.schema != Schema::V0_0_4 || format.json) {
        return;  // frames of other schemas have other fields: such traces are read in full
    }
    FrameInput input(path);
    while (input.next()) {
        frames_ += input.frame();
        frame_ends_.push_back(frames_.size());
    }
}

std::string_view KeptTrace::frame(std::size_t number) const {
    const std::size_t begin = number == 0 ? 0 : frame_ends_[number - 1];
    return std::string_view(frames_).substr(begin, frame_ends_[number] - begin);
}

std::optional<TraceDifference> KeptTrace::difference(const std::filesystem::path& other,
                                                     const Allowed& allowed) const {
    TraceDifference result;
    if (frame_ends_.size() != nodes_.size() + 1) {
        return std::nullopt;  // no metadata: what its first frame is takes a closer look
    }
    FrameInput input(other);
    std::vector<DifferentAttribute> different;
    std::size_t number = 0;
    for (; input.next(); ++number) {
        if (number >= frame_ends_.size()) {
            return std::nullopt;
        }
        const std::string_view known = frame(number);
        if (number == 1) {
            NodeView first;
            if (!first.parse(input.frame())) {
                return std::nullopt;
            }
            result.id_shift = first.id() - nodes_.front().id;
            if (result.id_shift != 0 && !allowed.ids) {
                return std::nullopt;
            }
            if (lowest_id_ + result.id_shift > highest_id_ + result.id_shift) {
                return std::nullopt;  // some beyond 2^64: their order would be another one
            }
        }
        if (result.id_shift == 0 && input.frame() == known) {
            continue;
        }
        different.clear();
        if (number == 0 || !frames_alike(known, input.frame(), result.id_shift, different) ||
            !add_values(nodes_[number - 1], number - 1, different, allowed.attributes,
                        result.values)) {
            return std::nullopt;
        }
    }
    if (number != frame_ends_.size()) {
        return std::nullopt;
    }
    return result;
}

}  // namespace npunet::chakra
