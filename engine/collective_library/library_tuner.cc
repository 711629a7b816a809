#include "engine/collective_library/library_tuner.h"

#include <algorithm>
#include <array>

namespace npunet::engine {

namespace {

/// us, by protocol.
using Latencies = std::array<double, 3>;

constexpr Latencies base_of_tree{6.8, 14.0, 8.4};
constexpr Latencies base_of_ring{6.6, 14.0, 8.4};
constexpr double base_of_pat = 8.0;
constexpr Latencies tree_hop_nvlink{0.6, 1.25, 4.0};
constexpr Latencies tree_hop_network{5.0, 8.5, 14.0};
constexpr Latencies ring_hop_nvlink{0.6, 1.9, 3.4};
constexpr Latencies ring_hop_network{2.7, 4.0, 14.0};
constexpr double direct_hop_nvlink = 3.7;
constexpr double direct_hop_network = 31;
constexpr double chain_hop_nvlink = 2.8;
constexpr double chain_hop_network = 30;
constexpr double nvls_hop = 25;
constexpr double nvls_hop_network = 18;
constexpr double nvls_tree_hop_network = 20.9;
constexpr double pat_hop_network = 14;

/// Shares of a tree's bandwidth for 64 bytes x 2^k, by protocol.
constexpr std::array<std::array<double, 24>, 3> tree_correction{{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
}};

std::size_t scale_of(std::int32_t nodes) {
    return nodes == 1 ? 0 : nodes == 2 ? 1 : 2;
}

std::int32_t steps_of(const LibraryCall& call) {
    switch (call.kind) {
        case CollectiveKind::AllReduce:
            return 2 * (call.members - 1);
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
            return call.members - 1;
        default:
            return call.members;
    }
}

}  // namespace

double far_ring_rate(const GpuArchitecture& architecture, const LibraryMachine& machine) {
    const auto& rates = architecture.far_rates;
    const auto fits = std::find_if(rates.begin(), rates.end(),
                                   [&](double rate) { return rate <= machine.nic_rate; });
    return fits == rates.end() ? machine.nic_rate : *fits;
}

LibraryTuner::LibraryTuner(const GpuArchitecture& architecture, const LibraryVersion& version)
    : architecture_(architecture.as_of(version)), version_(version) {}

bool LibraryTuner::can(const LibraryCall& call, const LibraryMachine& machine,
                       const LibraryChoice& choice) const {
    const bool simple = choice.protocol == LibraryProtocol::Simple;
    const bool reduces_all = call.kind == CollectiveKind::AllReduce;
    const bool shards =
        call.kind == CollectiveKind::AllGather || call.kind == CollectiveKind::ReduceScatter;
    const bool network_reduces =
        machine.collnet && call.nodes > 1 && call.per_node() <= 8 &&
        (call.switches_reduce_type || call.kind == CollectiveKind::AllGather);
    switch (choice.algorithm) {
        case LibraryAlgorithm::Ring:
            return reduces_all || shards || call.kind == CollectiveKind::Broadcast ||
                   call.kind == CollectiveKind::Reduce;
        case LibraryAlgorithm::Tree:
            return reduces_all;
        case LibraryAlgorithm::CollNetDirect:
            return simple && network_reduces && (reduces_all || shards) && call.per_node() > 1;
        case LibraryAlgorithm::CollNetChain:
            return simple && network_reduces && reduces_all;
        case LibraryAlgorithm::Nvls:
            return simple && architecture_.nvls_rate(call.per_node()) > 0 &&
                   (call.nodes == 1 || network_reduces) &&
                   ((reduces_all && call.switches_reduce_type) ||
                    call.kind == CollectiveKind::AllGather ||
                    (call.kind == CollectiveKind::ReduceScatter && call.switches_reduce_type));
        case LibraryAlgorithm::NvlsTree:
            return simple && reduces_all && call.nodes > 1 && call.switches_reduce_type &&
                   architecture_.nvls_rate(call.per_node()) > 0;
        case LibraryAlgorithm::Pat:
            return simple && shards && call.nodes > 1 && call.per_node() == 1;
        case LibraryAlgorithm::SendReceive:
            break;
    }
    return false;
}

double LibraryTuner::bus_bandwidth(const LibraryCall& call, const LibraryMachine& machine,
                                   const LibraryChoice& choice) const {
    const std::size_t scale = scale_of(call.nodes);
    const bool near = call.nodes == 1;
    const double rings = near ? architecture_.ring_search : machine.nics;
    const double far = far_ring_rate(architecture_, machine);
    const double bandwidth = rings * (near ? architecture_.ring_rate : far);
    const double per_node = call.per_node();
    switch (choice.algorithm) {
        case LibraryAlgorithm::Ring:
            if (choice.protocol == LibraryProtocol::LL) {
                return std::min(architecture_.ll_most[scale], bandwidth * 0.5);
            }
            return choice.protocol == LibraryProtocol::LL128
                       ? std::min(bandwidth * 0.92, rings * architecture_.ring_ll128_most[scale])
                       : bandwidth;
        case LibraryAlgorithm::Tree: {
            const double most = std::min(bandwidth * 0.92, rings * architecture_.tree_most[scale]);
            if (choice.protocol == LibraryProtocol::LL) {
                return std::min(most / 3.8, architecture_.ll_most[scale]);
            }
            return choice.protocol == LibraryProtocol::LL128
                       ? std::min(most * (near ? 7.0 / 9 : 120.0 / 128),
                                  rings * architecture_.tree_ll128_most[scale])
                       : most;
        }
        case LibraryAlgorithm::Nvls:
        case LibraryAlgorithm::NvlsTree: {
            double rate = architecture_.nvls_rate(call.per_node()) * architecture_.nvls_efficiency *
                          (per_node - 1) / per_node;
            if (call.kind == CollectiveKind::AllReduce) {
                rate *= 2;
            } else {
                rate *= (per_node - 1) / per_node;
            }
            if (choice.algorithm == LibraryAlgorithm::NvlsTree) {
                rate = std::min(
                    {rate, far * (call.nodes <= 2 ? 2 : 1), architecture_.nvls_tree_most[scale]});
            }
            return rate * per_node;
        }
        case LibraryAlgorithm::Pat:
            return bandwidth * 0.75;
        case LibraryAlgorithm::CollNetDirect: {
            const double rate =
                per_node * std::min(architecture_.nvls_rate(call.per_node()), 0.9 * far);
            if (call.kind != CollectiveKind::AllReduce) {
                return rate;
            }
            const double share = per_node / machine.nics;
            return rate / (share - (share - 1) / 2) * (architecture_.nvls_channels > 0 ? 0.85 : 1);
        }
        case LibraryAlgorithm::CollNetChain:
            return bandwidth;
        case LibraryAlgorithm::SendReceive:
            break;
    }
    return bandwidth;
}

double LibraryTuner::algorithm_bandwidth(const LibraryCall& call, const LibraryMachine& machine,
                                         const LibraryChoice& choice) const {
    const double bus = bus_bandwidth(call, machine, choice);
    const bool by_steps = choice.algorithm == LibraryAlgorithm::Ring ||
                          choice.algorithm == LibraryAlgorithm::Nvls ||
                          choice.algorithm == LibraryAlgorithm::NvlsTree;
    const double steps = steps_of(call);
    double bandwidth = bus;
    if (by_steps) {
        bandwidth *= call.members / steps;
    } else if (call.kind == CollectiveKind::AllReduce) {
        bandwidth *= 0.5;
    }
    if (choice.algorithm == LibraryAlgorithm::Tree) {
        std::size_t k = 0;
        while (k < 24 && (std::int64_t{64} << (k + 1)) <= call.bytes) {
            ++k;
        }
        bandwidth *= k < 24 ? tree_correction[index_of(choice.protocol)][k] : 1;
    }
    return bandwidth;
}

double LibraryTuner::latency(const LibraryCall& call, const LibraryMachine& machine,
                             const LibraryChoice& choice) const {
    const std::size_t protocol = index_of(choice.protocol);
    const bool simple = choice.protocol == LibraryProtocol::Simple;
    const double nic = machine.nic_latency * (simple ? 2 : 1);
    const double depth = tree_depth(call.nodes);
    const double per_node = call.per_node();
    const bool reduces_all = call.kind == CollectiveKind::AllReduce;
    switch (choice.algorithm) {
        case LibraryAlgorithm::Ring: {
            const double overhead = call.nodes > 1 ? (simple ? 3 : 1) : 0;
            const double near = std::max(ring_hop_nvlink[protocol], overhead);
            double network = ring_hop_network[protocol];
            if (call.per_node() == 1) {
                network = tree_hop_network[protocol];
            }
            network += nic;
            const double steps = steps_of(call);
            if (has_root(call.kind)) {
                return base_of_ring[protocol] + (simple
                                                     ? call.members * tree_hop_nvlink[protocol]
                                                     : network * (call.nodes > 1 ? 1 : 0) + near);
            }
            const double inter = call.nodes == 1 ? 0 : (reduces_all ? 2 : 1) * (call.nodes - 1);
            return base_of_ring[protocol] + (steps - inter) * near + inter * network;
        }
        case LibraryAlgorithm::Tree: {
            const bool old = version_ < LibraryVersion{2, 23, 4};
            const double network = (simple && old ? 28 : tree_hop_network[protocol]) + nic;
            const double base = simple && old ? 0 : base_of_tree[protocol];
            const double near = simple && old ? 28 : tree_hop_nvlink[protocol];
            return base + 2 * ((per_node - 1) * near + depth * network);
        }
        case LibraryAlgorithm::Nvls:
            return nvls_hop + (call.nodes > 1 ? nvls_hop_network + nic : 0);
        case LibraryAlgorithm::NvlsTree:
            return nvls_hop + 2 * depth * (nvls_tree_hop_network + nic);
        case LibraryAlgorithm::CollNetDirect:
            return 2 * (std::min(1.0, per_node - 1) * direct_hop_nvlink + (per_node - 1) * 0.4) +
                   direct_hop_network + nic;
        case LibraryAlgorithm::CollNetChain:
            return 2 * (per_node - 1) * chain_hop_nvlink + chain_hop_network + nic;
        case LibraryAlgorithm::Pat:
            return base_of_pat + depth * (pat_hop_network + nic) / 3.5 + 2.8 * call.members;
        case LibraryAlgorithm::SendReceive:
            break;
    }
    return 0;
}

std::optional<double> LibraryTuner::estimate(const LibraryCall& call, const LibraryMachine& machine,
                                             const LibraryChoice& choice) const {
    if (!can(call, machine, choice)) {
        return std::nullopt;
    }
    const double bandwidth = algorithm_bandwidth(call, machine, choice);
    double start = latency(call, machine, choice);
    const double bytes = static_cast<double>(call.bytes);
    // Plenty of data on rings between nodes: the library adds what their start takes.
    if (choice.algorithm == LibraryAlgorithm::Ring && choice.protocol == LibraryProtocol::Simple &&
        call.kind == CollectiveKind::AllReduce && call.nodes > 1) {
        const double channels = 2.0 * machine.nics;
        if (bytes / (channels * call.members) >= 64) {
            start *= 1.4;
        }
    }
    return start + bytes / (1000 * bandwidth);
}

std::optional<LibraryChoice> LibraryTuner::choose(const LibraryCall& call,
                                                  const LibraryMachine& machine,
                                                  const LibraryOverride& override) const {
    const auto allowed = [](const auto& list, const auto& one) {
        return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
    };
    std::optional<LibraryChoice> best;
    double least = 0;
    for (const LibraryAlgorithm algorithm : library_algorithms()) {
        for (const LibraryProtocol protocol : library_protocols()) {
            if (!allowed(override.algorithms, algorithm) ||
                !allowed(override.protocols, protocol)) {
                continue;
            }
            const std::optional<double> time = estimate(call, machine, {algorithm, protocol});
            if (time && (!best || *time < least)) {
                best = LibraryChoice{algorithm, protocol};
                least = *time;
            }
        }
    }
    return best;
}

}  // namespace npunet::engine
