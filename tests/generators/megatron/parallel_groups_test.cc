// Files of parallel groups: their text, what reading gives back, what is refused, what is compared.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "generators/megatron/groups/parallel_groups_check.h"
#include "parallel_groups_cases.h"
#include "profiles/parallel_groups_reader.h"
#include "tests/support/counted_cases.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators::megatron::parallel_groups_test {
namespace {

namespace fs = std::filesystem;
using profiles::find_parallel_groups;
using profiles::GroupsFilePlace;
using profiles::read_parallel_groups;
using ::testing::HasSubstr;

ParallelGroupsFile read_text(const std::string& text) {
    std::istringstream stream(text);
    return read_parallel_groups(stream, "groups.txt");
}

/// The message of the refusal; "" when there is none.
std::string refusal(const std::string& text) {
    try {
        static_cast<void>(read_text(text));
    } catch (const InputError& error) {
        EXPECT_EQ(error.problem().file, "groups.txt");
        EXPECT_FALSE(error.problem().found.empty());
        EXPECT_FALSE(error.problem().expected.empty());
        EXPECT_FALSE(error.problem().remedy.empty());
        return error.what();
    }
    return "";
}

ParallelGroupsFile made(const Parallelism& p, GroupsDialect dialect = GroupsDialect::Npunet) {
    ParallelGroupsFile file = parallel_groups(ProcessGroups(p), dialect);
    file.timestamp = "2026-01-01 00:00:00";
    file.global_batch_size = 64;
    return file;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Four ranks: tp 2, pp 2. Written by hand after the layout.
const std::string four_ranks =
    std::string(80, '=') + "\nMEGATRON PARALLEL CONFIGURATION\n" + std::string(80, '=') +
    "\nTimestamp: 2026-01-01 00:00:00\nTP Size: 2\nPP Size: 2\nCP Size: 1\nEP Size: 1\n"
    "World Size: 4\n\nGlobal Batch Size: 64\n\nSTATISTICS\n" +
    std::string(50, '-') + "\nTotal Ranks: 4\nValid Ranks: 4\nError Ranks: 0\n\n" +
    "TENSOR PARALLEL (TP) GROUPS\n" + std::string(50, '-') +
    "\nGroup 1: [0, 1]\nGroup 2: [2, 3]\nTotal groups: 2\n\n"
    "PIPELINE PARALLEL (PP) GROUPS\n" +
    std::string(50, '-') +
    "\nGroup 1: [0, 2]\nGroup 2: [1, 3]\nTotal groups: 2\n\n"
    "DATA PARALLEL (DP) GROUPS\n" +
    std::string(50, '-') +
    "\nGroup 1: [0]\nGroup 2: [1]\nGroup 3: [2]\nGroup 4: [3]\nTotal groups: 4\n\n"
    "FULL MODEL RANK GROUPS (by DP Rank)\n" +
    std::string(50, '-') +
    "\nEach DP rank contains ONE complete model replica with ALL shards.\n"
    "Full model = TP2 x EP1 x PP2 x CP1 = 4 ranks\n" +
    std::string(50, '-') + "\nGroup 0: [0, 1, 2, 3]\n\nTotal model replicas (DP): 1\n";

TEST(ParallelGroupsText, IsTheLayout) {
    EXPECT_EQ(text_of(made(sizes(2, 1, 1, 2))), four_ranks);
    EXPECT_EQ(text_of(read_text(four_ranks)), four_ranks);
}

TEST(ParallelGroupsText, HasNoExpertSectionWithoutExperts) {
    EXPECT_THAT(text_of(made(sizes(1, 1, 4, 1, 2))), HasSubstr("EXPERT PARALLEL (EP) GROUPS\n"));
    EXPECT_THAT(four_ranks, testing::Not(HasSubstr("EXPERT")));
}

// Of sections without groups, of replicas that are not known or none, of failed ranks.
TEST(ParallelGroupsText, OfWhatIsNotKnown) {
    ParallelGroupsFile file = made(sizes(2, 1, 1, 2));
    file.data = RankLists{};
    file.replicas.reset();
    file.valid_ranks = 2;
    file.error_ranks = 2;
    file.failures = {{Rank(1), "boom"}, {Rank(3), "two\nlines"}};
    const std::string rule(50, '-');
    const std::string text = text_of(file);
    EXPECT_THAT(text,
                HasSubstr("DATA PARALLEL (DP) GROUPS\n" + rule + "\nNo groups found.\n\nFULL"));
    EXPECT_THAT(text, HasSubstr(rule +
                                "\n\u26a0\ufe0f Full model groups not available.\n\n"
                                "ERROR INFORMATION\n" +
                                rule + "\nRank 1: boom\nRank 3: two\nlines\n\n"));
    const ParallelGroupsFile back = read_text(text);
    EXPECT_FALSE(back.replicas.has_value());
    EXPECT_EQ(back.failures[1].error, "two\nlines");
    EXPECT_EQ(text_of(back), text);

    file.replicas = RankLists{};
    file.failures.clear();
    EXPECT_THAT(text_of(file), HasSubstr(rule + "\nNo full model groups found.\n\n"));
    EXPECT_EQ(text_of(read_text(text_of(file))), text_of(file));

    file = made(sizes(2, 1, 1, 2));
    file.failures = {{Rank(3), "boom"}};
    EXPECT_THAT(text_of(file), HasSubstr("replicas (DP): 1\nERROR INFORMATION\n"));
    EXPECT_EQ(text_of(read_text(text_of(file))), text_of(file));
    file.global_batch_size.reset();
    EXPECT_THAT(text_of(file), HasSubstr("Global Batch Size: N/A\n"));
    EXPECT_EQ(text_of(read_text(text_of(file))), text_of(file));
}

// The factors of the line multiply to the ranks of a replica; in the other dialect they are tp, ep,
// pp and cp whatever the lists are.
TEST(ParallelGroupsText, SizeOfAFullModel) {
    const Parallelism fewer = sizes(2, 1, 8, 2, 4, 1);
    EXPECT_EQ(made(fewer).full_model, "ETP1 x EP4 x PP2 = 8 ranks");
    EXPECT_EQ(made(fewer, GroupsDialect::TraceViz).full_model, "TP2 x EP4 x PP2 x CP1 = 16 ranks");
    EXPECT_EQ(made(fewer).replicas, made(fewer, GroupsDialect::TraceViz).replicas);
    EXPECT_EQ(made(sizes(2, 4, 2, 1, 2)).full_model, "TP2 x PP1 x CP4 = 8 ranks");
    for_random_plans(500, [](const Parallelism& p) {
        const ParallelGroupsFile file = made(p);
        EXPECT_THAT(file.full_model,
                    HasSubstr(fmt::format(" = {} ranks", file.replicas->front().size())));
    });
}

// The sections are the groups that plain loops over coordinates find; reading gives back what was
// written; nothing differs from the plan and nothing contradicts itself.
TEST(ParallelGroupsText, OfRandomPlans) {
    std::set<RankOrder> orders;
    for_random_plans(1000, [&](const Parallelism& p) {
        orders.insert(p.rank_order);
        const ParallelGroupsFile file = made(p);
        EXPECT_EQ(*file.tensor, grouped(dense_coordinates(p), GridAxis::Tensor));
        EXPECT_EQ(*file.pipeline, grouped(dense_coordinates(p), GridAxis::Pipeline));
        EXPECT_EQ(*file.data, grouped(dense_coordinates(p), GridAxis::Data));
        EXPECT_EQ(file.expert.value_or(RankLists{}),
                  p.ep > 1 ? grouped(expert_coordinates(p), GridAxis::Expert) : RankLists{});
        const std::string text = text_of(file);
        const ParallelGroupsFile back = read_text(text);
        EXPECT_EQ(text_of(back), text);
        EXPECT_TRUE(compare(back, file).empty());
        EXPECT_TRUE(contradictions(back).empty());
    });
    EXPECT_EQ(orders.size(), 120U);
}

TEST(ParallelGroupsReader, TakesOtherForms) {
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : four_ranks) {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
    }
    EXPECT_EQ(text_of(read_text(windows)), four_ranks);
    EXPECT_EQ(read_text(replaced(four_ranks, "EP Size: 1", "EP Size: 1\nDP Size: 1")).dp, 1);
    // A section that is missing, one that is not known, and the error section after a blank line.
    const std::size_t tensor = four_ranks.find("TENSOR");
    std::string fewer = four_ranks;
    fewer.erase(tensor, four_ranks.find("PIPELINE") - tensor);
    EXPECT_FALSE(read_text(fewer).tensor.has_value());
    fewer.insert(tensor, "CONTEXT PARALLEL (CP) GROUPS\n-----\nGroup 1: [7, 8\n\n");
    EXPECT_EQ(read_text(fewer).pipeline->size(), 2U);
    const ParallelGroupsFile failed =
        read_text(four_ranks + "\nERROR INFORMATION\n-----\nRank 3: boom\n\n");
    EXPECT_EQ(failed.data->size(), 4U);
    EXPECT_EQ(failed.failures.size(), 1U);
    EXPECT_FALSE(contradictions(failed).empty());
}

TEST(ParallelGroupsReader, TakesTheFormerLayout) {
    const ParallelGroupsFile file = read_text(
        "TP (Tensor Parallel) Size: 2\nPP (Pipeline Parallel) Size: 2\n"
        "DP (Data Parallel) Size: 1\nWorld Size : 4\n\nUNIQUE TP GROUPS:\n----------\n"
        "TP Group 1: [0, 1]\nTP Group 2: [2, 3]\n\nUNIQUE PP GROUPS:\n----------\n"
        "PP Group 1: [0, 2]\nPP Group 2: [1, 3]\n");
    EXPECT_EQ(file.tp, 2);
    EXPECT_EQ(file.pp, 2);
    EXPECT_EQ(file.dp, 1);
    EXPECT_EQ(file.world, 4);
    EXPECT_FALSE(file.cp.has_value());
    EXPECT_EQ(file.tensor, made(sizes(2, 1, 1, 2)).tensor);
    EXPECT_EQ(file.pipeline, made(sizes(2, 1, 1, 2)).pipeline);
    EXPECT_FALSE(file.data.has_value());
}

// Wherever a file is cut, but for its last line feed, it is refused.
TEST(ParallelGroupsReader, RefusesEveryBeginningOfAFile) {
    const std::string text = text_of(made(sizes(2, 2, 4, 2, 4)));
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
        EXPECT_NE(refusal(text.substr(0, size)), "") << text.substr(0, size);
    }
    EXPECT_EQ(refusal(text.substr(0, text.size() - 1)), "");
}

