// npunet plan in its default dialect, from files to files: whole plans in order, what is written
// beside them, and bad input as one message.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tests/cli/plan_inputs.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int layer_count = 6;
constexpr int devices_of_node = 4;
constexpr int node_count = 2;

class PlanNpunet : public PlanInputs {
protected:
    [[nodiscard]] std::string problem() const {
        return files() + " --gbs 16 --hidden-size 512 --sequence-length 256 ";
    }
    /// All of it but how long it took.
    [[nodiscard]] json planned(const std::string& options) const {
        const Outcome outcome = run("plan" + problem() + "--json " + options);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        json document = json::parse(outcome.out, nullptr, false);
        EXPECT_FALSE(document.is_discarded()) << outcome.out;
        if (document.is_object()) {
            document.erase("performance");
        }
        return document;
    }
    [[nodiscard]] double best_cost(const std::string& options) const {
        return planned("--top 1 " + options)["plans"][0]["cost_ms"].get<double>();
    }
    /// The message of a refusal: one line, nothing printed besides.
    static std::string refusal(const std::string& options) {
        const Outcome outcome = run("plan " + options + " --quiet");
        EXPECT_EQ(outcome.code, 2) << options << "\n" << outcome.log;
        EXPECT_EQ(outcome.out, "") << options;
        EXPECT_EQ(std::count(outcome.log.begin(), outcome.log.end(), '\n'), 1) << outcome.log;
        return outcome.log;
    }
    [[nodiscard]] std::string refused(const std::string& options) const {
        return refusal(problem() + options);
    }
};

/// Every device belongs to one stage, dp x tp are its devices, and layers follow each other from
/// the first to the last of a round.
void expect_whole(const json& plan) {
    std::set<std::pair<int, int>> used;
    int layer = 0;
    for (const json& stage : plan["stages"]) {
        int devices = 0;
        for (const json& share : stage["devices"]) {
            const int count = share["count"].get<int>();
            devices += count;
            for (int i = 0; i < count; ++i) {
                const auto device =
                    std::pair{share["node"].get<int>(), share["first"].get<int>() + i};
                EXPECT_TRUE(used.insert(device).second) << plan;
                EXPECT_LT(device.first, node_count);
                EXPECT_LT(device.second, devices_of_node);
            }
            EXPECT_EQ(share["type"], share["node"] == 0 ? "V100" : "A100");
        }
        EXPECT_EQ(stage["dp"].get<int>() * stage["tp"].get<int>(), devices) << plan;
        EXPECT_EQ(
            stage["dp"].get<int>() * stage["micro_batch"].get<int>() * plan["batches"].get<int>(),
            16)
            << plan;
        EXPECT_EQ(stage["first_layer"], layer) << plan;
        EXPECT_GE(stage["layers"].get<int>(), 1) << plan;
        EXPECT_LE(stage["memory_mb"].get<double>(), stage["capacity_mb"].get<double>()) << plan;
        layer += stage["layers"].get<int>();
    }
    EXPECT_EQ(used.size(), static_cast<std::size_t>(node_count * devices_of_node)) << plan;
    EXPECT_EQ(layer * plan["chunks"].get<int>(), layer_count) << plan;
}

// The step of the model, from the stages of a plan alone: (m - 1/v) max T + (sum of T) / v +
// max(D + U).
double step_of(const json& plan) {
    double longest = 0;
    double sum = 0;
    double update = 0;
    for (const json& stage : plan["stages"]) {
        const double period = stage["computing_ms"].get<double>() +
                              stage["tensor_ms"].get<double>() + stage["transfer_ms"].get<double>();
        longest = std::max(longest, period);
        sum += period;
        update = std::max(
            update, stage["gradients_ms"].get<double>() + stage["optimizer_ms"].get<double>());
    }
    const auto chunks = plan["chunks"].get<double>();
    return (plan["batches"].get<double>() - 1 / chunks) * longest + sum / chunks + update;
}

TEST_F(PlanNpunet, PlansAreWholeAndRanked) {
    const json document = planned("--top 40");
    ASSERT_EQ(document["dialect"], "npunet");
    ASSERT_EQ(document["plans"].size(), 40U);
    const auto costed = document["plans_costed"].get<double>();
    EXPECT_GE(costed, 40);
    EXPECT_EQ(costed + document["plans_skipped"].get<double>(),
              document["plans_in_space"].get<double>());
    double before = 0;
    for (const json& plan : document["plans"]) {
        const auto cost = plan["cost_ms"].get<double>();
        EXPECT_GE(cost, before);
        before = cost;
        double sum = 0;
        for (const json& part : plan["parts_ms"]) {
            EXPECT_GE(part.get<double>(), 0);
            sum += part.get<double>();
        }
        EXPECT_NEAR(sum, cost, 1e-9 * cost);
        EXPECT_NEAR(step_of(plan), cost, 1e-9 * cost);
        EXPECT_EQ(plan.count("simulated_ms"), 0U);
        expect_whole(plan);
    }
}

