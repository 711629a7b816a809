// What a user does wrong, as a user does it: files on disk, the program, its exit code, its
// message.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "chakra/files/trace_writer.h"
#include "packet/make_packet_network.h"
#include "tests/cli/bad_input.h"
#include "tests/cli/program_run.h"
#include "tests/support/workloads.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(BadInput, GoodInputPasses) {
    all_reduce_traces(16);
    const Outcome outcome = simulate("mesh.yml");
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_TRUE(fs::exists(folder_ / "out" / "results.json"));
}

// The groups of a generated workload are its own: another file would be ignored.
TEST_F(BadInput, GroupsBesideAModel) {
    std::ostringstream out;
    std::ostringstream log;
    const int code = run_program({"simulate", "--model", "gpt2-small", "--comm-group", "x.json",
                                  "--network", path("ring2.yml")},
                                 out, log);
    expect_refused({code, out.str(), log.str()}, 2);
    EXPECT_THAT(log.str(), AllOf(HasSubstr("--comm-group"), HasSubstr("x.json")));
}

TEST_F(BadInput, MissingRankFile) {
    all_reduce_traces(16);
    fs::remove(folder_ / "w.7.et");
    const Outcome outcome = simulate("mesh.yml");
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, HasSubstr("w.7.et"));
}

TEST_F(BadInput, FifteenTracesForSixteenNpus) {
    all_reduce_traces(15);
    const Outcome outcome = simulate("mesh.yml");
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("15"), HasSubstr("16")));
}

TEST_F(BadInput, TruncatedTrace) {
    all_reduce_traces(16);
    fs::resize_file(folder_ / "w.3.et", fs::file_size(folder_ / "w.3.et") - 5);
    const Outcome outcome = simulate("mesh.yml");
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("w.3.et"), HasSubstr("frame"), HasSubstr("byte")));
}

TEST_F(BadInput, CyclicTrace) {
    all_reduce_traces(2);
    trace(1, {test::compute_node(1, 5, {3}), test::compute_node(2, 5, {1}),
              test::compute_node(3, 5, {2})});
    const Outcome outcome = simulate("ring2.yml");
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("w.1.et"), HasSubstr("cycle")));
}

TEST_F(BadInput, ReceiveThatNoOneSends) {
    trace(0, {test::compute_node(1, 5)});
    trace(1, {test::receive_node(1, 0, 4096, 9)});
    const Outcome outcome = simulate("ring2.yml");
    expect_refused(outcome, 3);
    EXPECT_THAT(outcome.log,
                AllOf(HasSubstr("rank 1"), HasSubstr("tag 9"), HasSubstr("never sends")));
}

// The folder of the results is looked at before the run that they would come from: here before its
// traces, which are not there.
TEST_F(BadInput, FolderThatCannotBeMade) {
    write("net.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n");
    for (const std::string command : {"simulate", "compare"}) {
        const Outcome outcome = run({command, "--workload", path("none"), "--network",
                                     path("net.yml"), "--output-dir", "/proc/none/results"});
        expect_refused(outcome, 4);
        EXPECT_THAT(
            outcome.log,
            HasSubstr("I/O error: /proc/none/results: cannot make the folder: No such file"));
    }
}

TEST_F(BadInput, UnknownTopology) {
    all_reduce_traces(2);
    write("odd.yml", "topology: [Rign]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n");
    const Outcome outcome = simulate("odd.yml");
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("odd.yml"), HasSubstr("Rign"), HasSubstr("Ring")));
}

TEST_F(BadInput, GroupWithARankThatDoesNotExist) {
    all_reduce_traces(2);
    write("groups.json", R"({"1": [0, 17]})");
    const Outcome outcome = simulate("ring2.yml", {"--comm-group", path("groups.json")});
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("groups.json"), HasSubstr("17")));
}

TEST_F(BadInput, GroupThatIsNotInTheFile) {
    trace(0, {test::collective_node(1, chakra::CollectiveType::AllReduce, 4096, "5")});
    trace(1, {test::collective_node(1, chakra::CollectiveType::AllReduce, 4096, "5")});
    const Outcome outcome = simulate("ring2.yml");
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log,
                AllOf(HasSubstr("w.0.et"), HasSubstr("'5'"), HasSubstr("--comm-group")));
}

TEST_F(BadInput, UnknownSystemKeyIsNamedWithItsNeighbour) {
    all_reduce_traces(2);
    write("system.json", R"({"peak-pref": 312})");
    const Outcome outcome = simulate("ring2.yml", {"--system", path("system.json")});
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("peak-pref"), HasSubstr("Did you mean 'peak-perf'?")));
}

