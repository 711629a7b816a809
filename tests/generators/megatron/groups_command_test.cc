// npunet megatron groups: what it prints, writes and checks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/errors.h"
#include "cli/program.h"
#include "generators/megatron/groups/parallel_groups_check.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/transformer/plan_names.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli::groups_command_test {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class GroupsCommand : public ::testing::Test {
protected:
    /// Words separated by blanks, then `last` as one.
    int run(const std::string& line, const std::vector<std::string>& last = {}) {
        std::istringstream stream("megatron groups " + line);
        std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
        words.insert(words.end(), last.begin(), last.end());
        std::ostringstream out;
        std::ostringstream log;
        const int code = run_program(words, out, log);
        out_ = out.str();
        log_ = log.str();
        return code;
    }

    [[nodiscard]] std::string in(const std::string& name) const { return folder_ / name; }

    test::TemporaryFolder folder_;
    std::string out_;
    std::string log_;
};

TEST_F(GroupsCommand, PrintsATable) {
    ASSERT_EQ(run("--tp 2 --pp 4 --world-size 16"), 0) << log_;
    EXPECT_THAT(out_, HasSubstr("tp 2, cp 1, dp 2, pp 4, ep 1, etp 2: 16 ranks"));
    EXPECT_THAT(out_, HasSubstr("0, 1, 4, 5, 8, 9, 12, 13"));
    const std::string by_world = out_;
    ASSERT_EQ(run("--tp 2 --pp 4 --dp 2"), 0);
    EXPECT_EQ(out_, by_world);
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(GroupsCommand, PrintsJson) {
    ASSERT_EQ(run("--tp 2 --pp 2 --dp 8 --ep 4 --json"), 0) << log_;
    const Json json = Json::parse(out_);
    EXPECT_EQ(json.at("world_size"), 32);
    EXPECT_EQ(json.at("etp"), 2);
    EXPECT_EQ(json.at("groups").at("ep").at(1), Json({1, 3, 5, 7}));
    EXPECT_EQ(json.at("groups").at("full_model").size(), 2U);
    EXPECT_TRUE(json.at("file").is_null());
}

// The same input gives the same bytes; the time is that of the option.
TEST_F(GroupsCommand, WritesTheFile) {
    ASSERT_EQ(run("--tp 2 --dp 2 --output-dir " + in("a")), 0) << log_;
    ASSERT_EQ(run("--tp 2 --dp 2 --output-dir " + in("b")), 0) << log_;
    const std::string name = "/unique_parallel_groups_20000101_000000.txt";
    EXPECT_EQ(bytes_of(in("a") + name), bytes_of(in("b") + name));
    EXPECT_THAT(bytes_of(in("a") + name), HasSubstr("\nGlobal Batch Size: 2\n"));
    ASSERT_EQ(run("--output-dir " + in("c") + " --timestamp", {"2026-02-10 16:38:51.5"}), 0);
    EXPECT_THAT(bytes_of(in("c") + "/unique_parallel_groups_20260210_163851.txt"),
                HasSubstr("Timestamp: 2026-02-10 16:38:51.500000\n"));
}

// The file, its folder and a folder in it are the same to --check; sizes come from the file.
TEST_F(GroupsCommand, ChecksWhatItWrites) {
    for (const std::string plan : {"--tp 2 --pp 2 --dp 2", "--tp 2 --cp 2 --dp 4 --ep 4 --etp 1",
                                   "--tp 2 --dp 4 --pp 2 --ep 2 --rank-order tp-dp-cp-ep-pp"}) {
        fs::remove_all(in("g"));
        ASSERT_EQ(run(plan + " --output-dir " + in("g")), 0) << log_;
        fs::create_directories(in("g/iteration_5"));
        const std::string order =
            plan.find("order") == std::string::npos ? "" : "--rank-order tp-dp-cp-ep-pp ";
        for (const char* place :
             {"g", "g/iteration_5", "g/unique_parallel_groups_20000101_000000.txt"}) {
            EXPECT_EQ(run(order + "--check " + in(place)), 0) << plan << log_ << out_;
            EXPECT_THAT(out_, HasSubstr("agrees"));
        }
        EXPECT_EQ(run(plan + " --check " + in("g") + " --json"), 0);
        EXPECT_EQ(Json::parse(out_).at("agrees"), true);
    }
}

// Random plans with every valid etp: it is inferred from the file's groups wherever another etp
// would give other groups.
TEST_F(GroupsCommand, ReadsEtpFromTheGroups) {
    namespace megatron = generators::megatron;
    std::mt19937_64 random(7);
    const auto pick = [&random](std::initializer_list<std::int64_t> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
    };
    int compared = 0;
    int others = 0;
    for (int trial = 0; trial < 300; ++trial) {
        megatron::Parallelism plan;
        plan.tp = pick({1, 2, 4});
        plan.cp = pick({1, 2});
        plan.dp = pick({1, 2, 4, 8});
        plan.pp = pick({1, 2});
        plan.ep = pick({1, 2, 4, 8});
        plan.etp = pick({1, 2, 4, 8});
        plan.rank_order = generators::rank_order_named(
            random() % 2 == 0 ? "tp-cp-ep-dp-pp" : "tp-dp-cp-ep-pp", "");
        const auto dialect =
            random() % 2 == 0 ? megatron::GroupsDialect::Npunet : megatron::GroupsDialect::TraceViz;
        try {
            megatron::check_parallelism(plan);
        } catch (const InputError&) {
            continue;
        }
        const auto groups_of = [&](std::int64_t etp) {
            megatron::Parallelism other = plan;
            other.etp = etp;
            return megatron::parallel_groups(megatron::ProcessGroups(other), dialect);
        };
        const megatron::ParallelGroupsFile file = groups_of(plan.etp);
        const std::int64_t found = megatron::expert_tensor_of(file, plan, dialect);
        EXPECT_TRUE(megatron::compare(file, groups_of(found)).empty())
            << "etp " << plan.etp << ", found " << found;
        ++compared;
        others += plan.etp != plan.tp && found == plan.etp ? 1 : 0;
    }
    EXPECT_GT(compared, 100);
    EXPECT_GT(others, 30);
}

TEST_F(GroupsCommand, SaysWhatDiffers) {
    ASSERT_EQ(run("--tp 2 --pp 2 --dp 2 --output-dir " + in("g")), 0) << log_;
    EXPECT_EQ(run("--rank-order pp-tp-cp-ep-dp --check " + in("g")), 2);
    EXPECT_THAT(out_, HasSubstr("TP groups: [0, 1], [2, 3], [4, 5] and 1 more\n"
                                "    the plan: [0, 2], [1, 3], [4, 6] and 1 more\n"));
    EXPECT_THAT(log_, HasSubstr("difference"));
    EXPECT_EQ(run("--tp 4 --check " + in("g") + " --json"), 2);
    const Json json = Json::parse(out_);
    EXPECT_EQ(json.at("agrees"), false);
    EXPECT_EQ(json.at("differences").at(0),
              Json({{"what", "TP Size"}, {"found", "2"}, {"expected", "4"}}));
    EXPECT_EQ(run("--global-batch-size 9 --check " + in("g")), 2);
    EXPECT_THAT(out_, HasSubstr("Global Batch Size: 2\n    the plan: 9"));
}

// The original's replicas where they lack parts: eight ranks of tp 4, experts whole on each two.
TEST_F(GroupsCommand, DialectsDifferWhereTheOriginalIsWrong) {
    const std::string plan = "--tp 4 --dp 2 --ep 2 --etp 1 ";
    ASSERT_EQ(run(plan + "--dialect traceviz --output-dir " + in("g")), 0) << log_;
    EXPECT_EQ(run(plan + "--check " + in("g")), 2);
    EXPECT_THAT(out_, HasSubstr("Full models: [0, 1], [2, 3], [4, 5] and 1 more\n"
                                "    the plan: [0, 1, 2, 3], [4, 5, 6, 7]\n"));
    EXPECT_EQ(run(plan + "--dialect traceviz --check " + in("g")), 0) << out_;
}

// A size that neither the file nor an option says is asked for, not taken to be 1.
TEST_F(GroupsCommand, AsksForSizesThatTheFileLacks) {
    ASSERT_EQ(run("--tp 2 --pp 2 --dp 2 --output-dir " + in("g")), 0) << log_;
    const fs::path path = fs::directory_iterator(in("g"))->path();
    const std::string whole = bytes_of(path);
    const std::vector<std::array<std::string, 2>> cases = {{"TP Size", "--tp 2"},
                                                           {"PP Size", "--pp 2"},
                                                           {"CP Size", "--cp 1"},
                                                           {"EP Size", "--ep 1"},
                                                           {"World Size", "--dp 2"}};
    for (const auto& [line, option] : cases) {
        const std::size_t from = whole.find(line);
        ASSERT_NE(from, std::string::npos) << line;
        const std::size_t begin = whole.rfind('\n', from) + 1;
        std::string without = whole;
        without.erase(begin, whole.find('\n', from) + 1 - begin);
        std::ofstream(path) << without;
        EXPECT_EQ(run("--check " + in("g")), 2) << line;
        EXPECT_THAT(log_, HasSubstr("no line '" + line)) << line;
        EXPECT_EQ(run(option + " --check " + in("g")), 0) << log_ << out_;
    }
}

TEST_F(GroupsCommand, TheLastOfSeveralFilesCounts) {
    ASSERT_EQ(run("--dp 2 --timestamp 20260102_000000 --output-dir " + in("g")), 0);
    ASSERT_EQ(run("--dp 4 --timestamp 20260101_000000 --output-dir " + in("g")), 0);
    EXPECT_EQ(run("--dp 2 --check " + in("g")), 0) << out_;
    EXPECT_THAT(log_, HasSubstr("2 files of parallel groups; the last is"));
}

TEST_F(GroupsCommand, RefusesBadInput) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"--tp 0", "--tp"},
        {"--tp 3 --world-size 8", "a multiple of tp 3"},
        {"--tp 2 --dp 2 --world-size 8", "--dp 4"},
        {"--ep 3 --dp 4", "ep 3"},
        {"--rank-order tp-tp-ep-dp-pp", "--rank-order"},
        {"--timestamp 20261301_000000", "--timestamp"},
        {"--dialect original", "--dialect"},
        {"--check " + in("nothing.txt"), "nothing that can be read"},
        {"--check " + in(""), "no file unique_parallel_groups_*.txt"},
        {"--check x --output-dir y", "--output-dir"}};
    for (const auto& [line, message] : cases) {
        EXPECT_EQ(run(line), 2) << line;
        EXPECT_THAT(log_, HasSubstr(message)) << line;
    }
}

