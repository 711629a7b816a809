// How a communication library divides a collective: the channels it uses (one channel is one thread
// block on every GPU), what each carries, and the chunks that a loop moves.
//
//     const ChannelUse use = channels_used(architecture, call, choice);
//
// Source: NCCL 2.30.7, src/enqueue.cc (topoGetAlgoInfo, scheduleCollTasksToPlan,
// calcCollChunking), src/graph/connect.cc, src/init.cc.
//
// C++17-clean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/collective_library/gpu_architecture.h"
#include "engine/collective_library/library_call.h"

namespace npunet::engine {

struct ChannelUse {
    std::int32_t channels = 1;
    std::int32_t threads = 512;  ///< of a block
    std::int64_t bytes = 0;      ///< of the call, of the channel that carries most
    /// Channels at work beside them in the same launch, themselves among them; 0: no others.
    std::int32_t launched = 0;

    /// Channels that share the links.
    [[nodiscard]] std::int32_t at_work() const { return std::max(channels, launched); }
};

/// What a collective has of a launch of several: its channels, and those of all.
struct LaunchShare {
    std::int32_t first = 0;
    std::int32_t channels = 1;
    std::int32_t of_all = 1;
};

/// Channels for collectives that are launched together, so that all channels in use have about the
/// same traffic. `traffic`: bytes of each collective (launch_traffic()); `most`: channels that
/// there are.
[[nodiscard]] std::vector<LaunchShare> launch_shares(const std::vector<std::int64_t>& traffic,
                                                     std::int32_t most);
[[nodiscard]] std::int64_t launch_traffic(const LibraryCall& call, LibraryProtocol protocol);

/// `most`: channels that there are for the algorithm.
[[nodiscard]] ChannelUse channels_used(const LibraryCall& call, const LibraryChoice& choice,
                                       std::int32_t most);

/// Data that a chunk of NVLS has for each head, with `channel_bytes` on a channel.
[[nodiscard]] std::int64_t nvls_chunk(std::int64_t channel_bytes, std::int32_t heads);

/// The same for NVLS with trees between `nodes` nodes.
[[nodiscard]] std::int64_t nvls_tree_chunk(std::int64_t channel_bytes, std::int32_t heads,
                                           std::int32_t nodes);

/// Data in a chunk of CollNet, of which a part of the data has `part_bytes`, among nodes of
/// `per_node` GPUs.
[[nodiscard]] std::int64_t collnet_chunk(LibraryAlgorithm algorithm, std::int64_t part_bytes,
                                         std::int32_t per_node);

/// Data of a call of a ring.
[[nodiscard]] std::int64_t ring_chunk(LibraryProtocol protocol);

/// Data of each GPU in a loop of PAT.
[[nodiscard]] std::int64_t pat_chunk(const LibraryCall& call, std::int32_t channels);

/// Data in a chunk of a tree among nodes of `per_node` GPUs.
[[nodiscard]] std::int64_t tree_chunk(LibraryProtocol protocol, std::int64_t channel_bytes,
                                      std::int32_t nodes, std::int32_t per_node);

}  // namespace npunet::engine
