// The folder of a run: its configuration against itself and against its logs, and what
// `npunet megatron info` says of it.
#include "generators/megatron/logs/log_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "log_files.h"
#include "tests/cli/program_run.h"
#include "tests/support/refusals.h"

namespace npunet::generators::megatron::log_folder_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class LogFolders : public ::testing::Test {
protected:
    LogFolders() {
        config_ = Json::parse(R"({"model_size": "small",
            "model_config": {"hidden_size": 768, "num_layers": 12, "num_attention_heads": 12,
                             "seq_length": 1024},
            "data_parallel_size": 2, "tensor_model_parallel_size": 1,
            "pipeline_model_parallel_size": 1, "world_size": 2, "seed": 1234,
            "timestamp": "20250810_115239", "num_micro_batches": 4, "global_batch_size": 16})");
        logs_ = {log_of({barrier_}, 0), log_of({barrier_}, 1)};
    }

    /// Writes what is not null; logs by rank.
    std::filesystem::path make_folder(bool with_config = true, bool with_summary = true) const {
        std::filesystem::remove_all(folder_ / "run");
        Json names = Json::array();
        for (std::size_t rank = 0; rank < logs_.size(); ++rank) {
            const std::string name = "comm_log_rank_" + std::to_string(rank) + ".json";
            folder_.write("run/" + name, logs_[rank]);
            names.push_back(name);
        }
        if (with_config) {
            folder_.write("run/config.json", config_.dump(2));
        }
        if (with_summary) {
            folder_.write("run/summary.json",
                          Json{{"config", config_}, {"log_files", names}}.dump(2));
        }
        return folder_ / "run";
    }
    InputProblem refusal(const std::filesystem::path& path) const {
        return test::problem_of([&] { static_cast<void>(open_log_folder(path)); });
    }

    const std::string barrier_ = R"("op": "barrier", "ranks": [0, 1])";
    Json config_;
    std::vector<std::string> logs_;
    test::TemporaryFolder folder_;
};

TEST_F(LogFolders, ReadsWithAndWithoutConfig) {
    for (const bool config : {true, false}) {
        const LogFolder folder = open_log_folder(make_folder(config));
        EXPECT_EQ(folder.logs.size(), 2U);
        EXPECT_EQ(folder.logs[1].filename(), "comm_log_rank_1.json");
        EXPECT_EQ(folder.run.parallelism.dp, 2);
        EXPECT_EQ(folder.run.micro_batch, 2);
        EXPECT_EQ(folder.run.steps, 4);
        EXPECT_EQ(folder.run.timestamp, "20250810_115239");
        EXPECT_FALSE(folder.run.writes_context_size);
        EXPECT_FALSE(vocabulary_of_logs(folder).has_value());
    }
    EXPECT_EQ(refusal(folder_ / "none").found, "no such folder");
    EXPECT_EQ(refusal(folder_.write("file", "")).found, "a file");
}

// A name with other sizes is another model: the sizes count, with an MLP of four times the width.
TEST_F(LogFolders, TakesSizesOfUnknownModels) {
    config_["model_config"]["hidden_size"] = 96;
    config_["context_parallel_size"] = 1;
    const LogFolder folder = open_log_folder(make_folder());
    EXPECT_EQ(folder.run.model.hidden, 96);
    EXPECT_EQ(folder.run.model.ffn, 384);
    EXPECT_EQ(folder.run.model.head_dim, 8);
    EXPECT_EQ(folder.run.vocab_divisible_by, 50257);
    EXPECT_TRUE(folder.run.writes_context_size);
}

TEST_F(LogFolders, ReadsOptionsOfTheNpunetDialect) {
    config_.update(Json::parse(R"({"dialect": "npunet", "tensor_model_parallel_size": 2,
        "data_parallel_size": 1, "rank_order": "tp-cp-ep-dp-pp", "sequence_parallel": true,
        "use_distributed_optimizer": true, "overlap_grad_reduce": true, "cp_comm_type": "a2a",
        "virtual_pipeline_model_parallel_size": null, "params_dtype": "fp16",
        "make_vocab_size_divisible_by": 256})"));
    const TrainingRun run = open_log_folder(make_folder()).run;
    EXPECT_EQ(run.dialect, Dialect::Npunet);
    EXPECT_TRUE(run.sequence_parallel);
    EXPECT_TRUE(run.distributed_optimizer);
    EXPECT_TRUE(run.overlap_grad_reduce);
    EXPECT_FALSE(run.overlap_param_gather);
    EXPECT_EQ(run.context_comm, ContextComm::AllToAll);
    EXPECT_EQ(run.dtype, DataType::Float16);
    EXPECT_EQ(run.vocab_divisible_by, 256);
    EXPECT_EQ(run.vpp, 1);
    config_["model_config"]["hidden_size"] = 96;
    EXPECT_EQ(refusal(make_folder()).place, "model_config");
}

