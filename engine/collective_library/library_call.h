// A collective as a communication library (NCCL, RCCL) sees it, and how it carries one out: the
// algorithm, the protocol, the channels.
//
// `bytes` is the message size as the library counts it: of an all-reduce, broadcast and reduce the
// vector; of an all-gather the result; of a reduce-scatter the input; of an all-to-all what one
// member sends to all, itself included. Sources: docs/communication-libraries.md.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collective_algorithms/implementation.h"

namespace npunet::engine {

/// In the order in which the library prefers them where two take equally long.
enum class LibraryAlgorithm : std::uint8_t {
    Tree,
    Ring,
    CollNetDirect,
    CollNetChain,
    Nvls,
    NvlsTree,
    Pat,
    SendReceive,  ///< all-to-all, gather, scatter: not chosen, but given by the kind
};

enum class LibraryProtocol : std::uint8_t { LL, LL128, Simple };

[[nodiscard]] const char* name_of(LibraryAlgorithm algorithm);
[[nodiscard]] const char* name_of(LibraryProtocol protocol);

/// What a tuner chooses from, in its order.
[[nodiscard]] const std::vector<LibraryAlgorithm>& library_algorithms();
[[nodiscard]] const std::vector<LibraryProtocol>& library_protocols();

/// Place in what is listed by protocol.
[[nodiscard]] constexpr std::size_t index_of(LibraryProtocol protocol) {
    return static_cast<std::size_t>(protocol);
}

/// Depth of a tree over `nodes` nodes as the library's tuner counts: their logarithm, rounded down.
[[nodiscard]] constexpr std::int32_t tree_depth(std::int32_t nodes) {
    std::int32_t depth = 0;
    while (nodes > 1) {
        nodes /= 2;
        ++depth;
    }
    return depth;
}

/// Steps from the lowest leaf of such a tree to its root: the logarithm, rounded up.
[[nodiscard]] constexpr std::int32_t tree_levels(std::int32_t nodes) {
    return nodes <= 1 ? 0 : tree_depth(nodes - 1) + 1;
}

/// How often the NICs of a node carry the data of an all-reduce over trees, in each direction: with
/// two nodes each sends to the other; else a node is inside one of the two trees and a leaf of the
/// other.
[[nodiscard]] constexpr std::int32_t tree_copies(std::int32_t nodes) {
    return nodes <= 2 ? 1 : 2;
}

/// The bytes of an unequal all-to-all from every member to every member.
struct SizesByPair {
    /// By sender, what it sends to each, itself included; outlive this.
    std::vector<const std::vector<std::int64_t>*> rows;
    std::vector<std::int32_t> node_of_member;

    [[nodiscard]] std::int64_t bytes(std::size_t from, std::size_t to) const {
        return (*rows[from])[to];
    }
};

struct LibraryCall {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t bytes = 0;
    /// Of an unequal all-to-all, of which `bytes` is the most that a member sends; else null.
    std::shared_ptr<const SizesByPair> sizes = nullptr;
    std::int32_t members = 2;  ///< n, one GPU each
    std::int32_t nodes = 1;    ///< N; an NVLink domain is one node
    /// Whether switches and NVLS can add up the element type (not int8, for one).
    bool switches_reduce_type = true;

    [[nodiscard]] std::int32_t per_node() const { return members / nodes; }
};

struct LibraryChoice {
    LibraryAlgorithm algorithm = LibraryAlgorithm::Ring;
    LibraryProtocol protocol = LibraryProtocol::Simple;
};

}  // namespace npunet::engine