// What only shows when machine and workload meet is told of the file that was given, by its name.
TEST_F(BadInput, FilesOfTheMachineAreNamedAfterTheyWereRead) {
    all_reduce_traces(2);
    const auto told = [&](const char* option, const std::string& text,
                          const std::vector<std::string>& more = {}) {
        write("mine.json", text);
        std::vector<std::string> arguments{option, path("mine.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = simulate("ring2.yml", arguments);
        expect_refused(outcome, 2);
        return outcome.log;
    };
    EXPECT_THAT(told("--system", R"({"all-reduce-implementation": ["ring", "ring"]})"),
                HasSubstr(path("mine.json") + ": all-reduce-implementation: found 2 entries; "
                                              "expected 1: the network has one dimension"));
    EXPECT_THAT(told("--system", R"({"npus": [{"ranks": [2], "peak-perf": 1}]})"),
                HasSubstr(path("mine.json") + ": npus: found rank 2; expected 0 to 1"));
    EXPECT_THAT(told("--memory", R"({"memory-type": "PER_NODE_MEMORY_EXPANSION",
                                     "remote-mem-latency": 1, "remote-mem-bw": 1,
                                     "num-nodes": 1, "num-npus-per-node": 1})"),
                HasSubstr(path("mine.json") + ": num-nodes, num-npus-per-node: found 1 nodes"));
    const auto all_to_all = test::collective_node(1, chakra::CollectiveType::AllToAll, 4096);
    trace(0, {all_to_all});
    trace(1, {all_to_all});
    EXPECT_THAT(told("--system", R"({"all-to-all-implementation": ["halvingDoubling"]})",
                     {"--dialect", "astra-sim"}),
                HasSubstr(path("mine.json") + ": all-to-all-implementation: found"));
    const auto gather = test::collective_node(1, chakra::CollectiveType::AllGather, 1);
    trace(0, {gather});
    trace(1, {gather});
    EXPECT_THAT(told("--system", R"({"preferred-dataset-splits": 4})", {"--dialect", "astra-sim"}),
                AllOf(HasSubstr("trace of rank 0: node 1: found an all-gather of 1 bytes in 4 "
                                "splits"),
                      HasSubstr("Lower preferred-dataset-splits of " + path("mine.json"))));
}

TEST_F(BadInput, UnknownKeysAreWarningsInTheReferencesDialect) {
    all_reduce_traces(2);
    write("system.json", R"({"peak-pref": 312})");
    const Outcome outcome =
        simulate("ring2.yml", {"--system", path("system.json"), "--dialect", "astra-sim"});
    EXPECT_EQ(outcome.code, 0) << outcome.log;
    EXPECT_THAT(outcome.log, HasSubstr("peak-pref"));
}

TEST_F(BadInput, UnknownDialectFidelityAndOption) {
    all_reduce_traces(2);
    expect_refused(simulate("ring2.yml", {"--dialect", "astra"}), 2);
    expect_refused(simulate("ring2.yml", {"--fidelity", "flow"}), 2);
    expect_refused(simulate("ring2.yml", {"--no-such-option"}), 2);
    expect_refused(simulate("absent.yml"), 2);
}

TEST_F(BadInput, FaultOfALinkThatDoesNotExist) {
    all_reduce_traces(16);
    write("broken.yml",
          "topology: Mesh2D\nnpus_count: [[4, 4]]\nbandwidth: [50]\nlatency: [500]\n"
          "faults:\n    - {link: [0, 5], bandwidth_factor: 0.5}\n");
    const Outcome outcome = simulate("broken.yml");
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("broken.yml"), HasSubstr("line 6"),
                                   HasSubstr("no link from npu0 to npu5")));
}

TEST_F(BadInput, LinkThatNeverComesBackIsAStall) {
    all_reduce_traces(2);
    write("cut.yml",
          "topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n"
          "faults: [{link: [0, 1], at: 3ns, bandwidth_factor: 0}]\n");
    for (const char* fidelity : {"analytical", "congestion-aware", "packet"}) {
        const Outcome outcome = simulate("cut.yml", {"--fidelity", fidelity});
        expect_refused(outcome, 3);
        EXPECT_THAT(outcome.log, AllOf(HasSubstr("npu0 -> npu1"), HasSubstr("3 ns")));
    }
}

TEST_F(BadInput, PlanBesideTraces) {
    all_reduce_traces(2);
    const Outcome outcome = simulate("ring2.yml", {"--tp", "4"});
    expect_refused(outcome, 2);
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("--tp"), HasSubstr("--workload")));
}

