// A sweep whose best points are run again at packet fidelity: in builds with ns-3.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace npunet::cli
