// How long a collective of a communication library takes on an idle machine, in closed form: the
// channels, chunks and slices of the library, at the costs of a GPU type.
//
//     const LibraryModel model(architecture, version, constants);
//     const std::optional<LibraryTiming> timing = model.time(call, machine, {});
//
// Ring: one channel stands for all (channel_ring.h); each gets its share of what the links carry.
// Between nodes the hops are the mean of those in nodes and between them, and the share is that of
// the NICs, where it is less. Tree: chunks follow each other up and down, and a GPU in a chain
// sends and receives both. NVLS: loops of three stages (scatter; reduce and multicast; gather).
// NVLSTree: loops that follow each other through the trees between nodes. CollNet: chunks that
// follow each other to the network, which adds them up, and back. PAT: exchanges over distances
// that halve or double. All-to-all: the parts of all transfers share the links; of an unequal one
// the member with the most to send or to receive decides.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_library/channel_collnet.h"
#include "engine/collective_library/channel_ring.h"
#include "engine/collective_library/channel_tree.h"
#include "engine/collective_library/library_channels.h"
#include "engine/collective_library/library_constants.h"
#include "engine/collective_library/library_tuner.h"

namespace npunet::engine {

struct LibraryTiming {
    LibraryChoice choice;
    ChannelUse use;
    Time time;  ///< from the start of the kernel on all GPUs to the end on the last one
};

/// What an endpoint of a ring, a tree, CollNet, PAT, or of sends and receives, costs: for a
/// simulation of the messages.
struct ChannelTiming {
    LibraryTiming timing;
    Time start;  ///< before a block's first call; the end of the kernel is in it
    /// `hop`: within a node. A tree and CollNet have one call a loop, which receives and sends.
    RingChannel ring;
    Time far_hop;             ///< between nodes; of CollNet through the switches and back
    std::int64_t chunk = 0;   ///< data of a call, at most; of PAT of each member in a loop
    std::int32_t slices = 1;  ///< of a call, at most
    std::int32_t slots = 8;   ///< slices of a connection
};

/// The same of NVLS and NVLSTree: what a loop of a channel takes in each of its three stages.
struct NvlsTiming {
    LibraryTiming timing;
    Time start;  ///< before the first loop; the end of the kernel is in it
    Time stage;
    Time hop;  ///< between nodes
    std::int64_t loops = 1;
    std::int64_t chunk = 0;  ///< data of a loop for each head
};

class LibraryModel {
public:
    LibraryModel(const GpuArchitecture& architecture, const LibraryVersion& version,
                 const LibraryConstants& constants);

    /// Nothing where the library, or what the override leaves of it, cannot carry it out. `launch`:
    /// of a ring or tree that is launched together with others, else null; others at its channels
    /// are not counted in.
    [[nodiscard]] std::optional<LibraryTiming> time(const LibraryCall& call,
                                                    const LibraryMachine& machine,
                                                    const LibraryOverride& override,
                                                    const LaunchShare* launch = nullptr) const;

    /// The same in parts, where what is left is a ring, a tree, CollNet, PAT or an all-to-all; else
    /// nothing.
    [[nodiscard]] std::optional<ChannelTiming> channel_timing(
        const LibraryCall& call, const LibraryMachine& machine, const LibraryOverride& override,
        const LaunchShare* launch = nullptr) const;

    /// Channels that there are for an algorithm.
    [[nodiscard]] std::int32_t channels_of(const LibraryCall& call, const LibraryMachine& machine,
                                           LibraryAlgorithm algorithm) const;

    /// Where what is left is NVLS or NVLSTree; else nothing.
    [[nodiscard]] std::optional<NvlsTiming> nvls_timing(const LibraryCall& call,
                                                        const LibraryMachine& machine,
                                                        const LibraryOverride& override) const;

    /// The same with links within a node of `factor` times the rate: `link-ll`, `link-simple`,
    /// `nvls-link` and `send-link`, which on A100, H100 and B200 are equal shares of it within 12
    /// %. What blocks copy, slices, hops, starts and the tuner stay.
    [[nodiscard]] LibraryModel with_faster_links(double factor) const;

    [[nodiscard]] const GpuArchitecture& architecture() const { return architecture_; }

