#include "chakra/kept_trace.h"

#include <algorithm>
#include <utility>

#include "chakra/frame_comparison.h"
#include "chakra/frame_input.h"
#include "chakra/node_codec.h"
#include "chakra/node_frames.h"

namespace npunet::chakra {

namespace {

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
