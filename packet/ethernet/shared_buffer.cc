#include "packet/ethernet/shared_buffer.h"

#include "topology/network/headroom.h"

#include <algorithm>

namespace npunet::packet {

SharedBuffer::SharedBuffer(const topology::NetworkDescription& description, std::int64_t largest,
                           const std::vector<std::uint32_t>& reverse)
    : alpha_(description.packet.shared_buffer.alpha),
      classes_(description.packet.classes.count),
      hysteresis_(2 * largest),
      nodes_(description.graph.nodes()) {
    const topology::Graph& graph = description.graph;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        nodes_[node].room = description.shared_buffer_of(NodeId(node)).value();
    }
    if (description.packet.flow_control != topology::FlowControl::Pfc) {
        return;
    }
    inputs_.resize(graph.links() * classes_);
    const std::int64_t given = description.packet.shared_buffer.headroom.value();
    headrooms_.assign(graph.links(), 0);
    for (const LinkId link : graph.shown_links()) {
        const LinkId back(std::size_t{reverse[link.index()]});
        headrooms_[link.index()] =
            given > 0 ? given
                      : topology::lossless_headroom(graph.link(link), graph.link(back),
                                                    Bytes(largest), classes_)
                            .value();
    }
}

SharedBuffer::Verdict SharedBuffer::take_or_pause(std::size_t node_number, std::uint32_t link,
                                                  std::uint32_t traffic_class, std::int64_t bytes) {
    if (take_shared(node_number, link, traffic_class, bytes)) {
        return Verdict::Taken;
    }
    Input& input = inputs_[link * classes_ + traffic_class];
    if (input.headroom + bytes > headrooms_[link]) {
        return Verdict::Dropped;
    }
    input.headroom += bytes;
    if (input.paused) {
        return Verdict::Taken;
    }
    input.paused = true;
    ++nodes_[node_number].paused;
    return Verdict::TakenPauses;
}

bool SharedBuffer::take_or_drop(std::size_t node_number, std::int64_t queued, std::int64_t bytes) {
    Node& node = nodes_[node_number];
    if (queued + bytes > threshold(node) || node.used + bytes > node.room) {
        return false;
    }
    node.used += bytes;
    return true;
}

bool SharedBuffer::has_nothing_of(std::uint32_t link) const {
    const auto first = inputs_.begin() + static_cast<std::ptrdiff_t>(link * classes_);
    return std::all_of(first, first + classes_, [](const Input& input) {
        return input.shared == 0 && input.headroom == 0 && !input.paused;
    });
}

void SharedBuffer::describe(std::uint32_t link, std::vector<std::uint64_t>& words) const {
    for (std::uint32_t number = 0; number < classes_; ++number) {
        const Input& input = inputs_[link * classes_ + number];
        words.push_back(static_cast<std::uint64_t>(input.shared));
        words.push_back(static_cast<std::uint64_t>(input.headroom) << 1 |
                        std::uint64_t{input.paused});
    }
}

bool SharedBuffer::release_and_resume(std::size_t node_number, std::uint32_t link,
                                      std::uint32_t traffic_class, std::int64_t bytes) {
    Node& node = nodes_[node_number];
    Input& input = inputs_[link * classes_ + traffic_class];
    const std::int64_t above = std::min(bytes, input.headroom);
    input.headroom -= above;
    input.shared -= bytes - above;
    node.used -= bytes - above;
    if (!input.paused || !may_resume(node, input)) {
        return false;
    }
    input.paused = false;
    --node.paused;
    return true;
}

SharedBuffer::Input SharedBuffer::left_of(std::uint32_t link, std::uint32_t traffic_class,
                                          std::int64_t left) const {
    Input input = inputs_[link * classes_ + traffic_class];
    const std::int64_t leaving = input.shared + input.headroom - left;
    const std::int64_t above = std::min(leaving, input.headroom);
    input.headroom -= above;
    input.shared -= leaving - above;
    return input;
}

void SharedBuffer::scan(engine::StateScan& scan) {
    for (const Node& node : nodes_) {
        scan.same(node.used);
    }
    for (std::size_t number = 0; number < inputs_.size(); ++number) {
        const Input& input = inputs_[number];
        if (input.shared != 0 || input.headroom != 0 || input.paused) {
            scan.same(static_cast<std::int64_t>(number));
            scan.same(input.shared);
            scan.same(input.headroom);
            scan.same(std::int64_t{input.paused});
        }
    }
}

}  // namespace npunet::packet