// All of the schedules are the better of either.
TEST_F(PlanNpunet, SchedulesAgree) {
    const json one = planned("--top 1 --schedule 1f1b")["plans"][0];
    EXPECT_EQ(one["schedule"], "1f1b");
    const json interleaved = planned("--top 5 --schedule interleaved")["plans"];
    for (const json& plan : interleaved) {
        EXPECT_EQ(plan["schedule"], "interleaved");
        EXPECT_GT(plan["chunks"].get<int>(), 1);
        EXPECT_EQ(plan["batches"].get<std::size_t>() % plan["stages"].size(), 0U);
        EXPECT_NEAR(step_of(plan), plan["cost_ms"].get<double>(), 1e-9 * step_of(plan));
        expect_whole(plan);
    }
    EXPECT_EQ(best_cost("--schedule all"),
              std::min(one["cost_ms"].get<double>(), interleaved[0]["cost_ms"].get<double>()));
}

TEST_F(PlanNpunet, ThreadsAndMetisFileNamesChangeNothing) {
    const json document = planned("--jobs 1");
    EXPECT_EQ(planned("--jobs 4"), document);
    const Outcome outcome =
        run("plan --dialect npunet --json --gbs 16 --hidden-size 512 "
            "--sequence-length 256 --hostfile_path=" +
            path("hostfile") + " --clusterfile_path=" + path("clusterfile.json") +
            " --profile_data_path=" + path("profiles"));
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    json other = json::parse(outcome.out);
    other.erase("performance");
    EXPECT_EQ(other, document);
}

// What is printed and the CSV have the figures of the document.
TEST_F(PlanNpunet, PrintsAndWritesTheSamePlans) {
    const json document = planned("--top 3 --csv " + path("plans.csv"));
    std::ifstream csv(path("plans.csv"));
    std::string line;
    std::getline(csv, line);
    EXPECT_THAT(line, AllOf(StartsWith("rank,cost_ms,"), HasSubstr(",computing_ms,transfers_ms,"),
                            Not(HasSubstr("simulated"))));
    for (const json& plan : document["plans"]) {
        ASSERT_TRUE(std::getline(csv, line));
        EXPECT_EQ(std::stod(line.substr(line.find(',') + 1)), plan["cost_ms"].get<double>());
    }
    EXPECT_FALSE(std::getline(csv, line));
    const Outcome text = run("plan" + problem() + "--top 3 --quiet");
    ASSERT_EQ(text.code, 0) << text.log;
    EXPECT_THAT(text.out, AllOf(HasSubstr("cost (ms)"), HasSubstr("Plan 1 takes "),
                                HasSubstr("node 1: "), HasSubstr("plans in all")));
    EXPECT_EQ(text.log, "");
}

// The traces are sound, and a simulation of them on the same network takes what --verify says.
TEST_F(PlanNpunet, VerifiedPlansAreTracesThatSimulateAlike) {
    std::ofstream(path("net.yml")) << "topology: [Switch]\nnpus_count: [8]\nbandwidth: [40]\n"
                                      "latency: [700]\n";
    const json plans = planned("--top 3 --verify 2 --network " + path("net.yml") + " --traces " +
                               path("traces"))["plans"];
    ASSERT_EQ(plans.size(), 3U);
    EXPECT_EQ(plans[2].count("simulated_ms"), 0U);
    EXPECT_FALSE(fs::exists(path("traces/plan3")));
    for (const std::size_t rank : {0U, 1U}) {
        const std::string traces = path("traces/plan" + std::to_string(rank + 1));
        const std::string workload = traces + "/workload";
        const std::string groups = traces + "/comm_group.json";
        const std::string with_groups =
            fs::exists(groups) ? " --comm-group " + groups : std::string();
        const Outcome valid = run("trace validate --json " + workload + with_groups);
        EXPECT_EQ(valid.code, 0) << valid.out << valid.log;
        EXPECT_EQ(json::parse(valid.out)["traces"], 8);
        const Outcome simulated = run("simulate --json --workload " + workload + with_groups +
                                      " --network " + path("net.yml"));
        ASSERT_EQ(simulated.code, 0) << simulated.log;
        const double finish_ms = json::parse(simulated.out)["finish_ns"].get<double>() / 1e6;
        const auto simulated_ms = plans[rank]["simulated_ms"].get<double>();
        EXPECT_GT(simulated_ms, 0);
        EXPECT_NEAR(finish_ms, simulated_ms, 1e-9 * simulated_ms);
    }
}

