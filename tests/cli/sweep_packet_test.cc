// Sweeps at packet fidelity.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/sweep_program.h"

namespace npunet::cli {
namespace {

using nlohmann::json;

TEST_F(Sweep, TheSecondStageReplaysTheBest) {
    write("then.yml",
          "workload: {collective: {type: all_reduce, size: 64KiB}}\n"
          "networks: [configs/networks/mesh-4x4.yml, configs/networks/torus-4x4.yml, "
          "configs/networks/ring-8.yml]\nthen: {fidelity: packet, top: 2}\n");
    ASSERT_EQ(sweep({path("then.yml"), "--output-dir", path("out"), "--jobs", "4"}), 0) << log();
    const json results = json::parse(test::bytes_of(folder_ / "out/results.json"));
    ASSERT_EQ(results["points"].size(), 5U);
    for (std::size_t i = 3; i < 5; ++i) {
        const json& replay = results["points"][i];
        EXPECT_EQ(replay["parameters"]["fidelity"], "packet");
        const json& base = results["points"][replay["replay_of"].get<std::size_t>()];
        EXPECT_EQ(base["parameters"]["network"], replay["parameters"]["network"]);
        // Headers and credits only add.
        EXPECT_GT(replay["finish_ns"].get<double>(), base["finish_ns"].get<double>());
    }
    const std::size_t best = results["best"][0]["point"];
    EXPECT_EQ(results["points"][3]["replay_of"], best);
    EXPECT_EQ(results["best"].size(), 2U) << "one for each fidelity";
}

/// A sweep of three networks at a fidelity.
std::string three_networks(const std::string& fidelity) {
    return "workload: {collective: {type: all_reduce, size: 64KiB}}\n"
           "networks: [configs/networks/mesh-4x4.yml, configs/networks/torus-4x4.yml, "
           "configs/networks/ring-8.yml]\n" +
           fidelity;
}

// --confirm K is short for then: {fidelity: packet, top: K}: it continues a sweep of such a spec
// with nothing left to run, and ends with the same points.
TEST_F(Sweep, ConfirmIsShortForThePacketsOfTheSecondStage) {
    write("long.yml", three_networks("fidelity: fluid\nthen: {fidelity: packet, top: 2}\n"));
    write("short.yml", three_networks("fidelity: fluid\n"));
    ASSERT_EQ(sweep({path("long.yml"), "--output-dir", path("long")}), 0) << log();
    ASSERT_EQ(sweep({path("short.yml"), "--confirm", "2", "--output-dir", path("short")}), 0)
        << log();
    EXPECT_EQ(test::bytes_of(folder_ / "long/results.csv"),
              test::bytes_of(folder_ / "short/results.csv"));
    const std::string journal = test::bytes_of(folder_ / "long/sweep.journal");
    ASSERT_EQ(sweep({path("short.yml"), "--confirm", "2", "--output-dir", path("long")}), 0)
        << log();
    EXPECT_EQ(test::bytes_of(folder_ / "long/sweep.journal"), journal);
    const json results = json::parse(test::bytes_of(folder_ / "long/results.json"));
    EXPECT_EQ(results["points"].size(), 5U);
    EXPECT_EQ(results["points"][4]["parameters"]["fidelity"], "packet");
    EXPECT_EQ(results["points"][0]["parameters"]["fidelity"], "fluid");
    EXPECT_EQ(sweep({path("short.yml"), "--confirm", "1", "--output-dir", path("long")}), 2);
}

TEST_F(Sweep, ConfirmRefusesWhatDoesNotFit) {
    write("then.yml", three_networks("then: {fidelity: packet}\n"));
    write("packet.yml", three_networks("fidelity: packet\n"));
    write("both.yml", three_networks("fidelity: [fluid, packet]\n"));
    for (const char* const number : {"0", "-1", "1.5", "two"}) {
        EXPECT_EQ(sweep({path("both.yml"), "--confirm", number}), 2);
        EXPECT_NE(log().find("--confirm"), std::string::npos) << log();
        EXPECT_NE(log().find("1 to 1000000"), std::string::npos) << log();
    }
    EXPECT_EQ(sweep({path("then.yml"), "--confirm", "3"}), 2);
    EXPECT_NE(log().find("then.yml: line 3, then: found 'then' beside --confirm 3; expected one "
                         "of them"),
              std::string::npos)
        << log();
    EXPECT_EQ(sweep({path("packet.yml"), "--confirm", "3"}), 2);
    EXPECT_NE(log().find("--confirm: found a sweep whose fidelity is packet; expected a sweep at "
                         "another fidelity"),
              std::string::npos)
        << log();
}

// Networks of packets share machines, and nothing else.
TEST_F(Sweep, PacketRunsAtTheSameTimeChangeNoByte) {
    write("adaptive.yml",
          "topology: [Torus2D]\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n"
          "packet: {routing: adaptive, virtual_channels: 4}\n");
    write("ethernet.yml",
          "topology: [Switch]\nnpus_count: [16]\nbandwidth: [50]\nlatency: [500]\n"
          "packet: {flow_control: pfc, transport: go-back-n, congestion_control: dcqcn}\n");
    write("down.yml",
          "topology: [Mesh2D]\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n"
          "faults: [{link: [0, 1], at: 5us, until: 40us, bandwidth_factor: 0}]\n");
    write("packets.yml",
          "workload: {collective: {type: [all_reduce, all_to_all], size: [64KiB, 256KiB]}}\n"
          "networks: [" +
              path("adaptive.yml") + ", " + path("ethernet.yml") + ", " + path("down.yml") +
              "]\nfidelity: packet\n");
    for (const char* const jobs : {"1", "6"}) {
        ASSERT_EQ(sweep({path("packets.yml"), "--output-dir", path(jobs), "--jobs", jobs}), 0)
            << log();
    }
    const std::string rows = test::bytes_of(folder_ / "1/results.csv");
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 13) << rows;
    EXPECT_EQ(rows.find("error"), std::string::npos) << rows;
    EXPECT_EQ(rows, test::bytes_of(folder_ / "6/results.csv"));
    EXPECT_EQ(test::bytes_of(folder_ / "1/results.json"),
              test::bytes_of(folder_ / "6/results.json"));
}

}  // namespace
}  // namespace npunet::cli
