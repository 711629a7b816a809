// One dimension of a product network: what stands on each line of NPUs, its size, rate and latency.
//
//     std::vector<Dimension> torus{make_dimension(DimensionKind::Ring, 4, rate, latency),
//                                  make_dimension(DimensionKind::Ring, 4, rate, latency)};
//     NetworkDescription network = make_network(torus);       // topology/builders/builder.h
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

#include "base/quantities.h"

namespace npunet::topology {

enum class DimensionKind : std::uint8_t { Ring, FullyConnected, Switch, Mesh1D };

/// One dimension of a product network; dimension 0 is the innermost (fastest) coordinate.
struct Dimension {
    DimensionKind kind = DimensionKind::Ring;
    std::int32_t size = 1;
    Rate rate;                  ///< per direction of one link
    Time latency;               ///< per link
    double bandwidth_gbps = 0;  ///< as written in the file, in the file's GB/s
    double latency_ns = 0;      ///< as written in the file
};

/// A dimension given in quantities; bandwidth_gbps counts in steps of 10^9.
[[nodiscard]] inline Dimension make_dimension(DimensionKind kind, std::int32_t size, Rate rate,
                                              Time latency) {
    return Dimension{kind,
                     size,
                     rate,
                     latency,
                     static_cast<double>(rate.bytes_per_second()) / 1e9,
                     static_cast<double>(latency.ps()) / 1e3};
}

/// The name that network.yml uses: "Ring", "FullyConnected", "Switch", "Mesh1D".
[[nodiscard]] constexpr const char* name_of(DimensionKind kind) {
    switch (kind) {
        case DimensionKind::Ring:
            return "Ring";
        case DimensionKind::FullyConnected:
            return "FullyConnected";
        case DimensionKind::Switch:
            return "Switch";
        case DimensionKind::Mesh1D:
            break;
    }
    return "Mesh1D";
}

}  // namespace npunet::topology
