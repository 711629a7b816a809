// Executes a schedule at all members with messages that arrive, and reductions that end, in any
// order, and keeps account of whose contributions are where.
//
//     ScheduleExecution execution(phase, seed);
//     execution.run();      // fails the test with what went wrong
#pragma once

#include <random>
#include <vector>

#include "tests/engine/published_contents.h"

namespace npunet::test {

class ScheduleExecution {
public:
    ScheduleExecution(const SharedPhase& phase, std::uint32_t seed);

    /// Until nothing is under way. Expects that every exchange of every member is complete, that a
    /// reduction never adds a contribution twice, that nothing replaces more than it brings, that
    /// messages are as long as what they carry, and that everybody has what the collective
    /// promises; under the reference's rules only that every exchange is complete.
    void run();

private:
    struct Message {
        std::int32_t to = 0;
        std::int32_t exchange = 0;
        Holding content;
        bool in = false;  ///< received; its delays run
    };
    struct Member {
        PhaseShape shape;
        std::int32_t count = 0;
        std::int32_t started = 0;
        std::int32_t received = 0;
        std::int32_t completed = 0;
        Holding holding;
        std::vector<Message> early;
    };

    void advance(Member& member);
    void start_exchange(Member& member);
    void load(Member& member, std::int32_t e, const engine::Exchange& next, Message& message);
    void happen(Message message);
    void take_in(Member& member, const Message& message);
    void expect_the_end();

    const SharedPhase& phase_;
    bool follows_contents_;  ///< not where the parts of a buffer do not sum to it
    std::mt19937 random_;
    std::vector<Member> members_;
    std::vector<Message> in_progress_;
};

}  // namespace npunet::test
