#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "chakra/files/trace_reader.h"
#include "chakra/trace/comm_groups.h"
#include "cli/program.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> words(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// Runs in a folder of its own that is the working directory meanwhile.
class GenerateCommand : public ::testing::Test {
protected:
    void SetUp() override {
        before_ = std::filesystem::current_path();
        std::filesystem::current_path(folder_.path());
    }
    void TearDown() override { std::filesystem::current_path(before_); }

    int run(const std::string& line) {
        std::ostringstream out;
        std::ostringstream log;
        const int code = run_program(words(line), out, log);
        out_ = out.str();
        log_ = log.str();
        return code;
    }

    [[nodiscard]] static std::size_t files(const std::string& folder) {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder), {}));
    }

    std::string out_;
    std::string log_;

private:
    std::filesystem::path before_;
    test::TemporaryFolder folder_;
};

// The options reach the plan of the step, of files and in memory.
TEST_F(GenerateCommand, StepOperationsArePartOfThePlan) {
    std::ofstream("free.yml") << "topology: [Ring]\nnpus_count: [2]\nbandwidth: [1000]\n"
                                 "latency: [0]\n";
    std::ofstream("device.json") << R"({"device": "h100-sxm5-80gb"})";
    const std::string step = "--model llama2-4layer --seq 4096 --tp 2 ";
    const auto plan = [&](const std::string& more) {
        EXPECT_EQ(run("generate transformer --json --output-dir traces " + step + more), 0) << log_;
        return nlohmann::json::parse(out_)["plan"];
    };
    const auto finish = [&](const std::string& more) {
        EXPECT_EQ(run("simulate --network free.yml --system device.json --json " + step + more), 0)
            << log_;
        return nlohmann::json::parse(out_)["finish_ns"].get<double>();
    };
    EXPECT_EQ(plan("")["step_ops"], "full");
    EXPECT_EQ(plan("")["precision"], "bf16");
    EXPECT_EQ(plan("")["tp_comm_overlap"], 0);
    const std::string given = "--step-ops core --precision fp8 --tp-comm-overlap 0.25";
    const nlohmann::json all = plan(given);
    EXPECT_EQ(all["step_ops"], "core");
    EXPECT_EQ(all["precision"], "fp8");
    EXPECT_EQ(all["tp_comm_overlap"], 0.25);
    EXPECT_LT(finish("--step-ops core"), finish(""));
    EXPECT_LT(finish("--precision fp8"), finish(""));
    EXPECT_LT(finish("--tp-comm-overlap 0.5"), finish(""));
    EXPECT_EQ(run("simulate --network free.yml " + step + "--tp-comm-overlap 1.5"), 2);
    EXPECT_THAT(log_, HasSubstr("--tp-comm-overlap"));
}

// A profile of the device takes the kernels of the step: the same from files and from memory, other
// times than the roofline's, which ignores them. Networks are free, and the compute time counts.
TEST_F(GenerateCommand, KernelsOfAStepMeetTheDevice) {
    std::ofstream("free.yml") << "topology: [Ring]\nnpus_count: [4]\nbandwidth: [1000]\n"
                                 "latency: [0]\n";
    std::ofstream("roofline.json")
        << R"({"roofline-enabled": 1, "peak-perf": 989, "local-mem-bw": 3350})";
    std::ofstream("device.json") << R"({"device": "h100-sxm5-80gb"})";
    const std::string step = "--model llama2-4layer --seq 512 --batch 4 --tp 2 --dp 2";
    ASSERT_EQ(run("generate transformer " + step + " --output-dir traces"), 0) << log_;
    const auto finish = [this](const std::string& workload, const std::string& system) {
        EXPECT_EQ(run("simulate " + workload + " --network free.yml --json --system " + system), 0)
            << log_;
        return nlohmann::json::parse(out_)["finish_ns"].get<double>();
    };
    const std::string files = "--workload traces/workload --comm-group traces/comm_group.json";
    const double device = finish(step, "device.json");
    EXPECT_GT(device, 0);
    EXPECT_EQ(device, finish(files, "device.json"));
    EXPECT_GT(device, finish(step, "roofline.json"));
}