TEST_F(LogFolders, RefusesUnusableConfigurations) {
    const Json good = config_;
    const auto refused = [&](const char* key, const Json& value) {
        config_ = good;
        config_[Json::json_pointer(key)] = value;
        return refusal(make_folder());
    };
    EXPECT_EQ(refused("/world_size", 3).place, "world_size");
    EXPECT_THAT(refused("/world_size", 3).expected, HasSubstr("dp 2 x tp 1 x pp 1 x cp 1 = 2"));
    EXPECT_EQ(refused("/data_parallel_size", "2").found, "\"2\"");
    EXPECT_EQ(refused("/data_parallel_size", 0).place, "data_parallel_size");
    EXPECT_EQ(refused("/data_parallel_size", -1).place, "data_parallel_size");
    EXPECT_EQ(refused("/num_micro_batches", 1.5).place, "num_micro_batches");
    EXPECT_EQ(refused("/seed", nullptr).place, "seed");
    EXPECT_EQ(refused("/global_batch_size", 18446744073709551615U).place, "global_batch_size");
    EXPECT_EQ(refused("/model_config", 3).place, "model_config");
    EXPECT_EQ(refused("/model_config/num_layers", 0).place, "model_config.num_layers");
    EXPECT_EQ(refused("/model_config/num_attention_heads", 7).place, "model_config");
    EXPECT_EQ(refused("/dialect", "other").place, "dialect");
    EXPECT_FALSE(refused("/data_parallel_size", 1099511627776).found.empty());
    config_ = good;
    const auto path = make_folder();
    folder_.write("run/config.json", "{\"model_size\": ");
    EXPECT_EQ(refusal(path).found, "text that is not JSON");
    folder_.write("run/config.json", "[]");
    EXPECT_EQ(refusal(path).found, "[]");
}

TEST_F(LogFolders, RefusesContradictions) {
    const auto path = make_folder();
    config_["seed"] = 7;
    folder_.write("run/config.json", config_.dump());
    const InputProblem problem = refusal(path);
    EXPECT_EQ(problem.place, "config.seed");
    EXPECT_EQ(problem.found, "1234");
    EXPECT_THAT(problem.expected, HasSubstr("7"));
}

TEST_F(LogFolders, RefusesMissingAndForeignLogs) {
    auto path = make_folder();
    std::filesystem::remove(path / "comm_log_rank_0.json");
    EXPECT_EQ(refusal(path).found, "no log of rank 0");
    std::filesystem::remove(path / "comm_log_rank_1.json");
    EXPECT_EQ(refusal(path).found, "no log of ranks 0, 1");
    path = make_folder();
    folder_.write("run/comm_log_rank_2.json", "[]");
    EXPECT_EQ(refusal(path).found, "comm_log_rank_2.json");
    path = make_folder();
    folder_.write("run/comm_log_rank_1.json.gz", "[]");
    EXPECT_EQ(refusal(path).found, "comm_log_rank_1.json and comm_log_rank_1.json.gz");
    std::filesystem::remove(path / "comm_log_rank_1.json");
    EXPECT_EQ(open_log_folder(path).logs[1].filename(), "comm_log_rank_1.json.gz");
}

TEST_F(LogFolders, ComparesTheListOfLogs) {
    const auto path = make_folder();
    const auto refused = [&](const Json& list) {
        folder_.write("run/summary.json", Json{{"config", config_}, {"log_files", list}}.dump());
        return refusal(path);
    };
    const Json both{"comm_log_rank_0.json", "comm_log_rank_1.json"};
    Json more = both;
    more.push_back("comm_log_rank_2.json");
    EXPECT_EQ(refused(more).place, "log_files[2]");
    EXPECT_EQ(refused({both[0], both[0]}).place, "log_files[1]");
    EXPECT_EQ(refused({both[0], 7}).found, "7");
    EXPECT_EQ(refused(Json::array({both[0]})).found, "nothing of comm_log_rank_1.json");
    EXPECT_EQ(refused(3).found, "3");
}

// summary.json is written last: without it, or with half of it, a folder is not whole.
TEST_F(LogFolders, RefusesFoldersThatAreNotWhole) {
    for (const bool config : {true, false}) {
        const InputProblem problem = refusal(make_folder(config, false));
        EXPECT_EQ(problem.found, "no summary.json");
        EXPECT_THAT(problem.remedy, HasSubstr("The folder is not whole"));
    }
    const auto path = make_folder();
    const Json names{"comm_log_rank_0.json", "comm_log_rank_1.json"};
    const auto refused = [&](const Json& summary) {
        folder_.write("run/summary.json", summary.dump());
        return refusal(path);
    };
    EXPECT_EQ(refused(Json::array()).found, "[]");
    EXPECT_EQ(refused({{"log_files", names}}).place, "config");
    EXPECT_EQ(refused({{"log_files", names}, {"config", 3}}).found, "3");
    EXPECT_EQ(refused({{"config", config_}}).place, "log_files");
    EXPECT_EQ(refused({{"config", config_}, {"log_files", names[0]}}).place, "log_files");
    EXPECT_EQ(refused({{"config", config_}, {"log_files", Json::array()}}).place, "log_files");
}

