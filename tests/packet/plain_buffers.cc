#include "plain_buffers.h"

#include <algorithm>
#include <cmath>

namespace npunet::packet_test::plain {

using topology::FlowControl;

std::vector<LinkId> links_back(const topology::Graph& graph) {
    const auto between = [&graph](NodeId from, NodeId to) {
        std::vector<LinkId> links;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            if (graph.link(LinkId(i)).from == from && graph.link(LinkId(i)).to == to) {
                links.push_back(LinkId(i));
            }
        }
        return links;
    };
    std::vector<LinkId> all;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        const std::vector<LinkId> forth = between(link.from, link.to);
        const std::vector<LinkId> back = between(link.to, link.from);
        all.push_back(back.at(static_cast<std::size_t>(
            std::find(forth.begin(), forth.end(), LinkId(i)) - forth.begin())));
    }
    return all;
}

Buffers::Buffers(const topology::NetworkDescription& description, const std::vector<LinkId>& back)
    : graph_(description.graph),
      parameters_(description.packet),
      full_(full_packet(parameters_)),
      nodes_(graph_.nodes()),
      inputs_(graph_.links()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].all = description.shared_buffer_of(NodeId(i));
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        inputs_[i].most_headroom = headroom_of(graph_.link(LinkId(i)), graph_.link(back[i]));
    }
}

Bytes Buffers::headroom_of(const topology::Link& forth, const topology::Link& back) const {
    if (parameters_.shared_buffer.headroom > Bytes(0)) {
        return parameters_.shared_buffer.headroom;
    }
    __extension__ using Wide = __int128;
    const Time span = transfer_time(full_ + request_size, back.rate) + back.latency + forth.latency;
    const Wide bytes =
        static_cast<Wide>(span.ps()) * forth.rate.bytes_per_second() / 1'000'000'000'000;
    return Bytes(static_cast<std::int64_t>(bytes) + 1) + 2 * full_;
}

Bytes Buffers::threshold(const Node& node) const {
    const double free = static_cast<double>((node.all - node.used).value());
    return Bytes(static_cast<std::int64_t>(std::floor(parameters_.shared_buffer.alpha * free)));
}

Buffers::Room Buffers::take_room(LinkId input, Bytes wire, Bytes queued) {
    Node& node = nodes_[graph_.link(input).to.index()];
    const bool fits = node.used + wire <= node.all;
    if (parameters_.flow_control == FlowControl::None) {
        if (!fits || queued + wire > threshold(node)) {
            return {};
        }
        node.used += wire;
        return {true, false};
    }
    Input& in = inputs_[input.index()];
    if (fits && in.headroom == Bytes(0) && in.shared + wire <= threshold(node)) {
        in.shared += wire;
        node.used += wire;
        return {true, false};
    }
    if (in.headroom + wire > in.most_headroom) {
        return {};
    }
    in.headroom += wire;
    const bool pause = !in.told_to_pause;
    in.told_to_pause = true;
    return {true, pause};
}

bool Buffers::give_back(LinkId input, Bytes wire) {
    Node& node = nodes_[graph_.link(input).to.index()];
    if (parameters_.flow_control == FlowControl::None) {
        node.used -= wire;
        return false;
    }
    Input& in = inputs_[input.index()];
    const Bytes of_headroom = std::min(in.headroom, wire);
    in.headroom -= of_headroom;
    in.shared -= wire - of_headroom;
    node.used -= wire - of_headroom;
    if (in.told_to_pause && in.headroom == Bytes(0) &&
        (in.shared == Bytes(0) || in.shared + 2 * full_ <= threshold(node))) {
        in.told_to_pause = false;
        return true;
    }
    return false;
}

}  // namespace npunet::packet_test::plain