TEST_F(GenerateCommand, ExampleOfEveryHelpWorksAsPrinted) {
    for (const std::string command : {"generate", "generate transformer", "generate collective"}) {
        ASSERT_EQ(run(command + " --help"), 0);
        const std::string mark = "\n  npunet ";
        const std::size_t start = out_.find(mark);
        ASSERT_NE(start, std::string::npos) << command;
        const std::size_t end = out_.find('\n', start + 1);
        const std::string example = out_.substr(start + mark.size(), end - start - mark.size());
        EXPECT_EQ(run(example), 0) << example << ": " << log_;
        EXPECT_GT(files("traces"), 1U);
        std::filesystem::remove_all("traces");
    }
}

TEST_F(GenerateCommand, WritesATraceForEveryRankAndTheGroups) {
    ASSERT_EQ(run("generate transformer --model llama2-4layer --dp 2 --tp 2 --seq 128 --batch 4 "
                  "--output-dir out --output-name step --comm-group-file groups.json"),
              0)
        << log_;
    EXPECT_THAT(out_, HasSubstr("1071681536 parameters"));
    EXPECT_THAT(out_, HasSubstr("4 ranks"));
    EXPECT_EQ(files("out"), 5U);
    EXPECT_FALSE(chakra::read_trace("out/step.3.et").empty());
    EXPECT_EQ(chakra::read_comm_groups("out/groups.json").size(), 4U);
}

// STAGE's options, underscores and switches as its scripts give them.
TEST_F(GenerateCommand, AcceptsStagesOptions) {
    const std::string line =
        "generate transformer --output_dir out --output_name w.%d.et --comm_group_file g.json "
        "--dp 2 --tp 2 --sp 2 --pp 2 --weight_sharded 0 --activation_recompute false --dvocal 512 "
        "--dmodel 64 --dff 128 --batch 8 --micro_batch 2 --seq 32 --head 8 --kvhead 4 "
        "--num_stacks 4";
    ASSERT_EQ(run(line + " --json"), 0) << log_;
    const nlohmann::json document = nlohmann::json::parse(out_);
    EXPECT_EQ(document["ranks"], 16);
    EXPECT_EQ(document["plan"]["cp"], 2);
    EXPECT_EQ(document["plan"]["micro_batches"], 2);
    // Two tables, a final norm; per layer QKV 64 x 128, projection, two MLP matrices, two norms.
    EXPECT_EQ(document["parameters"],
              2 * 512 * 64 + 64 + 4 * (64 * 128 + 64 * 64 + 2 * 64 * 128 + 128));
    EXPECT_TRUE(std::filesystem::exists("out/w.15.et"));
    EXPECT_TRUE(std::filesystem::exists("out/g.json"));
    EXPECT_EQ(run(line + " --weight_sharded true"), 2);
}

