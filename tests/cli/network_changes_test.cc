// --placement and --seed of npunet simulate and compare: the same run as with a network that says
// so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;

class NetworkChanges : public BadInput {
protected:
    void SetUp() override {
        BadInput::SetUp();
        write("snake.yml",
              "topology: Mesh2D\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n"
              "placement: snake\n");
        for (const char* seed : {"1", "7"}) {
            write("tree" + std::string(seed) + ".yml",
                  "FatTree: {levels: 2, radix: 8, npus: 16, bandwidth: [50, 50], "
                  "latency: [500, 500]}\npacket: {routing: ecmp, seed: " +
                      std::string(seed) + "}\n");
        }
    }
    /// Every rank sends to the one `far` behind it.
    void messages(std::int32_t ranks, std::int32_t far) const {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            trace(rank, {test::send_node(1, (rank + far) % ranks, 1 << 20),
                         test::receive_node(2, (rank + ranks - far) % ranks, 1 << 20)});
        }
    }
    [[nodiscard]] std::string result(const std::string& network,
                                     std::vector<std::string> more) const {
        std::vector<std::string> arguments{"simulate",  "--workload",  path("w"),
                                           "--network", path(network), "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
        json.erase("performance");
        return json.dump();
    }
};

TEST_F(NetworkChanges, PlacementStandsInsteadOfTheFiles) {
    messages(16, 1);
    write("order.txt", "0 1 2 3 # the first row\n7 6 5 4\n8 9 10 11\n15 14 13 12\n");
    for (const char* fidelity : {"analytical", "congestion-aware"}) {
        const std::vector<std::string> at{"--fidelity", fidelity};
        const auto with = [&](const std::string& placement) {
            return std::vector<std::string>{"--fidelity", fidelity, "--placement", placement};
        };
        const std::string snake = result("snake.yml", at);
        const std::string linear = result("mesh.yml", at);
        EXPECT_TRUE(snake != linear) << fidelity;
        EXPECT_TRUE(result("mesh.yml", with("snake")) == snake) << fidelity;
        EXPECT_TRUE(result("snake.yml", with("linear")) == linear) << fidelity;
        EXPECT_TRUE(result("mesh.yml", with("0,1,2,3,7,6,5,4,8,9,10,11,15,14,13,12")) == snake);
        EXPECT_TRUE(
            result("mesh.yml", with("[0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12]")) ==
            snake);
        EXPECT_TRUE(result("mesh.yml", with(path("order.txt"))) == snake) << fidelity;
    }
}

// Routes by hash: another seed, other links.
TEST_F(NetworkChanges, TheSeedStandsInsteadOfTheFiles) {
    messages(16, 8);
    const std::vector<std::string> at{"--fidelity", "congestion-aware"};
    const std::string first = result("tree1.yml", at);
    const std::string seventh = result("tree7.yml", at);
    EXPECT_TRUE(first != seventh);
    EXPECT_TRUE(result("tree1.yml", {"--fidelity", "congestion-aware", "--seed", "7"}) == seventh);
    EXPECT_TRUE(result("tree7.yml", {"--fidelity", "congestion-aware", "--seed", "1"}) == first);
}

TEST_F(NetworkChanges, CompareTakesThemToo) {
    messages(16, 1);
    const auto links = [&](const std::string& network, const std::string& placement) {
        const Outcome outcome =
            run({"compare", "--fidelities", "analytical,congestion-aware", "--workload", path("w"),
                 "--network", path(network), "--json", "--placement", placement});
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
        return json["runs"]["congestion-aware"]["links"].dump();
    };
    EXPECT_TRUE(links("mesh.yml", "snake") == links("snake.yml", "snake"));
    EXPECT_TRUE(links("mesh.yml", "snake") != links("mesh.yml", "linear"));
}

TEST_F(NetworkChanges, RefusesWhatIsNoPlacementAndNoSeed) {
    all_reduce_traces(16);
    const auto refused = [&](const std::string& option, const std::string& value,
                             const std::string& says) {
        const Outcome outcome = simulate("mesh.yml", {option, value});
        expect_refused(outcome, 2);
        EXPECT_THAT(outcome.log, HasSubstr(option)) << value;
        EXPECT_THAT(outcome.log, HasSubstr(says)) << value;
    };
    refused("--placement", "snak", "linear, snake");
    refused("--placement", "0,1,2", "3 entries");
    refused("--placement", "0,1,2,2", "NPU 2 a second time");
    refused("--placement", "0,16", "NPU 16, which does not exist");
    refused("--placement", "99999999999", "each of the NPUs 0 to 15 once");
    refused("--placement", path("nowhere.txt"), "nowhere.txt");
    refused("--seed", "-1", "");
    refused("--seed", "x", "");
}

}  // namespace
}  // namespace npunet::cli
