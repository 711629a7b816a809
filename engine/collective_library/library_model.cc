#include "engine/collective_library/library_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/collective_library/pat_schedule.h"

namespace npunet::engine {

namespace {

constexpr double bytes_a_us = 1000;  // of 1 GB/s

/// Data in what goes over a link.
double share_of_data(LibraryProtocol protocol) {
    return protocol == LibraryProtocol::LL      ? 0.5
           : protocol == LibraryProtocol::LL128 ? 120.0 / 128
                                                : 1;
}

Time time_of(double us) {
    return Time::ps(std::llround(us * 1e6));
}

/// Data of a call of a ring.
std::int64_t ring_chunk(LibraryProtocol protocol) {
    switch (protocol) {
        case LibraryProtocol::LL:
            return 32 << 10;
        case LibraryProtocol::LL128:
            return 576'000;
        case LibraryProtocol::Simple:
            break;
    }
    return 2 << 20;
}

/// us in which a switch makes sums, whose rate in GB/s may be 0: as they come.
double adding_us(double bytes, double rate) {
    return rate > 0 ? bytes / (rate * bytes_a_us) : 0;
}

std::int64_t ceil_of(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// A hop between nodes over one of Simple, as the tuner has them: rings, trees.
constexpr std::array<double, 3> ring_network_hops{2.7 / 14, 4.0 / 14, 1};
constexpr std::array<double, 3> tree_network_hops{5.0 / 14, 8.5 / 14, 1};
constexpr double nvls_tree_network_hop = 20.9 / 14;
constexpr double nvls_network_hop = 18.0 / 14;
/// Through switches that add up and back.
constexpr double direct_network_hop = 31.0 / 14;
constexpr double chain_network_hop = 30.0 / 14;
/// Of PAT, as the tuner has them: a hop over one of Simple, us a chunk, the share of the NICs.
constexpr double pat_network_hop = 1 / 3.5;
constexpr double pat_chunk_time = 2.8;
constexpr double pat_share = 0.75;

/// How often the NICs of a node carry the data of an all-reduce over trees, in each direction: with
/// two nodes each sends to the other; else a node is inside one of the two trees and a leaf of the
/// other.
double tree_copies(std::int32_t nodes) {
    return nodes <= 2 ? 1 : 2;
}

}  // namespace

LibraryModel::LibraryModel(const GpuArchitecture& architecture, const LibraryVersion& version,
                           const LibraryConstants& constants)
    : architecture_(architecture.as_of(version)),
      tuner_(architecture, version),
      constants_(constants) {}

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
        timing.time = time_of(times.start + times.hop + times.send);
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

RingChannel LibraryModel::ring_channel(const LibraryCall& call, const LibraryMachine& machine,
                                       LibraryProtocol protocol, const ChannelUse& use) const {
    const bool simple = protocol == LibraryProtocol::Simple;
    const double members = call.members;
    const double nodes = call.nodes;
    RingChannel channel;
    channel.calls = call.kind == CollectiveKind::AllReduce ? 2 * call.members - 1 : call.members;
    const Hops hops = hops_of(protocol);
    double hop = hops.near;
    double link = simple ? constants_.simple_link : constants_.flag_link;
    if (call.nodes > 1) {
        hop = ((members - nodes) * hops.near + nodes * hops.far) / members;
        link = std::min(link, machine.nics * machine.nic_rate * constants_.network_share);
    }
    channel.hop = time_of(hop);
    // GB/s of data, of one block.
    const double wire = link * share_of_data(protocol) / use.at_work();
    const double send = simple ? wire : std::min(wire, constants_.block[index_of(protocol)]);
    const double receive = simple ? constants_.copy : constants_.block[index_of(protocol)];
    const double slice = simple ? constants_.slice : 0;
    const std::int64_t chunk = ring_chunk(protocol);
    const double sends = channel.calls - 1;
    // Blocks start together, so that all send at a time; then they drift apart, and while some
    // copy, the others have the links: `together` is what is left of the start.
    double together = 1;
    const auto add = [&](std::int64_t loops, std::int64_t loop_bytes) {
        // Shares are whole elements of 16 bytes.
        const std::int64_t call_bytes = ceil_of(ceil_of(loop_bytes, call.members), 16) * 16;
        RingLoops like;
        like.loops = loops;
        const std::int64_t half =
            std::max(ceil_of(call_bytes / 2, 16) * 16, std::int64_t{32} << 10);
        like.slices = simple && call_bytes > half ? 2 : 1;
        const double bytes = static_cast<double>(call_bytes) / like.slices;
        const double copying = bytes / (receive * bytes_a_us);
        const double first = bytes / (send * bytes_a_us);
        const double apart = simple ? std::min(first, std::max(bytes / (receive * bytes_a_us),
                                                               first - (slice + copying) / sends))
                                    : first;
        like.send = time_of(slice + apart + (first - apart) * together);
        like.receive = time_of(slice + copying);
        channel.work.push_back(like);
        together /= 2;
    };
    const std::int64_t loop_bytes = call.members * chunk;
    std::int64_t full = use.bytes / loop_bytes;
    for (; full > 0 && simple && channel.work.size() < 10; --full) {
        add(1, loop_bytes);
    }
    if (full > 0) {
        add(full, loop_bytes);
    }
    if (use.bytes % loop_bytes > 0 || use.bytes == 0) {
        add(1, use.bytes % loop_bytes);
    }
    return channel;
}

double LibraryModel::ring_time(const LibraryCall& call, const LibraryMachine& machine,
                               LibraryProtocol protocol, const ChannelUse& use) const {
    const RingChannel channel = ring_channel(call, machine, protocol, use);
    return ring_start(call, machine, protocol, use) +
           static_cast<double>(ring_channel_time(channel).ps()) * 1e-6;
}

double LibraryModel::ring_start(const LibraryCall& call, const LibraryMachine& machine,
                                LibraryProtocol protocol, const ChannelUse& use) const {
    const double all = channels_of(call, machine, LibraryAlgorithm::Ring);
    return constants_.base[index_of(protocol)] + constants_.block_start * use.at_work() / all;
}

LibraryModel::Hops LibraryModel::hops_of(LibraryProtocol protocol) const {
    return {constants_.hop[index_of(protocol)],
            constants_.network_hop * ring_network_hops[index_of(protocol)]};
}

std::optional<ChannelTiming> LibraryModel::channel_timing(const LibraryCall& call,
                                                          const LibraryMachine& machine,
                                                          const LibraryOverride& override,
                                                          const LaunchShare* launch) const {
    ChannelTiming parts;
    if (call.kind == CollectiveKind::AllToAll) {
        const SendTimes times = send_times(call, machine, parts.timing.choice, parts.timing.use);
        parts.timing.time = time_of(times.start + times.hop + times.send);
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

std::int64_t LibraryModel::tree_chunk_of(const LibraryCall& call, LibraryProtocol protocol,
                                         const ChannelUse& use) {
    const std::int64_t most = tree_chunk(protocol, use.bytes, call.nodes, call.per_node());
    return std::min(most, std::max<std::int64_t>(use.bytes, 16));
}

TreeChannel LibraryModel::tree_channel(const LibraryCall& call, const LibraryMachine& machine,
                                       LibraryProtocol protocol, const ChannelUse& use) const {
    const bool simple = protocol == LibraryProtocol::Simple;
    const double per_node = call.per_node();
    // Everything goes up and comes down a chain: of its links, 2 (n - 1) / n a GPU, in each
    // direction.
    double link = simple ? constants_.simple_link : constants_.flag_link;
    if (call.per_node() > 1) {
        link = std::min(link, link * per_node / (2 * (per_node - 1)));
    }
    if (call.nodes > 1) {
        link = std::min(link, machine.nics * machine.nic_rate * constants_.network_share /
                                  tree_copies(call.nodes));
    }
    const double wire = link * share_of_data(protocol) / use.at_work();
    const double rate = simple ? wire : std::min(wire, constants_.block[index_of(protocol)]);
    const std::int64_t chunk = tree_chunk_of(call, protocol, use);
    TreeChannel channel;
    channel.near_steps = call.per_node() - 1;
    channel.far_steps = tree_levels(call.nodes);
    channel.near_hop = time_of(constants_.hop[index_of(protocol)]);
    channel.far_hop = time_of(constants_.network_hop * tree_network_hops[index_of(protocol)]);
    channel.each =
        time_of((simple ? constants_.slice : 0) + static_cast<double>(chunk) / (rate * bytes_a_us));
    channel.chunks = std::max<std::int64_t>(1, ceil_of(use.bytes, chunk));
    return channel;
}

double LibraryModel::tree_time(const LibraryCall& call, const LibraryMachine& machine,
                               LibraryProtocol protocol, const ChannelUse& use) const {
    const Time time = tree_channel_time(tree_channel(call, machine, protocol, use));
    return constants_.base[index_of(protocol)] + static_cast<double>(time.ps()) * 1e-6;
}

bool LibraryModel::is_by_collnet(const LibraryCall& call, LibraryAlgorithm algorithm) {
    return call.kind == CollectiveKind::AllReduce &&
           (algorithm == LibraryAlgorithm::CollNetDirect ||
            algorithm == LibraryAlgorithm::CollNetChain);
}

std::int64_t LibraryModel::collnet_chunk_of(const LibraryCall& call, LibraryAlgorithm algorithm,
                                            const ChannelUse& use) {
    const std::int64_t parts = algorithm == LibraryAlgorithm::CollNetDirect ? call.per_node() : 1;
    const std::int64_t part = ceil_of(use.bytes, parts);
    const std::int64_t most = collnet_chunk(algorithm, part, call.per_node());
    return std::min(most, std::max<std::int64_t>(part, 16));
}

CollNetChannel LibraryModel::collnet_channel(const LibraryCall& call, const LibraryMachine& machine,
                                             LibraryAlgorithm algorithm,
                                             const ChannelUse& use) const {
    const bool direct = algorithm == LibraryAlgorithm::CollNetDirect;
    const double per_node = call.per_node();
    // As in a tree, 2 (n - 1) / n of the data a GPU; the NICs of a node carry them once.
    double link = machine.nics * machine.nic_rate * constants_.network_share;
    if (call.per_node() > 1) {
        link = std::min({link, constants_.simple_link,
                         constants_.simple_link * per_node / (2 * (per_node - 1))});
    }
    const std::int32_t parts = direct ? call.per_node() : 1;
    const std::int64_t chunk = collnet_chunk_of(call, algorithm, use);
    CollNetChannel channel;
    channel.near_steps = direct ? std::min(call.per_node() - 1, 1) : call.per_node() - 1;
    channel.near_hop = time_of(constants_.hop[index_of(LibraryProtocol::Simple)]);
    channel.network =
        time_of(std::max(constants_.network_hop * (direct ? direct_network_hop : chain_network_hop),
                         machine.push_latency));
    const double bytes = static_cast<double>(chunk) * parts * use.channels;
    channel.each = time_of(constants_.slice + std::max(bytes / (link * bytes_a_us),
                                                       adding_us(bytes, machine.push_rate)));
    channel.chunks = std::max<std::int64_t>(1, ceil_of(ceil_of(use.bytes, parts), chunk));
    return channel;
}

RingChannel LibraryModel::pat_channel(const LibraryCall& call, const LibraryMachine& machine,
                                      const ChannelUse& use) const {
    const double link = std::min(constants_.simple_link, machine.nics * machine.nic_rate *
                                                             constants_.network_share * pat_share) /
                        use.channels;
    const std::vector<std::int32_t> distances = pat_distances(call.kind, call.members);
    RingChannel channel;
    channel.calls = static_cast<std::int32_t>(distances.size()) + 1;
    channel.hop = time_of(constants_.network_hop * pat_network_hop);
    const auto add = [&](std::int64_t loops, std::int64_t chunk) {
        RingLoops like;
        like.loops = loops;
        double received = 0;
        for (std::size_t number = 0; number <= distances.size(); ++number) {
            const double sent =
                number < distances.size() ? pat_chunks(distances[number], call.members) : 0;
            const double bytes = static_cast<double>(chunk);
            const double moving = std::max(sent * bytes / (link * bytes_a_us),
                                           received * bytes / (constants_.copy * bytes_a_us));
            like.by_call.push_back(time_of(constants_.slice + sent * pat_chunk_time + moving));
            received = sent;
        }
        channel.work.push_back(like);
    };
    const std::int64_t chunk = pat_chunk(call, use.channels);
    const std::int64_t own = ceil_of(use.bytes, call.members);
    if (own / chunk > 0) {
        add(own / chunk, chunk);
    }
    if (own % chunk > 0) {
        add(1, own % chunk);
    }
    return channel;
}

double LibraryModel::collnet_time(const LibraryCall& call, const LibraryMachine& machine,
                                  LibraryAlgorithm algorithm, const ChannelUse& use) const {
    const Time time = collnet_channel_time(collnet_channel(call, machine, algorithm, use));
    return constants_.base[index_of(LibraryProtocol::Simple)] +
           static_cast<double>(time.ps()) * 1e-6;
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

LibraryModel::SendTimes LibraryModel::send_times(const LibraryCall& call,
                                                 const LibraryMachine& machine,
                                                 LibraryChoice& choice, ChannelUse& use) const {
    constexpr std::int64_t slot = 512 << 10;  // of a connection in a node
    constexpr std::int64_t most_ll = 16 << 10;
    const std::int64_t each = ceil_of(call.bytes, call.members);
    const double bytes = static_cast<double>(each);
    choice.algorithm = LibraryAlgorithm::SendReceive;
    const auto parts = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(ceil_of(each, slot / 8), 1, architecture_.p2p_channels));
    use.channels = std::min(architecture_.p2p_channels, parts * call.members);
    use.bytes = ceil_of(call.bytes, use.channels);
    const bool ll = each <= most_ll && call.nodes == 1;
    choice.protocol = ll ? LibraryProtocol::LL : LibraryProtocol::Simple;
    if (ll) {
        return {constants_.send_base[0], 0, bytes / (constants_.block[0] * bytes_a_us)};
    }
    const double near = call.per_node() - 1;
    const double far = call.members - call.per_node();
    double wire = bytes * (near / (constants_.send_link * bytes_a_us) +
                           1 / (constants_.send_copy * bytes_a_us));
    double hop = 0;
    if (far > 0) {
        const double nic =
            machine.nics * machine.nic_rate * constants_.network_share / call.per_node();
        wire = std::max(wire, bytes * far / (nic * bytes_a_us));
        hop = constants_.network_hop;
    }
    const double blocks = static_cast<double>(use.bytes) / (constants_.send_block * bytes_a_us);
    const double part = bytes / parts;
    const double filled = std::min(1.0, part / static_cast<double>(slot));
    return {constants_.send_base[1], hop, std::max(wire, blocks) + constants_.send_slot * filled};
}

}  // namespace npunet::engine
