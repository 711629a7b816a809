// npunet megatron trace: what options mean, what is printed, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MegatronTrace : public ::testing::Test {
protected:
    [[nodiscard]] Outcome trace(const std::string& options) const {
        return run("megatron trace --global-batch-size 16 " + options + " --output-dir " +
                   folder_.path().string());
    }
    [[nodiscard]] nlohmann::json config(const std::string& folder) const {
        return nlohmann::json::parse(test::bytes_of(folder_ / folder / "config.json"));
    }

    test::TemporaryFolder folder_;
};

TEST_F(MegatronTrace, SaysWhatItWrote) {
    const Outcome text = trace("--dp 2 --timestamp 20260131_120000");
    EXPECT_EQ(text.code, 0);
    EXPECT_THAT(text.out, HasSubstr("2 logs with "));
    EXPECT_THAT(text.out, HasSubstr("small_dp2_tp1_pp1_20260131_120000"));
    const Outcome json = trace("--dp 2 --json --quiet");
    const auto document = nlohmann::json::parse(json.out);
    EXPECT_EQ(document.at("ranks"), 2);
    EXPECT_EQ(document.at("micro_batch"), 2);
    EXPECT_EQ(document.at("steps"), 4);
    EXPECT_EQ(document.at("folder"), (folder_ / "small_dp2_tp1_pp1_00000000_000000").string());
    EXPECT_THAT(json.log, IsEmpty());
    const Outcome quiet = trace("--dp 2 --quiet");
    EXPECT_THAT(quiet.out + quiet.log, IsEmpty());
}

// Each switch reaches config.json, underscores as well as dashes.
TEST_F(MegatronTrace, TakesAllSwitches) {
    const Outcome outcome = trace(
        "--model_size llama3-8b --tp 2 --cp 2 --pp 2 --vpp 2 --micro-batches 2 --seed 7 "
        "--sequence-parallel --use-distributed-optimizer --overlap-grad-reduce "
        "--overlap-param-gather --cross-entropy-loss-fusion --cp-comm a2a --dtype fp16 "
        "--microbatch-group-size-per-vp-stage 2 --rank-order dp-tp-cp-ep-pp "
        "--create-attention-mask --make-vocab-size-divisible-by 64");
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const auto run = config("llama3-8b_dp1_tp2_pp2_00000000_000000");
    EXPECT_EQ(run.at("context_parallel_size"), 2);
    EXPECT_EQ(run.at("virtual_pipeline_model_parallel_size"), 2);
    EXPECT_EQ(run.at("num_micro_batches"), 2);
    EXPECT_EQ(run.at("seed"), 7);
    EXPECT_EQ(run.at("cp_comm_type"), "a2a");
    EXPECT_EQ(run.at("params_dtype"), "fp16");
    EXPECT_EQ(run.at("microbatch_group_size_per_vp_stage"), 2);
    EXPECT_EQ(run.at("rank_order"), "dp-tp-cp-ep-pp");
    EXPECT_EQ(run.at("make_vocab_size_divisible_by"), 64);
    for (const char* const key :
         {"sequence_parallel", "use_distributed_optimizer", "overlap_grad_reduce",
          "overlap_param_gather", "overlap_p2p_comm", "cross_entropy_loss_fusion",
          "create_attention_mask_in_dataloader"}) {
        EXPECT_EQ(run.at(key), true) << key;
    }
}

// The older revision's config.json, on demand.
TEST_F(MegatronTrace, WritesTheContextSizeOfGenstackWhenItIsGiven) {
    ASSERT_EQ(trace("--dialect genstack --timestamp 20260101_000000").code, 0);
    ASSERT_EQ(trace("--dialect genstack --cp 1").code, 0);
    EXPECT_FALSE(config("small_dp1_tp1_pp1_20260101_000000").contains("context_parallel_size"));
    EXPECT_EQ(config("small_dp1_tp1_pp1_00000000_000000").at("context_parallel_size"), 1);
}

// The mask is on where the tracer's Megatron-LM makes it, and can be switched off.
TEST_F(MegatronTrace, SwitchesTheAttentionMask) {
    const auto has_mask = [this](const std::string& options) {
        EXPECT_EQ(trace(options + " --tp 2").code, 0);
        return test::bytes_of(folder_ / "small_dp1_tp2_pp1_00000000_000000/comm_log_rank_0.json")
                   .find("torch.bool") != std::string::npos;
    };
    EXPECT_TRUE(has_mask("--dialect genstack"));
    EXPECT_FALSE(has_mask("--dialect genstack --no-create-attention-mask-in-dataloader"));
    EXPECT_FALSE(has_mask("--dialect npunet"));
    EXPECT_TRUE(has_mask("--dialect npunet --create-attention-mask"));
}

