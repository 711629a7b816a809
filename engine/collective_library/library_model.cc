#include "engine/collective_library/library_model.h"

#include <algorithm>

#include "engine/collective_library/library_units.h"

namespace npunet::engine {

namespace {

/// A hop between nodes over one of Simple, as the tuner has them.
constexpr double nvls_tree_network_hop = 20.9 / 14;
constexpr double nvls_network_hop = 18.0 / 14;
}  // namespace

LibraryModel::LibraryModel(const GpuArchitecture& architecture, const LibraryVersion& version,
                           const LibraryConstants& constants)
    : architecture_(architecture.as_of(version)),
      tuner_(architecture, version),
      constants_(constants) {}

LibraryModel LibraryModel::with_faster_links(double factor) const {
    LibraryModel model = *this;
    for (double* const rate : {&model.constants_.flag_link, &model.constants_.simple_link,
                               &model.constants_.nvls_link, &model.constants_.send_link}) {
        *rate *= factor;
    }
    return model;
}

std::int32_t LibraryModel::channels_of(const LibraryCall& call, const LibraryMachine& machine,
                                       LibraryAlgorithm algorithm) const {
    const bool switches =
        algorithm == LibraryAlgorithm::Nvls || algorithm == LibraryAlgorithm::NvlsTree;
    if (switches) {
        return call.nodes == 1 ? architecture_.nvls_channels : architecture_.nvls_channels_far;
    }
    return call.nodes == 1 ? architecture_.channels
                           : std::clamp(2 * machine.nics, 1, architecture_.channels);
}

std::optional<LibraryTiming> LibraryModel::time(const LibraryCall& call,
                                                const LibraryMachine& machine,
                                                const LibraryOverride& override,
                                                const LaunchShare* launch) const {
    LibraryTiming timing;
    if (call.kind == CollectiveKind::AllToAll) {
        const SendTimes times = send_times(call, machine, timing.choice, timing.use);
        timing.time = time_of(times.all());
        return timing;
    }
    const std::optional<LibraryChoice> choice = tuner_.choose(call, machine, override);
    if (!choice) {
        return std::nullopt;
    }
    timing.choice = *choice;
    timing.use = channels_used(call, *choice, channels_of(call, machine, choice->algorithm));
    if (launch != nullptr) {
        timing.use.channels = launch->channels;
        timing.use.bytes = ceil_of(call.bytes, launch->channels);
        timing.use.launched = launch->of_all;
    }
    double us = 0;
    switch (choice->algorithm) {
        case LibraryAlgorithm::Ring:
            us = ring_time(call, machine, choice->protocol, timing.use);
            break;
        case LibraryAlgorithm::Tree:
            us = tree_time(call, machine, choice->protocol, timing.use);
            break;
        case LibraryAlgorithm::Nvls:
            us = call.nodes == 1 ? nvls_times(call, machine, timing.use).time(0)
                                 : nvls_network_times(call, machine, timing.use).time(1);
            break;
        case LibraryAlgorithm::NvlsTree:
            us = nvls_tree_times(call, machine, timing.use).time(2 * tree_levels(call.nodes));
            break;
        case LibraryAlgorithm::Pat:
            us = constants_.base[index_of(choice->protocol)] +
                 static_cast<double>(
                     ring_channel_time(pat_channel(call, machine, timing.use)).ps()) *
                     1e-6;
            break;
        case LibraryAlgorithm::CollNetDirect:
        case LibraryAlgorithm::CollNetChain:
            if (is_by_collnet(call, choice->algorithm)) {
                us = collnet_time(call, machine, choice->algorithm, timing.use);
                break;
            }
            [[fallthrough]];
        case LibraryAlgorithm::SendReceive:
            // Chosen by the tuner's rule; no data to give them costs: the tuner's own estimate.
            us = tuner_.estimate(call, machine, *choice).value_or(0);
            break;
    }
    timing.time = time_of(us);
    return timing;
}

std::optional<ChannelTiming> LibraryModel::channel_timing(const LibraryCall& call,
                                                          const LibraryMachine& machine,
                                                          const LibraryOverride& override,
                                                          const LaunchShare* launch) const {
    ChannelTiming parts;
    if (call.kind == CollectiveKind::AllToAll) {
        const SendTimes times = send_times(call, machine, parts.timing.choice, parts.timing.use);
        parts.timing.time = time_of(times.all());
        // What the first bytes take to the receiver is in the start of the closed form.
        const double hop =
            std::min(times.start, constants_.hop[index_of(parts.timing.choice.protocol)]);
        parts.start = time_of(times.start - hop);
        parts.ring.hop = time_of(hop);
        parts.far_hop = time_of(hop + times.hop);
        parts.ring.work = {{1, 1, time_of(times.send), Time()}};
        parts.chunk = call.bytes;
        return parts;
    }
    const auto timing = time(call, machine, override, launch);
    if (!timing || has_root(call.kind)) {
        return std::nullopt;
    }
    parts.timing = *timing;
    const LibraryProtocol protocol = timing->choice.protocol;
    if (timing->choice.algorithm == LibraryAlgorithm::Tree) {
        const TreeChannel channel = tree_channel(call, machine, protocol, timing->use);
        parts.start = time_of(constants_.base[index_of(protocol)]);
        parts.ring.calls = 1;
        parts.ring.hop = channel.near_hop;
        parts.far_hop = channel.far_hop;
        parts.ring.work = {{channel.chunks, 1, channel.each, channel.each}};
        parts.chunk = tree_chunk_of(call, protocol, timing->use);
        return parts;
    }
    if (is_by_collnet(call, timing->choice.algorithm)) {
        const CollNetChannel channel =
            collnet_channel(call, machine, timing->choice.algorithm, timing->use);
        parts.start = time_of(constants_.base[index_of(protocol)]);
        parts.ring.calls = 1;
        parts.ring.hop = channel.near_hop;
        parts.far_hop = channel.network;
        parts.ring.work = {{channel.chunks, 1, channel.each, channel.each}};
        parts.chunk = collnet_chunk_of(call, timing->choice.algorithm, timing->use);
        parts.slots = static_cast<std::int32_t>(channel.slots);
        return parts;
    }
    if (timing->choice.algorithm == LibraryAlgorithm::Pat) {
        parts.start = time_of(constants_.base[index_of(protocol)]);
        parts.ring = pat_channel(call, machine, timing->use);
        parts.far_hop = parts.ring.hop;
        parts.chunk = pat_chunk(call, timing->use.channels);
        return parts;
    }
    if (timing->choice.algorithm != LibraryAlgorithm::Ring) {
        return std::nullopt;
    }
    const bool simple = protocol == LibraryProtocol::Simple;
    parts.start = time_of(ring_start(call, machine, protocol, timing->use));
    parts.ring = ring_channel(call, machine, protocol, timing->use);
    parts.ring.hop = time_of(hops_of(protocol).near);
    parts.far_hop = time_of(hops_of(protocol).far);
    parts.chunk = ring_chunk(protocol);
    parts.slots = simple ? 4 : 8;
    for (const RingLoops& like : parts.ring.work) {
        parts.slices = std::max(parts.slices, like.slices);
    }
    return parts;
}

LibraryModel::NvlsTimes LibraryModel::nvls_times(const LibraryCall& call,
                                                 const LibraryMachine& machine,
                                                 const ChannelUse& use) const {
    const std::int32_t heads = call.members;
    NvlsTimes times;
    times.start = constants_.nvls_base;
    times.chunk = nvls_chunk(use.bytes, heads);
    times.loops = std::max<std::int64_t>(1, ceil_of(use.bytes, times.chunk * heads));
    const double members = call.members;
    const double copies = call.kind == CollectiveKind::AllReduce ? (members + 1) / members : 1;
    const double bytes = static_cast<double>(times.chunk * heads * use.channels);
    const double sums = call.kind == CollectiveKind::AllGather ? 0 : bytes;
    times.stage =
        constants_.nvls_loop + std::max(bytes * copies / (constants_.nvls_link * bytes_a_us),
                                        adding_us(sums, machine.sum_rate));
    return times;
}

LibraryModel::NvlsTimes LibraryModel::nvls_tree_times(const LibraryCall& call,
                                                      const LibraryMachine& machine,
                                                      const ChannelUse& use) const {
    const std::int32_t heads = call.per_node();
    NvlsTimes times;
    times.start = constants_.nvls_tree_base;
    times.chunk = nvls_tree_chunk(use.bytes, heads, call.nodes);
    times.loops = std::max<std::int64_t>(1, ceil_of(use.bytes, times.chunk * heads));
    const double bytes = static_cast<double>(times.chunk * heads * use.channels);
    const double inside = bytes * (heads + 1) / heads / (constants_.nvls_link * bytes_a_us);
    const double network = machine.nics * machine.nic_rate * constants_.network_share;
    const double between = bytes * tree_copies(call.nodes) / (network * bytes_a_us);
    times.hop = constants_.network_hop * nvls_tree_network_hop;
    times.stage =
        constants_.nvls_loop + std::max({inside, between, adding_us(bytes, machine.sum_rate)});
    return times;
}

LibraryModel::NvlsTimes LibraryModel::nvls_network_times(const LibraryCall& call,
                                                         const LibraryMachine& machine,
                                                         const ChannelUse& use) const {
    const std::int32_t heads = call.per_node();
    NvlsTimes times;
    times.start = constants_.nvls_tree_base;
    times.chunk = nvls_chunk(use.bytes, heads);
    times.loops = std::max<std::int64_t>(1, ceil_of(use.bytes, times.chunk * heads));
    const double bytes = static_cast<double>(times.chunk * heads * use.channels);
    const double inside = bytes * (heads + 1) / heads / (constants_.nvls_link * bytes_a_us);
    const double network = machine.nics * machine.nic_rate * constants_.network_share;
    times.hop = std::max(constants_.network_hop * nvls_network_hop, machine.push_latency);
    times.stage = constants_.nvls_loop + std::max({inside, bytes / (network * bytes_a_us),
                                                   adding_us(bytes, machine.sum_rate),
                                                   adding_us(bytes, machine.push_rate)});
    return times;
}

std::optional<NvlsTiming> LibraryModel::nvls_timing(const LibraryCall& call,
                                                    const LibraryMachine& machine,
                                                    const LibraryOverride& override) const {
    const auto timing = time(call, machine, override);
    if (!timing) {
        return std::nullopt;
    }
    const LibraryAlgorithm algorithm = timing->choice.algorithm;
    const bool trees = algorithm == LibraryAlgorithm::NvlsTree;
    if (!trees && (algorithm != LibraryAlgorithm::Nvls ||
                   (call.nodes > 1 && call.kind != CollectiveKind::AllReduce))) {
        return std::nullopt;
    }
    const NvlsTimes times = trees             ? nvls_tree_times(call, machine, timing->use)
                            : call.nodes == 1 ? nvls_times(call, machine, timing->use)
                                              : nvls_network_times(call, machine, timing->use);
    return NvlsTiming{*timing,     time_of(times.start), time_of(times.stage), time_of(times.hop),
                      times.loops, times.chunk};
}

}  // namespace npunet::engine
