// --simulator ns3 gives the results of the program's own simulator: in builds with ns-3. Where the
// environment names a program that was built without ns-3 (scripts/test-without-ns3), so does that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/bad_input.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli::ns3_simulator_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class Ns3Simulator : public BadInput {
protected:
    void expect_the_same(const std::vector<std::string>& work) const {
        const auto own = results(NPUNET_PROGRAM, "own", work);
        EXPECT_EQ(own, results(NPUNET_PROGRAM, "ns3", work));
        if (const char* without_ns3 = std::getenv("NPUNET_WITHOUT_NS3")) {
            EXPECT_EQ(own, results(without_ns3, "own", work));
        }
    }

    /// results.json and links.csv without what differs between runs.
    [[nodiscard]] std::pair<json, std::string> results(const std::string& program,
                                                       const std::string& simulator,
                                                       const std::vector<std::string>& work) const {
        std::vector<std::string> words{
            "simulate", "--network",    path("net.yml"), "--fidelity", "packet", "--simulator",
            simulator,  "--output-dir", path(simulator), "--force",    "--quiet"};
        words.insert(words.end(), work.begin(), work.end());
        std::string command = program;
        for (const std::string& word : words) {
            command += " '" + word + "'";
        }
        EXPECT_EQ(std::system((command + " 2>" + path("log")).c_str()), 0)
            << test::bytes_of(path("log"));
        json document = json::parse(test::bytes_of(folder_ / simulator / "results.json"));
        document.erase("performance");
        document.erase("command");
        return {document, test::bytes_of(folder_ / simulator / "links.csv")};
    }

    /// Of a run of results(). timeline.pb names the simulator among the options.
    [[nodiscard]] std::string timelines(const std::string& simulator) const {
        std::string columns = test::bytes_of(folder_ / simulator / "timeline.pb");
        const std::size_t option = columns.find("--simulator");
        EXPECT_NE(option, std::string::npos);
        const std::size_t name = columns.find(simulator, option);
        EXPECT_NE(name, std::string::npos);
        columns.erase(name, simulator.size());
        return columns + test::bytes_of(folder_ / simulator / "timeline.perfetto-trace");
    }
};

/// Six NPUs near one switch, two at another.
std::string two_sites() {
    std::string nodes = "{name: near, kind: switch}, {name: far, kind: switch}";
    std::string links = "{from: near, to: far, bandwidth: 100, latency: 50us}";
    for (int npu = 0; npu < 8; ++npu) {
        const std::string name = "gpu" + std::to_string(npu);
        nodes += ", {name: " + name + ", kind: npu}";
        links += ", {from: " + name + ", to: " + (npu < 6 ? "near" : "far") +
                 ", bandwidth: 50, latency: 500}";
    }
    return "Custom: {nodes: [" + nodes + "], links: [" + links + "]}\n";
}

const std::vector<std::string> step{"--model",  "llama2-4layer",
                                    "--dp",     "1",
                                    "--tp",     "8",
                                    "--seq",    "64",
                                    "--batch",  "4",
                                    "--system", NPUNET_SOURCE_DIR "/configs/systems/a100.json"};

const std::vector<std::string> networks{
    "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n",
    "topology: [Mesh2D]\nnpus_count: [[2, 4]]\nbandwidth: [50]\nlatency: [500]\n",
    "topology: [Torus2D]\nnpus_count: [[2, 4]]\nbandwidth: [50]\nlatency: [0]\n",
    "topology: [FullyConnected]\nnpus_count: [8]\nbandwidth: [25]\nlatency: [700]\n",
    "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n",
    "topology: [Ring, Switch]\nnpus_count: [4, 2]\nbandwidth: [100, 25]\nlatency: [100, 900]\n",
    "FatTree: {levels: 2, radix: 4, npus: 8, bandwidth: [50, 50], latency: [500, 500]}\n",
    "Rail: {servers: 2, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, latency: "
    "100}, "
    "scale_out: {levels: 2, radix: 4, bandwidth: 50, latency: 500}}\n",
    "Dragonfly: {a: 2, p: 1, h: 2, groups: 4, bandwidth: [50, 50, 50], latency: [100, 100, 1us]}\n",
    two_sites(),
};

