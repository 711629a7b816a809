// A cluster file maps addresses to the kind of node that stands there; the order is the file's.
#include "planner/cluster_file.h"

#include <fmt/format.h>

#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::planner {
namespace {

constexpr const char* good_fields =
    R"("inter_bandwidth": 10, "intra_bandwidth": 46.5, "memory": 80)";

class ClusterFile : public ::testing::Test {
protected:
    [[nodiscard]] std::vector<ClusterEntry> read(std::string_view text,
                                                 ClusterFileRules rules) const {
        return read_cluster_file(folder_.write("cluster.json", text), rules);
    }
    [[nodiscard]] InputProblem problem(std::string_view text) const {
        return test::problem_of([&] { return read(text, ClusterFileRules::Npunet); });
    }

    test::TemporaryFolder folder_;
};

std::string entry(const char* address, const char* type) {
    return fmt::format("\"{}\": {{\"instance_type\": \"{}\", {}}}", address, type, good_fields);
}

std::string file_of(const std::string& entries) {
    return fmt::format("{{{}}}", entries);
}

TEST_F(ClusterFile, EntriesInTheOrderOfTheFile) {
    const std::string text = file_of(entry("z", "V100") + ", " + entry("a", "a100"));
    for (const auto rules : {ClusterFileRules::Npunet, ClusterFileRules::Metis}) {
        const auto entries = read(text, rules);
        ASSERT_EQ(entries.size(), 2U);
        EXPECT_EQ(entries[0].address, "z");
        EXPECT_EQ(entries[1].instance_type, "a100");
        EXPECT_EQ(entries[1].inter_bandwidth, 10);
        EXPECT_EQ(entries[1].intra_bandwidth, 46.5);
        EXPECT_EQ(entries[1].memory_gib, 80);
    }
}

TEST_F(ClusterFile, MetisKnowsFourTypes) {
    const std::string text = file_of(entry("a", "H100"));
    EXPECT_EQ(read(text, ClusterFileRules::Npunet).front().instance_type, "H100");
    const InputProblem refused =
        test::problem_of([&] { return read(text, ClusterFileRules::Metis); });
    EXPECT_EQ(refused.place, "a: instance_type");
    EXPECT_EQ(refused.found, "'H100'");
}

TEST_F(ClusterFile, MissingAndBadFieldsAreNamed) {
    const std::string good = R"({"a": {"instance_type": "A100", "inter_bandwidth": 10, )"
                             R"("intra_bandwidth": 46, "memory": 80}})";
    const auto with = [&](const std::string& old_text, const std::string& new_text) {
        std::string text = good;
        text.replace(text.find(old_text), old_text.size(), new_text);
        return problem(text);
    };
    EXPECT_EQ(with("\"memory\"", "\"mem\"").place, "a: memory");
    EXPECT_EQ(with("\"memory\"", "\"mem\"").found, "no such key");
    EXPECT_EQ(with("\"A100\"", "7").place, "a: instance_type");
    EXPECT_EQ(with("\"A100\"", "\"\"").place, "a: instance_type");
    for (const char* value :
         {"0", "-1", "\"NaN\"", "null", "[46]", "{}", "true", "1e308", "1e-9"}) {
        const InputProblem bad = with("46", value);
        EXPECT_EQ(bad.place, "a: intra_bandwidth") << value;
        EXPECT_EQ(bad.expected, "a number from 0.001 to 1e+09") << value;
    }
    EXPECT_EQ(with("10,", "0,").place, "a: inter_bandwidth");
    EXPECT_EQ(with("80", "0.0").place, "a: memory");
}

TEST_F(ClusterFile, DoubledKeysAreRefused) {
    EXPECT_EQ(problem(file_of(entry("a", "A100") + "," + entry("a", "V100"))).place, "a");
    EXPECT_EQ(problem(R"({"a": {"memory": 1, "memory": 2}})").place, "memory");
}

TEST_F(ClusterFile, WhatIsNoClusterFile) {
    EXPECT_EQ(problem("{\"a\": }").place, "byte 7");
    EXPECT_EQ(problem("{\"a\": NaN}").found, "text that is not JSON");
    EXPECT_EQ(problem("").found, "text that is not JSON");
    EXPECT_EQ(problem("{\"a\": 1e999}").found, "a value that cannot be read");
    EXPECT_EQ(problem("[]").found, "JSON that is not an object");
    EXPECT_EQ(problem("{}").found, "no address");
    EXPECT_EQ(problem("{\"a\": 1}").place, "a");
    const auto none = folder_ / "none.json";
    EXPECT_EQ(
        test::problem_of([&] { return read_cluster_file(none, ClusterFileRules::Npunet); }).found,
        "no such file");
}

}  // namespace
}  // namespace npunet::planner
