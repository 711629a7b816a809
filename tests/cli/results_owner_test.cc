// Results of another command are not written over unasked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "report/results/results_owner.h"
#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Words = std::vector<std::string>;

class ResultsOwner : public BadInput {
protected:
    ResultsOwner() {
        all_reduce_traces(2);
        write("sweep.yml",
              "workload: {collective: {type: all_reduce, size: [1MiB, 2MiB]}}\n"
              "networks: ring2.yml\n");
    }

    [[nodiscard]] Outcome into_out(Words words) const {
        words.insert(words.end(), {"--output-dir", path("out"), "--quiet"});
        return run(words);
    }
    [[nodiscard]] Words simulation() const {
        return {"simulate", "--workload", path("w"), "--network", path("ring2.yml")};
    }
    [[nodiscard]] Words comparison() const {
        return {"compare",
                "--workload",
                path("w"),
                "--network",
                path("ring2.yml"),
                "--fidelities",
                "analytical,congestion-aware"};
    }
    [[nodiscard]] Words sweep() const { return {"sweep", path("sweep.yml")}; }
    [[nodiscard]] static Words analysis() {
        return {"analyze", std::string(NPUNET_SOURCE_DIR) + "/examples/profiles"};
    }
    [[nodiscard]] static Words with(Words words, const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    /// "npunet simulate ...": how results name a command.
    [[nodiscard]] static std::string named(const Words& words) {
        std::string text = "npunet";
        for (const std::string& word : words) {
            text += ' ' + word;
        }
        return text;
    }

    /// All files of the folder and their contents.
    [[nodiscard]] std::map<std::string, std::string> content() const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / "out")) {
            if (entry.is_regular_file()) {
                files[entry.path().string()] = test::bytes_of(entry.path());
            }
        }
        return files;
    }
    [[nodiscard]] nlohmann::json document(const std::string& name) const {
        return nlohmann::json::parse(test::bytes_of(folder_ / "out" / name));
    }
};

TEST_F(ResultsOwner, AnotherCommandIsRefusedAndBothAreNamed) {
    ASSERT_EQ(into_out(simulation()).code, 0);
    EXPECT_EQ(document("results.json")["command"], named(simulation()));
    const auto before = content();
    const Words other = with(simulation(), {"--seed", "7"});
    const Outcome outcome = into_out(other);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.log,
                AllOf(HasSubstr(path("out") + ": results.json"),
                      HasSubstr("the results of another command: " + named(simulation()) + ';'),
                      HasSubstr("those of this command: "), HasSubstr("--seed 7. "),
                      HasSubstr("--force"), HasSubstr("--output-dir")));
    EXPECT_EQ(content(), before);
    ASSERT_EQ(into_out(with(other, {"--force"})).code, 0);
    EXPECT_EQ(into_out(simulation()).code, 2);
    EXPECT_EQ(into_out(other).code, 0);
}

// Neither threads nor what is shown, nor the order of options, nor what the input files hold.
TEST_F(ResultsOwner, TheSameCommandWritesOverItsOwn) {
    ASSERT_EQ(into_out(simulation()).code, 0);
    const auto before = content();
    EXPECT_EQ(into_out(with(simulation(), {"--jobs", "2"})).code, 0);
    EXPECT_EQ(into_out(with(simulation(), {"--force", "--json"})).code, 0);
    EXPECT_EQ(run({"simulate", "--network", path("ring2.yml"), "--output_dir=" + path("out"),
                   "--workload", path("w")})
                  .code,
              0);
    for (const auto& [file, bytes] : before) {
        if (fs::path(file).filename() != "results.json") {  // which has times of a clock
            EXPECT_EQ(test::bytes_of(file), bytes) << file;
        }
    }
    const auto finish = document("results.json")["finish_ns"];
    write("ring2.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [10.0]\nlatency: [5000.0]\n");
    EXPECT_EQ(into_out(simulation()).code, 0);
    EXPECT_NE(document("results.json")["finish_ns"], finish);
}