struct Damage {
    std::string from;
    std::string to;
    std::string message;
};

class DamagedGroups : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedGroups, AreRefusedWithTheLine) {
    const std::string message = refusal(replaced(four_ranks, GetParam().from, GetParam().to));
    EXPECT_THAT(message, HasSubstr(GetParam().message));
    EXPECT_THAT(message, HasSubstr("line "));
}

INSTANTIATE_TEST_SUITE_P(
    OneByOne, DamagedGroups,
    ::testing::Values(
        Damage{"Group 2: [2, 3]", "Group 2: [2, 3", "line 22"},
        Damage{"Group 2: [2, 3]", "Group 2: 2, 3", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: [2,, 3]", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, 3,]", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: []", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, x]", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, -3]", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, 3] 4", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, 4]", "0 to 3"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, 99999999999999999999]", "a list of ranks"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, 1]", "also on line 21"},
        Damage{"Group 2: [2, 3]", "Group 2: [2, 2]", "also on line 22"},
        Damage{"Group 2: [2, 3]", "Group 3: [2, 3]", "Group 2"},
        Damage{"Group 2: [2, 3]", "Group: [2, 3]", "Group N"},
        Damage{"Group 2: [2, 3]", "\x01\xFF", "Group N"},
        Damage{"Group 2: [2, 3]\n", "", "as many as are listed"},
        Damage{"Total groups: 2", "Total groups: 3", "2, as many as are listed"},
        Damage{"Total groups: 2", "Total groups: two", "Total groups: 2"},
        Damage{"Total groups: 2\n", "", "Total groups: 2"},
        Damage{"Total groups: 2", "Total groups: 2\nGroup 3: [3]", "after its total"},
        Damage{"replicas (DP): 1", "replicas (DP): 2", "1, as many as are listed"},
        Damage{"Total Ranks: 4", "Total Ranks: 5", "4, the World Size"},
        Damage{"Error Ranks: 0", "Error Ranks: 1", "at most the Total Ranks"},
        Damage{"TP Size: 2", "TP Size: two", "a whole number"},
        Damage{"TP Size: 2", "TP Size: 0", "a whole number"},
        Damage{"TP Size: 2", "TP Size: ", "a whole number"},
        Damage{"TP Size: 2", "TP Size: 2\nTP Size: 4", "one value"},
        Damage{"World Size: 4", "World Size: 3", "0 to 2"},
        Damage{"PIPELINE PARALLEL (PP)", "TENSOR PARALLEL (TP)", "a second section"},
        Damage{"World Size: 4", "World Size: 99999999", "a whole number from 1 to 1048576"}));

