// npunet collective: what it prints and writes, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_input.h"
#include "tests/support/msccl_files.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CollectiveCommand : public BadInput {
protected:
    [[nodiscard]] Outcome collective(const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"collective", "--network", path("mesh.yml"),
                                           "--max-size", "64KiB"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
};

// Sizes 1, 4, 16 and 64 KiB.
TEST_F(CollectiveCommand, PrintsTheColumnsOfNcclTests) {
    const Outcome outcome = collective({"--algorithm", "ring,direct2"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("# all_reduce among 16 NPUs of Mesh2D"),
                      HasSubstr("size (B)  count   type  redop  root"), HasSubstr("# ring\n"),
                      HasSubstr("# direct2\n"), HasSubstr("65536  16384  float    sum    -1")));
    EXPECT_THAT(outcome.log, HasSubstr("timing direct2"));
    EXPECT_EQ(collective({"--algorithm", "ring", "--quiet"}).log, "");
}

TEST_F(CollectiveCommand, WritesRowsFigureAndDocument) {
    const Outcome outcome = collective({"--type", "all_to_all", "--csv", path("rows.csv"),
                                        "--figure", path("bus.svg"), "--json", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document.at("collective"), "all_to_all");
    std::size_t times = 0;
    for (const auto& algorithm : document.at("algorithms")) {
        times += algorithm.at("times").size();
    }
    EXPECT_GE(times, 16U);
    const std::string rows = test::bytes_of(path("rows.csv"));
    EXPECT_EQ(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')), times + 1);
    EXPECT_THAT(test::bytes_of(path("bus.svg")), HasSubstr("<svg"));
}

// Of one algorithm, at the largest size.
TEST_F(CollectiveCommand, DrawsTheTimelineOfOneAlgorithm) {
    const Outcome drawn =
        collective({"--algorithm", "ring", "--timeline", path("steps.svg"), "--quiet"});
    ASSERT_EQ(drawn.code, 0) << drawn.log;
    EXPECT_THAT(test::bytes_of(path("steps.svg")), HasSubstr("<svg"));
    const Outcome all = collective({"--timeline", path("all.svg"), "--quiet"});
    EXPECT_EQ(all.code, 2);
    EXPECT_THAT(all.log, AllOf(HasSubstr("--timeline: found all algorithms"),
                               HasSubstr("expected one, whose messages are drawn")));
    const Outcome name = collective({"--algorithm", "ring", "--timeline", path("steps.gif")});
    EXPECT_EQ(name.code, 2);
    EXPECT_THAT(name.log, HasSubstr(".svg or .png"));
}

// Files of system.json are rows at their sizes, 4 and 16 KiB of 1, 4, 16 and 64; --algorithm takes
// them by name.
TEST_F(CollectiveCommand, TimesFilesOfTheSystem) {
    write("ring.xml", test::ring_all_reduce(16).text());
    write("system.json",
          R"({"all-reduce-implementation":
              [{"file": "ring.xml", "min-bytes": "4KiB", "max-bytes": "16KiB"}, "direct"]})");
    const Outcome outcome =
        collective({"--system", path("system.json"), "--algorithm", "file ring_all_reduce,ring",
                    "--figure", path("bus.svg"), "--json", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const auto algorithms = nlohmann::json::parse(outcome.out).at("algorithms");
    ASSERT_EQ(algorithms.size(), 2U);
    EXPECT_EQ(algorithms[0]["algorithm"], "file ring_all_reduce");
    ASSERT_EQ(algorithms[0]["times"].size(), 2U);
    EXPECT_EQ(algorithms[0]["times"][0]["size_bytes"], 4096);
    EXPECT_EQ(algorithms[1]["times"].size(), 4U);
    EXPECT_THAT(collective({"--system", path("system.json")}).out,
                HasSubstr("# file ring_all_reduce\n"));
    const Outcome refused =
        collective({"--system", path("system.json"), "--algorithm", "file rnig"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.log, AllOf(HasSubstr("'file rnig'"), HasSubstr("file ring_all_reduce")));
}

// "a" and "a,ring" are files; what is left is split at commas.
TEST_F(CollectiveCommand, NamesOfFilesMayHaveCommas) {
    for (const char* name : {"a", "a,ring"}) {
        test::XmlAlgorithm algorithm = test::ring_all_reduce(16);
        algorithm.name = name;
        write(std::string(name) + ".xml", algorithm.text());
    }
    write("system.json",
          R"({"all-reduce-implementation":
              [{"file": "a.xml", "max-bytes": "4KiB"},
               {"file": "a,ring.xml", "min-bytes": "4097B"}]})");
    const auto timed = [&](const std::string& names) {
        const Outcome outcome = collective(
            {"--system", path("system.json"), "--algorithm", names, "--json", "--quiet"});
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        std::vector<std::string> list;
        const auto document = nlohmann::json::parse(outcome.out);
        for (const auto& algorithm : document.at("algorithms")) {
            list.push_back(algorithm.at("algorithm"));
        }
        return list;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(timed("file a,ring,direct"), (Names{"file a,ring", "direct"}));
    EXPECT_EQ(timed("ring,file a,direct"), (Names{"ring", "file a", "direct"}));
    EXPECT_EQ(timed("file a,file a,ring"), (Names{"file a", "file a,ring"}));
}

TEST_F(CollectiveCommand, RefusesWhatCannotBe) {
    const auto refusal = [&](const std::vector<std::string>& more) {
        const Outcome outcome = collective(more);
        EXPECT_EQ(outcome.code, 2) << more.front();
        EXPECT_EQ(outcome.out, "");
        return outcome.log;
    };
    EXPECT_THAT(refusal({"--min-size", "1MiB"}),
                AllOf(HasSubstr("--min-size"), HasSubstr("64 KiB")));
    EXPECT_THAT(refusal({"--min-size", "0B"}), HasSubstr("--min-size"));
    EXPECT_THAT(refusal({"--factor", "1"}), HasSubstr("--factor"));
    EXPECT_THAT(refusal({"--algorithm", "rnig"}), AllOf(HasSubstr("'rnig'"), HasSubstr("ring")));
    EXPECT_THAT(refusal({"--algorithm", "binomialTree"}), HasSubstr("one that does all_reduce"));
    EXPECT_THAT(refusal({"--group", "0,16"}), AllOf(HasSubstr("--group"), HasSubstr("16")));
    EXPECT_THAT(refusal({"--group", "3"}),
                AllOf(HasSubstr("two ranks or more"), Not(HasSubstr("timing"))));
    EXPECT_THAT(refusal({"--figure", path("bus.pdf")}), HasSubstr(".svg or .png"));
    EXPECT_THAT(refusal({"--type", "barrier"}), HasSubstr("--type"));
    EXPECT_THAT(refusal({"--fidelity", "flow"}), HasSubstr("--fidelity"));
    EXPECT_FALSE(std::filesystem::exists(path("bus.pdf")));
}

}  // namespace
}  // namespace npunet::cli
