// LibraryModel: the channels of rings, trees, CollNet and PAT.

#include <algorithm>
#include <array>
#include <vector>

#include "engine/collective_library/library_model.h"
#include "engine/collective_library/library_units.h"
#include "engine/collective_library/pat_schedule.h"

namespace npunet::engine {

namespace {

/// Data in what goes over a link.
double share_of_data(LibraryProtocol protocol) {
    return protocol == LibraryProtocol::LL      ? 0.5
           : protocol == LibraryProtocol::LL128 ? 120.0 / 128
                                                : 1;
}

/// A hop between nodes over one of Simple, as the tuner has them: rings, trees.
constexpr std::array<double, 3> ring_network_hops{2.7 / 14, 4.0 / 14, 1};
constexpr std::array<double, 3> tree_network_hops{5.0 / 14, 8.5 / 14, 1};
/// Through switches that add up and back.
constexpr double direct_network_hop = 31.0 / 14;
constexpr double chain_network_hop = 30.0 / 14;
/// Of PAT, as the tuner has them: a hop over one of Simple, us a chunk, the share of the NICs.
constexpr double pat_network_hop = 1 / 3.5;
constexpr double pat_chunk_time = 2.8;
constexpr double pat_share = 0.75;

}  // namespace

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

}  // namespace npunet::engine
