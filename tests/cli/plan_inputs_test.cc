// npunet plan profiles and npunet plan hostfile: what they make is what a planner reads, and what
// cannot be made is one message.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "planner/cluster_file.h"
#include "planner/hostfile.h"
#include "planner/profile.h"
#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli::plan_inputs_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string a100 = std::string(NPUNET_SOURCE_DIR) + "/configs/systems/a100.json";
const std::string gpt = " --hidden-size 256 --vocab-size 1024 --sequence-length 128 --layers 4";

class PlanInputs : public ::testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    /// The one line that a refused command says; nothing is left in the folder.
    [[nodiscard]] std::string refusal(const std::string& line) const {
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.code, 2) << line << "\n" << outcome.log;
        EXPECT_EQ(outcome.out, "") << line;
        EXPECT_EQ(std::count(outcome.log.begin(), outcome.log.end(), '\n'), 1) << outcome.log;
        return outcome.log;
    }
    [[nodiscard]] std::string refused_profiles(const std::string& options) const {
        const std::string log =
            refusal("plan profiles --output-dir " + path("refused") + " " + options);
        EXPECT_FALSE(fs::exists(path("refused"))) << options;
        return log;
    }

    test::TemporaryFolder folder_;
};

// tp 1 and 2 with batches 1, 2 and 4, of two types: 12 files. V100 takes 3.5 times as long.
TEST_F(PlanInputs, ProfilesByRooflineReadBack) {
    const Outcome outcome = run("plan profiles --from " + a100 + gpt + " --max-batch 4 --max-tp 2" +
                                " --scale V100=3.5 --json --output-dir " + path("profiles"));
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["files"], 12);
    EXPECT_EQ(document["layers"], 4);
    EXPECT_EQ(document["types"], (std::vector<std::string>{"A100", "V100"}));
    EXPECT_EQ(document["tp"], (std::vector<int>{1, 2}));
    EXPECT_EQ(document["batches"], (std::vector<int>{1, 2, 4}));
    const planner::ProfileSet profiles = planner::read_profiles(path("profiles"));
    ASSERT_EQ(profiles.all().size(), 12U);
    const auto* fast = profiles.find("A100", 2, 4);
    const auto* slow = profiles.find("V100", 2, 4);
    ASSERT_TRUE(fast != nullptr && slow != nullptr);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(slow->layer_ms[i], 3.5 * fast->layer_ms[i]);
        EXPECT_GE(fast->layer_memory_mib[i], fast->layer_activation_mib[i]);
    }
}

// A device's kernels never reach its peak, and a stack adds to their times.
TEST_F(PlanInputs, ProfilesByDeviceAndStack) {
    folder_.write("roofline.json", R"({"peak-perf": 989, "local-mem-bw": 3350})");
    folder_.write("device.json", R"({"device": "h100-sxm5-80gb"})");
    folder_.write("stack.json", R"({"device": "h100-sxm5-80gb", "stack": "megatron-nemo-24"})");
    double before = 0;
    for (const std::string name : {"roofline", "device", "stack"}) {
        const Outcome outcome = run("plan profiles --from " + path(name + ".json") + gpt +
                                    " --max-batch 4 --type H100 --intra-bandwidth 450 "
                                    "--output-dir " +
                                    path(name));
        ASSERT_EQ(outcome.code, 0) << outcome.log;
        const planner::ProfileSet profiles = planner::read_profiles(path(name));
        EXPECT_EQ(profiles.all().size(), 6U) << "two heads";
        const auto* profile = profiles.find("H100", 1, 4);
        ASSERT_NE(profile, nullptr);
        EXPECT_GT(profile->layer_ms[1], before) << name;
        before = profile->layer_ms[1];
    }
}

TEST_F(PlanInputs, ProfilesFromSamplesAreTheSameEveryTime) {
    const std::string from = "plan profiles --max-batch 8 --layers 6 --from ";
    ASSERT_EQ(
        run("plan profiles --from " + a100 + gpt + " --max-batch 2 --output-dir " + path("samples"))
            .code,
        0);
    for (const std::string name : {"one", "two"}) {
        ASSERT_EQ(run(from + path("samples") + " --output-dir " + path(name)).code, 0);
    }
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(path("one"))) {
        EXPECT_EQ(test::bytes_of(entry.path()),
                  test::bytes_of(folder_ / "two" / entry.path().filename()));
        ++files;
    }
    EXPECT_EQ(files, 4U * 4);
    EXPECT_EQ(planner::read_profiles(path("one")).find("A100", 8, 8)->layer_ms.size(), 6U);
}

