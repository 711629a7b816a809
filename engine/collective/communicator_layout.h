// How a communicator lies in a network: the lines of members along which hierarchical collectives
// work.
//
// From the innermost tier (topology/network/tiers.h) to the outermost, what lies in one block is
// taken together. Where every block holds the same number k > 1 of what the tiers before made, that
// is a factor of k: the members in the same place of each are a line. A tier that the communicator
// does not fill evenly is left out: its members stay apart, up to the next tier. Places are counted
// by NPU. 6 NPUs of each of 4 servers are a factor of 6, with a line for each server, and one of 4,
// with a line for each of the 6 places; 5 of one and 7 of another server are one factor of 12.
//
// A factor of all members is one line. Its order is that of the communicator, but for communicators
// that fill their dimensions, where it is that of the coordinates.
//
//     const CommunicatorLayout layout(network, group.ranks);
//     for (const LayoutFactor& factor : layout.factors()) { ... factor.line_of(member) ... }
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

/// The lines of a communicator in one tier. Members are named by their places in the communicator.
struct LayoutFactor {
    std::size_t tier = 0;   ///< or dimension; 0 where the network has none
    std::int32_t size = 1;  ///< members of a line
    std::vector<std::vector<Rank>> lines;
    std::vector<std::int32_t> line_of_member;
    std::vector<std::int32_t> place_of_member;  ///< in its line
};

class CommunicatorLayout {
public:
    /// `ranks`: different ones, at least two.
    CommunicatorLayout(const topology::NetworkDescription& network, const std::vector<Rank>& ranks);

    /// From the inside to the outside. Their sizes multiply to the number of members.
    [[nodiscard]] const std::vector<LayoutFactor>& factors() const { return factors_; }
    /// The network has dimensions and the communicator fills each wholly or has one coordinate
    /// there.
    [[nodiscard]] bool fills_dimensions() const { return fills_dimensions_; }
    /// Two filled dimensions of a mesh: all members in an order in which neighbours, and the last
    /// and the first, share a link; else empty.
    [[nodiscard]] const std::vector<Rank>& hamiltonian_ring() const { return hamiltonian_ring_; }

private:
    void find_factors(const topology::NetworkDescription& network, const std::vector<Rank>& ranks);
    void find_hamiltonian_ring(const topology::NetworkDescription& network,
                               const std::vector<Rank>& ranks);

    std::vector<LayoutFactor> factors_;
    bool fills_dimensions_ = false;
    std::vector<Rank> hamiltonian_ring_;
};

}  // namespace npunet::engine