const std::vector<std::string> packets{
    "",
    "packet: {routing: adaptive, virtual_channels: 4}\n",
    "packet: {switching: cut-through, mtu: 1024}\n",
    "packet: {flow_control: pfc, transport: go-back-n}\n",
    "packet: {flow_control: pfc, transport: go-back-n, congestion_control: dcqcn}\n",
    "packet: {flow_control: none, transport: selective-repeat, buffer: 64KiB}\n",
    "packet: {flow_control: pfc, transport: selective-repeat, congestion_control: swift, "
    "error_rate: 1e-4}\n",
};

TEST_F(Ns3Simulator, GivesTheSameResults) {
    const std::vector<std::vector<std::string>> works{
        step,
        {"--workload", path("all/to_all"), "--comm-group", path("all/groups.json")},
    };
    ASSERT_EQ(run({"generate", "collective", "--type", "all_to_all", "--size", "1MB", "--npus", "8",
                   "--output-dir", path("all"), "--output-name", "to_all", "--comm-group-file",
                   "groups.json"})
                  .code,
              0);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < networks.size(); ++i) {
        for (std::size_t k = 0; k < packets.size(); ++k) {
            if ((i + k) % 2 != 0) {
                continue;
            }
            SCOPED_TRACE(networks[i] + packets[k]);
            write("net.yml", networks[i] + packets[k]);
            const auto& work = works[(i + k) / 2 % works.size()];
            expect_the_same(work);
            ++compared;
        }
    }
    EXPECT_GE(compared, 20U);
}

TEST_F(Ns3Simulator, FaultsAndPlacementsToo) {
    write("net.yml",
          "topology: [Mesh2D]\nnpus_count: [[2, 4]]\nbandwidth: [50]\nlatency: [500]\n"
          "placement: snake\nfaults: [{link: [0, 1], at: 5us, until: 90us, bandwidth_factor: 0}, "
          "{npu: 3, slowdown: 1.5}]\n");
    expect_the_same(step);
}

// A fast-forward spreads the load of links evenly over what it skips, and that of collective steps
// is not for ns-3's clock.
TEST_F(Ns3Simulator, GivesTheSameTimelinesWithoutFastForward) {
    std::vector<std::string> work = step;
    work.push_back("--no-fast-forward");
    for (const std::string& packet : packets) {
        SCOPED_TRACE(packet);
        write("net.yml", networks[0] + packet);
        expect_the_same(work);
        EXPECT_TRUE(timelines("own") == timelines("ns3"));
    }
}

TEST_F(Ns3Simulator, SeveralJobsToo) {
    all_reduce_traces(4);
    write("jobs.yml",
          "- {name: left, workload: w, ranks: 0-3}\n"
          "- {name: right, workload: w, ranks: [7, 6, 5, 4], start: 6us}\n");
    for (const std::string& packet : packets) {
        SCOPED_TRACE(packet);
        write("net.yml", networks[1] + packet);
        expect_the_same({"--jobs-file", path("jobs.yml")});
    }
    write("net.yml", networks[1] + "packet: {injection: 60}\n");
    EXPECT_NE(std::system((std::string(NPUNET_PROGRAM) + " simulate --jobs-file " +
                           path("jobs.yml") + " --network " + path("net.yml") +
                           " --fidelity packet --simulator ns3 2>" + path("log"))
                              .c_str()),
              0);
    EXPECT_THAT(test::bytes_of(path("log")), HasSubstr("packet.injection"));
}

TEST_F(Ns3Simulator, WhatItCannotServeIsRefusedByName) {
    write("net.yml", networks[0]);
    const auto refusal = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{
            "simulate", "--network", path("net.yml"), "--model", "llama2-4layer", "--dp", "8",
            "--batch",  "8",         "--seq",         "64",      "--simulator",   "ns3"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2);
        return outcome.log;
    };
    EXPECT_THAT(refusal({}), AllOf(HasSubstr("--simulator"), HasSubstr("packet")));
    for (const std::vector<std::string>& more : {std::vector<std::string>{"--flows"},
                                                 {"--max-sim-time", "1ms"},
                                                 {"--max-wall-time", "1s"}}) {
        std::vector<std::string> words{"--fidelity", "packet"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_THAT(refusal(words), AllOf(HasSubstr(more[0]), HasSubstr("--simulator ns3")));
    }
}

}  // namespace
}  // namespace npunet::cli::ns3_simulator_test