// Messages that share links are not faster than those that do not.
TEST_F(PlanNpunet, VerifiesAtOtherFidelities) {
    const json quick = planned("--top 1 --verify 3")["plans"];
    ASSERT_EQ(quick.size(), 3U) << "what is verified is shown";
    const json queued = planned("--top 1 --verify 3 --verify-fidelity congestion-aware")["plans"];
    for (std::size_t i = 0; i < quick.size(); ++i) {
        EXPECT_EQ(quick[i]["cost_ms"], queued[i]["cost_ms"]);
        EXPECT_GE(queued[i]["simulated_ms"].get<double>(), quick[i]["simulated_ms"].get<double>());
    }
}

TEST_F(PlanNpunet, DrawsTheStages) {
    (void)planned("--top 1 --figure " + path("stages.svg"));
    (void)planned("--top 1 --figure " + path("stages.png"));
    EXPECT_THAT(test::bytes_of(path("stages.svg")), AllOf(HasSubstr("<svg"), HasSubstr("</svg>")));
    EXPECT_THAT(test::bytes_of(path("stages.png")), StartsWith("\x89PNG\r\n"));
}

// A network's rates replace those of the cluster file: slower links never make a better plan, and
// the cluster file's bandwidths no longer matter.
TEST_F(PlanNpunet, TheNetworkTellsTheBandwidths) {
    const auto network = [this](double bandwidth) {
        std::ofstream(path("net.yml")) << "topology: [Switch]\nnpus_count: [8]\nbandwidth: ["
                                       << bandwidth << "]\nlatency: [500]\n";
        return best_cost("--network " + path("net.yml"));
    };
    const double fast = network(100);
    EXPECT_GT(network(1), fast);
    EXPECT_NE(fast, best_cost(""));
    make_cluster(" --inter-bandwidth 1 --intra-bandwidth 2");
    EXPECT_EQ(network(100), fast);
    std::ofstream(path("net.yml")) << "topology: [Switch]\nnpus_count: [9]\nbandwidth: [10]\n"
                                      "latency: [500]\n";
    EXPECT_THAT(refused("--network " + path("net.yml")),
                AllOf(HasSubstr("net.yml"), HasSubstr("9 NPUs"), HasSubstr("8 devices")));
}

// --machine is the network of a machine: one for all devices, and nothing beside another network.
TEST_F(PlanNpunet, AMachineIsItsNetwork) {
    std::ofstream(path("net.yml")) << "topology: [Switch]\nnpus_count: [8]\nbandwidth: [450]\n"
                                      "latency: [500]\nreduces: [true]\n";
    EXPECT_EQ(best_cost("--machine dgx-h100:1"), best_cost("--network " + path("net.yml")));
    EXPECT_THAT(refused("--machine dgx-h100:1 --network " + path("net.yml")),
                HasSubstr("--machine: found dgx-h100:1 beside --network"));
    EXPECT_THAT(refused("--machine dgx-h100:1 --dialect metis"),
                HasSubstr("--machine: found with --dialect metis"));
    EXPECT_THAT(refused("--machine dgx-h100:1 --strategy metis"),
                HasSubstr("--machine: found beside --strategy"));
    EXPECT_THAT(refused("--machine dgx-h100"), HasSubstr("without a count"));
}

// Costs have what stages exchange: bytes of a number count as width does.
TEST_F(PlanNpunet, ActivationsAreWidthTimesBytes) {
    const double plain = best_cost("");
    EXPECT_GT(best_cost("--activation-bytes 4"), plain);
    const Outcome wide =
        run("plan" + files() + " --gbs 16 --hidden-size 1024 --sequence-length 256 --top 1 --json");
    ASSERT_EQ(wide.code, 0) << wide.log;
    EXPECT_EQ(json::parse(wide.out)["plans"][0]["cost_ms"].get<double>(),
              best_cost("--activation-bytes 4"));
}

/// The number before the last of such texts.
double number_before(const std::string& log, const std::string& text) {
    const std::size_t end = log.rfind(text);
    EXPECT_NE(end, std::string::npos) << log;
    return std::stod(log.substr(log.rfind(' ', end - 1) + 1));
}

// Memory of the size that the message asks for is enough, and a twentieth less is
// not.
TEST_F(PlanNpunet, SaysHowMuchMemoryIsEnough) {
    const std::string factor = "--memory-factor 100000 ";
    const std::string log = refused(factor);
    ASSERT_THAT(log, AllOf(HasSubstr("V100 with 16 GiB, A100 with 80 GiB: no plan fits"),
                           HasSubstr("--memory-factor")));
    const double v100 = number_before(log, " GiB for each V100");
    const double a100 = number_before(log, " GiB for each A100");
    const auto with_memory = [&](double share) {
        make_cluster(" --memory " + std::to_string(v100 * share) + "," +
                     std::to_string(a100 * share));
    };
    with_memory(1);
    EXPECT_EQ(run("plan" + problem() + factor).code, 0);
    with_memory(0.95);
    EXPECT_THAT(refused(factor), HasSubstr("no plan fits"));
}

