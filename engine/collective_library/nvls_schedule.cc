#include "engine/collective_library/nvls_schedule.h"

#include <algorithm>

#include "engine/collective_library/library_schedule.h"

namespace npunet::engine {

NvlsSchedule::NvlsSchedule(const LibraryCall& call, const NvlsTiming& timing,
                           const std::vector<std::int32_t>& node_of_member, Bytes unit)
    : kind_(call.kind),
      size_(call.bytes),
      timing_(timing),
      unit_(unit.value()),
      stride_((timing.chunk + unit_ - 1) / unit_),
      trees_(call.nodes) {
    nodes_.resize(static_cast<std::size_t>(call.nodes));
    for (std::size_t member = 0; member < node_of_member.size(); ++member) {
        const auto node = static_cast<std::size_t>(node_of_member[member]);
        node_of_.push_back(node);
        place_of_.push_back(nodes_[node].size());
        nodes_[node].push_back(member);
    }
}

std::int64_t NvlsSchedule::part(std::size_t head, std::int32_t channel) const {
    const auto heads = static_cast<std::int64_t>(nodes_.front().size());
    const auto place = static_cast<std::int64_t>(place_of_[head]);
    return kind_ == CollectiveKind::AllReduce
               ? part_of_bytes(part_of_bytes(size_, channel, channels()), place, heads)
               : part_of_bytes(part_of_bytes(size_, place, heads), channel, channels());
}

std::int64_t NvlsSchedule::chunk(std::size_t head, std::int32_t channel, std::int64_t loop) const {
    return std::clamp<std::int64_t>(part(head, channel) - loop * timing_.chunk, 0, timing_.chunk);
}

std::int64_t NvlsSchedule::units(std::size_t head, std::int32_t channel, std::int64_t loop) const {
    return (chunk(head, channel, loop) + unit_ - 1) / unit_;
}

std::int64_t NvlsSchedule::units_of_node(std::size_t head, std::int32_t channel,
                                         std::int64_t loop) const {
    std::int64_t sum = 0;
    for (const std::size_t other : nodes_[node_of_[head]]) {
        sum += units(other, channel, loop);
    }
    return sum;
}

std::int64_t NvlsSchedule::units_in_all(std::size_t head) const {
    std::int64_t sum = 0;
    for (std::int32_t channel = 0; channel < channels(); ++channel) {
        for (std::int64_t loop = 0; loop < loops(); ++loop) {
            sum += units_of_node(head, channel, loop);
        }
    }
    return sum;
}

Bytes NvlsSchedule::bytes(std::size_t head, std::int32_t channel, std::int64_t loop,
                          std::int64_t unit) const {
    return Bytes(std::clamp<std::int64_t>(chunk(head, channel, loop) - unit * unit_, 0, unit_));
}

std::size_t NvlsSchedule::parent(std::size_t head, std::int32_t channel) const {
    const std::int32_t node = trees_.parent(static_cast<std::size_t>(channel % 2), node_of_[head]);
    return node == NodeTrees::none ? none : nodes_[static_cast<std::size_t>(node)][place_of_[head]];
}

std::vector<std::size_t> NvlsSchedule::children(std::size_t head, std::int32_t channel) const {
    std::vector<std::size_t> heads;
    for (const std::int32_t node :
         trees_.children(static_cast<std::size_t>(channel % 2), node_of_[head])) {
        heads.push_back(nodes_[static_cast<std::size_t>(node)][place_of_[head]]);
    }
    return heads;
}

}  // namespace npunet::engine
