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

class LibraryModel {
public:
    LibraryModel(const GpuArchitecture& architecture, const LibraryVersion& version,
                 const LibraryConstants& constants);

    /// Nothing where the library, or what the override leaves of it, cannot carry it out.
    [[nodiscard]] std::optional<LibraryTiming> time(const LibraryCall& call,
                                                    const LibraryMachine& machine,
                                                    const LibraryOverride& override) const;

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
    [[nodiscard]] double send_time(const LibraryCall& call, const LibraryMachine& machine,
                                   LibraryChoice& choice, ChannelUse& use) const;

    GpuArchitecture architecture_;
    LibraryTuner tuner_;
    LibraryConstants constants_;
};

}  // namespace npunet::engine
