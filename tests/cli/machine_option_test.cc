// --machine: the network and the system of a ready machine.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::string step =
    "--model llama2-4layer --seq 512 --batch 8 --dp 2 --tp 4 --sequence-parallel";

double finish_of(const std::string& options) {
    const Outcome run = cli::run(fmt::format("simulate --json --quiet {} {}", step, options));
    EXPECT_EQ(run.code, 0) << run.log;
    return run.code == 0 ? Json::parse(run.out).value("finish_ns", 0.0) : -1;
}

// The names stand for the two files; one of them may be another file.
TEST(MachineOption, IsItsNetworkAndItsSystem) {
    const double finish = finish_of("--machine dgx-h100:1");
    EXPECT_GT(finish, 0);
    EXPECT_EQ(finish, finish_of("--network dgx-h100:1 --system dgx-h100:1"));
    EXPECT_EQ(finish, finish_of("--machine dgx-h100:1 --network dgx-h100:1"));
    EXPECT_LT(finish, finish_of("--machine dgx-h100:1 --system dgx-a100:1"));
    EXPECT_LT(finish, finish_of("--machine dgx-a100:1"));
    EXPECT_GT(finish, finish_of("--machine dgx-b200:1"));
}

TEST(MachineOption, IsOfferedWhereNetworksAre) {
    const Outcome compared =
        cli::run(fmt::format("compare --json --quiet {} --machine dgx-h100:1 --fidelities "
                             "analytical,fluid",
                             step));
    ASSERT_EQ(compared.code, 0) << compared.log;
    EXPECT_EQ(Json::parse(compared.out)["runs"]["analytical"]["finish_ns"],
              finish_of("--machine dgx-h100:1"));
    const Outcome timed =
        cli::run("collective --json --quiet --machine gb200-nvl72:72 --max-size 4MiB");
    ASSERT_EQ(timed.code, 0) << timed.log;
    EXPECT_THAT(timed.out, HasSubstr("nccl-2.29"));
    const Outcome drawn = cli::run("topology --json tpu-v4:4x4x4");
    ASSERT_EQ(drawn.code, 0) << drawn.log;
    EXPECT_EQ(Json::parse(drawn.out)["links"].size(), 6U * 64);
}

// A row of a sweep for each machine, with the time of simulate.
TEST(MachineOption, MachinesOfASweepAreAnAxis) {
    const test::TemporaryFolder folder;
    const auto spec = folder.write("sweep.yml",
                                   "workload: {model: llama2-4layer, batch: 8, seq: 512}\n"
                                   "plan: {dp: 2, tp: 4, sequence_parallel: true}\n"
                                   "machines: [dgx-h100:1, dgx-a100:1]\n");
    const Outcome run = cli::run(
        fmt::format("sweep {} --quiet --output-dir {}", spec.string(), (folder / "out").string()));
    ASSERT_EQ(run.code, 0) << run.log;
    std::ifstream table(folder / "out/results.csv");
    std::string line;
    std::getline(table, line);
    EXPECT_THAT(line, AllOf(HasSubstr("network"), HasSubstr("system")));
    for (const std::string name : {"dgx-h100:1", "dgx-a100:1"}) {
        std::getline(table, line);
        EXPECT_THAT(line, HasSubstr(name + "," + name));
        EXPECT_THAT(line, HasSubstr(fmt::format("{}", finish_of("--machine " + name))));
    }
    const auto both = folder.write("both.yml",
                                   "workload: {model: llama2-4layer, batch: 8, seq: 512}\n"
                                   "machines: dgx-h100:1\nnetworks: dgx-h100:1\n");
    const Outcome refused =
        cli::run(fmt::format("sweep {} --output-dir {}", both.string(), (folder / "b").string()));
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.log, HasSubstr("'network' beside 'network'"));
    const auto bare = folder.write("bare.yml",
                                   "workload: {model: llama2-4layer, batch: 8, seq: 512}\n"
                                   "networks: [dgx-h100]\n");
    const Outcome uncounted =
        cli::run(fmt::format("sweep {} --output-dir {}", bare.string(), (folder / "c").string()));
    EXPECT_EQ(uncounted.code, 2);
    EXPECT_THAT(uncounted.log, AllOf(HasSubstr("line 2"), HasSubstr("without a count")));
    const auto unknown = folder.write("unknown.yml",
                                      "workload: {model: llama2-4layer, batch: 8, seq: 512}\n"
                                      "machines: [dgx-h1:1]\n");
    const Outcome nothing = cli::run(
        fmt::format("sweep {} --output-dir {}", unknown.string(), (folder / "u").string()));
    EXPECT_EQ(nothing.code, 2);
    EXPECT_THAT(nothing.log, AllOf(HasSubstr("line 2"), HasSubstr("dgx-h100")));
}