// A command can be typed again as it is named.
TEST_F(ResultsOwner, CommandsAreQuotedForAShell) {
    fs::rename(folder_ / "ring2.yml", folder_ / "ring of 2's.yml");
    ASSERT_EQ(into_out({"simulate", "--workload", path("w"), "--network", path("ring of 2's.yml"),
                        "--no-fold"})
                  .code,
              0);
    EXPECT_EQ(document("results.json")["command"], "npunet simulate --workload " + path("w") +
                                                       " --network '" + path("ring of 2") +
                                                       "'\\''s.yml' --no-fold");
}

// Every command that leaves results, over every other one.
TEST_F(ResultsOwner, NoCommandWritesOverTheResultsOfAnotherOne) {
    const std::vector<Words> commands = {simulation(), comparison(), sweep(), analysis()};
    for (const Words& first : commands) {
        for (const Words& second : commands) {
            fs::remove_all(folder_ / "out");
            ASSERT_EQ(into_out(first).code, 0) << first[0];
            const auto before = content();
            const Outcome outcome = into_out(second);
            if (&first == &second) {
                EXPECT_EQ(outcome.code, 0) << first[0] << ": " << outcome.log;
                continue;
            }
            EXPECT_EQ(outcome.code, 2) << first[0] << ", " << second[0];
            EXPECT_THAT(outcome.log,
                        AllOf(HasSubstr("npunet " + first[0]), HasSubstr("npunet " + second[0])));
            EXPECT_EQ(content(), before) << first[0] << ", " << second[0];
            // Whose they are is clear afterwards.
            ASSERT_EQ(into_out(with(second, {"--force"})).code, 0) << first[0] << ", " << second[0];
            EXPECT_EQ(into_out(second).code, 0) << first[0] << ", " << second[0];
            EXPECT_EQ(into_out(first).code, 2) << first[0] << ", " << second[0];
        }
    }
}

// A report of its own folder belongs there, that of another one does not.
TEST_F(ResultsOwner, ReportsAreNotDrawnOverOtherResults) {
    ASSERT_EQ(into_out(simulation()).code, 0);
    ASSERT_EQ(run(with(with(simulation(), {"--fidelity", "congestion-aware"}),
                       {"--output-dir", path("b")}))
                  .code,
              0);
    const auto before = content();
    EXPECT_EQ(run({"report", path("b"), "--output-dir", path("out")}).code, 2);
    EXPECT_EQ(run({"report", path("out"), path("b"), "--output-dir", path("out")}).code, 2);
    EXPECT_EQ(content(), before);
    EXPECT_EQ(run({"report", path("out")}).code, 0);
    EXPECT_EQ(run({"report", path("out"), "--output-dir", path("out")}).code, 0);
    EXPECT_EQ(run({"report", path("b"), "--output-dir", path("out"), "--force"}).code, 0);
    const Words both = {"report", path("out"), path("b"), "--output-dir", path("both")};
    EXPECT_EQ(run(both).code, 0);
    EXPECT_EQ(run(both).code, 0);
    EXPECT_EQ(run({"report", path("b"), path("out"), "--output-dir", path("both")}).code, 2);
}

// The runs of a comparison are in folders of theirs, and jobs too.
TEST_F(ResultsOwner, ResultsInInnerFoldersAreSafe) {
    ASSERT_EQ(run(with(simulation(), {"--output-dir", path("out/congestion-aware")})).code, 0);
    EXPECT_THAT(into_out(comparison()).log, HasSubstr("congestion-aware: results.json"));
    write("jobs.yml", "- {name: one, workload: w, ranks: 0-1}\n");
    const Words jobs = {"simulate", "--network", path("ring2.yml"), "--jobs-file",
                        path("jobs.yml")};
    fs::remove_all(folder_ / "out");
    ASSERT_EQ(into_out(jobs).code, 0);
    EXPECT_EQ(into_out(jobs).code, 0);
    EXPECT_EQ(document("jobs/one/results.json")["command"], named(jobs));
    fs::remove(folder_ / "out/results.json");
    ASSERT_EQ(run(with(simulation(), {"--force", "--output-dir", path("out/jobs/one")})).code, 0);
    EXPECT_EQ(into_out(jobs).code, 2);
}

