// The constants of a GPU type under a communication library: what a channel's thread block costs on
// it, and what its links carry. They are the GPU's, not the network's: with a simulated network the
// wire is the network's.
//
// Times in us, rates in GB/s (10^9 bytes per second). Which are calibrated, and on what, is said in
// the profile (library_profile.h).
//
// C++17-clean.
#pragma once

#include <array>
#include <string_view>

namespace npunet::engine {

struct LibraryConstants {
    /// From the start of the collective to the first call of a block, and from its last one to the
    /// end, by protocol (LL, LL128, Simple).
    std::array<double, 3> base{};
    double block_start = 0;  ///< more, where all blocks that there are take part
    /// From the end of a call at the sender until the receiver may use its data, by protocol.
    std::array<double, 3> hop{};
    double slice = 0;        ///< of a slice of Simple, beyond what its bytes take
    double flag_link = 0;    ///< what the links of a GPU carry with LL and LL128, flags included,
    double simple_link = 0;  ///< and with Simple
    std::array<double, 2> block{};      ///< data that one block moves, LL and LL128
    double copy = 0;                    ///< data that one block copies within the GPU (Simple)
    double nvls_base = 0;               ///< as `base`
    double nvls_loop = 0;               ///< of a loop of NVLS, beyond what its bytes take
    double nvls_link = 0;               ///< what the links of a GPU carry with NVLS
    std::array<double, 2> send_base{};  ///< of sends and receives: LL, Simple
    double send_link = 0;               ///< what the links of a GPU carry of them
    double send_copy = 0;               ///< what all blocks copy of a member's data for itself
    double send_block = 0;              ///< data that one block sends
    double send_slot = 0;    ///< of a part that fills a slot; of smaller ones in proportion
    double network_hop = 0;  ///< as `hop`, between nodes, Simple; LL and LL128 in the tuner's ratio
    double network_share = 0;   ///< of the NICs' rate, that data gets
    double nvls_tree_base = 0;  ///< as `base`
};

/// Every number by its name in a profile.
struct LibraryConstant {
    std::string_view name;
    double (*get)(const LibraryConstants& constants);
    void (*set)(LibraryConstants& constants, double value);
    const char* unit;  ///< "us", "GB/s" or "share"
};

inline constexpr std::size_t library_constants = 25;

[[nodiscard]] const std::array<LibraryConstant, library_constants>& all_library_constants();

/// null for other names.
[[nodiscard]] const LibraryConstant* library_constant_named(std::string_view name);

}  // namespace npunet::engine
