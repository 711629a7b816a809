// npunet megatron permutations on whole folders: against what the original tool printed for
// recorded logs and for plans of which only that is left, and against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "generators/megatron/logs/log_writer.h"
#include "log_files.h"
#include "random_runs.h"
#include "tests/cli/program_run.h"
#include "tests/support/counted_cases.h"
#include "tests/support/shared_data.h"

namespace npunet::generators::megatron::permutations_command_test {

namespace {

using Json = nlohmann::json;
using cli::Outcome;
using std::filesystem::path;

std::vector<std::string> sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

Outcome permutations(const path& folder, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"megatron", "permutations", folder.string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return cli::run(arguments);
}

/// The program's output of a folder against files of the original's.
void expect_original(const path& logs, const path& expected) {
    SCOPED_TRACE(logs);
    const Outcome plain = permutations(logs);
    ASSERT_EQ(plain.code, 0) << plain.log;
    EXPECT_EQ(sorted_lines(plain.out),
              sorted_lines(test::bytes_of(expected / "permutations.sorted.txt")));
    EXPECT_EQ(permutations(logs, {"--original-order"}).out,
              test::bytes_of(expected / "permutations.stdout.txt"));

    const Json json = Json::parse(permutations(logs, {"--json"}).out);
    const Json weighted = Json::parse(test::bytes_of(expected / "weighted_permutations.json"));
    EXPECT_EQ(json.at("weighted"), weighted);
    Json distinct = Json::array();
    for (const Json& one : weighted) {
        if (std::find(distinct.begin(), distinct.end(), one["pairs"]) == distinct.end()) {
            distinct.push_back(one["pairs"]);
        }
    }
    EXPECT_EQ(json.at("permutations"), distinct);
    EXPECT_EQ(sorted_lines(permutations(logs, {"--weighted"}).out).size(), weighted.size());
}

class RecordedPermutations : public RecordedLogs {};

TEST_F(RecordedPermutations, AreThoseOfTheOriginal) {
    for (const path& run : runs_) {
        expect_original(run,
                        path(NPUNET_SHARED_DIR) / "data/megatron/permutations" / run.filename());
    }
    test::count_cases(runs_.size());
}

class PermutationsCommand : public ::testing::Test {
protected:
    [[nodiscard]] path logs_of(const TrainingRun& run) const {
        return LogWriter(resolve_run(run)).write(folder_.path(), [] {}).folder;
    }

    [[nodiscard]] path small(std::int64_t dp, std::int64_t tp, std::int64_t pp,
                             std::int64_t micro_batches = 4) const {
        TrainingRun run = genstack_run("small");
        run.parallelism.dp = dp;
        run.parallelism.tp = tp;
        run.parallelism.pp = pp;
        run.micro_batches = micro_batches;
        run.global_batch_size = 2 * micro_batches * dp;
        return logs_of(run);
    }

