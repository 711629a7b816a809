// How long a collective of a communication library takes on an idle machine, in closed form: the
// channels, chunks and slices of the library, at the costs of a GPU type.
//
//     const LibraryModel model(architecture, version, constants);
//     const std::optional<LibraryTiming> timing = model.time(call, machine, {});
//
// Ring: one channel stands for all (channel_ring.h); each gets its share of what the links carry.
// Between nodes the hops are the mean of those in nodes and between them, and the share is that of
// the NICs, where it is less. Tree: chunks follow each other up and down. NVLS: loops of three
// stages (scatter; reduce and multicast; gather). NVLSTree: loops that follow each other through
// the trees between nodes. All-to-all: the parts of all transfers share the links.
//
// C++17-clean.
#pragma once

#include <optional>

#include "base/quantities.h"
#include "engine/collective_library/channel_ring.h"
#include "engine/collective_library/library_channels.h"
#include "engine/collective_library/library_constants.h"
#include "engine/collective_library/library_tuner.h"

namespace npunet::engine {

struct LibraryTiming {
    LibraryChoice choice;
    ChannelUse use;
    Time time;  ///< from the start of the kernel on all GPUs to the end on the last one
};

/// What an endpoint of a ring, or of sends and receives, costs: for a simulation of the messages.
struct ChannelTiming {
    LibraryTiming timing;
    Time start;               ///< before a block's first call; the end of the kernel is in it
    RingChannel ring;         ///< `hop`: within a node
    Time far_hop;             ///< between nodes
    std::int64_t chunk = 0;   ///< data of a call, at most
    std::int32_t slices = 1;  ///< of a call, at most
    std::int32_t slots = 8;   ///< slices of a connection
};

class LibraryModel {
public:
    LibraryModel(const GpuArchitecture& architecture, const LibraryVersion& version,
                 const LibraryConstants& constants);

    /// Nothing where the library, or what the override leaves of it, cannot carry it out.
    [[nodiscard]] std::optional<LibraryTiming> time(const LibraryCall& call,
                                                    const LibraryMachine& machine,
                                                    const LibraryOverride& override) const;

    /// The same in parts, of rings and all-to-alls: where the tuner would choose another algorithm,
    /// of the ring with the protocol that it would choose for that. Nothing for other kinds.
    [[nodiscard]] std::optional<ChannelTiming> channel_timing(const LibraryCall& call,
                                                              const LibraryMachine& machine) const;

    /// The channel of a ring, by its loops; `choice` has Ring.
    [[nodiscard]] RingChannel ring_channel(const LibraryCall& call, const LibraryMachine& machine,
                                           LibraryProtocol protocol, const ChannelUse& use) const;

private:
    [[nodiscard]] std::int32_t channels_of(const LibraryCall& call, const LibraryMachine& machine,
                                           LibraryAlgorithm algorithm) const;
    [[nodiscard]] double ring_time(const LibraryCall& call, const LibraryMachine& machine,
                                   LibraryProtocol protocol, const ChannelUse& use) const;
    [[nodiscard]] double tree_time(const LibraryCall& call, const LibraryMachine& machine,
                                   LibraryProtocol protocol, const ChannelUse& use) const;
    [[nodiscard]] double nvls_time(const LibraryCall& call, const ChannelUse& use) const;
    [[nodiscard]] double nvls_tree_time(const LibraryCall& call, const LibraryMachine& machine,
                                        const ChannelUse& use) const;
    /// Of an all-to-all, in us.
    struct SendTimes {
        double start = 0;
        double hop = 0;
        double send = 0;
    };
    [[nodiscard]] SendTimes send_times(const LibraryCall& call, const LibraryMachine& machine,
                                       LibraryChoice& choice, ChannelUse& use) const;
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