    /// The channel of a ring, by its loops; `choice` has Ring.
    [[nodiscard]] RingChannel ring_channel(const LibraryCall& call, const LibraryMachine& machine,
                                           LibraryProtocol protocol, const ChannelUse& use) const;

private:
    [[nodiscard]] double ring_time(const LibraryCall& call, const LibraryMachine& machine,
                                   LibraryProtocol protocol, const ChannelUse& use) const;
    /// Data of a chunk of a tree.
    [[nodiscard]] static std::int64_t tree_chunk_of(const LibraryCall& call,
                                                    LibraryProtocol protocol,
                                                    const ChannelUse& use);
    [[nodiscard]] TreeChannel tree_channel(const LibraryCall& call, const LibraryMachine& machine,
                                           LibraryProtocol protocol, const ChannelUse& use) const;
    [[nodiscard]] double tree_time(const LibraryCall& call, const LibraryMachine& machine,
                                   LibraryProtocol protocol, const ChannelUse& use) const;
    /// A channel of PAT (pat_schedule.h), whose last loop may be shorter. It has one protocol,
    /// Simple.
    [[nodiscard]] RingChannel pat_channel(const LibraryCall& call, const LibraryMachine& machine,
                                          const ChannelUse& use) const;
    /// Whether it is an all-reduce by CollNet, which is the only kind with a closed form.
    [[nodiscard]] static bool is_by_collnet(const LibraryCall& call, LibraryAlgorithm algorithm);
    [[nodiscard]] static std::int64_t collnet_chunk_of(const LibraryCall& call,
                                                       LibraryAlgorithm algorithm,
                                                       const ChannelUse& use);
    [[nodiscard]] CollNetChannel collnet_channel(const LibraryCall& call,
                                                 const LibraryMachine& machine,
                                                 LibraryAlgorithm algorithm,
                                                 const ChannelUse& use) const;
    [[nodiscard]] double collnet_time(const LibraryCall& call, const LibraryMachine& machine,
                                      LibraryAlgorithm algorithm, const ChannelUse& use) const;
    /// Of NVLS, in us.
    struct NvlsTimes {
        double start = 0;
        double hop = 0;    ///< between nodes
        double stage = 0;  ///< of a loop
        std::int64_t loops = 1;
        std::int64_t chunk = 0;
        [[nodiscard]] double time(std::int32_t hops) const {
            return start + hops * hop + static_cast<double>(loops + 2) * stage;
        }
    };
    [[nodiscard]] NvlsTimes nvls_times(const LibraryCall& call, const LibraryMachine& machine,
                                       const ChannelUse& use) const;
    [[nodiscard]] NvlsTimes nvls_tree_times(const LibraryCall& call, const LibraryMachine& machine,
                                            const ChannelUse& use) const;
    /// Of NVLS on several nodes, between which switches add up.
    [[nodiscard]] NvlsTimes nvls_network_times(const LibraryCall& call,
                                               const LibraryMachine& machine,
                                               const ChannelUse& use) const;
    /// Of an all-to-all, in us.
    struct SendTimes {
        double start = 0;
        double hop = 0;
        double send = 0;
        [[nodiscard]] double all() const { return start + hop + send; }
    };
    /// What a member of an all-to-all sends, or receives.
    struct SendLoad;
    [[nodiscard]] SendTimes send_times(const LibraryCall& call, const LibraryMachine& machine,
                                       LibraryChoice& choice, ChannelUse& use) const;
    /// Of an equal one that of every member, of an unequal one two of each member.
    [[nodiscard]] std::vector<SendLoad> send_loads(const LibraryCall& call) const;
    /// Of one load; sets the channels that it takes.
    [[nodiscard]] SendTimes send_times_of(const SendLoad& load, const LibraryCall& call,
                                          const LibraryMachine& machine, ChannelUse& use) const;
    /// us of the hops of a ring, in nodes and between them.
    struct Hops {
        double near = 0;
        double far = 0;
    };
    [[nodiscard]] Hops hops_of(LibraryProtocol protocol) const;
    /// us before the first call of a ring.
    [[nodiscard]] double ring_start(const LibraryCall& call, const LibraryMachine& machine,
                                    LibraryProtocol protocol, const ChannelUse& use) const;

    GpuArchitecture architecture_;
    LibraryTuner tuner_;
    LibraryConstants constants_;
};

}  // namespace npunet::engine