    test::TemporaryFolder folder_;
};

TEST_F(PermutationsCommand, DerivedCasesAreThoseOfTheOriginal) {
    const path derived = path(NPUNET_SHARED_DIR) / "data/megatron/derived";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(derived)) {
        const Json config = Json::parse(test::bytes_of(entry.path() / "config.json"));
        TrainingRun run = genstack_run(config.at("model_size"));
        run.parallelism.dp = config.at("data_parallel_size");
        run.parallelism.tp = config.at("tensor_model_parallel_size");
        run.parallelism.pp = config.at("pipeline_model_parallel_size");
        run.micro_batches = config.at("num_micro_batches");
        run.global_batch_size = config.at("global_batch_size");
        const path logs = logs_of(run);
        if (std::filesystem::exists(entry.path() / "permutations.stdout.txt")) {
            expect_original(logs, entry.path());
            ++cases;
        } else {
            // One stage, where the original does not end.
            EXPECT_EQ(run.parallelism.pp, 1);
            EXPECT_EQ(permutations(logs).code, 0);
        }
    }
    EXPECT_GE(cases, 7U);
    test::count_cases(cases);
}

// One stage of 2 x 2: the world twice, the rings of tensor parallelism, those of the copies.
TEST_F(PermutationsCommand, OneStageEnds) {
    const Outcome found = permutations(small(2, 2, 1));
    EXPECT_EQ(found.code, 0) << found.log;
    EXPECT_EQ(found.out,
              "permutation: ((0, 1), (1, 2), (2, 3), (3, 0))\n"
              "permutation: ((0, 1), (1, 0), (2, 3), (3, 2))\n"
              "permutation: ((0, 2), (2, 0), (1, 3), (3, 1))\n");
}

// s b h of 4 bytes: 1024 x 2 x 768 x 4 = 6 291 456; the first embedding all-reduce 50257 x 768 x 4.
TEST_F(PermutationsCommand, WeightedText) {
    const Outcome found = permutations(small(1, 1, 2), {"--weighted"});
    EXPECT_EQ(found.out,
              "permutation: ((0, 1), (1, 0)) bytes: 8\n"
              "permutation: ((0, 1),) bytes: 154389504\n"
              "permutation: ((0, 1), (1, 0)) bytes: 24\n"
              "permutation: ((0, 1),) bytes: 6291456\n"
              "permutation: ((1, 0),) bytes: 6291456\n");
}

/// Bytes of each phase, of all pairs together.
std::map<std::string, std::int64_t> phase_sums(const Json& json) {
    std::map<std::string, std::int64_t> sums;
    for (const Json& phase : json.at("traffic")) {
        std::int64_t& sum = sums[phase.at("phase")];
        for (const Json& cell : phase.at("pairs")) {
            EXPECT_NE(cell.at("from"), cell.at("to"));
            sum += cell.at("bytes").get<std::int64_t>();
        }
    }
    return sums;
}

// dp 2, tp 2, pp 2 of m = 4 micro-batches of b = 2, A = 4 s b h, L = 12 layers, V = 50257 rows:
// rings of n = 2 carry 2 (n - 1) = 2 times the tensor of an all-reduce in all.
TEST_F(PermutationsCommand, TrafficHasClosedForms) {
    const path logs = small(2, 2, 2);
    const Json json = Json::parse(permutations(logs, {"--json", "--traffic"}).out);
    const std::int64_t b = 2;
    const std::int64_t s = 1024;
    const std::int64_t h = 768;
    const std::int64_t activation = 4 * s * b * h;
    const std::int64_t m = 4;
    const std::int64_t replicas = 2;
    // Each layer two all-reduces forward and two backward, the embedding one, the head one.
    const std::int64_t layers = 2 * activation * m * replicas * (2 * 12 + 1);
    const std::int64_t messages = activation * m * replicas * 2;
    // First stage tokens, mask, positions; last stage labels, loss mask, mask: one edge each.
    const std::int64_t mask = b * s * s;
    const std::int64_t batch = (8 * b * s + mask + 8 * b * s) + (8 * b * s + 4 * b * s + mask);
    // The cross entropy's three of [s, b] over tp; the reported loss over dp, of each place in tp.
    const std::int64_t loss = replicas * 3 * 2 * 4 * s * b + 2 * (2 * 8);
    const auto sums = phase_sums(json);
    EXPECT_EQ(sums.at("forward"), layers + messages + m * (replicas * batch + loss));
    EXPECT_EQ(sums.at("backward"), layers + messages);
    // The minimum over 8 ranks: 2 x 7 x 8 bytes, its seven eighths of 2 on each edge; flags along
    // seven edges; tied embeddings of four pairs.
    const std::int64_t tied = 4 * 2 * 4 * 50257 * h;
    EXPECT_EQ(sums.at("set-up"), 2 * 7 * 8 + 7 * 3 * 8 + tied);
    const std::int64_t layer = 6 * h * h + 7 * h / 2 + 6 * h;  // 12 h^2 / tp + ...
    const std::int64_t vocabulary = 50257 * h;
    const std::int64_t gradients = 4 * (2 * 6 * layer + 2 * vocabulary + s * h);
    // Copies of the gradients in two rings for each stage; the norm over four ranks twice, 4 bytes.
    EXPECT_EQ(sums.at("update"), 2 * 2 * gradients + tied + 2 * 2 * 3 * 4);
}

// In text the same numbers as in JSON.
TEST_F(PermutationsCommand, TrafficAsText) {
    const path logs = small(1, 1, 2);
    const Outcome found = permutations(logs, {"--traffic"});
    const std::string last = "traffic: backward 1 -> 0 bytes: 25165824\n";  // 4 x 6 291 456
    EXPECT_NE(found.out.find(last), std::string::npos) << found.out;
}

TEST_F(PermutationsCommand, AllRanksAreLabelled) {
    const Json json = Json::parse(permutations(small(1, 2, 2), {"--all-ranks", "--json"}).out);
    EXPECT_EQ(json.at("rule"), "all-ranks");
    EXPECT_FALSE(json.at("assumptions").empty());
    // Layers: 2 x 6 x 4 micro-batches in both stages, and once a micro-batch the embedding.
    std::vector<Json> forward;
    for (const Json& one : json.at("weighted")) {
        if (one.at("phase") == "forward" && one.at("operation") == "all_reduce" &&
            one.at("bytes").get<std::int64_t>() >= 6291456) {
            forward.push_back({one.at("pairs"), one.at("calls"), one.at("group")});
        }
    }
    const std::string group = "tp";
    ASSERT_EQ(forward.size(), 2U);
    EXPECT_EQ(forward[0], Json({{{0, 1}, {1, 0}, {2, 3}, {3, 2}}, 48, group}));
    EXPECT_EQ(forward[1], Json({{{0, 1}, {1, 0}}, 4, group}));
}

// Whatever the run: no rank twice as source or as destination, no rank to itself; each phase's
// messages weigh as much as in the matrix when there are no collectives along the same edge.
TEST_F(PermutationsCommand, AreAlwaysPermutations) {
    for (const TrainingRun& run : named_runs(12, 5)) {
        const path logs = logs_of(run);
        const Outcome found = permutations(logs, {"--all-ranks", "--json", "--traffic"});
        ASSERT_EQ(found.code, 0) << found.log;
        const Json json = Json::parse(found.out);
        EXPECT_FALSE(run.parallelism.world() > 1 && json.at("weighted").empty());
        for (const Json& one : json.at("weighted")) {
            std::set<int> sources;
            std::set<int> destinations;
            for (const Json& pair : one.at("pairs")) {
                EXPECT_TRUE(sources.insert(pair.at(0).get<int>()).second) << one;
                EXPECT_TRUE(destinations.insert(pair.at(1).get<int>()).second) << one;
                EXPECT_NE(pair.at(0), pair.at(1)) << one;
            }
            EXPECT_GT(one.at("calls"), 0);
        }
        EXPECT_EQ(permutations(logs).code, 0);
        std::filesystem::remove_all(logs);
    }
}

TEST_F(PermutationsCommand, DrawsTheMatrix) {
    const path logs = small(2, 2, 2);
    EXPECT_EQ(permutations(logs, {"--traffic-matrix", (folder_ / "m.svg").string()}).code, 0);
    const std::string svg = test::bytes_of(folder_ / "m.svg");
    EXPECT_EQ(svg.rfind("<?xml", 0), 0U);
    EXPECT_EQ(permutations(logs, {"--traffic-matrix", (folder_ / "m.png").string()}).code, 0);
    EXPECT_EQ(test::bytes_of(folder_ / "m.png").substr(1, 3), "PNG");
    const Outcome other = permutations(logs, {"--traffic-matrix", (folder_ / "m.pdf").string()});
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.log.find("--traffic-matrix"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "m.pdf"));
}

/// One message on stderr, nothing on stdout.
void expect_refused(const Outcome& found, const std::string& part) {
    EXPECT_EQ(found.code, 2);
    EXPECT_TRUE(found.out.empty());
    EXPECT_NE(found.log.find(part), std::string::npos) << found.log;
}

TEST_F(PermutationsCommand, RefusesWhatIsNoFolderOfARun) {
    const path logs = small(1, 1, 2);
    expect_refused(permutations(logs / "summary.json"), "a file");
    expect_refused(permutations(folder_ / "absent"), "nothing");
    expect_refused(permutations(folder_.path()), "without summary.json");
    expect_refused(permutations(logs, {"--weighted", "--original-order"}),
                   "--weighted and --original-order: found both; expected one of them");
    std::filesystem::remove(logs / "summary.json");
    expect_refused(permutations(logs), "without summary.json");
}

}  // namespace
}  // namespace npunet::generators::megatron::permutations_command_test
