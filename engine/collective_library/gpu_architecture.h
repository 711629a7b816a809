// What a communication library takes as given of a generation of GPUs: NVLink rates, the channels
// that its search of the topology finds, the constants of its tuner. Facts of NCCL's sources, none
// of them calibrated; they change with the version, where that is said.
//
//     const GpuArchitecture& hopper = *GpuArchitecture::named("hopper");
//     const double rate = hopper.nvls_rate(8);    // 40 GB/s a head
//
// Sources (NCCL 2.30.7): src/graph/topo.h, search.cc, connect.cc, tuning.cc, src/transport/nvls.cc.
//
// C++17-clean.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/collective_library/library_version.h"

namespace npunet::engine {

struct GpuArchitecture {
    const char* name;
    double link_total;               ///< GB/s of all NVLinks of a GPU, as the library assumes them
    std::int32_t ring_search;        ///< rings that the search finds on one node with NVSwitch,
    double ring_rate;                ///< and the GB/s of each
    std::int32_t channels;           ///< for rings and trees, on one node
    std::int32_t nvls_channels;      ///< on one node; 0: no NVLS
    std::int32_t nvls_channels_far;  ///< on several
    std::int32_t p2p_channels;
    double nvls_efficiency;
    std::vector<double> node_rates;  ///< of a channel that stays in a node, fast to slow
    std::vector<double> far_rates;   ///< of one between nodes

    // Constants of the tuner, by number of nodes: 1, 2, 4 or more.
    std::array<double, 3> ll_most;          ///< GB/s of all channels
    std::array<double, 3> ring_ll128_most;  ///< GB/s a channel, as the next ones
    std::array<double, 3> tree_ll128_most;
    std::array<double, 3> tree_most;
    std::array<double, 3> nvls_tree_most;

    /// "ampere", "hopper" or "blackwell", as the newest version knows them; null for other names.
    [[nodiscard]] static const GpuArchitecture* named(std::string_view name);

    /// With the constants of that version.
    [[nodiscard]] GpuArchitecture as_of(const LibraryVersion& version) const;

    /// GB/s of a head of NVLS among `gpus` GPUs: the fastest rate of which a GPU's links carry one
    /// more than there are heads. 0 where there is none.
    [[nodiscard]] double nvls_rate(std::int32_t gpus) const;
};

}  // namespace npunet::engine
