// `npunet topology`, run as a whole.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

cli::Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "topology");
    return cli::run(arguments);
}

std::string config(const std::string& name) {
    return NPUNET_SOURCE_DIR "/configs/networks/" + name + ".yml";
}

TEST(TopologyCommand, PrintsRoutes) {
    EXPECT_EQ(run({config("mesh-4x4"), "--route", "1", "7"}).out, "1 -> 2 -> 3 -> 7\n");
    EXPECT_EQ(run({config("mesh-4x4"), "--route", "14", "5"}).out, "14 -> 13 -> 9 -> 5\n");
    EXPECT_EQ(run({config("mesh-4x4"), "--route", "5", "5"}).out, "5\n");
    EXPECT_EQ(run({config("dgx_16"), "--route", "1", "15"}).out, "1 -> 7 -> switch7 -> 15\n");
}

TEST(TopologyCommand, PrintsWhatTheNetworkConsistsOf) {
    const cli::Outcome outcome = run({config("dgx_16")});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.log, "");
    EXPECT_EQ(outcome.out,
              "Network     FullyConnected x Switch\n"
              "NPUs        16\n"
              "Switches    8\n"
              "Links       144 (each direction counts)\n"
              "Dimensions  0: FullyConnected of 8, 128.5714 GB/s and 20 ns per link\n"
              "            1: Switch of 2, 25 GB/s and 100 ns per link\n"
              "Bisection   8 links, 200 GB/s in each direction (middle cut)\n"
              "Routing     dimension-order, 1 virtual channel\n");
}

TEST(TopologyCommand, PrintsNetworksWithoutDimensions) {
    EXPECT_EQ(run({config("leaf-spine-64")}).out,
              "Network     FatTree\n"
              "NPUs        64\n"
              "Switches    12\n"
              "Links       192 (each direction counts)\n"
              "Bisection   16 links, 800 GB/s in each direction (middle cut)\n"
              "Routing     up-down, 1 virtual channel\n");
    EXPECT_THAT(run({config("dragonfly-72")}).out, HasSubstr("minimal, 2 virtual channels\n"));
    EXPECT_EQ(run({config("leaf-spine-64"), "--route", "0", "63"}).out,
              "0 -> leaf0 -> spine3 -> leaf7 -> 63\n");
    EXPECT_EQ(run({config("rail-128"), "--route", "1", "15"}).out,
              "1 -> server0-switch -> 7 -> rail7-leaf0 -> 15\n");
    const auto document = nlohmann::json::parse(run({config("two-sites"), "--json"}).out);
    EXPECT_EQ(document["nodes"][6]["name"], "far0");
    EXPECT_EQ(document["bisection"]["bandwidth_GBps"], 200);
}

TEST(TopologyCommand, SaysWhyARoutingWasChosen) {
    std::string text = "npu";
    for (int i = 0; i < 6; ++i) {
        text += " n" + std::to_string(i);
    }
    for (int i = 0; i < 6; ++i) {
        text += "\nn" + std::to_string(i) + " n" + std::to_string((i + 1) % 6) + " 50 500";
    }
    const test::TemporaryFolder folder;
    folder.write("links.txt", text + "\n");
    const std::string custom = "Custom: {file: links.txt}\n";
    EXPECT_THAT(run({folder.write("network.yml", custom)}).out,
                HasSubstr("Routing     balanced, 2 virtual channels\n"));
    const cli::Outcome outcome =
        run({folder.write("network.yml", custom + "packet: {virtual_channels: 1}\n")});
    EXPECT_THAT(outcome.out, HasSubstr("Routing     up-down, 1 virtual channel\n"
                                       "Note        shortest paths would wait for each other in a "
                                       "cycle of links, n0 -> n1"));
}

TEST(TopologyCommand, PrintsOneJsonDocument) {
    const auto document =
        nlohmann::json::parse(run({config("dgx_16"), "--json", "--route", "1", "15"}).out);
    ASSERT_EQ(document["nodes"].size(), 24U);
    EXPECT_EQ(document["nodes"][23], (nlohmann::json{{"name", "switch7"}, {"kind", "switch"}}));
    ASSERT_EQ(document["links"].size(), 144U);
    EXPECT_EQ(document["links"][0]["from"], "npu0");
    EXPECT_EQ(document["links"][0]["to"], "npu1");
    EXPECT_EQ(document["links"][0]["bandwidth_GBps"], 128.5714);
    EXPECT_EQ(document["links"][0]["latency_ns"], 20);
    EXPECT_EQ(document["bisection"]["links"], 8);
    EXPECT_EQ(document["route"], (nlohmann::json{"npu1", "npu7", "switch7", "npu15"}));
    EXPECT_TRUE(nlohmann::json::parse(run({config("ring-8"), "--json"}).out)["route"].empty());
}

TEST(TopologyCommand, RefusesNpusThatDoNotExist) {
    for (const char* npu : {"16", "-1", "x", "1.5", "99999999999", ""}) {
        const cli::Outcome outcome = run({config("mesh-4x4"), "--route", "1", npu});
        EXPECT_EQ(outcome.code, 2) << npu;
        EXPECT_EQ(outcome.out, "") << npu;
        EXPECT_NE(outcome.log, "") << npu;
    }
    EXPECT_THAT(run({config("mesh-4x4"), "--route", "1", "16"}).log,
                HasSubstr("found '16'; expected the number of an NPU, 0 to 15"));
}

TEST(TopologyCommand, RefusesWhatItCannotUse) {
    EXPECT_EQ(run({}).code, 2);
    EXPECT_EQ(run({config("mesh-4x4"), "--route", "1"}).code, 2);
    EXPECT_EQ(run({config("mesh-4x4"), "--draw"}).code, 2);
    const cli::Outcome missing = run({"/no/network.yml"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_THAT(missing.log, HasSubstr("/no/network.yml"));
}

TEST(TopologyCommand, HelpShowsAnExample) {
    const cli::Outcome help = run({"--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("npunet topology configs/networks/mesh-4x4.yml --route 1 7"));
}

// What reading the file warns of, on stderr, whatever is printed.
TEST(TopologyCommand, WarnsOfPausesInACycle) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("ring.yml",
                                          "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\n"
                                          "latency: [500]\npacket: {flow_control: pfc}\n");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{file}, {file, "--json"}, {file, "--route", "0", "1"}}) {
        const cli::Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0);
        EXPECT_THAT(outcome.log,
                    AllOf(HasSubstr("npunet: warning: "), HasSubstr("can pause each other")));
        EXPECT_THAT(outcome.out, Not(HasSubstr("pause")));
    }
}

}  // namespace
}  // namespace npunet
