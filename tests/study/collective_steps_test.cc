// The messages of one collective: their phases, chunks and times against closed forms; and the
// figure.

#include "study/collective_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "as_machine.h"
#include "base/errors.h"
#include "tests/report/recording_canvas.h"
#include "tests/support/machines.h"

namespace npunet::study::collective_steps_test {
namespace {

using engine::CollectiveKind;
using engine::Implementation;

Machine ring_of_four() {
    return as_machine(test::ring_machine(4, Rate(50'000'000'000), Time::ns(500)));
}

CollectiveTimesRequest request_of(const std::string& algorithm, Bytes size) {
    CollectiveTimesRequest request{CollectiveKind::AllReduce, {Bytes(1000), size}, {}, {}};
    request.algorithms.push_back(AlgorithmToTime::of(*Implementation::named(algorithm)));
    return request;
}

// 2 (n - 1) exchanges of a quarter of 4 MB, 20 us each, and 500 ns: exchange e of every rank begins
// at e x 20.5 us and is in 20.5 us later, at the next rank.
TEST(CollectiveSteps, OfARingFollowOneAnother) {
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
        const report::CollectiveSteps steps =
            collective_steps(ring_of_four(), request_of("ring", Bytes(4'000'000)), fidelity);
        EXPECT_EQ(steps.length, Time::ns(123'000));
        ASSERT_EQ(steps.steps.size(), 4U * 6);
        for (std::size_t i = 0; i < steps.steps.size(); ++i) {
            const report::CollectiveStep& step = steps.steps[i];
            const auto exchange = static_cast<std::int64_t>(i % 6);
            EXPECT_EQ(step.sender, Rank(i / 6));
            EXPECT_EQ(step.receiver, Rank((i / 6 + 1) % 4));
            EXPECT_EQ(step.chunk, 0U);
            EXPECT_EQ(step.phase, 0U);
            EXPECT_EQ(step.exchange, exchange);
            EXPECT_EQ(step.bytes, Bytes(1'000'000));
            EXPECT_EQ(step.start, exchange * Time::ns(20'500));
            EXPECT_EQ(step.end, (exchange + 1) * Time::ns(20'500));
        }
    }
}

// Bytes do not depend on chunks: four chunks have four times as many messages of a quarter.
TEST(CollectiveSteps, ChunksDivideTheMessages) {
    Machine machine = ring_of_four();
    machine.system.preferred_dataset_splits = 4;
    const report::CollectiveSteps steps =
        collective_steps(machine, request_of("ring", Bytes(4'000'000)), Fidelity::Fluid);
    std::map<std::uint32_t, std::size_t> messages;
    for (const report::CollectiveStep& step : steps.steps) {
        ++messages[step.chunk];
        EXPECT_EQ(step.bytes, Bytes(250'000));
        EXPECT_LT(step.start, step.end);
    }
    ASSERT_EQ(messages.size(), 4U);
    for (const auto& [chunk, count] : messages) {
        EXPECT_EQ(count, 24U);
    }
}

TEST(CollectiveSteps, AreDrawnOnceEach) {
    const report::CollectiveSteps steps = collective_steps(
        ring_of_four(), request_of("ring", Bytes(4'000'000)), Fidelity::Analytical);
    const report::RecordingCanvas canvas(report::collective_steps_sheet(steps));
    EXPECT_EQ(canvas.boxes.size(), 24U);
    EXPECT_EQ(canvas.cut_text(), "");
    EXPECT_EQ(canvas.overlapping_texts(), "");
    EXPECT_THAT(canvas.texts(), testing::Contains("phase 0"));
    EXPECT_THAT(canvas.texts(), testing::Contains("time (us)"));
    // 1/6 of the time is 1/6 of the width.
    const auto [least, most] =
        std::minmax_element(canvas.boxes.begin(), canvas.boxes.end(),
                            [](const auto& a, const auto& b) { return a.corner.x < b.corner.x; });
    EXPECT_NEAR(most->corner.x - least->corner.x, 5 * (least->width + 0.6), 0.1);
}

}  // namespace
}  // namespace npunet::study::collective_steps_test
