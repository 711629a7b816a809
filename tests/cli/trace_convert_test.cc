// npunet trace convert: what it writes, and that a workload is the same in every form.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "chakra/files/trace_writer.h"
#include "tests/cli/trace_commands.h"

namespace npunet::cli::trace_convert_test {
namespace {

namespace fs = std::filesystem;
using chakra::Node;
using chakra::NodeType;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST_F(TraceCommands, ThereAndBackIsTheSameFile) {
    generate("w");
    const std::string whole = bytes_of("w/workload.2.et");
    for (const std::string form : {"json", "v0.0.4"}) {
        for (const std::string more : {"", " --gzip"}) {
            const std::string there = form + (more.empty() ? "" : "z");
            ASSERT_EQ(run(fmt::format("trace convert {} --to {} --output-dir {}{}",
                                      at("w/workload"), form, at(there), more))
                          .code,
                      0);
            ASSERT_EQ(run(fmt::format("trace convert {} --output-dir {}", at(there + "/workload"),
                                      at(there + "-back")))
                          .code,
                      0);
            EXPECT_EQ(bytes_of(there + "-back/workload.2.et"), whole) << there;
        }
    }
}

// A simulation does not see the form of its traces.
TEST_F(TraceCommands, EveryFormSimulatesAlike) {
    generate("w");
    generate("j", "--chakra-schema-version json");
    const auto simulate = [&](const std::string& workload) {
        const Outcome run_of = run(fmt::format(
            "simulate --workload {} --comm-group {} --system {}/configs/systems/a100.json "
            "--network {} --json",
            at(workload), at("w/comm_group.json"), NPUNET_SOURCE_DIR, at("net.yml")));
        EXPECT_EQ(run_of.code, 0) << run_of.log;
        Json json = Json::parse(run_of.out);
        json.erase("performance");
        return json;
    };
    std::ofstream(at("net.yml"))
        << "topology: [Ring]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [500]\n";
    const Json plain = simulate("w/workload");
    EXPECT_EQ(simulate("j/workload"), plain);
    ASSERT_EQ(
        run(fmt::format("trace convert {} --gzip --output-dir {}", at("w/workload"), at("z"))).code,
        0);
    EXPECT_EQ(simulate("z/workload"), plain);
}

// Schema 0.0.1 keeps what a collective does and says what it loses.
TEST_F(TraceCommands, OldSchemaKeepsCommunication) {
    Node node;
    node.id = 3;
    node.name = "sum";
    node.type = NodeType::CommCollective;
    node.duration_micros = 9;
    node.start_time_micros = 4;
    node.set_integer("comm_type", 7);
    node.set_integer("comm_size", 4096);
    node.set_text("pg_name", "2");
    node.set_text("op_type", "A");
    chakra::write_trace(at("t.0.et"), {node});
    const Outcome there =
        run(fmt::format("trace convert {} --to v0.0.1 --output-dir {}", at("t.0.et"), at("old")));
    EXPECT_EQ(there.code, 0) << there.log;
    EXPECT_THAT(there.out, HasSubstr("not carried: attribute op_type"));
    EXPECT_THAT(there.out, HasSubstr("not carried: start times"));
    const auto back = nodes_of("old/t.0.et");
    ASSERT_EQ(back.size(), 1U);
    EXPECT_EQ(back[0].type, NodeType::CommCollective);
    EXPECT_EQ(back[0].integer("comm_type"), 7);
    EXPECT_EQ(back[0].integer("comm_size"), 4096);
    EXPECT_EQ(back[0].text("pg_name"), "2");
    EXPECT_EQ(back[0].duration_micros, 9U);
    node.set_integer("comm_size", std::int64_t{1} << 32);
    chakra::write_trace(at("big.0.et"), {node});
    const Outcome refused =
        run(fmt::format("trace convert {} --to v0.0.1 --output-dir {}", at("big.0.et"), at("no")));
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.log, HasSubstr("node 3"));
    EXPECT_FALSE(fs::exists(at("no/big.0.et")));
}

TEST_F(TraceCommands, GraphAndTimeline) {
    Node first;
    first.id = 1;
    first.name = "load \"x\"";
    first.type = NodeType::MemoryLoad;
    first.start_time_micros = 1'700'000'000'000'000;
    first.duration_micros = 3;
    Node second;
    second.id = 2;
    second.name = "work";
    second.type = NodeType::Compute;
    second.data_deps = {1};
    second.ctrl_deps = {5};
    second.start_time_micros = 1'700'000'000'000'003;
    second.duration_micros = 2;
    chakra::write_trace(at("t.0.et"), {first, second});
    ASSERT_EQ(
        run(fmt::format("trace convert {} --to dot --output-dir {}", at("t.0.et"), at("o"))).code,
        0);
    EXPECT_EQ(bytes_of("o/t.0.dot"),
              "digraph trace {\n"
              "    1 [label=\"1 load \\\"x\\\"\", shape=cylinder];\n"
              "    2 [label=\"2 work\", shape=box];\n"
              "    5 [label=\"5 absent\", style=dotted];\n"
              "    1 -> 2;\n"
              "    5 -> 2 [style=dashed, arrowhead=tee];\n"
              "}\n");
    const Outcome line =
        run(fmt::format("trace convert {} --to timeline --output-dir {}", at("t.0.et"), at("o")));
    EXPECT_EQ(line.code, 0) << line.log;
    EXPECT_THAT(line.out, HasSubstr("1700000000000000"));
    EXPECT_THAT(bytes_of("o/timeline.perfetto-trace"), HasSubstr("rank 0"));
    EXPECT_THAT(bytes_of("o/timeline.perfetto-trace"), HasSubstr("work"));
    first.start_time_micros = second.start_time_micros = 0;
    chakra::write_trace(at("u.0.et"), {first, second});
    const Outcome none =
        run(fmt::format("trace convert {} --to timeline --output-dir {}", at("u.0.et"), at("o")));
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.log, HasSubstr("no start times"));
}