// The folder of a run of a model file has the file in it, so that it is read wherever it goes.
TEST_F(MegatronTrace, KeepsTheModelFile) {
    const std::string model =
        "name: wide\nhidden: 96\nlayers: 2\nheads: 4\nffn: 200\nvocab: 1000\nseq: 64\n";
    const auto file = folder_.write("wide.yml", model);
    const auto logs = folder_ / "wide_dp1_tp2_pp1_00000000_000000";
    const std::string command = "--tp 2 --model-size ";
    ASSERT_EQ(trace(command + file.string()).code, 0);
    EXPECT_EQ(test::bytes_of(logs / "model.yml"), model);
    std::filesystem::remove(file);
    const Outcome info = run("megatron info --json " + logs.string());
    EXPECT_EQ(info.code, 0) << info.log;
    EXPECT_EQ(nlohmann::json::parse(info.out).at("model"), file.string());
    // Without the copy it is the name that is looked up.
    std::filesystem::remove(logs / "model.yml");
    const Outcome lost = run("megatron info " + logs.string());
    EXPECT_EQ(lost.code, 2);
    EXPECT_THAT(lost.log, HasSubstr((logs / "config.json").string()));
    // A known model has none, and an earlier one does not stay.
    ASSERT_EQ(trace("--model-size small").code, 0);
    const auto known = folder_ / "small_dp1_tp1_pp1_00000000_000000";
    std::ofstream(known / "model.yml") << model;
    ASSERT_EQ(trace("--model-size small").code, 0);
    EXPECT_FALSE(std::filesystem::exists(known / "model.yml"));
}

// A config.json of the Hugging Face hub, and its folder: what is copied is read back.
TEST_F(MegatronTrace, KeepsTheConfigOfAModel) {
    std::filesystem::create_directory(folder_ / "tiny");
    const std::string config =
        R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 1000,
            "num_attention_heads": 4, "intermediate_size": 128, "max_position_embeddings": 32})";
    const auto file = folder_.write("tiny/config.json", config);
    const auto single = folder_.write("single.json", config);
    const std::string folder = (folder_ / "tiny").string();
    for (const auto& [model, name] : {std::pair{file.string(), "tiny"},
                                      {folder, "tiny"},
                                      {folder + "/", "tiny"},
                                      {single.string(), "single"}}) {
        const auto logs = folder_ / (std::string(name) + "_dp1_tp2_pp1_00000000_000000");
        std::filesystem::remove_all(logs);
        ASSERT_EQ(trace("--tp 2 --model-size " + model).code, 0) << model;
        EXPECT_EQ(test::bytes_of(logs / "model.json"), config) << model;
        EXPECT_FALSE(std::filesystem::exists(logs / "model.yml"));
        const Outcome info = run("megatron info --strict --json " + logs.string());
        ASSERT_EQ(info.code, 0) << info.log;
        EXPECT_EQ(nlohmann::json::parse(info.out).at("model"), model);
        const Outcome converted = run("megatron convert " + logs.string() + " --output-dir " +
                                      (folder_ / "traces").string());
        EXPECT_EQ(converted.code, 0) << converted.log;
    }
    // The copy counts, also where the model is gone; that of another form does not stay.
    const auto logs = folder_ / "tiny_dp1_tp2_pp1_00000000_000000";
    std::ofstream(logs / "model.yml") << "name: other\n";
    ASSERT_EQ(trace("--tp 2 --model-size " + folder).code, 0);
    EXPECT_FALSE(std::filesystem::exists(logs / "model.yml"));
    std::filesystem::remove_all(folder);
    const Outcome info = run("megatron info " + logs.string());
    EXPECT_EQ(info.code, 0) << info.log;
}

TEST_F(MegatronTrace, RefusesWhatItCannotDo) {
    const auto refused = [this](const std::string& options, const std::string& words) {
        const Outcome outcome = trace(options);
        EXPECT_EQ(outcome.code, 2) << options;
        EXPECT_THAT(outcome.log, HasSubstr(words)) << options;
        EXPECT_THAT(outcome.out, IsEmpty());
        EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << options;
    };
    refused("--model-size smal", "Did you mean small?");
    refused("--model-size llama3-8b --dialect genstack", "one of small, medium");
    refused("--timestamp today", "expected YYYYmmdd_HHMMSS");
    refused("--timestamp 20260131-120000", "expected YYYYmmdd_HHMMSS");
    for (const char* const never :
         {"20251399_999999", "20250229_000000", "20250101_240000", "00000000_000001"}) {
        refused(std::string("--timestamp ") + never, "a day of the calendar");
    }
    EXPECT_EQ(cli::run({"megatron", "trace", "--model-size", "small", "--output-dir", ""}).code, 2);
    refused("--tp 5", "12 heads");
    refused("--dialect genstack --cp 2", "genstack with --cp 2");
    refused("--dialect genstack --sequence-parallel", "genstack with --sequence-parallel");
    refused("--rank-order tp-pp", "each of tp, cp, ep, dp and pp once");
    refused("--create-attention-mask --no-create-attention-mask-in-dataloader", "one of the two");
    refused("--micro-batches 0", "--micro-batches");
    refused("--dtype int8", "--dtype");
}

}  // namespace

}  // namespace npunet::cli
