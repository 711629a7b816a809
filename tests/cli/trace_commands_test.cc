// npunet trace info, print and convert: what they print and write, and that a workload is the same
// in every form.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "chakra/trace_reader.h"
#include "chakra/trace_writer.h"
#include "program_run.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using chakra::Node;
using chakra::NodeType;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class TraceCommands : public ::testing::Test {
protected:
    TraceCommands() : folder_(fs::temp_directory_path() / fmt::format("npunet_tc_{}", ::getpid())) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~TraceCommands() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string at(const std::string& name) const { return folder_ / name; }

    [[nodiscard]] std::string bytes_of(const std::string& name) const {
        std::ifstream stream(at(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    /// A small step on four NPUs, two stages.
    void generate(const std::string& to, const std::string& more = "") const {
        const Outcome made =
            run("generate transformer --dmodel 64 --dff 128 --head 4 --kvhead 4 --num-stacks 2 "
                "--dvocal 128 --seq 32 --batch 2 --tp 2 --pp 2 --output-dir " +
                at(to) + " " + more);
        ASSERT_EQ(made.code, 0) << made.log;
    }

    [[nodiscard]] std::vector<Node> nodes_of(const std::string& name) const {
        return chakra::read_trace(at(name));
    }

    fs::path folder_;
};

TEST_F(TraceCommands, InfoOfOneTrace) {
    generate("w");
    const auto nodes = nodes_of("w/workload.0.et");
    const Outcome text = run("trace info " + at("w/workload.0.et"));
    EXPECT_EQ(text.code, 0) << text.log;
    EXPECT_THAT(text.out, HasSubstr("0.0.4"));
    EXPECT_THAT(text.out, HasSubstr(fmt::format("{}, ids", nodes.size())));
    const Outcome json = run("trace info --json " + at("w/workload.0.et"));
    const Json file = Json::parse(json.out).at("files").at(0);
    EXPECT_EQ(file.at("nodes"), nodes.size());
    EXPECT_EQ(file.at("schema"), "0.0.4");
    EXPECT_EQ(file.at("acyclic"), true);
    std::size_t deps = 0;
    for (const Node& node : nodes) {
        deps += node.data_deps.size();
    }
    EXPECT_EQ(file.at("data_deps"), deps);
    EXPECT_TRUE(file.at("problem").is_null());
}

TEST_F(TraceCommands, InfoOfAWorkloadIsALineEach) {
    generate("w");
    const Outcome text = run("trace info " + at("w/workload"));
    EXPECT_EQ(text.code, 0) << text.log;
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_THAT(text.out, HasSubstr(fmt::format("workload.{}.et", rank)));
    }
    EXPECT_THAT(text.out, HasSubstr("4 traces"));
}

// What can be read is described; the exit code tells that it is not all.
TEST_F(TraceCommands, InfoOfADamagedTrace) {
    generate("w");
    fs::resize_file(at("w/workload.0.et"), fs::file_size(at("w/workload.0.et")) - 3);
    const Outcome json =
        run("trace info --json " + at("w/workload.0.et") + " " + at("w/workload.1.et"));
    EXPECT_EQ(json.code, 2);
    const Json files = Json::parse(json.out).at("files");
    EXPECT_THAT(files.at(0).at("problem").at("place").get<std::string>(), HasSubstr("at byte"));
    EXPECT_TRUE(files.at(1).at("problem").is_null());
    EXPECT_THAT(json.log, HasSubstr("workload.0.et"));
}

// One file that is no trace does not hide the others.
TEST_F(TraceCommands, InfoShowsTheOthersBesideWhatIsNoTrace) {
    generate("w");
    std::ofstream(at("no.et")) << "\x05 no trace";
    const std::string files = at("no.et") + " " + at("w/workload.1.et");
    const Outcome json = run("trace info --json " + files);
    EXPECT_EQ(json.code, 2);
    const Json entries = Json::parse(json.out).at("files");
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries.at(0).size(), 2U);
    EXPECT_EQ(entries.at(0).at("file"), at("no.et"));
    EXPECT_FALSE(entries.at(0).at("problem").at("found").get<std::string>().empty());
    EXPECT_EQ(entries.at(1).at("nodes"), nodes_of("w/workload.1.et").size());
    const Outcome text = run("trace info " + files);
    EXPECT_EQ(text.code, 2);
    EXPECT_THAT(text.out, HasSubstr("no trace"));
    EXPECT_THAT(text.out, HasSubstr(fmt::format("{} nodes", nodes_of("w/workload.1.et").size())));
    EXPECT_THAT(text.log, HasSubstr("no.et"));
    const Outcome alone = run("trace info --json " + at("no.et"));
    EXPECT_EQ(alone.code, 2);
    EXPECT_EQ(Json::parse(alone.out).at("files").size(), 1U);
}

TEST_F(TraceCommands, InfoSaysWhichMetadataThereIs) {
    std::ofstream(at("bare.json")) << R"({"workload_graph": []})";
    EXPECT_THAT(run("trace info " + at("bare.json")).out, ContainsRegex("metadata +none\n"));
    std::ofstream(at("version.json")) << R"({"metadata": {"version": "7"}, "workload_graph": []})";
    EXPECT_THAT(run("trace info " + at("version.json")).out,
                ContainsRegex("metadata +version '7', 0 attributes\n"));
}

// A node that is valid in both schemas: 5 is a dependency, or a place of a tensor.
TEST_F(TraceCommands, SchemaOverridesWhatIsFound) {
    std::ofstream(at("t.0.et"), std::ios::binary)
        << std::string("\x09\x08\x01\x12\x01x\x18\x03\x28\x02", 10);
    const auto type_of = [&](const std::string& schema) {
        const Outcome json = run("trace info --json --schema " + schema + " " + at("t.0.et"));
        EXPECT_EQ(json.code, 0) << json.log;
        return Json::parse(json.out).at("files").at(0).at("nodes_by_type").begin().key();
    };
    EXPECT_EQ(type_of("0.0.1"), "COMP_NODE");
    EXPECT_EQ(type_of("0.0.4"), "MEM_STORE_NODE");
    const Outcome wrong = run("trace info --schema 0.0.9 " + at("t.0.et"));
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.log, HasSubstr("0.0.3d"));
}

