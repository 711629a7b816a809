#include "report/astra_log.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "tests/report/sample_results.h"

namespace npunet::report {
namespace {

constexpr const char* timestamp = "2026-01-31 12:00:00.000";

TEST(AstraLog, PrintsNineLinesARank) {
    engine::Results results = sample_results();
    results.npus.resize(1);
    results.npus[0].finish = Time::ns(3556872116);
    results.npus[0].exposed_communication = Time::ns(2637085435);
    EXPECT_EQ(astra_log(results, timestamp),
              "[2026-01-31 12:00:00.000] [workload] [info] sys[0] finished, 3556872116 cycles, "
              "exposed communication 2637085435 cycles.\n"
              "[2026-01-31 12:00:00.000] [statistics] [info] sys[0], Wall time: 3556872116\n"
              "[2026-01-31 12:00:00.000] [statistics] [info] sys[0], GPU time: 600\n"
              "[2026-01-31 12:00:00.000] [statistics] [info] sys[0], Comm time: 300\n"
              "[2026-01-31 12:00:00.000] [statistics] [info] sys[0], "
              "Compute bound percentage: 83.794%\n"
              "[2026-01-31 12:00:00.000] [statistics] [info] sys[0], "
              "Average compute utilization: 85.661%\n"
              "[2026-01-31 12:00:00.000] [statistics] [info] sys[0], "
              "Average memory utilization: 28.401%\n"
              "[2026-01-31 12:00:00.000] [statistics] [info] sys[0], "
              "Average operation intensity: 3523.082\n"
              "[2026-01-31 12:00:00.000] [workload] [info] sys[0] "
              "peak memory usage: 1073741824\n");
}

// What scripts rely on: at least five words, the logger third, the rank in the fifth.
TEST(AstraLog, LinesSplitAtBlanks) {
    const engine::Results results = sample_results();
    std::istringstream log(astra_log(results, timestamp));
    std::size_t count = 0;
    for (std::string line; std::getline(log, line); ++count) {
        std::istringstream stream(line);
        std::vector<std::string> words;
        for (std::string word; stream >> word;) {
            words.push_back(word);
        }
        ASSERT_GE(words.size(), 5u);
        EXPECT_TRUE(words[2] == "[workload]" || words[2] == "[statistics]") << line;
        EXPECT_EQ(words[4].find("sys[" + std::to_string(count / 9) + "]"), 0u) << line;
    }
    EXPECT_EQ(count, 9 * results.npus.size());
}

// No rank is said to have finished that had work left when the run was broken off.
TEST(AstraLog, LeavesOutRanksThatHadWorkLeft) {
    engine::Results results = sample_results();
    results.npus.resize(2);
    results.npus[0].finish = Time::ns(70);
    results.npus[1].finish = Time::ns(90);
    results.partial = engine::Partial{Time::ns(90), "a limit", 3, 5};
    const std::string log = astra_log(results, timestamp);
    EXPECT_NE(log.find("sys[0] finished, 70 cycles"), std::string::npos);
    EXPECT_EQ(log.find("sys[1]"), std::string::npos);
}

}  // namespace
}  // namespace npunet::report
