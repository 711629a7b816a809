// Logs of the genstack dialect against recorded ones, of which SHA-256 sums are kept, and against
// the closed forms of their counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "generators/megatron/logs/log_writer.h"
#include "random_runs.h"
#include "tests/support/counted_cases.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators::megatron::genstack_logs_test {

namespace {

using Json = nlohmann::json;
using std::filesystem::path;

/// By the name of the file.
using Sums = std::map<std::string, std::string>;

/// Lines "SUM  NAME"; with a folder before the name those of that folder.
Sums read_sums(std::istream& text, const std::string& folder = "") {
    Sums sums;
    std::string sum;
    std::string name;
    while (text >> sum >> name) {
        if (name.rfind(folder, 0) == 0) {
            sums[name.substr(folder.size())] = sum;
        }
    }
    return sums;
}

/// What the program sha256sum says of the folder's files.
Sums sums_of(const path& folder) {
    const std::string command = "cd '" + folder.string() + "' && sha256sum *";
    FILE* pipe = ::popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::string text;
    std::array<char, 4096> piece{};
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
        text.append(piece.data(), size);
    }
    EXPECT_EQ(::pclose(pipe), 0);
    std::istringstream stream(text);
    return read_sums(stream);
}

TrainingRun run_of(const Json& config) {
    TrainingRun run = genstack_run(config.at("model_size"));
    run.parallelism.dp = config.at("data_parallel_size");
    run.parallelism.tp = config.at("tensor_model_parallel_size");
    run.parallelism.pp = config.at("pipeline_model_parallel_size");
    run.writes_context_size = config.contains("context_parallel_size");
    run.seed = config.at("seed");
    run.timestamp = config.at("timestamp");
    run.micro_batches = config.at("num_micro_batches");
    run.global_batch_size = config.at("global_batch_size");
    return run;
}

class GenstackLogs : public ::testing::Test {
protected:
    void SetUp() override {
        data_ = path(NPUNET_SHARED_DIR) / "data/megatron";
        NPUNET_SKIP_WITHOUT_SHARED_DATA();
    }

    path data_;
    test::TemporaryFolder folder_;
};

// The two recorded folders, one of an older revision that padded the vocabulary to 128.
TEST_F(GenstackLogs, EqualTheRecordedOnes) {
    TrainingRun large = genstack_run("175b");
    large.parallelism.dp = 2;
    large.parallelism.tp = 4;
    large.parallelism.pp = 6;
    large.timestamp = "20250810_184348";
    TrainingRun small = genstack_run("small");
    small.parallelism.pp = 4;
    small.global_batch_size = 16;
    small.vocab_divisible_by = 128;
    small.timestamp = "20250810_115239";
    std::size_t files = 0;
    for (TrainingRun run : {large, small}) {
        run.writes_context_size = true;
        const LogWriter writer(resolve_run(run));
        std::ifstream recorded(data_ / "comm_logs.sha256");
        Sums expected = read_sums(recorded, writer.folder_name() + "/");
        // What the program said on the console is not made.
        expected.erase("tp4_dp2_pp6.txt");
        EXPECT_EQ(expected.size(), static_cast<std::size_t>(run.world()) + 2);
        EXPECT_EQ(sums_of(writer.write(folder_.path(), [] {}).folder), expected)
            << writer.folder_name();
        files += expected.size();
    }
    test::count_cases(files);
}

// Plans of which nothing but the sums is left.
TEST_F(GenstackLogs, HaveTheSumsOfTheDerivedCases) {
    std::size_t cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data_ / "derived")) {
        const std::string config = test::bytes_of(entry.path() / "config.json");
        const LogWriter writer(resolve_run(run_of(Json::parse(config))));
        EXPECT_EQ(writer.config(), config);
        EXPECT_EQ(writer.summary(), test::bytes_of(entry.path() / "summary.json"));
        std::ifstream recorded(entry.path() / "logs.sha256");
        Sums written = sums_of(writer.write(folder_ / entry.path().filename(), [] {}).folder);
        written.erase("config.json");
        written.erase("summary.json");
        EXPECT_EQ(written, read_sums(recorded)) << entry.path();
        ++cases;
    }
    EXPECT_GE(cases, 8U);
    test::count_cases(cases);
}

TrainingRun random_genstack_run(Dice& dice) {
    const std::vector<std::string>& names = genstack_models();
    TrainingRun run = genstack_run(names[static_cast<std::size_t>(dice.below(6))]);
    run.parallelism.dp = dice.one_of({1, 2, 3});
    run.parallelism.tp = dice.one_of({1, 2, 4, 5});
    run.parallelism.pp = dice.one_of({1, 2, 3, 4});
    run.micro_batches = dice.one_of({1, 2, 3, 5});
    run.global_batch_size = dice.one_of({12, 30, 60, 90});
    run.attention_mask = dice.below(4) > 0;
    return run;
}

/// The counts of events by operation, from the numbers of the plan.
std::map<std::string, std::int64_t> expected_counts(const TrainingRun& run, std::int64_t rank) {
    const auto [dp, tp, pp] =
        std::array{run.parallelism.dp, run.parallelism.tp, run.parallelism.pp};
    const std::int64_t t = rank % tp;
    const std::int64_t stage = rank / (tp * dp);
    const std::int64_t first = stage == 0 ? 1 : 0;
    const std::int64_t last = stage == pp - 1 ? 1 : 0;
    const std::int64_t ends = pp > 1 && first + last > 0 ? 1 : 0;
    const std::int64_t m = run.global_batch_size / (run.micro_batch * dp);
    const std::int64_t groups =
        6 * tp * pp + 2 * dp * tp * pp + 2 * dp + 4 * dp * pp + 3 * dp * tp + 2 * pp + 1;
    const std::int64_t mask = run.attention_mask ? 1 : 0;
    const std::int64_t sums = 4 * (run.model.layers / pp) + first + last;
    std::map<std::string, std::int64_t> counts{
        {"init_process_group", 3},
        {"new_group", 4 * groups},
        {"barrier", 9 + (t == 0 ? 3 : 0)},
        {"all_reduce", 3 + 2 * ends + m * ((tp > 1 ? sums : 0) + 4 * last)},
        {"broadcast", 1 + (pp == 1 ? (4 + mask) * m : (2 + mask) * m * (first + last))}};
    const std::int64_t messages = m * (2 - first - last);
    if (messages > 0) {
        counts["batch_isend"] = messages;
        counts["batch_irecv"] = messages;
    }
    return counts;
}

// Events are numbered from 0 in each log, name their owner, and are as many as the plan says.
TEST(GenstackLogText, HasTheCountsOfThePlan) {
    Dice dice(7);
    int runs = 0;
    while (runs < 40) {
        TrainingRun run = random_genstack_run(dice);
        try {
            run = resolve_run(run);
        } catch (const InputError&) {
            continue;
        }
        ++runs;
        const LogWriter writer(run);
        for (std::int64_t rank = 0; rank < run.world(); ++rank) {
            const Json log = Json::parse(writer.log(Rank(static_cast<std::int32_t>(rank))));
            std::map<std::string, std::int64_t> counts;
            for (std::size_t i = 0; i < log.size(); ++i) {
                ASSERT_EQ(log[i].at("call_id"), i);
                ASSERT_EQ(log[i].at("src_rank"), rank);
                ++counts[log[i].at("op")];
            }
            EXPECT_EQ(counts, expected_counts(run, rank)) << writer.folder_name();
        }
    }
}

}  // namespace

}  // namespace npunet::generators::megatron::genstack_logs_test
