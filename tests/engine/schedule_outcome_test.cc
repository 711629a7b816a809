// Every schedule, executed with contributions in place of numbers, does what its collective
// promises.

#include <gtest/gtest.h>

#include "tests/engine/schedule_execution.h"

namespace npunet::test {
namespace {

class Outcome : public ::testing::TestWithParam<std::int32_t> {};

// What a message carries is that of the published algorithm (published_contents.h), and what a
// member has is a set of contributors for each segment. Adding is a disjoint union, so nothing is
// counted twice; replacing never loses a contributor. In the end: all-reduce: everybody has the
// contributions of all to every segment; reduce: the root; reduce-scatter: each to its own part;
// all-gather, barrier: everybody has heard of each; gather: the root; broadcast, scatter: everybody
// has what is for it; all-to-all: member m has the block (o, m) of every o. Messages arrive, and
// delays end, in a random order; each message is as long as its segments.
TEST_P(Outcome, EverybodyHasWhatTheCollectivePromises) {
    std::uint32_t seed = 1;
    for_each_phase(GetParam(), [&](const SharedPhase& phase) {
        if (!::testing::Test::HasFatalFailure()) {
            ScheduleExecution(phase, seed++).run();
        }
    });
}

// Under the rules of the astra-sim dialect, where parts need not sum to the buffer, the schedules
// still come to their end.
TEST_P(Outcome, TheReferencesSchedulesComeToTheirEnd) {
    std::uint32_t seed = 1;
    for_each_phase(GetParam(), [&](const SharedPhase& ours) {
        SharedPhase phase = ours;
        phase.rules = reference_rules();
        if (!::testing::Test::HasFatalFailure()) {
            ScheduleExecution(phase, seed++).run();
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Schedules, Outcome, ::testing::ValuesIn(group_sizes()),
                         ::testing::PrintToStringParamName());

// A hundred random orders of everything that happens, in small groups.
TEST(Schedules, AnyOrderOfDeliveriesWillDo) {
    for (const std::int32_t n : {2, 3, 5, 6, 8}) {
        for_each_phase(n, [](const SharedPhase& phase) {
            for (std::uint32_t seed = 100; seed < 200; ++seed) {
                if (!::testing::Test::HasFatalFailure()) {
                    ScheduleExecution(phase, seed).run();
                }
            }
        });
    }
}

}  // namespace
}  // namespace npunet::test
