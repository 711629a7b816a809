// Sends and receives of every schedule meet, and its gates let it go on.

#include <gtest/gtest.h>

#include <vector>

#include "tests/engine/schedule_cases.h"

namespace npunet::test {
namespace {

using engine::Exchange;
using engine::Gate;

/// Expects that the messages of a phase meet their receptions one to one.
void expect_meetings(const SharedPhase& phase) {
    std::vector<std::vector<Exchange>> exchanges;
    for (std::int32_t me = 0; me < phase.members; ++me) {
        const PhaseShape shape = phase.shape(me);
        exchanges.emplace_back();
        for (std::int32_t e = 0; e < exchange_count(shape); ++e) {
            exchanges.back().push_back(exchange(shape, e));
        }
    }
    std::size_t receptions = 0;
    std::vector<std::vector<bool>> met;
    for (const std::vector<Exchange>& list : exchanges) {
        met.emplace_back(list.size(), false);
        for (const Exchange& one : list) {
            receptions += one.receive_from != Exchange::no_rank ? 1 : 0;
        }
    }
    std::size_t messages = 0;
    for (std::int32_t me = 0; me < phase.members; ++me) {
        for (const Exchange& mine : exchanges[static_cast<std::size_t>(me)]) {
            ASSERT_TRUE(mine.send_to != Exchange::no_rank ||
                        mine.receive_from != Exchange::no_rank);
            ASSERT_NE(mine.receive_from, me) << phase.text();
            if (mine.send_to == Exchange::no_rank) {
                continue;
            }
            ++messages;
            ASSERT_NE(mine.send_to, me) << phase.text();
            ASSERT_GE(mine.bytes, Bytes()) << phase.text();
            const auto to = static_cast<std::size_t>(mine.send_to);
            const auto in = static_cast<std::size_t>(mine.arrives_in);
            ASSERT_LT(to, exchanges.size()) << phase.text();
            ASSERT_LT(in, exchanges[to].size()) << phase.text();
            ASSERT_EQ(exchanges[to][in].receive_from, me) << phase.text();
            ASSERT_FALSE(met[to][in]) << phase.text() << ": received twice";
            met[to][in] = true;
        }
    }
    ASSERT_EQ(messages, receptions) << phase.text();
}

/// Gates never fall, never want what comes later, and so never shut for good.
void expect_gates(const SharedPhase& phase) {
    for (std::int32_t me = 0; me < phase.members; ++me) {
        const PhaseShape shape = phase.shape(me);
        Gate last;
        for (std::int32_t e = 0; e < exchange_count(shape); ++e) {
            const Gate gate = exchange_gate(shape, e);
            ASSERT_GE(gate.completed, last.completed) << phase.text();
            ASSERT_GE(gate.received, last.received) << phase.text();
            ASSERT_LE(gate.completed, e) << phase.text();
            ASSERT_LE(gate.received, e) << phase.text();
            last = gate;
        }
        ASSERT_LE(exchange_reductions(shape), exchange_count(shape)) << phase.text();
    }
}

class Messages : public ::testing::TestWithParam<std::int32_t> {};

// Exchange e of member i sends to j and arrives in j's exchange x: then x receives from i, and no
// other message does. As many messages as receptions, so none waits for one that is never sent.
TEST_P(Messages, SendsMeetReceives) {
    for_each_phase(GetParam(), [](const SharedPhase& phase) {
        if (!::testing::Test::HasFatalFailure()) {
            expect_meetings(phase);
            expect_gates(phase);
        }
    });
}

// The same under the rules of the astra-sim dialect.
TEST_P(Messages, SendsMeetReceivesInTheReference) {
    for_each_phase(GetParam(), [](const SharedPhase& ours) {
        SharedPhase phase = ours;
        phase.rules = reference_rules();
        if (!::testing::Test::HasFatalFailure()) {
            expect_meetings(phase);
            expect_gates(phase);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Schedules, Messages, ::testing::ValuesIn(group_sizes()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace npunet::test
