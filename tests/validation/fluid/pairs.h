// Pairs: one network, traffic and control of congestion each, on which fidelities are compared.
//
//     for (const Pair& pair : product_pairs()) {
//         const study::Machine machine = machine_for(pair, Buffers::AsTheyAre);
//         const std::vector<study::Job> jobs = pair.traffic.jobs(machine);
//     }
//
// The product was written down before any parameter of the fluid model was chosen. Routing and all
// packet parameters but those of the control are the defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "networks.h"
#include "study/simulation_run.h"
#include "traffic.h"

namespace npunet::validation {

enum class Control : std::uint8_t {
    Credits,
    Pfc,  ///< pauses and go-back-n without congestion control; the others have both, too
    Dcqcn,
    Hpcc,
    Swift
};

inline constexpr Control controls[] = {Control::Credits, Control::Pfc, Control::Dcqcn,
                                       Control::Hpcc, Control::Swift};

/// "credits", "pfc", "dcqcn", "hpcc", "swift"
[[nodiscard]] const char* name_of(Control control);

struct Pair {
    std::string name;  ///< "ring-8/all-reduce-1MiB/credits": the key of its results
    NetworkCase network;
    Traffic traffic;
    Control control = Control::Credits;
};

/// {product_networks()} x {product_traffic()} x {credits and pfc, on networks with switches all
/// controls}, without omissions: those that cannot run say why (Traffic::unable).
[[nodiscard]] const std::vector<Pair>& product_pairs();

/// The part of the product that the test runs: of the pairs whose NPUs send at most 1 GiB all
/// together every seventh in a fixed random order.
[[nodiscard]] std::vector<Pair> sample_pairs();

/// 100 pairs on other networks, sizes and seeds: no rule and no parameter may be chosen by them.
[[nodiscard]] std::vector<Pair> hold_out_pairs();

enum class Buffers : std::uint8_t {
    AsTheyAre,  ///< by default
    Deep        ///< `buffer: 256MiB`: those that are hardly ever full
};

/// The network.yml of a pair.
[[nodiscard]] std::string network_text(const Pair& pair, Buffers buffers);

[[nodiscard]] study::Machine machine_for(const Pair& pair, Buffers buffers);

}  // namespace npunet::validation