// What a sweep that was stopped has done is worth as much as its results.
TEST_F(ResultsOwner, UnfinishedSweepsAreSafe) {
    ASSERT_EQ(into_out(sweep()).code, 0);
    fs::remove(folder_ / "out/results.json");
    EXPECT_THAT(into_out(simulation()).log, HasSubstr("sweep.journal"));
    EXPECT_EQ(into_out(sweep()).code, 0);
    EXPECT_EQ(document("results.json")["command"], named(sweep()));
}

// Results of versions that did not name their command are kept as well.
TEST_F(ResultsOwner, ResultsWithoutACommandAreSafe) {
    write("out/results.json", "{\"schema\": 1, \"finish_ns\": 7}");
    for (const Words& words : {comparison(), simulation(), sweep(), analysis()}) {
        const Outcome outcome = into_out(words);
        EXPECT_EQ(outcome.code, 2) << words.front();
        EXPECT_THAT(outcome.log, HasSubstr("results that do not name their command"));
    }
    EXPECT_THAT(test::bytes_of(folder_ / "out/results.json"), HasSubstr("7"));
}

// Another run can have ended meanwhile: the results of both are kept.
TEST_F(ResultsOwner, KeepsBothWhereAnotherRunHasEndedMeanwhile) {
    report::ResultsOwner owner{"npunet simulate --seed 2", "results.json"};
    const auto end = [&] {
        StagedFolder staged(folder_ / "out");
        write((staged.path() / "results.json").string(), "seed 2");
        write((staged.path() / "figures/a.svg").string(), "<svg/>");
        owner.discard_others(staged, folder_ / "out");
        staged.commit();
    };
    owner.check(folder_ / "out");
    const std::string theirs = "{\"command\": \"npunet simulate --seed 1\"}";
    write("out/results.json", theirs);
    for (const std::string kept : {"kept-1", "kept-2"}) {
        EXPECT_THAT([&] { end(); },
                    ThrowsMessage<InputError>(AllOf(
                        HasSubstr("npunet simulate --seed 1"),
                        HasSubstr("its own results are in " + (folder_ / "out" / kept).string()))));
        EXPECT_EQ(test::bytes_of(folder_ / "out" / kept / "results.json"), "seed 2");
        EXPECT_EQ(test::bytes_of(folder_ / "out" / kept / "figures/a.svg"), "<svg/>");
    }
    EXPECT_EQ(test::bytes_of(folder_ / "out/results.json"), theirs);
    EXPECT_FALSE(fs::exists(folder_ / "out/figures"));
    owner.force = true;
    EXPECT_NO_THROW(end());
    EXPECT_EQ(test::bytes_of(folder_ / "out/results.json"), "seed 2");
}

// Other files do not matter and stay, whatever their names; only what a run would write itself must
// not be a stranger's.
TEST_F(ResultsOwner, StrangersFilesAreLeftAlone) {
    write("out/notes.txt", "mine");
    write("out/compare.json", "[]");
    write("out/analysis.json", "{\"command\": 7, \"deep\": {\"command\": \"npunet x\"}}");
    EXPECT_EQ(into_out(simulation()).code, 0);
    EXPECT_EQ(into_out(with(simulation(), {"--no-fold", "--force"})).code, 0);
    EXPECT_EQ(test::bytes_of(folder_ / "out/notes.txt"), "mine");
    EXPECT_EQ(test::bytes_of(folder_ / "out/compare.json"), "[]");
    EXPECT_THAT(test::bytes_of(folder_ / "out/analysis.json"), HasSubstr("deep"));
    for (const char* text : {"{}", "{\"schema\": 1}", "not JSON", ""}) {
        write("out/results.json", text);
        const Outcome outcome = into_out(simulation());
        EXPECT_EQ(outcome.code, 2);
        EXPECT_THAT(outcome.log, HasSubstr("results that do not name their command"));
        EXPECT_EQ(test::bytes_of(folder_ / "out/results.json"), text);
    }
}

}  // namespace
}  // namespace npunet::cli