TEST_F(TraceCommands, PrintForms) {
    Node node;
    node.id = 7;
    node.name = "a \"name\"";
    node.type = NodeType::CommCollective;
    node.data_deps = {1, 2};
    node.set_integer("comm_size", 1024);
    node.set_bool("is_cpu_op", false);
    Node other;
    other.id = 1;
    other.type = NodeType::Compute;
    chakra::write_trace(at("t.0.et"), {other, node});
    const Outcome text = run("trace print " + at("t.0.et") + " --node 7");
    EXPECT_EQ(text.out,
              "node 7 COMM_COLL_NODE 'a \"name\"'\n"
              "    data deps  1, 2\n"
              "    comm_size  int64_val  1024\n"
              "    is_cpu_op  bool_val  false\n");
    const Outcome jsonizer = run("trace print " + at("t.0.et") + " --form jsonizer");
    EXPECT_EQ(jsonizer.out,
              "{\n  \"version\": \"0.0.4\"\n}{\n  \"id\": \"1\",\n  \"type\": \"COMP_NODE\"\n}{\n"
              "  \"id\": \"7\",\n  \"name\": \"a \\\"name\\\"\",\n  \"type\": \"COMM_COLL_NODE\",\n"
              "  \"dataDeps\": [\n    \"1\",\n    \"2\"\n  ],\n  \"attr\": [\n    {\n"
              "      \"name\": \"comm_size\",\n      \"int64Val\": \"1024\"\n    },\n    {\n"
              "      \"name\": \"is_cpu_op\",\n      \"boolVal\": false\n    }\n  ]\n}\n");
    const Json json = Json::parse(run("trace print --json --first 1 " + at("t.0.et")).out);
    ASSERT_EQ(json.at("workload_graph").size(), 1U);
    EXPECT_EQ(json.at("workload_graph").at(0).at("Id"), 1);
    const Outcome none = run("trace print --node 8 " + at("t.0.et"));
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.log, HasSubstr("no node 8"));
}

TEST_F(TraceCommands, PrintTakesWholeIds) {
    Node low;
    low.id = 3;
    Node high;
    high.id = 18'446'744'073'709'551'615U;
    chakra::write_trace(at("t.0.et"), {low, high});
    const std::string both = fmt::format("--node 3,{}", high.id);
    EXPECT_EQ(Json::parse(run("trace print --json " + both + " " + at("t.0.et")).out)
                  .at("workload_graph")
                  .size(),
              2U);
    for (const std::string bad : {"x", "3x", "0x3", "3.5", "3,", ",", "18446744073709551616"}) {
        const Outcome refused = run({"trace", "print", at("t.0.et"), "--node", bad});
        EXPECT_EQ(refused.code, 2) << bad;
        EXPECT_THAT(refused.log, HasSubstr("expected the id of a node, a whole number from 0 to "
                                           "18446744073709551615"))
            << bad;
    }
    for (const std::string bad : {"--node=-1", "--node=+3", "--node= 3"}) {
        EXPECT_EQ(run({"trace", "print", at("t.0.et"), bad}).code, 2) << bad;
    }
}

TEST_F(TraceCommands, PrintHasOneForm) {
    chakra::write_trace(at("t.0.et"), {Node{}});
    for (const char* form : {"text", "jsonizer"}) {
        const Outcome refused =
            run(fmt::format("trace print --json --form {} {}", form, at("t.0.et")));
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.log, HasSubstr(form));
    }
    const Outcome same = run("trace print --json --form json " + at("t.0.et"));
    EXPECT_EQ(same.code, 0) << same.log;
    EXPECT_EQ(same.out, run("trace print --json " + at("t.0.et")).out);
}

// The nodes before the damage are one valid document.
TEST_F(TraceCommands, PrintOfADamagedTraceIsADocument) {
    generate("w");
    const std::size_t nodes = nodes_of("w/workload.0.et").size();
    fs::resize_file(at("w/workload.0.et"), fs::file_size(at("w/workload.0.et")) - 3);
    const Outcome json = run("trace print --json " + at("w/workload.0.et"));
    EXPECT_EQ(json.code, 2);
    ASSERT_TRUE(Json::accept(json.out)) << json.out;
    EXPECT_EQ(Json::parse(json.out).at("workload_graph").size(), nodes - 1);
}

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
}  // namespace npunet::cli
