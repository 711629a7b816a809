#include "chakra/feeder/trace_extent.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "chakra/wire/node_view.h"

namespace npunet::chakra {

namespace {

constexpr std::size_t most_stretches = 8192;
constexpr std::uint64_t first_nodes_of_a_stretch = 1024;

}  // namespace

TraceExtent::TraceExtent(SeekableFrames& frames) : nodes_of_a_stretch_(first_nodes_of_a_stretch) {
    NodeView view;
    for (std::uint64_t at = frames.begin(); at != frames.end();) {
        const std::uint64_t offset = at;
        const std::string_view frame = frames.read(at);
        if (!view.parse_dependencies(frame)) {
            throw InputError({frames.path().string(), frames.place(offset),
                              fmt::format("{} bytes that are no node", frame.size()),
                              "a Node message of Chakra schema 0.0.4",
                              "The file is damaged. Generate the trace again"});
        }
        if (!ids_.insert(view.id())) {
            fail_duplicate(frames, offset, view.id());
        }
        add(offset, view.id());
    }
    std::uint64_t lowest = ~std::uint64_t{0};
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
        lowest = std::min(lowest, stretch->lowest);
        stretch->lowest_from_here = lowest;
    }
}

void TraceExtent::add(std::uint64_t offset, std::uint64_t id) {
    if (stretches_.empty() || stretches_.back().nodes == nodes_of_a_stretch_) {
        if (stretches_.size() == most_stretches) {
            join_pairs();
        }
        stretches_.emplace_back();
        stretches_.back().begin = offset;
    }
    Stretch& last = stretches_.back();
    last.ascending = last.ascending && (last.nodes == 0 || id > last_id_);
    ++last.nodes;
    last.lowest = std::min(last.lowest, id);
    last.highest = std::max(last.highest, id);
    last_id_ = id;
}

void TraceExtent::join_pairs() {
    for (std::size_t i = 0; i < stretches_.size() / 2; ++i) {
        Stretch joined = stretches_[2 * i];
        const Stretch& second = stretches_[2 * i + 1];
        joined.ascending = joined.ascending && second.ascending && joined.highest < second.lowest;
        joined.nodes += second.nodes;
        joined.lowest = std::min(joined.lowest, second.lowest);
        joined.highest = std::max(joined.highest, second.highest);
        stretches_[i] = joined;
    }
    stretches_.resize(stretches_.size() / 2);
    nodes_of_a_stretch_ *= 2;
}

void TraceExtent::fail_duplicate(SeekableFrames& frames, std::uint64_t offset, std::uint64_t id) {
    NodeView view;
    std::uint64_t number = 0;
    std::uint64_t first = frames.begin();
    std::uint64_t first_number = 0;
    bool found = false;
    for (std::uint64_t at = frames.begin(); at < offset; ++number) {
        const std::uint64_t begin = at;
        if (view.parse_dependencies(frames.read(at)) && view.id() == id && !found) {
            first = begin;
            first_number = number;
            found = true;
        }
    }
    throw InputError({frames.path().string(), frames.place(offset),
                      fmt::format("node {} again (node number {} of the file; the first is "
                                  "number {} at byte {})",
                                  id, number, first_number, first),
                      "ids that are unique within a trace", "Generate the trace again"});
}

}  // namespace npunet::chakra