// --activation-recompute is STAGE's name of --recompute full.
TEST_F(GenerateCommand, OptionsOfKernelsReachThePlan) {
    const std::string line =
        "generate transformer --model llama2-4layer --seq 64 --batch 4 --json --output-dir out ";
    const auto document = [&](const std::string& options) {
        EXPECT_EQ(run(line + options), 0) << log_;
        return nlohmann::json::parse(out_);
    };
    const auto plain = document("");
    EXPECT_EQ(plain["plan"]["recompute"], "none");
    EXPECT_EQ(plain["plan"]["attention_kernel"], "fused");
    const auto full = document("--activation-recompute 1");
    EXPECT_EQ(full["plan"]["recompute"], "full");
    EXPECT_EQ(full["flops"], document("--recompute full")["flops"]);
    EXPECT_GT(full["flops"], plain["flops"]);
    EXPECT_EQ(plain["plan"]["causal_flops"], "half");
    EXPECT_EQ(plain["plan"]["attention_backward"], "kernel");
    EXPECT_EQ(document("--causal-flops half")["flops"], plain["flops"]);
    EXPECT_GT(document("--causal-flops full")["flops"], plain["flops"]);
    EXPECT_LT(document("--attention-backward model")["flops"], plain["flops"]);
    EXPECT_EQ(document("--attention-kernel unfused")["plan"]["causal_flops"], "full");
    EXPECT_EQ(document("--attention-kernel unfused")["plan"]["attention_kernel"], "unfused");
    const auto gradients = [&](const std::string& type) {
        const nlohmann::json step = document("--dp 2 --grad-dtype " + type);
        for (const auto& row : step["traffic"]) {
            if (row["kind"] == "gradient") {
                return row["bytes"].get<std::int64_t>();
            }
        }
        return std::int64_t{0};
    };
    EXPECT_EQ(gradients("bf16"), 2LL * 2 * 1'071'681'536);
    EXPECT_EQ(gradients("fp32"), 4LL * 2 * 1'071'681'536);
    EXPECT_EQ(run(line + "--recompute selective --activation-recompute true"), 2);
    EXPECT_EQ(run(line + "--mode decode"), 2);
    EXPECT_THAT(log_, HasSubstr("--context"));
    EXPECT_EQ(run(line + "--mode prefill --recompute full"), 2);
    EXPECT_EQ(run(line + "--mode prefill --cp 2"), 2);
    EXPECT_EQ(run(line + "--context 5"), 2);
}

// Shipped models with experts: Mixtral, and DeepSeek-V3 with latent attention, shared experts and
// dense layers first. Every rank of the steps ends.
TEST_F(GenerateCommand, ModelsWithExpertsRunToTheirEnd) {
    std::ofstream("ring.yml") << "topology: [Ring]\nnpus_count: [8]\nbandwidth: [100]\n"
                                 "latency: [500]\n";
    std::ofstream("system.json")
        << R"({"roofline-enabled": 1, "peak-perf": 312, "local-mem-bw": 2039})";
    for (const std::string options :
         {"--model mixtral-8x7b --tp 2 --ep 4 --dp 4 --seq 64 --batch 4 --moe-routing zipf:1 "
          "--capacity-factor 1.5",
          "--model deepseek-v3 --tp 2 --ep 4 --etp 1 --dp 2 --seq 16 --batch 2 --cp 2"}) {
        ASSERT_EQ(run("generate transformer --json --output-dir out " + options), 0) << log_;
        const nlohmann::json document = nlohmann::json::parse(out_);
        EXPECT_GT(document["parameters"], document["active_parameters"]);
        EXPECT_EQ(document["plan"]["ep"], 4);
        ASSERT_EQ(run("simulate --workload out/workload --comm-group out/comm_group.json "
                      "--network ring.yml --system system.json --output-dir run"),
                  0)
            << log_;
    }
}

// Without a folder nothing is written. Llama's step of two stages in numbers that are known.
TEST_F(GenerateCommand, PrintsMemory) {
    const std::string line =
        "generate transformer --model llama2-7b --pp 2 --batch 4 --seq 128 --print-memory";
    ASSERT_EQ(run(line), 0) << log_;
    EXPECT_THAT(out_, HasSubstr("in flight"));
    EXPECT_EQ(files("."), 0U);
    ASSERT_EQ(run(line + " --json"), 0) << log_;
    const nlohmann::json memory = nlohmann::json::parse(out_)["memory"];
    ASSERT_EQ(memory["stages"].size(), 2U);
    std::int64_t parameters = 0;
    for (const auto& stage : memory["stages"]) {
        parameters += stage["parameters"].get<std::int64_t>();
        EXPECT_EQ(stage["weights_bytes"], 2 * stage["parameters"].get<std::int64_t>());
        EXPECT_EQ(stage["peak_bytes"].get<std::int64_t>(),
                  stage["weights_bytes"].get<std::int64_t>() +
                      stage["gradients_bytes"].get<std::int64_t>() +
                      stage["optimizer_bytes"].get<std::int64_t>() +
                      stage["activations_bytes"].get<std::int64_t>() +
                      stage["working_bytes"].get<std::int64_t>());
    }
    EXPECT_EQ(parameters, 6'738'415'616);
    EXPECT_EQ(memory["stages"][0]["micro_batches_in_flight"], 2);
    EXPECT_EQ(memory["layer_without_recomputation"]["core"][0]["name"], "softmax statistics");
    EXPECT_EQ(run("generate transformer --model llama2-7b"), 2);
    EXPECT_THAT(log_, HasSubstr("--output-dir"));
}

// --din or --dout mean STAGE's generator unless a dialect is named. What is left out has STAGE's
// defaults, and its switches are read as it reads them.
TEST_F(GenerateCommand, StageDialectIsChosenByItsOptions) {
    const std::string sizes =
        "generate transformer --output_dir out --dmodel 64 --dff 128 --batch 8 --seq 32 --head 8 "
        "--num_stacks 2 --json ";
    ASSERT_EQ(run(sizes + "--din 96 --dp 2 --sp 2 --weight_sharded YES --activation_recompute T"),
              0)
        << log_;
    nlohmann::json document = nlohmann::json::parse(out_);
    EXPECT_EQ(document["dialect"], "stage");
    EXPECT_EQ(document["model"]["dout"], 25600);
    EXPECT_EQ(document["plan"]["sp"], 2);
    EXPECT_EQ(document["plan"]["weight_sharded"], true);
    EXPECT_EQ(document["plan"]["activation_recompute"], true);
    EXPECT_TRUE(std::filesystem::exists("out/workload.3.et"));

    ASSERT_EQ(run(sizes + "--dialect stage --weight-sharded on"), 0) << log_;
    document = nlohmann::json::parse(out_);
    EXPECT_EQ(document["model"]["din"], 51200);
    EXPECT_EQ(document["plan"]["weight_sharded"], false);

    ASSERT_EQ(run(sizes + "--dialect npunet --din 96 --dout 96"), 0) << log_;
    EXPECT_EQ(nlohmann::json::parse(out_)["padded_vocab"], 96);
}

TEST_F(GenerateCommand, StageDialectRefusesOtherOptions) {
    const std::string line =
        "generate transformer --output-dir out --din 96 --dout 96 --dmodel 64 --dff 128 --batch 8 "
        "--seq 32 --head 8 --num-stacks 2 ";
    for (const auto& [more, words] : std::vector<std::pair<std::string, std::string>>{
             {"--schedule gpipe", "--schedule"},
             {"--micro-batch 2", "--micro-batch"},
             {"--kvhead 4", "--kv-heads"},
             {"--num-stacks 1", "--num-stacks"},
             {"--tp 16", "--tp"},
             {"--chakra_schema_version v0.0.3", "v0.0.4"},
             {"--dialect npunet --dout 100", "--vocab"}}) {
        std::string command = line;
        for (const std::string option : {"--num-stacks", "--dout"}) {
            if (more.find(option) != std::string::npos) {
                const std::size_t at = command.find(option);
                command.erase(at, command.find("--", at + 2) - at);
            }
        }
        EXPECT_EQ(run(command + " " + more), 2) << more << out_;
        EXPECT_THAT(log_, HasSubstr(words));
        EXPECT_FALSE(std::filesystem::exists("out"));
    }
    ASSERT_EQ(run(line + "--chakra_schema_version v0.0.4"), 0) << log_;
}

TEST_F(GenerateCommand, QuietPrintsNothing) {
    ASSERT_EQ(run("generate collective --type all_to_all --size 4KiB --npus 4 --group 0,2 "
                  "--repeat 2 --quiet --output-dir out"),
              0)
        << log_;
    EXPECT_EQ(out_, "");
    EXPECT_EQ(log_, "");
    EXPECT_EQ(chakra::read_trace("out/workload.2.et").size(), 2U);
    EXPECT_TRUE(chakra::read_trace("out/workload.1.et").empty());
}

TEST_F(GenerateCommand, PadsAVocabularyOnlyWhenAllowed) {
    const std::string line =
        "generate transformer --dmodel 64 --dff 128 --head 4 --num-stacks 2 --dvocal 101 --seq 16 "
        "--tp 2 --json --output-dir out";
    EXPECT_EQ(run(line), 2);
    EXPECT_THAT(log_, HasSubstr("101 tokens"));
    ASSERT_EQ(run(line + " --make-vocab-size-divisible-by 8"), 0) << log_;
    EXPECT_EQ(nlohmann::json::parse(out_)["padded_vocab"], 112);
}

TEST_F(GenerateCommand, BadInputIsExitCode2AndWritesNothing) {
    const std::string model = "generate transformer --model llama2-4layer --output-dir out ";
    for (const std::string& line : std::vector<std::string>{
             model + "--tp 3", model + "--dmodel 128", model + "--batch 0.5",
             model + "--schedule 2f2b", model + "--seq 0", model + "--batch 0",
             model + "--output-name ../x", model + "--comm-group-file a/b",
             model + "--comm-group-file workload.0.et", model + "--experts 8",
             "generate transformer --output-dir out",
             "generate transformer --dmodel 64 --output-dir out",
             "generate transformer --model llama9 --output-dir out",
             "generate transformer --model llama2-4layer", "generate",
             "generate collective --type all_sum --size 1 --npus 2 --output-dir out",
             "generate collective --type all_reduce --size 1.5 --npus 2 --output-dir out",
             "generate collective --type all_reduce --size 1 --npus 2 --group 0,2 --output-dir "
             "out"}) {
        EXPECT_EQ(run(line), 2) << line;
        EXPECT_NE(log_, "") << line;
        EXPECT_EQ(out_, "") << line;
        EXPECT_FALSE(std::filesystem::exists("out")) << line;
    }
}

TEST_F(GenerateCommand, TakesEveryFormOfParallelism) {
    ASSERT_EQ(run("generate transformer --model llama2-4layer --seq 128 --dp 2 --cp 2 --pp 2 "
                  "--cp-comm a2a --distributed-optimizer --overlap-param-gather --grad-dtype bf16 "
                  "--rank-order pp-dp-tp-ep-cp --json --output-dir out"),
              0)
        << log_;
    const nlohmann::json plan = nlohmann::json::parse(out_).at("plan");
    EXPECT_EQ(plan.at("zero"), 1);
    EXPECT_EQ(plan.at("cp_comm"), "a2a");
    EXPECT_EQ(plan.at("overlap_param_gather"), true);
    EXPECT_EQ(plan.at("rank_order"), "pp-dp-tp-ep-cp");
    // Pipelines are the fastest: the stages of one stand side by side.
    for (const chakra::Node& node : chakra::read_trace("out/workload.4.et")) {
        if (node.type == chakra::NodeType::CommSend) {
            EXPECT_EQ(node.integer("comm_dst"), 5);
        } else if (node.name == "layer0_gradients_reduce_scatter") {
            EXPECT_EQ(node.integer("comm_size").value() % 2, 0);
        }
    }
}

TEST_F(GenerateCommand, RefusesParallelPlansThatDoNotFit) {
    const std::string step = "generate transformer --model llama2-4layer --output-dir out ";
    for (const char* wrong :
         {"--ep 2", "--etp 2", "--zero 4", "--zero 1.5", "--overlap-param-gather",
          "--rank-order tp-dp-pp", "--cp-comm ring", "--cp 2 --seq 127", "--grad-dtype fp8",
          "--moe-routing zipf:1", "--capacity-factor 1.5", "--cp 64 --seq 128 --cp-comm a2a"}) {
        EXPECT_EQ(run(step + wrong), 2) << wrong;
        EXPECT_NE(log_, "") << wrong;
        EXPECT_FALSE(std::filesystem::exists("out")) << wrong;
    }
}

TEST_F(GenerateCommand, SchedulesOfTheTransformer) {
    const std::string plan =
        "generate transformer --model llama2-4layer --seq 64 --pp 2 --batch 4 --output-dir out ";
    ASSERT_EQ(run(plan + "--schedule interleaved --vpp 2 --json"), 0) << log_;
    const auto json = nlohmann::json::parse(out_);
    EXPECT_EQ(json["plan"]["schedule"], "interleaved");
    EXPECT_EQ(json["plan"]["vpp"], 2);
    EXPECT_EQ(run(plan + "--schedule zero-bubble"), 0) << log_;
    EXPECT_EQ(run(plan + "--schedule zero-bubble --vpp 2"), 2);
    EXPECT_THAT(log_, HasSubstr("--vpp 2"));
    EXPECT_EQ(run(plan + "--schedule 2f2b"), 2);
    EXPECT_THAT(log_, HasSubstr("zero-bubble"));
}

TEST_F(GenerateCommand, UnequalPipelineStages) {
    const std::string plan =
        "generate transformer --model llama2-4layer --seq 64 --pp 2 --output-dir out ";
    ASSERT_EQ(run(plan + "--pp-layers 1,3 --json"), 0) << log_;
    EXPECT_EQ(nlohmann::json::parse(out_)["plan"]["pp_layers"], (std::vector<int>{1, 3}));
    ASSERT_EQ(run(plan + "--last-stage-layers 3"), 0) << log_;
    EXPECT_THAT(out_, HasSubstr("layers of the stages: 1,3\n"));
    ASSERT_EQ(run(plan + "--vpp 2 --batch 4 --schedule interleaved --pp-layers 0,1*2,2"), 0)
        << log_;
    EXPECT_THAT(out_, HasSubstr("layers of the virtual stages: 0,1*2,2\n"));
    ASSERT_EQ(run(plan + "--pp-layers 2*2 --json"), 0) << log_;
    EXPECT_FALSE(nlohmann::json::parse(out_)["plan"].contains("pp_layers"));
    for (const char* wrong :
         {"--pp-layers 1,2", "--pp-layers 1", "--pp-layers 1,x", "--first-stage-layers 0",
          "--first-stage-layers 4", "--first-stage-layers 1 --pp-layers 1,3"}) {
        EXPECT_EQ(run(plan + wrong), 2) << wrong;
        EXPECT_THAT(log_, HasSubstr("layers")) << wrong;
    }
}

TEST_F(GenerateCommand, PipelineOfRecordedTimes) {
    const std::string line =
        "generate pipeline --pp 2 --micro-batches 2 --forward 1500ns --backward 2us --output-dir ";
    ASSERT_EQ(run(line + "out --weight 1us --activation-bytes 1KB --message-bytes 7 --json"), 0)
        << log_;
    const auto json = nlohmann::json::parse(out_);
    EXPECT_EQ(json["ranks"], 2);
    EXPECT_EQ(json["forward_ns"], 1500);
    EXPECT_EQ(json["traffic"][0]["bytes"], 4 * 7);
    std::size_t forwards = 0;
    for (const chakra::Node& node : chakra::read_trace("out/workload.1.et")) {
        if (node.name == "mb0_forward") {
            ++forwards;
            EXPECT_EQ(node.integer("duration_ns"), 1500);
            EXPECT_EQ(node.duration_micros, 2U);
            EXPECT_EQ(node.find("num_ops"), nullptr);
        }
    }
    EXPECT_EQ(forwards, 1U);

    ASSERT_EQ(run(line + "out --picture"), 0) << log_;
    EXPECT_THAT(out_, HasSubstr("a column is 500 ns"));
    EXPECT_THAT(out_, HasSubstr("stage 1 | .. .. .. F0 == == B0 == == =="));
    for (const char* bad : {"--forward 1.5ns", "--schedule interleaved --vpp 2 --micro-batches 3",
                            "--vpp 2", "--activation-bytes x", "--picture --forward 1000001ns"}) {
        EXPECT_EQ(run("generate pipeline --pp 2 --micro-batches 2 --forward 1us --backward 2us "
                      "--output-dir bad " +
                      std::string(bad)),
                  2)
            << bad;
        EXPECT_NE(log_, "") << bad;
    }
}

}  // namespace
}  // namespace npunet::cli
