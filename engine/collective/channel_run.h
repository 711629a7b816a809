// What a rank's part in a collective of a communication library has come to: where its blocks are
// (engine/collective_library/library_schedule.h).
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_library/library_schedule.h"

namespace npunet::engine {

/// A connection by which a block receives.
struct ChannelInput {
    BlockEnd from;
    std::uint32_t run = 0xffffffff;  ///< of the sender, once it has sent
    std::int64_t received = 0;       ///< slices
    /// By slice: when the hop from its sender is over.
    std::vector<Time> usable;
    /// Slices that are in and not received, in any order.
    std::vector<std::uint32_t> ready;
};

/// One by which it sends.
struct ChannelOutput {
    static constexpr std::uint32_t none = 0xffffffff;

    BlockEnd to;
    std::uint32_t run = none;     ///< of the receiver; none before the first slice
    std::uint32_t operation = 0;  ///< there
    std::int64_t sent = 0;        ///< slices
    std::int64_t freed = 0;       ///< slots that the receiver has given back
};

/// One block of a member.
struct ChannelBlock {
    SliceCursor next;    ///< the slice that it makes next, or is making
    bool begun = false;  ///< the start of the kernel is over
    bool busy = false;   ///< with that, or with the slice
    std::vector<ChannelInput> inputs;
    std::vector<ChannelOutput> outputs;

    [[nodiscard]] bool idle() const { return inputs.empty() && outputs.empty(); }
};

/// One rank's blocks.
struct ChannelRun {
    std::shared_ptr<const LibrarySchedule> schedule;
    std::vector<ChannelBlock> blocks;

    ChannelRun(std::shared_ptr<const LibrarySchedule> of, std::size_t member)
        : schedule(std::move(of)), blocks(static_cast<std::size_t>(schedule->blocks())) {
        for (std::size_t number = 0; number < blocks.size(); ++number) {
            const auto block = static_cast<std::int32_t>(number);
            for (const BlockEnd& end : schedule->receives_from(member, block)) {
                blocks[number].inputs.emplace_back().from = end;
            }
            for (const BlockEnd& end : schedule->sends_to(member, block)) {
                blocks[number].outputs.emplace_back().to = end;
            }
        }
    }
};

}  // namespace npunet::engine
