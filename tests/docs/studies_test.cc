// The scripts of examples/studies print what stands beside them, and what they print says what
// docs/studies.md says, whatever the last digits are.

#include <algorithm>
#include <sstream>
#include <vector>

#include "example_scripts.h"
#include "packet/make_packet_network.h"
#include "page.h"

namespace npunet::docs_test {
namespace {

class Studies : public ExampleScripts {
protected:
    void expect_study(const std::string& name) { expect_script("examples/studies/" + name); }

    /// The numbers in the first printed line that begins with this, behind it; words and marks are
    /// left out. A failed expectation and `count` zeros unless there are so many.
    [[nodiscard]] std::vector<double> numbers_of(const std::string& begin,
                                                 std::size_t count) const {
        std::vector<double> numbers;
        const std::size_t at = ('\n' + printed).find('\n' + begin);
        if (at != std::string::npos) {
            const std::size_t from = at + begin.size();
            std::istringstream words(printed.substr(from, printed.find('\n', from) - from));
            for (std::string word; words >> word;) {
                if (word.find_first_not_of("0123456789.*") == std::string::npos) {
                    numbers.push_back(std::stod(word));
                }
            }
        }
        EXPECT_EQ(numbers.size(), count) << begin << '\n' << printed;
        numbers.resize(count);
        return numbers;
    }
};

// No run is faster than what the busiest link has to carry; without sharing the rest is latency, at
// most a fifth; four messages a link cost about four times as much.
TEST_F(Studies, RankOrder) {
    expect_study("rank_order");
    for (const char* order : {"cycle", "snake", "rows", "blocks", "halves", "shuffled"}) {
        const std::vector<double> row = numbers_of(order, 10);
        const double bound = row[3];
        const double packet = row[6];
        EXPECT_GE(packet, bound) << order;
        EXPECT_LE(packet, 1.25 * bound) << order;
        EXPECT_EQ(row[8] > 0, row[2] > 1) << order;  // contention where messages share a link
    }
}

// No traffic is faster than its bound; on mesh and torus the estimate of the all-to-all is.
TEST_F(Studies, Topologies) {
    expect_study("topologies");
    for (const char* traffic : {"tensor", "data", "expert"}) {
        for (const char* network : {"mesh", "torus", "switch"}) {
            std::string begin = traffic;
            begin.resize(9, ' ');
            const std::vector<double> row = numbers_of(begin + network, 5);
            EXPECT_GE(row[2], row[0]) << traffic << ' ' << network;
            EXPECT_EQ(row[1] < row[0], begin[0] == 'e' && network[0] != 's')
                << traffic << ' ' << network;
        }
    }
}

// By a hash the two jobs disturb each other by more than a tenth, sprayed by less than a twentieth.
TEST_F(Studies, TwoJobs) {
    expect_study("two_jobs");
    const std::vector<double> hashed = numbers_of("ecmp 1", 7);
    const std::vector<double> sprayed = numbers_of("spray", 7);
    for (const std::size_t alone : {0U, 2U}) {
        EXPECT_GT(hashed[alone + 1], 1.1 * hashed[alone]);
        EXPECT_LT(sprayed[alone + 1], 1.05 * sprayed[alone]);
    }
}

// A straggler costs about its own lost time plus what congestion control takes from the ranks that
// catch up; no step is shorter than the busy time of its slow link.
TEST_F(Studies, Faults) {
    expect_study("faults");
    const std::vector<double> straggler = numbers_of("straggler  ", 8);
    EXPECT_NEAR(straggler[2], straggler[0], 0.1 * straggler[0]);
    for (const char* link : {"NIC 1/4", "up-link 1/4"}) {
        const std::vector<double> row = numbers_of(link, 8);
        EXPECT_GE(row[2], row[0]) << link;
    }
}

// The fidelities choose three plans, and the packet level the same one with either flow control.
// Those of the others cost more than a twentieth.
TEST_F(Studies, PlanOrder) {
    expect_study("plan_order");
    const std::vector<double> estimated = numbers_of(" 4  4  1  4", 4);
    const std::vector<double> aware = numbers_of(" 1  4  4  1", 4);
    const std::vector<double> best = numbers_of(" 2  2  4  2", 4);
    EXPECT_LT(estimated[0], best[0]);
    EXPECT_LT(estimated[0], aware[0]);
    EXPECT_LT(aware[1], best[1]);
    EXPECT_LT(aware[1], estimated[1]);
    for (const std::size_t packet : {2U, 3U}) {
        EXPECT_GT(estimated[packet], 1.05 * best[packet]);
        EXPECT_GT(aware[packet], 1.05 * best[packet]);
    }
}

// docs/studies.md shows what the scripts print.
TEST(StudiesPage, ShowsTheExpectedOutput) {
    const Page page = read_page("docs/studies.md");
    for (const char* name : {"rank_order", "topologies", "two_jobs", "faults", "plan_order"}) {
        const std::string file = std::string("examples/studies/") + name + ".expected.txt";
        const std::string expected =
            test::bytes_of(std::filesystem::path(NPUNET_SOURCE_DIR) / file);
        const auto shows = [&expected](const Block& block) {
            std::string shown;
            for (const std::string& line : block.lines) {
                shown += line + '\n';
            }
            return shown == expected;
        };
        EXPECT_TRUE(std::any_of(page.blocks.begin(), page.blocks.end(), shows)) << file;
    }
}

}  // namespace
}  // namespace npunet::docs_test
