// The choice of algorithm and protocol as NCCL's tuner makes it: for each pair an estimate,
// latency + bytes / bandwidth, from constants of the library's source; the least one wins. The
// estimate decides and nothing else: how long a collective takes is library_time.h.
//
//     const LibraryTuner tuner(architecture, version);
//     const LibraryChoice choice = tuner.choose(call, machine, {});
//
// Source: NCCL 2.30.7, src/graph/tuning.cc (ncclTopoTuneModel), src/enqueue.cc
// (updateCollCostTable).
//
// C++17-clean.
#pragma once

#include <optional>
#include <vector>

#include "engine/collective_library/gpu_architecture.h"
#include "engine/collective_library/library_call.h"

namespace npunet::engine {

/// What there is between the nodes.
struct LibraryMachine {
    std::int32_t nics = 8;    ///< of a node
    double nic_rate = 50;     ///< GB/s of each
    double nic_latency = 0;   ///< us, as the library's topology file has it
    bool collnet = false;     ///< a network that reduces, and a plugin for it
    double push_latency = 0;  ///< us through its switches and back, at least
    /// GB/s of sums that the switches of a node make, and those between nodes; 0: any number.
    double sum_rate = 0;
    double push_rate = 0;
};

/// As NCCL_ALGO and NCCL_PROTO: what is left is chosen from; empty: everything.
struct LibraryOverride {
    std::vector<LibraryAlgorithm> algorithms;
    std::vector<LibraryProtocol> protocols;
};

class LibraryTuner {
public:
    LibraryTuner(const GpuArchitecture& architecture, const LibraryVersion& version);

    /// The estimate in us; nothing where the pair cannot carry out the collective.
    [[nodiscard]] std::optional<double> estimate(const LibraryCall& call,
                                                 const LibraryMachine& machine,
                                                 const LibraryChoice& choice) const;

    /// The pair with the least estimate; of equals the first in the order of the enumerations.
    /// Nothing where the override leaves none. All-to-alls, gathers and scatters are not chosen
    /// for.
    [[nodiscard]] std::optional<LibraryChoice> choose(const LibraryCall& call,
                                                      const LibraryMachine& machine,
                                                      const LibraryOverride& override) const;

private:
    [[nodiscard]] bool can(const LibraryCall& call, const LibraryMachine& machine,
                           const LibraryChoice& choice) const;
    [[nodiscard]] double bus_bandwidth(const LibraryCall& call, const LibraryMachine& machine,
                                       const LibraryChoice& choice) const;
    [[nodiscard]] double algorithm_bandwidth(const LibraryCall& call, const LibraryMachine& machine,
                                             const LibraryChoice& choice) const;
    [[nodiscard]] double latency(const LibraryCall& call, const LibraryMachine& machine,
                                 const LibraryChoice& choice) const;

    GpuArchitecture architecture_;
    LibraryVersion version_;
};

/// GB/s of the rings between nodes, each by a NIC of its own: the fastest that the search tries and
/// a NIC carries.
[[nodiscard]] double far_ring_rate(const GpuArchitecture& architecture,
                                   const LibraryMachine& machine);

}  // namespace npunet::engine