// The files of the original writer, whole: name, time and all.
TEST_F(GroupsCommand, ReproducesTheOriginalsFiles) {
    const fs::path shared = fs::path(NPUNET_SHARED_DIR) / "data/megatron/parallel_groups";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"w8_tp1_pp1_cp1_ep1_etp1", "--world-size 8 --global-batch-size 64"},
        {"w16_tp2_pp4_cp1_ep1_etp2", "--tp 2 --pp 4 --world-size 16 --global-batch-size 256"},
        {"w32_tp2_pp2_cp1_ep4_etp2", "--tp 2 --pp 2 --ep 4 --dp 8 --global-batch-size 128"},
        {"w32_tp2_pp2_cp2_ep1_etp2", "--tp 2 --pp 2 --cp 2 --dp 4 --global-batch-size 128"}};
    for (const auto& [name, sizes] : cases) {
        for (const std::string dialect : {"npunet", "traceviz"}) {
            ASSERT_EQ(
                run(sizes + " --dialect " + dialect + " --output-dir " + in(name) + " --timestamp",
                    {"2026-02-10 16:38:51.123456"}),
                0)
                << log_;
            const std::string file = "unique_parallel_groups_20260210_163851.txt";
            EXPECT_EQ(bytes_of(folder_ / name / file), bytes_of(shared / name / file)) << name;
            EXPECT_EQ(run("--dialect " + dialect + " --check " + (shared / name).string()), 0);
        }
    }
}

}  // namespace
}  // namespace npunet::cli::groups_command_test
