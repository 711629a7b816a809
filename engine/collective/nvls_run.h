// What a rank's part in a collective by NVLS has come to (engine/collective/nvls_steps.h).
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/quantities.h"
#include "engine/collective/nvls_plan.h"

namespace npunet::engine {

/// One channel of a member: loops of its three stages, and the units of which it is the head.
struct NvlsChannel {
    std::int64_t scattered = 0;       ///< loops
    std::vector<std::int32_t> ready;  ///< by loop: members of the node that have scattered it
    std::int64_t reduced = 0;         ///< loops
    bool reducing = false;
    bool stage_over = false;    ///< of the loop that is being reduced
    Time stage_end;             ///< of it
    std::int64_t asked = 0;     ///< units of it
    std::int64_t read = 0;      ///< units of it
    std::int64_t gathered = 0;  ///< loops
    bool gathering = false;
    std::vector<std::int64_t> missing;  ///< by loop: units that are not there yet
    std::vector<Time> gather_from;      ///< by loop: when the endpoints are through with them
    std::vector<std::int32_t> parts;    ///< by unit: of its own node, and of children
    std::vector<Time> due;              ///< by unit: when the endpoints are through with it
};

struct NvlsRun {
    std::shared_ptr<const NvlsPlan> plan;
    std::vector<NvlsChannel> channels;
    std::int64_t answers_left = 0;
    std::size_t channels_left = 0;

    NvlsRun(std::shared_ptr<const NvlsPlan> of, std::size_t member)
        : plan(std::move(of)),
          channels(static_cast<std::size_t>(plan->schedule.channels())),
          channels_left(channels.size()) {
        const NvlsSchedule& schedule = plan->schedule;
        answers_left = schedule.reduces() ? schedule.units_in_all(member) : 0;
        const auto loops = static_cast<std::size_t>(schedule.loops());
        for (std::size_t number = 0; number < channels.size(); ++number) {
            NvlsChannel& channel = channels[number];
            const auto place = static_cast<std::int32_t>(number);
            channel.ready.resize(loops);
            channel.gather_from.resize(loops);
            for (std::size_t loop = 0; loop < loops; ++loop) {
                const auto at = static_cast<std::int64_t>(loop);
                channel.missing.push_back(schedule.multicasts()
                                              ? schedule.units_of_node(member, place, at)
                                              : schedule.units(member, place, at));
            }
            const auto units = loops * static_cast<std::size_t>(schedule.stride());
            channel.parts.resize(units);
            channel.due.resize(units);
        }
    }

    [[nodiscard]] bool done() const { return channels_left == 0 && answers_left == 0; }
};

}  // namespace npunet::engine
