// A whole training step at packet level equals its run packet by packet.

#include <gtest/gtest.h>

#include <vector>

#include "packet_steps.h"

namespace npunet::study {
namespace {

TEST(PacketStep, TheSanityWorkloadEqualsItsRecordedRun) {
    const std::vector<PacketStep> recorded_runs = recorded_steps();
    ASSERT_EQ(recorded_runs.size(), 3U);
    for (const PacketStep& recorded : recorded_runs) {
        SCOPED_TRACE(recorded.network);
        const engine::Results results = run_step(recorded.network, true);
        const PacketStep step = step_of(recorded.network, results);
        EXPECT_EQ(step.finish_ps, recorded.finish_ps);
        EXPECT_EQ(step.packet_hops, recorded.packet_hops);
        EXPECT_EQ(step.digest, recorded.digest);
        EXPECT_LT(results.events, results.packet_hops / 100);
    }
}

}  // namespace
}  // namespace npunet::study
