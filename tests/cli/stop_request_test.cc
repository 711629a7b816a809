#include "cli/console/stop_request.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace npunet::cli {
namespace {

// Who stops a whole group of processes sends a signal twice, at the same moment.
TEST(StopRequest, TwoSignalsAtOnceAreOne) {
    const StopRequest stop;
    EXPECT_EQ(stop.signal(), 0);
    std::raise(SIGINT);
    std::raise(SIGINT);
    EXPECT_EQ(stop.signal(), SIGINT);
    std::raise(SIGTERM);
    EXPECT_EQ(stop.signal(), SIGTERM);
}

TEST(StopRequestDeathTest, ASecondOneLaterEndsTheProcess) {
    const auto insist = [] {
        const StopRequest stop;
        std::raise(SIGINT);
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        std::raise(SIGINT);
    };
    EXPECT_EXIT(insist(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace npunet::cli