// The world size may be on the last line.
TEST(ParallelGroupsReader, HoldsRanksToAWorldThatIsToldAfterThem) {
    const std::string groups =
        "TP Size: 2\nUNIQUE TP GROUPS:\n----------\nTP Group 1: [0, 1]\nTP Group 2: [2, 3]\n\n"
        "UNIQUE OTHER GROUPS:\n----------\nWorld Size: ";
    EXPECT_EQ(refusal(groups + "4\n"), "");
    EXPECT_THAT(refusal(groups + "2\n"),
                HasSubstr("line 5: found rank 3; expected a rank of the world: 0 to 1"));
}

TEST(ParallelGroupsReader, RefusesOtherFiles) {
    EXPECT_THAT(refusal(""), HasSubstr("an empty file"));
    EXPECT_THAT(refusal(std::string("\0\1\2\n\xFF", 5)), HasSubstr("no section of groups"));
    EXPECT_THAT(refusal("{\"a\": 1}\n"), HasSubstr("no section of groups"));
    EXPECT_THROW(static_cast<void>(read_parallel_groups(fs::path("/nowhere/x.txt"))), InputError);
    EXPECT_THROW(static_cast<void>(read_parallel_groups(test::TemporaryFolder().path())),
                 InputError);
}

// Each way in which a file can differ from a plan is one difference, and names the groups.
TEST(ParallelGroupsCheck, SaysWhatDiffers) {
    const ParallelGroupsFile plan = made(sizes(2, 1, 2, 2));
    ParallelGroupsFile file = plan;
    std::swap((*file.data)[0], (*file.data)[1]);
    std::swap((*file.data)[0][0], (*file.data)[0][1]);
    EXPECT_TRUE(compare(file, plan).empty()) << "the order says nothing";
    std::swap((*file.data)[0][0], (*file.data)[1][0]);
    ASSERT_EQ(compare(file, plan).size(), 1U);
    EXPECT_EQ(compare(file, plan)[0].what, "DP groups");
    EXPECT_EQ(compare(file, plan)[0].expected, "[0, 2], [1, 3]");

    file = plan;
    file.tp = 4;
    file.global_batch_size = 1;
    file.valid_ranks = 7;
    file.tensor.reset();
    file.expert = RankLists{{Rank(0), Rank(1)}};
    file.replicas->pop_back();
    std::vector<std::string> what;
    for (const GroupsDifference& one : compare(file, plan)) {
        what.push_back(one.what);
    }
    EXPECT_THAT(what, testing::ElementsAre("TP Size", "Global Batch Size", "Valid Ranks",
                                           "TP groups", "EP groups", "Full models"));
}