// What a value of config.json is bad for is said with the file in front.
TEST_F(LogFolders, NamesTheFileOfUnusableSettings) {
    const Json good = config_;
    const auto refused = [&](const Json& changes, bool with_config = true) {
        config_ = good;
        config_.update(changes);
        return refusal(make_folder(with_config));
    };
    const std::string config = (folder_ / "run/config.json").string();
    const Json batch{{"global_batch_size", 6}};
    EXPECT_EQ(refused(batch).file, config);
    EXPECT_EQ(refused(batch).place, "--batch");
    EXPECT_EQ(refused(batch, false).file, (folder_ / "run/summary.json").string());
    const Json model{{"dialect", "npunet"}, {"model_size", "no-such"}};
    EXPECT_EQ(refused(model).file, config);
    EXPECT_EQ(refused(model).found, "'no-such'");
    const Json order{{"dialect", "npunet"}, {"rank_order", "tp-tp"}};
    EXPECT_EQ(refused(order).file, config + ": rank_order");
    EXPECT_EQ(refused({{"seed", "x"}}).place, "seed");
    const cli::Outcome info = cli::run("megatron info " + make_folder().string());
    EXPECT_EQ(info.code, 2);
    EXPECT_THAT(info.log, HasSubstr(config + ": seed"));
}

// The command says what the functions do, as text and as JSON; --strict makes findings an error.
TEST_F(LogFolders, InfoSaysWhatIsThere) {
    const std::string path = make_folder().string();
    const cli::Outcome text = cli::run("megatron info " + path);
    EXPECT_EQ(text.code, 0) << text.log;
    EXPECT_THAT(text.out, HasSubstr("All calls meet: 1 collectives, 0 messages"));
    const cli::Outcome json = cli::run("megatron info --json --strict " + path);
    EXPECT_EQ(json.code, 0) << json.log;
    const Json document = Json::parse(json.out);
    EXPECT_EQ(document["dialect"], "genstack");
    EXPECT_EQ(document["plan"]["dp"], 2);
    EXPECT_EQ(document["ranks"], 2);
    EXPECT_EQ(document["events"]["sum"], 2);
    EXPECT_EQ(document["operations"]["barrier"]["calls"]["sum"], 2);
    EXPECT_EQ(document["rendezvous"]["meets"], true);
    ASSERT_EQ(document["groups"].size(), 1U);
    EXPECT_EQ(document["groups"][0]["kind"], "world");
    EXPECT_EQ(document["groups"][0]["ranks"], 2);
}

TEST_F(LogFolders, InfoAddsBytesUp) {
    const std::string reduce = R"("op": "all_reduce", "dtype": "torch.float32", "shape": [10],
        "reduce_op": "SUM", "ranks": )";
    logs_ = {log_of({reduce + "[0, 1]", reduce + "[0]"}, 0), log_of({reduce + "[0, 1]"}, 1)};
    const cli::Outcome json = cli::run("megatron info --json " + make_folder().string());
    const Json document = Json::parse(json.out);
    EXPECT_EQ(document["operations"]["all_reduce"],
              Json::parse(R"({"calls": {"min": 1, "max": 2, "sum": 3},
                              "bytes": {"min": 40, "max": 80, "sum": 120}})"));
    EXPECT_EQ(document["groups"],
              Json::parse(R"([{"kind": "tp", "ranks": 1, "groups": 1, "calls": 1, "bytes": 40},
                              {"kind": "world", "ranks": 2, "groups": 1, "calls": 2,
                               "bytes": 80}])"));
}

TEST_F(LogFolders, InfoIsStrictWhenAsked) {
    logs_[1] = log_of({barrier_, barrier_}, 1);
    const std::string path = make_folder().string();
    const cli::Outcome lenient = cli::run("megatron info " + path);
    EXPECT_EQ(lenient.code, 0);
    EXPECT_THAT(lenient.out, HasSubstr("finding: on ranks 0, 1: "));
    const cli::Outcome strict = cli::run("megatron info --strict " + path);
    EXPECT_EQ(strict.code, 2);
    EXPECT_THAT(strict.log, HasSubstr("meets none"));
    EXPECT_EQ(cli::run("megatron info --json --strict " + path).code, 2);
    EXPECT_EQ(cli::run("megatron info " + (folder_ / "none").string()).code, 2);
}

}  // namespace
}  // namespace npunet::generators::megatron::log_folder_test
