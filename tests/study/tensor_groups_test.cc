// Tensor-parallel groups that leave their server are said: of generated workloads, of traces whose
// groups have names, and of plans; not where it costs nothing, nor of groups that are only numbers.

#include "study/tensor_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generators/transformer/plan_names.h"
#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "study/jobs.h"
#include "study/simulation_run.h"
#include "tests/support/models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study::tensor_groups_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Groups = std::vector<std::vector<Rank>>;

const std::string switches =
    "topology: [Switch, Switch]\nnpus_count: [2, 2]\nbandwidth: [450, 50]\nlatency: [100, 500]\n";
const std::string rail =
    "Rail: {servers: 2, npus_per_server: 2, scale_up: {kind: switch, bandwidth: 450, latency: "
    "100}, scale_out: {levels: 2, radix: 4, bandwidth: 50, latency: 500}}\n";

std::string note_of(const Groups& groups, const std::string& network) {
    return tensor_group_note(groups, topology::parse_network(network, "network.yml"));
}

TEST(TensorGroups, ThatLeaveTheirServer) {
    const Groups across{{Rank(0), Rank(2)}, {Rank(1), Rank(3)}};
    EXPECT_EQ(note_of(across, rail),
              "2 of 2 tensor-parallel groups leave their server: that of ranks 0, 2 spans 2; an "
              "NPU has 50 GB/s to the outside there, and 450 inside: a rank order that begins with "
              "tp, a placement or a smaller tp would keep them inside");
    EXPECT_EQ(note_of(across, switches),
              "2 of 2 tensor-parallel groups leave dimension 0 (Switch of 2): that of ranks 0, 2 "
              "spans 2; an NPU has 50 GB/s to the outside there, and 450 inside: a rank order that "
              "begins with tp, a placement or a smaller tp would keep them inside");
    EXPECT_EQ(note_of({{Rank(0), Rank(1)}, {Rank(2), Rank(3)}}, rail), "");
    EXPECT_EQ(
        note_of({{Rank(0), Rank(1)}, {Rank(2), Rank(3)}}, switches + "placement: [0, 1, 3, 2]\n"),
        "");
    EXPECT_THAT(
        note_of({{Rank(0), Rank(1)}, {Rank(2), Rank(3)}}, switches + "placement: [0, 2, 1, 3]\n"),
        HasSubstr("2 of 2 tensor-parallel groups leave dimension 0"));
    EXPECT_THAT(note_of({{Rank(0), Rank(1)}, {Rank(1), Rank(2), Rank(3)}}, rail),
                HasSubstr("1 of 2 tensor-parallel groups leaves its server: that of ranks 1, 2, "
                          "3 spans 2;"));
}

// As much leads out of a block as into it: a torus, a fat tree without oversubscription.
TEST(TensorGroups, MayBeWhereThereIsAsMuchBandwidth) {
    const Groups all{{Rank(0), Rank(1), Rank(2), Rank(3), Rank(4), Rank(5), Rank(6), Rank(7)}};
    EXPECT_EQ(note_of(all,
                      "topology: [Torus2D]\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: "
                      "[500]\n"),
              "");
    EXPECT_EQ(
        note_of(all, "FatTree: {levels: 2, radix: 4, npus: 8, bandwidth: 50, latency: 500}\n"), "");
    EXPECT_THAT(note_of(all,
                        "FatTree: {levels: 2, radix: 6, npus: 8, oversubscription: 2, bandwidth: "
                        "50, latency: 500}\n"),
                HasSubstr("leaves its leaf"));
    EXPECT_EQ(note_of(all, "topology: [Switch]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [5]\n"),
              "");
}

Machine machine_of(const std::string& network, const char* dialect = "npunet") {
    const test::TemporaryFolder folder;
    return load_machine(
        folder.write("network.yml", network),
        folder.write("system.json",
                     R"({"roofline-enabled": 1, "peak-perf": 900, "local-mem-bw": 3350})"),
        dialect);
}

// Pipeline stages first, so that tensor groups are 0 2 and 1 3; and the usual order.
TEST(TensorGroups, OfGeneratedWorkloads) {
    generators::Plan plan;
    plan.tp = 2;
    plan.pp = 2;
    plan.rank_order = generators::rank_order_named("pp-tp-cp-ep-dp", "--rank-order");
    const generators::ModelSpec model = test::tiny_model();
    const auto notes = [&](const Machine& machine) {
        return simulate(
                   workload_from(generators::generate(model, generators::resolve_plan(model, plan)),
                                 workload_options(machine)),
                   machine, Fidelity::Analytical)
            .notes;
    };
    EXPECT_THAT(notes(machine_of(rail)),
                Contains(HasSubstr("2 of 2 tensor-parallel groups leave their server")));
    EXPECT_THAT(notes(machine_of(switches, "astra-sim")),
                Not(Contains(HasSubstr("tensor-parallel"))));
    plan.rank_order = generators::Plan().rank_order;
    EXPECT_THAT(notes(machine_of(rail)), Not(Contains(HasSubstr("tensor-parallel"))));
}

// Jobs on the first NPUs of both servers and on the others; the groups' names tell.
TEST(TensorGroups, OfJobs) {
    engine::Workload workload =
        test::workload_of(2,
                          [](Rank) {
                              return std::vector{test::collective_node(
                                  1, chakra::CollectiveType::AllReduce, 1000, "tp")};
                          },
                          {{"tp", {Rank(0), Rank(1)}, false}});
    workload.groups[0].dimension = engine::Parallelism::Tensor;
    const Machine machine = machine_of(rail);
    const std::vector<Job> jobs{{"across", workload, {NodeId(0), NodeId(2)}, Time()}};
    EXPECT_THAT(simulate_jobs(jobs, machine, Fidelity::Analytical).jobs[0].results.notes,
                Contains(HasSubstr("1 of 1 tensor-parallel groups leaves its server")));
}

}  // namespace
}  // namespace npunet::study::tensor_groups_test