TEST(ParallelGroupsCheck, FindsContradictions) {
    const auto what = [](const ParallelGroupsFile& file) {
        std::string text;
        for (const GroupsDifference& one : contradictions(file)) {
            text += one.what + ": " + one.found + "; " + one.expected + "\n";
        }
        return text;
    };
    ParallelGroupsFile file = made(sizes(2, 1, 2, 2));
    EXPECT_EQ(what(file), "");
    file.tp = 3;
    EXPECT_THAT(what(file), HasSubstr("World Size: 8; a multiple of tp 3 x pp 2"));
    EXPECT_THAT(what(file), HasSubstr("TP groups: [0, 1]; groups of 3 ranks"));
    file = made(sizes(2, 1, 2, 2));
    file.dp = 4;
    file.data->pop_back();
    file.error_ranks = 0;
    EXPECT_EQ(what(file), "DP Size: 4; 2\nDP groups: 6 ranks in all; the 8 of the world\n");
    file = made(sizes(2, 1, 2, 2));
    std::swap((*file.data)[1][0], (*file.data)[1][1]);
    EXPECT_EQ(what(file), "DP groups: [3, 1]; ranks that ascend\n");
    file = made(sizes(2, 1, 2, 2));
    std::swap((*file.replicas)[0][0], (*file.replicas)[1][0]);
    EXPECT_THAT(what(file), HasSubstr("pipelines that lie in two"));
    file = made(sizes(2, 1, 2, 2));
    file.error_ranks = 1;
    EXPECT_THAT(what(file), HasSubstr("Error Ranks: 1; 0"));
    EXPECT_THAT(what(file), HasSubstr("together: 9; 8"));
}