// A model's folder, as it comes from the Hugging Face hub, is its config.json.
TEST(MachineOption, SweepsTakeTheFolderOfAModel) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "tiny");
    const std::string config =
        R"({"model_type": "llama", "hidden_size": 512, "num_hidden_layers": 2, "vocab_size": 1000,
            "num_attention_heads": 8, "intermediate_size": 1024, "max_position_embeddings": 512})";
    folder.write("tiny/config.json", config);
    for (const std::string name : {"./tiny", "./tiny/", "tiny/config.json"}) {
        const auto spec =
            folder.write("sweep.yml", fmt::format("workload: {{model: {}, batch: 8}}\n"
                                                  "plan: {{tp: [4, 8]}}\nmachines: dgx-h100:1\n",
                                                  name));
        const auto out = folder / std::to_string(name.size());
        const Outcome run =
            cli::run(fmt::format("sweep {} --quiet --output-dir {}", spec.string(), out.string()));
        ASSERT_EQ(run.code, 0) << name << run.log;
        std::ifstream file(out / "results.json");
        const Json results = Json::parse(file);
        EXPECT_EQ(results["points"][1]["status"], "ok");
        const Outcome same = cli::run(
            fmt::format("simulate --json --quiet --model {} --batch 8 --tp 8 --machine dgx-h100:1",
                        (folder / "tiny/config.json").string()));
        ASSERT_EQ(same.code, 0) << same.log;
        EXPECT_EQ(results["points"][1]["finish_ns"], Json::parse(same.out)["finish_ns"]) << name;
    }
    const auto absent = folder.write("absent.yml",
                                     "workload: {model: ./none, batch: 8}\nplan: {tp: [8]}\n"
                                     "machines: dgx-h100:1\n");
    const Outcome refused =
        cli::run(fmt::format("sweep {} --output-dir {}", absent.string(), (folder / "a").string()));
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.log, AllOf(HasSubstr("line 1"), HasSubstr("./none")));
}

TEST(MachineOption, RefusalsAreBadInput) {
    const auto error_of = [](const std::string& options) {
        const Outcome run = cli::run("simulate " + step + " " + options);
        EXPECT_EQ(run.code, 2);
        return run.log;
    };
    EXPECT_THAT(error_of("--machine dgx-h100"), HasSubstr("a number of servers of 8 GPUs"));
    for (const char* const option : {"--network", "--system"}) {
        EXPECT_THAT(error_of(fmt::format("{} dgx-h100 {} dgx-h100:1", option,
                                         *(option + 2) == 'n' ? "--system" : "--network")),
                    HasSubstr("--machine dgx-h100:4 is its network and its system"));
    }
    EXPECT_THAT(error_of("--machine dgx:1"), HasSubstr("one of dgx-a100"));
    EXPECT_THAT(error_of("--machine gb200-nvl72:8"), HasSubstr("a multiple of 72"));
    EXPECT_THAT(error_of("--machine dgx-h100:2"), HasSubstr("16, the NPUs of dgx-h100:2"));
    EXPECT_THAT(error_of("--machine dgx-h100:1 --network dgx-h100:1 --system dgx-h100:1"),
                HasSubstr("--machine: found dgx-h100:1 beside --network and --system"));
    EXPECT_THAT(error_of(""), HasSubstr("--network FILE or --machine NAME:COUNT"));
    EXPECT_THAT(error_of("--machine dgx-h100:1 --dialect astra-sim"), HasSubstr("astra-sim"));
}

}  // namespace
}  // namespace npunet::cli