TEST_F(BadInput, FolderInPlaceOfAFile) {
    all_reduce_traces(2);
    expect_refused(simulate("ring2.yml", {"--system", folder_.path().string()}), 2);
}

TEST_F(BadInput, UnknownSubcommandIsNamedWithItsNeighbour) {
    std::ostringstream out;
    std::ostringstream log;
    EXPECT_EQ(run_program({"simulat"}, out, log), 2);
    EXPECT_THAT(log.str(), HasSubstr("Did you mean 'simulate'?"));
}

TEST_F(BadInput, OutputThatCannotBeWrittenIsNotDone) {
    all_reduce_traces(2);
    std::ofstream full("/dev/full");
    std::ostringstream log;
    const std::vector<std::string> arguments{"simulate",  "--workload",      path("w"),
                                             "--network", path("ring2.yml"), "--json"};
    EXPECT_EQ(run_program(arguments, full, log), 4);
    EXPECT_THAT(log.str(), HasSubstr("standard output"));
}

// A link that leads to itself.
TEST_F(BadInput, OutputFolderThatLeadsNowhere) {
    all_reduce_traces(2);
    std::filesystem::create_symlink("out", path("out"));
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--messages"}, {"--detail"}}) {
        const Outcome outcome = simulate("ring2.yml", more);
        EXPECT_EQ(outcome.code, 4) << outcome.log;
        EXPECT_THAT(outcome.log, AllOf(HasSubstr("I/O error: " + path("out"))));
    }
}

TEST_F(BadInput, OutputFolderThatCannotBeMade) {
    all_reduce_traces(2);
    std::ostringstream out;
    std::ostringstream log;
    const int code = run_program({"simulate", "--workload", path("w"), "--network",
                                  path("ring2.yml"), "--output-dir", "/proc/npunet/out"},
                                 out, log);
    EXPECT_EQ(code, 4) << log.str();
}

// A trace cut off after its metadata has no nodes.
TEST_F(BadInput, TracesWithoutNodes) {
    trace(0, {});
    trace(1, {});
    const Outcome refused = simulate("ring2.yml");
    expect_refused(refused, 2);
    EXPECT_THAT(refused.log, AllOf(HasSubstr(path("w") + ": found 2 traces without a node"),
                                   HasSubstr("--allow-empty-ranks")));
    EXPECT_EQ(simulate("ring2.yml", {"--allow-empty-ranks"}).code, 0);
    trace(1, {test::compute_node(1, 5)});
    const Outcome some = simulate("ring2.yml");
    EXPECT_EQ(some.code, 0) << some.log;
    EXPECT_THAT(test::bytes_of(folder_ / "out" / "results.json"),
                HasSubstr("the trace of rank 0 has no node"));
}

TEST_F(BadInput, PgNameZero) {
    const auto all = test::collective_node(1, chakra::CollectiveType::AllReduce, 4096, "0");
    trace(0, {all});
    trace(1, {all});
    write("groups.json", R"({"0": [0]})");
    const std::vector<std::string> groups{"--comm-group", path("groups.json")};
    const Outcome of_file = simulate("ring2.yml", groups);
    expect_refused(of_file, 2);
    EXPECT_THAT(of_file.log, HasSubstr("communicator '0', of which rank 1 is no member"));
    for (const std::string dialect : {"npunet", "astra-sim"}) {
        std::vector<std::string> more = groups;
        more.insert(more.end(), {"--group-zero", "all", "--dialect", dialect});
        EXPECT_EQ(simulate("ring2.yml", more).code, 0) << dialect;
    }
}

TEST_F(BadInput, FilesForAnotherOption) {
    all_reduce_traces(2);
    write("groups.json", R"({"1": [0, 1]})");
    write("system.yml", "peak-perf: 312\n");
    for (const std::string dialect : {"npunet", "astra-sim"}) {
        const auto told = [&](const char* option, const std::string& file) {
            const Outcome outcome =
                simulate("ring2.yml", {"--dialect", dialect, option, path(file)});
            expect_refused(outcome, 2);
            return outcome.log;
        };
        EXPECT_THAT(told("--system", "groups.json"), HasSubstr("Groups go with --comm-group"));
        EXPECT_THAT(told("--memory", "groups.json"), HasSubstr("Groups go with --comm-group"));
        EXPECT_THAT(told("--system", "ring2.yml"), HasSubstr("A network goes with --network"));
        EXPECT_THAT(
            told("--system", "system.yml"),
            AllOf(HasSubstr("found YAML; expected a system.json in JSON"), HasSubstr("braces")));
    }
}

}  // namespace
}  // namespace npunet::cli