TEST(PythonDatetimeText, BothForms) {
    EXPECT_EQ(python_datetime("2026-02-10 16:38:51.123456", "x").text(),
              "2026-02-10 16:38:51.123456");
    EXPECT_EQ(python_datetime("2026-02-10 16:38:51.5", "x").text(), "2026-02-10 16:38:51.500000");
    EXPECT_EQ(python_datetime("2026-02-10 16:38:51.000", "x").text(), "2026-02-10 16:38:51");
    EXPECT_EQ(python_datetime("20240229_235959", "x").text(), "2024-02-29 23:59:59");
    EXPECT_EQ(python_datetime("2026-02-10 16:38:51.9", "x").compact(), "20260210_163851");
    for (const char* bad :
         {"", "today", "2026-02-29 00:00:00", "1900-02-29 00:00:00", "2026-13-01 00:00:00",
          "2026-00-01 00:00:00", "2026-01-32 00:00:00", "2026-01-01 24:00:00",
          "2026-01-01 00:60:00", "2026-01-01 00:00:60", "2026-01-01 00:00:00.",
          "2026-01-01 00:00:00.1234567", "2026-01-01 00:00:00.12x", "20260101-000000",
          "0000-01-01 00:00:00", "2026-01-01T00:00:00", "20260101_0000000"}) {
        EXPECT_THROW(static_cast<void>(python_datetime(bad, "x")), InputError) << bad;
    }
}

// The files of the original writer, in both dialects.
TEST(ParallelGroupsData, IsReproducedByteForByte) {
    const fs::path folder = fs::path(NPUNET_SHARED_DIR) / "data/megatron/parallel_groups";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const GroupsFilePlace place = find_parallel_groups(entry.path());
        SCOPED_TRACE(place.path);
        const std::string bytes = test::bytes_of(place.path);
        const ParallelGroupsFile file = read_parallel_groups(place.path);
        EXPECT_EQ(text_of(file), bytes);
        const std::string name = entry.path().filename().string();
        Parallelism p = sizes(*file.tp, *file.cp, *file.world / (*file.tp * *file.cp * *file.pp),
                              *file.pp, *file.ep, std::stoll(name.substr(name.rfind("etp") + 3)));
        for (const GroupsDialect dialect : {GroupsDialect::Npunet, GroupsDialect::TraceViz}) {
            ParallelGroupsFile ours = parallel_groups(ProcessGroups(p), dialect);
            ours.timestamp = file.timestamp;
            ours.global_batch_size = file.global_batch_size;
            EXPECT_EQ(text_of(ours), bytes);
        }
        EXPECT_TRUE(contradictions(file).empty());
        ++files;
    }
    EXPECT_GE(files, 4U);
    test::count_cases(files);
}

}  // namespace
}  // namespace npunet::generators::megatron::parallel_groups_test
