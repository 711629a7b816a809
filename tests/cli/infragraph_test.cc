// npunet simulate and topology on InfraGraph files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/bad_input.h"
#include "tests/support/custom_text.h"
#include "tests/topology/infragraph_texts.h"
#include "topology/yaml/network_reader.h"

namespace npunet::cli {
namespace infragraph_runs {

using ::testing::HasSubstr;

class InfraGraphRuns : public BadInput {
protected:
    [[nodiscard]] nlohmann::json results(const std::string& network,
                                         const std::string& fidelity) const {
        const Outcome outcome = run({"simulate", "--workload", path("w"), "--network",
                                     path(network), "--fidelity", fidelity, "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        return nlohmann::json::parse(outcome.out, nullptr, false);
    }
    [[nodiscard]] double finish_ns(const std::string& network, const std::string& fidelity) const {
        return results(network, fidelity)["finish_ns"].get<double>();
    }
};

// 1 MiB over 64, 50 and 64 GB/s with 500, 1000 and 500 ns: 2000 ns and 2^20 B / 50 GB/s.
TEST_F(InfraGraphRuns, AMessageTakesLatenciesAndTheSlowestLink) {
    write("pair.yaml", test::infragraph_pair);
    trace(0, {test::send_node(1, 1, 1 << 20)});
    trace(1, {test::receive_node(1, 0, 1 << 20)});
    EXPECT_NEAR(finish_ns("pair.yaml", "analytical"), 2000 + 1048576 / 50.0, 0.01);
}

// An all-reduce of 32 GPUs takes as long as on the same graph, written as a Custom network.
TEST_F(InfraGraphRuns, EveryFidelityRunsAsOnTheSameCustomNetwork) {
    write("cluster.yaml", test::infragraph_cluster);
    write("custom.yml",
          test::custom_text(
              topology::read_network(path("cluster.yaml"), topology::GigaByte::Decimal).graph));
    all_reduce_traces(32);
    for (const char* fidelity : {"analytical", "fluid", "packet"}) {
        const double time = finish_ns("cluster.yaml", fidelity);
        EXPECT_GT(time, 0) << fidelity;
        EXPECT_EQ(time, finish_ns("custom.yml", fidelity)) << fidelity;
    }
}

TEST_F(InfraGraphRuns, TopologyTellsNodesLinksAndWhatIsLeftOut) {
    write("cluster.yaml", test::infragraph_cluster);
    const Outcome outcome = run({"topology", path("cluster.yaml")});
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out, HasSubstr("NPUs        32\nSwitches    206\nLinks       808"));
    EXPECT_THAT(outcome.log, HasSubstr("44 of 282 components are left out"));
    EXPECT_EQ(run({"topology", path("cluster.yaml"), "--route", "0", "1"}).out,
              "0 -> host.0.nvswitch.0 -> 1\n");
}

TEST_F(InfraGraphRuns, BadFilesEndWithTwo) {
    write("bad.yaml", "instances: [{name: host, device: server, count: 1}]\n");
    const Outcome outcome = run({"topology", path("bad.yaml")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log,
                HasSubstr("bad.yaml: line 1, column 34, instances[0].device: found the unknown "
                          "device 'server'"));
}

}  // namespace infragraph_runs
}  // namespace npunet::cli