TEST_F(PlanInputs, ProfilesSayWhatIsWrong) {
    const std::string good = "--from " + a100 + gpt + " --max-batch 2 ";
    EXPECT_THAT(refused_profiles("--from " + path("nowhere") + " --max-batch 2"),
                AllOf(HasSubstr("--from"), HasSubstr("nowhere")));
    EXPECT_THAT(refused_profiles("--from " + folder_.path().string() + " --max-batch 2"),
                HasSubstr("no profile"));
    EXPECT_THAT(refused_profiles("--from " + folder_.path().string() + " --max-batch 2 --heads 4"),
                AllOf(HasSubstr("--heads"), HasSubstr("samples alone")));
    EXPECT_THAT(refused_profiles(good + "--scale V100"), HasSubstr("V100=3.5"));
    EXPECT_THAT(refused_profiles(good + "--scale V-1=2"), HasSubstr("'V-1=2'"));
    EXPECT_THAT(refused_profiles(good + "--scale V100=2,V100=3"), HasSubstr("a second time"));
    EXPECT_THAT(refused_profiles(good + "--type H100"),
                AllOf(HasSubstr("--intra-bandwidth"), HasSubstr("of H100")));
    EXPECT_THAT(refused_profiles(good + "--model llama2-7b"), HasSubstr("beside --model"));
    EXPECT_THAT(refused_profiles(good + "--max-tp 4"), HasSubstr("tp"));
    EXPECT_THAT(refused_profiles("--max-batch 2 --from " + a100), HasSubstr("--hidden:"));
    EXPECT_THAT(refused_profiles("--max-batch 2 --model mixtral-8x7b --from " + a100),
                HasSubstr("experts"));
    EXPECT_THAT(refused_profiles("--from " + a100 + gpt + " --max-batch 0"),
                HasSubstr("1 to 65536"));
    folder_.write("slow.json", "{\"peak-perf\": 10}");
    EXPECT_THAT(refused_profiles("--max-batch 2 --from " + path("slow.json") + gpt),
                AllOf(HasSubstr("slow.json"), HasSubstr("local-mem-bw")));
}

TEST_F(PlanInputs, HostfilesArePrintedOrWritten) {
    const std::string expected =
        "0.0.0.1 slots=4\n0.0.0.1 slots=4\n0.0.0.4 slots=4\n0.0.0.4 slots=4\n";
    EXPECT_EQ(run("plan hostfile 8").out, expected);
    const Outcome outcome = run("plan hostfile 8 --output " + path("hosts") + " --cluster-file " +
                                path("cluster.json") + " --json");
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["devices"], 16);
    EXPECT_EQ(planner::read_hostfile(path("hosts"), planner::HostfileRules::Metis).size(), 4U);
    EXPECT_EQ(
        planner::read_cluster_file(path("cluster.json"), planner::ClusterFileRules::Metis).size(),
        2U);
    EXPECT_EQ(run("plan hostfile --types T4,A100 --nodes 1,2 --slots 2,8").out,
              "0.0.0.3 slots=2\n0.0.0.4 slots=8\n0.0.0.4 slots=8\n");
}

// 80 and 141 GB in GiB, rounded down.
TEST_F(PlanInputs, MemoryIsThatOfTheDevice) {
    const auto memory_of = [&](const std::string& options) {
        const Outcome outcome =
            run("plan hostfile 8 --types H100,H200 --intra-bandwidth 450 --inter-bandwidth 50 "
                "--cluster-file " +
                path("cluster.json") + options);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        std::vector<double> memory;
        for (const auto& entry : nlohmann::json::parse(test::bytes_of(path("cluster.json")))) {
            memory.push_back(entry["memory"].get<double>());
        }
        return memory;
    };
    EXPECT_THAT(memory_of(" --device h100-sxm5-80gb,h200"), ElementsAre(74.5, 131.31));
    EXPECT_THAT(memory_of(" --device h200"), ElementsAre(131.31, 131.31));
    EXPECT_THAT(memory_of(" --device h200 --memory 70"), ElementsAre(70, 70));
    EXPECT_THAT(refusal("plan hostfile 8 --device h201"),
                AllOf(HasSubstr("--device"), HasSubstr("h200")));
}

TEST_F(PlanInputs, HostfilesSayWhatIsWrong) {
    EXPECT_THAT(refusal("plan hostfile 18"), HasSubstr("16 or 20 would do"));
    EXPECT_THAT(refusal("plan hostfile"), HasSubstr("N: found no value"));
    EXPECT_THAT(refusal("plan hostfile 0"), HasSubstr("1 to 65536"));
    EXPECT_THAT(refusal("plan hostfile 8 --slots 4,"), HasSubstr("--slots: found ''"));
    EXPECT_THAT(refusal("plan hostfile 8 --memory nan"), HasSubstr("--memory: found 'nan'"));
    EXPECT_THAT(refusal("plan hostfile 8 --types H100 --cluster-file " + path("c")),
                HasSubstr("Give --inter-bandwidth"));
    EXPECT_FALSE(fs::exists(path("c")));
    EXPECT_THAT(refusal("plan hostfile 8 --output x --cluster-file x"), HasSubstr("another name"));
    EXPECT_THAT(refusal("plan hostfil 8"), HasSubstr("Did you mean 'hostfile'?"));
}

}  // namespace
}  // namespace npunet::cli::plan_inputs_test
