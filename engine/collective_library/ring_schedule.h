// The channels of a ring, and the sends and receives of an all-to-all: a block receives from one
// member and sends to one. The first call of a loop only sends, the last one only receives.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collective_library/library_schedule.h"

namespace npunet::engine {

class RingSchedule final : public LibrarySchedule {
public:
    RingSchedule(const LibraryCall& call, const ChannelTiming& timing,
                 std::vector<std::int32_t> node_of_member);

    [[nodiscard]] std::vector<BlockEnd> sends_to(std::size_t member,
                                                 std::int32_t block) const override;
    [[nodiscard]] std::vector<BlockEnd> receives_from(std::size_t member,
                                                      std::int32_t block) const override;
    [[nodiscard]] bool receives(std::int32_t call) const override { return call > 0; }
    [[nodiscard]] bool sends(std::int32_t call) const override { return call + 1 < calls(); }
    [[nodiscard]] Bytes bytes(std::size_t member, std::int32_t block,
                              const SliceCursor& cursor) const override;
    [[nodiscard]] std::vector<std::int64_t> bytes_sent(std::size_t member,
                                                       std::int32_t block) const override;

private:
    [[nodiscard]] const std::vector<std::size_t>& ring(std::int32_t channel) const {
        return rings_[static_cast<std::size_t>(channel) % rings_.size()];
    }
    [[nodiscard]] std::size_t place(std::size_t member, std::int32_t channel) const {
        return places_[static_cast<std::size_t>(channel) % places_.size()][member];
    }
    [[nodiscard]] std::size_t neighbour(std::size_t member, std::int32_t block,
                                        std::size_t further) const;
    void make_rings(std::int32_t channels);

    CollectiveKind kind_;
    Bytes size_;
    std::size_t members_;
    bool exchanges_;                                ///< all-to-all
    std::shared_ptr<const SizesByPair> sizes_;      ///< of an unequal one
    std::vector<std::vector<std::size_t>> rings_;   ///< members in order
    std::vector<std::vector<std::size_t>> places_;  ///< the inverse
};

}  // namespace npunet::engine
