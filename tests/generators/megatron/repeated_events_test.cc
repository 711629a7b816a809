// What the tracer logs three and four times, once each.
#include "generators/megatron/logs/repeated_events.h"

#include <gtest/gtest.h>

#include "log_files.h"

namespace npunet::generators::megatron {
namespace {

LoggedCall event(Operation operation, std::int32_t group, std::int64_t call_id) {
    LoggedCall event;
    event.call.operation = operation;
    event.call.group = group;
    event.call_id = call_id;
    return event;
}

/// The call_ids of what is passed on of new_groups of these groups, one after the other.
std::vector<std::int64_t> once(Dialect dialect, const std::vector<std::int32_t>& groups) {
    std::vector<std::int64_t> ids;
    RepeatedEvents repeated(dialect, [&](const LoggedCall& call) { ids.push_back(call.call_id); });
    for (std::size_t i = 0; i < groups.size(); ++i) {
        repeated.add(event(Operation::NewGroup, groups[i], static_cast<std::int64_t>(i)));
    }
    repeated.finish();
    return ids;
}

using Ids = std::vector<std::int64_t>;

// Eight in a row are two groups of the same ranks.
TEST(RepeatedEvents, DividesRuns) {
    EXPECT_EQ(once(Dialect::Genstack, {1, 1, 1, 1}), Ids{0});
    EXPECT_EQ(once(Dialect::Genstack, {1, 1, 1, 1, 2, 2, 2, 2}), (Ids{0, 4}));
    EXPECT_EQ(once(Dialect::Genstack, {1, 1, 1, 1, 1, 1, 1, 1}), (Ids{0, 1}));
    EXPECT_TRUE(once(Dialect::Genstack, {}).empty());
}

TEST(RepeatedEvents, LeavesOtherRunsAsTheyAre) {
    EXPECT_EQ(once(Dialect::Genstack, {1, 1, 1, 2, 2, 2, 2}), (Ids{0, 1, 2, 3}));
    EXPECT_EQ(once(Dialect::Npunet, {1, 1, 1, 1}), (Ids{0, 1, 2, 3}));
}

TEST(RepeatedEvents, PassesCallsOn) {
    Ids ids;
    RepeatedEvents repeated(Dialect::Genstack,
                            [&](const LoggedCall& call) { ids.push_back(call.call_id); });
    const std::vector<Operation> calls{Operation::InitProcessGroup, Operation::InitProcessGroup,
                                       Operation::InitProcessGroup, Operation::Barrier,
                                       Operation::Barrier,          Operation::Barrier};
    for (std::size_t i = 0; i < calls.size(); ++i) {
        repeated.add(event(calls[i], 0, static_cast<std::int64_t>(i)));
    }
    repeated.finish();
    EXPECT_EQ(ids, (Ids{0, 3, 4, 5}));
}

}  // namespace
}  // namespace npunet::generators::megatron
