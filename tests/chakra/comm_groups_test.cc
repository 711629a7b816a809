#include "chakra/trace/comm_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_files.h"

namespace npunet::chakra {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CommGroupsFile : public ::testing::Test {
protected:
    CommGroups read(std::string_view json) const {
        return read_comm_groups(folder_.write("g.json", json));
    }
    InputProblem problem(std::string_view json) const {
        const auto found = problem_of([&] { (void)read(json); });
        EXPECT_EQ(found.file, (folder_ / "g.json").string());
        EXPECT_FALSE(found.remedy.empty());
        return found;
    }

    test::TemporaryFolder folder_;
};

std::vector<std::string> names_of(const CommGroups& groups) {
    std::vector<std::string> names;
    for (const auto& [name, ranks] : groups) {
        names.push_back(name);
    }
    return names;
}

TEST_F(CommGroupsFile, KeepsTheOrderOfTheRanks) {
    const CommGroups groups = read(R"({"2": [3, 1, 2], "1": [0]})");
    EXPECT_THAT(groups.at("2"), ElementsAre(Rank{3}, Rank{1}, Rank{2}));
    EXPECT_THAT(groups.at("1"), ElementsAre(Rank{0}));
}

TEST_F(CommGroupsFile, NumbersByValueThenWords) {
    const CommGroups groups = read(
        R"({"b": [0], "10": [0], "9": [0], "a": [0], "0": [0], "": [0],
            "123456789012345678901234567890": [0], "09": [0]})");
    EXPECT_THAT(names_of(groups),
                ElementsAre("0", "09", "9", "10", "123456789012345678901234567890", "", "a", "b"));
}

TEST_F(CommGroupsFile, NoGroupsAtAll) {
    EXPECT_TRUE(read("{}").empty());
}

TEST_F(CommGroupsFile, WritesOneGroupALine) {
    write_comm_groups(folder_ / "w.json", {{"10", {Rank{1}, Rank{0}}}, {"2", {Rank{5}}}});
    EXPECT_EQ(bytes_of(folder_ / "w.json"), "{\n  \"2\": [5],\n  \"10\": [1,0]\n}\n");
    write_comm_groups(folder_ / "none.json", {});
    EXPECT_EQ(bytes_of(folder_ / "none.json"), "{}\n");
}

// As Python's json.dump writes them.
TEST_F(CommGroupsFile, WritesAllOnOneLine) {
    write_comm_groups(folder_ / "w.json", {{"10", {Rank{1}, Rank{0}}}, {"2", {Rank{5}}}},
                      GroupFileLayout::OneLine);
    EXPECT_EQ(bytes_of(folder_ / "w.json"), "{\"2\": [5], \"10\": [1, 0]}");
    write_comm_groups(folder_ / "none.json", {}, GroupFileLayout::OneLine);
    EXPECT_EQ(bytes_of(folder_ / "none.json"), "{}");
}

TEST_F(CommGroupsFile, WhatIsWrittenIsReadAgain) {
    const CommGroups groups{{"1", {Rank{0}, Rank{8}}}, {"quote\"\n", {Rank{2147483647}}}};
    write_comm_groups(folder_ / "w.json", groups);
    EXPECT_EQ(read_comm_groups(folder_ / "w.json"), groups);
}

TEST_F(CommGroupsFile, MissingFile) {
    EXPECT_EQ(problem_of([&] { (void)read_comm_groups(folder_ / "no.json"); }).found,
              "no such file");
    EXPECT_EQ(problem_of([&] { (void)read_comm_groups(folder_.path()); }).found, "a folder");
}

TEST_F(CommGroupsFile, NotJson) {
    EXPECT_EQ(problem("{\n\"1\": [0,\n").place, "line 3");
    EXPECT_EQ(problem("").found, "text that is not JSON");
}

TEST_F(CommGroupsFile, NotAnObject) {
    EXPECT_EQ(problem("[[0, 1]]").found, "an array");
    EXPECT_EQ(problem("3").found, "3");
}

TEST_F(CommGroupsFile, NotAListOfRanks) {
    EXPECT_EQ(problem(R"({"4": 3})").place, "group 4");
    EXPECT_EQ(problem(R"({"4": {"0": 1}})").found, "an object");
    EXPECT_EQ(problem(R"({"4": []})").found, "an empty list");
}

TEST_F(CommGroupsFile, NotARank) {
    for (const char* bad : {"-1", "1.5", "\"1\"", "null", "true", "2147483648", "1e3",
                            "18446744073709551615", "-9223372036854775808"}) {
        const auto found = problem(std::string(R"({"1": [0], "7": [0, )") + bad + "]}");
        EXPECT_EQ(found.place, "group 7") << bad;
    }
    EXPECT_EQ(problem(R"({"1": [-3]})").found, "-3");
    EXPECT_EQ(problem(R"({"1": [[0]]})").found, "an array");
}

TEST_F(CommGroupsFile, DeepNestingIsRefusedNotFollowed) {
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    EXPECT_EQ(problem(R"({"1": [)" + deep + "]}").place, "group 1");
}

TEST_F(CommGroupsFile, RankTwice) {
    const auto found = problem(R"({"1": [4, 0, 4]})");
    EXPECT_EQ(found.place, "group 1");
    EXPECT_EQ(found.found, "rank 4 twice");
}

TEST_F(CommGroupsFile, GroupTwice) {
    EXPECT_EQ(problem(R"({"1": [0], "2": [1], "1": [2]})").place, "group 1");
}

TEST_F(CommGroupsFile, RanksOfTheWorkload) {
    const CommGroups groups{{"1", {Rank{0}, Rank{15}}}, {"3", {Rank{1}, Rank{17}}}};
    EXPECT_NO_THROW(check_comm_groups(groups, 18, "g.json"));
    const auto found = problem_of([&] { check_comm_groups(groups, 16, "g.json"); });
    EXPECT_EQ(found.file, "g.json");
    EXPECT_EQ(found.found, "group 3 names rank 17, but the workload has 16 ranks (0 to 15)");
    EXPECT_THAT(problem_of([&] { check_comm_groups(groups, 15, "g.json"); }).found,
                HasSubstr("group 1 names rank 15"));
}

// As std::stoi reads them; where it throws, the name is kept.
TEST(LeadingNumber, OfNames) {
    for (const auto& [name, number] :
         std::vector<std::pair<std::string, std::string>>{{"0", "0"},
                                                          {"0.0", "0"},
                                                          {"007", "7"},
                                                          {" +3 ranks", "3"},
                                                          {"-1", "-1"},
                                                          {"2147483647", "2147483647"},
                                                          {"2147483648", "2147483648"},
                                                          {"", ""},
                                                          {"tp0", "tp0"},
                                                          {"+", "+"},
                                                          {" ", " "},
                                                          {"0x10", "0"}}) {
        EXPECT_EQ(leading_number(name), number);
    }
}

}  // namespace
}  // namespace npunet::chakra