TEST_F(TraceCommands, ConvertSaysWhatItWrote) {
    generate("w");
    const Outcome two =
        run(fmt::format("trace convert {0}.0.et {0}.1.et --json --to v0.0.1 "
                        "--output-dir {1}",
                        at("w/workload"), at("old")));
    EXPECT_EQ(two.code, 0) << two.log;
    const Json document = Json::parse(two.out);
    EXPECT_EQ(document.at("files"), Json({at("old/workload.0.et"), at("old/workload.1.et")}));
    EXPECT_FALSE(document.at("not_carried").empty());
    const Json kept = Json::parse(
        run(fmt::format("trace convert {} --json --output-dir {}", at("w/workload.0.et"), at("o")))
            .out);
    EXPECT_EQ(kept.at("files"), Json::array({at("o/workload.0.et")}));
    EXPECT_EQ(kept.at("not_carried"), Json::object());
    Node node;
    node.id = 1;
    node.type = NodeType::Compute;
    node.start_time_micros = 12;
    node.duration_micros = 3;
    chakra::write_trace(at("t.0.et"), {node});
    const Json line =
        Json::parse(run(fmt::format("trace convert {} --json --to timeline --output-dir {}",
                                    at("t.0.et"), at("o")))
                        .out);
    EXPECT_EQ(line.at("files"), Json::array({at("o/timeline.perfetto-trace")}));
    EXPECT_EQ(line.at("origin_micros"), 12);
}

TEST_F(TraceCommands, CompressedFilesSaySoInTheirNames) {
    generate("w");
    const std::string whole = bytes_of("w/workload.0.et");
    for (const std::string name : {"x", "y.et", "z.gz"}) {
        ASSERT_EQ(run(fmt::format("trace convert {} --gzip --output-name {} --output-dir {}",
                                  at("w/workload.0.et"), name, at("o")))
                      .code,
                  0);
    }
    for (const std::string name : {"o/x.gz", "o/y.et.gz", "o/z.gz"}) {
        EXPECT_EQ(bytes_of(name).substr(0, 2), "\x1f\x8b") << name;
    }
    EXPECT_FALSE(fs::exists(at("o/x")));
}

TEST_F(TraceCommands, ATextWorkloadIsNotReplaced) {
    fs::create_directories(at("t"));
    fs::copy_file(fs::path(NPUNET_SOURCE_DIR) / "configs/text/mlp-data.txt", at("t/in.0.et"));
    fs::create_hard_link(at("t/in.0.et"), at("t/groups"));
    const std::string whole = bytes_of("t/in.0.et");
    for (const std::string name : {"--output-name in", "--comm-group-file groups"}) {
        const Outcome refused = run(fmt::format("generate text {} --npus 2 --output-dir {} {}",
                                                at("t/in.0.et"), at("t"), name));
        EXPECT_EQ(refused.code, 2) << name;
        EXPECT_THAT(refused.log, HasSubstr("which is read"));
        EXPECT_THAT(refused.log, HasSubstr(name.substr(0, name.find(' '))));
    }
    EXPECT_EQ(bytes_of("t/in.0.et"), whole);
    EXPECT_EQ(
        run(fmt::format("generate text {} --npus 2 --output-dir {}", at("t/in.0.et"), at("t")))
            .code,
        0);
}

TEST_F(TraceCommands, ConvertRefuses) {
    generate("w");
    const std::string trace = at("w/workload.0.et");
    const std::string whole = bytes_of("w/workload.0.et");
    const std::vector<std::pair<std::string, std::string>> cases{
        {trace + " --output-dir " + at("w"), "which is to be read"},
        {at("w/workload") + " --output-name x.et --output-dir " + at("o"), "4 traces"},
        {trace + " --to timeline --output-name workload.0.et --output-dir " + at("w"),
         "which is to be read"},
        {trace + " --output-name ../x.et --output-dir " + at("o"), "inside --output-dir"},
        {trace + " --to dot --gzip --output-dir " + at("o"), "--gzip"},
        {trace + " --to xml --output-dir " + at("o"), "xml"},
        {trace, "--output-dir"},
        {at("none.0.et") + " --output-dir " + at("o"), "none.0.et"},
        {at("w/comm_group.json") + " --output-dir " + at("o"), "workload_graph"}};
    for (const auto& [arguments, words] : cases) {
        const Outcome outcome = run("trace convert " + arguments);
        EXPECT_EQ(outcome.code, 2) << arguments;
        EXPECT_THAT(outcome.log, HasSubstr(words)) << arguments;
    }
    EXPECT_EQ(bytes_of("w/workload.0.et"), whole);
    EXPECT_FALSE(fs::exists(at("o")) && !fs::is_empty(at("o")));
}

}  // namespace
}  // namespace npunet::cli::trace_convert_test