// With more memory asked for, plans that do not fit go: the best is no better.
TEST_F(PlanNpunet, TheMemoryFactorLeavesOutPlans) {
    const double plain = best_cost("");
    const json reserved = planned("--top 5 --memory-factor 1000");
    EXPECT_GT(reserved["plans"][0]["cost_ms"].get<double>(), plain);
    EXPECT_GT(reserved["out_of_memory"].get<double>(), 0);
    std::for_each(reserved["plans"].begin(), reserved["plans"].end(), expect_whole);
}

TEST_F(PlanNpunet, NamesAMissingProfileOrGoesOnWithout) {
    const double all = best_cost("");
    const std::string name = "DeviceType.V100_tp2_bs1.json";
    ASSERT_TRUE(fs::remove(folder_ / "profiles" / name));
    EXPECT_THAT(refused(""), AllOf(HasSubstr(name), HasSubstr("--skip-missing-profiles")));
    const json rest = planned("--top 20 --skip-missing-profiles");
    EXPECT_GE(rest["plans"][0]["cost_ms"].get<double>(), all);
    for (const json& plan : rest["plans"]) {
        expect_whole(plan);
        for (const json& stage : plan["stages"]) {
            const bool has_v100 =
                stage["devices"][0]["type"] == "V100" || stage["devices"].size() > 1;
            EXPECT_FALSE(has_v100 && stage["tp"] == 2 && stage["micro_batch"] == 1) << plan;
        }
    }
    EXPECT_THAT(rest["notes"].dump(), HasSubstr("missing profiles"));
}

TEST_F(PlanNpunet, SaysWhatIsWrongWithTheCluster) {
    const json cluster = json::parse(test::bytes_of(path("clusterfile.json")));
    for (const char* key : {"inter_bandwidth", "intra_bandwidth", "memory"}) {
        json broken = cluster;
        broken["0.0.0.4"][key] = 0;
        std::ofstream(path("clusterfile.json")) << broken;
        EXPECT_THAT(refused(""), AllOf(HasSubstr("0.0.0.4"), HasSubstr(key)));
    }
    json without = cluster;
    without.erase("0.0.0.1");
    std::ofstream(path("clusterfile.json")) << without;
    EXPECT_THAT(refused(""), AllOf(HasSubstr("hostfile"), HasSubstr("0.0.0.1")));
}

// Seven nodes of a device each and six layers: some stage has two replicas, and one sample.
TEST_F(PlanNpunet, SaysThatNothingDividesTheBatch) {
    std::ofstream hostfile(path("hostfile"));
    for (int node = 0; node < 7; ++node) {
        hostfile << "0.0.0.4 slots=1\n";
    }
    hostfile.close();
    EXPECT_THAT(refusal(files() + " --gbs 1"),
                AllOf(HasSubstr("--batch: found 1 samples"), HasSubstr("7 devices")));
    EXPECT_EQ(run("plan" + files() + " --gbs 2").code, 0);
}

TEST_F(PlanNpunet, RefusesOptionsOfBothDialects) {
    EXPECT_THAT(refused("--strategy headroom --verify 2"),
                AllOf(HasSubstr("--verify"), HasSubstr("beside --strategy")));
    EXPECT_THAT(refused("--trials 2 --schedule 1f1b"), HasSubstr("beside --trials"));
    EXPECT_THAT(refused("--dialect npunet --device-order A100,V100"),
                AllOf(HasSubstr("--device-order"), HasSubstr("with --dialect npunet")));
    EXPECT_THAT(refused("--dialect metis --memory-factor 2"),
                AllOf(HasSubstr("--memory-factor"), HasSubstr("with --dialect metis")));
    EXPECT_THAT(refusal("--gbs 16 --verify 1 --hostfile_path " + path("hostfile")),
                HasSubstr("--verify"));
    EXPECT_THAT(refused("--traces " + path("traces")), HasSubstr("no --verify"));
    EXPECT_THAT(refused("--verify 1 --verify-fidelity exact"), HasSubstr("'exact'"));
    EXPECT_THAT(refused("--figure stages.pdf"), HasSubstr(".svg or .png"));
    EXPECT_EQ(planned("--strategy metis --top 1")["dialect"], "metis");
}

}  // namespace
}  // namespace npunet::cli
