// npunet trace print: its forms, and which nodes it prints.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "chakra/files/trace_writer.h"
#include "tests/cli/trace_commands.h"

namespace npunet::cli::trace_print_test {
namespace {

namespace fs = std::filesystem;
using chakra::Node;
using chakra::NodeType;
using ::testing::HasSubstr;
using Json = nlohmann::json;

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

}  // namespace
}  // namespace npunet::cli::trace_print_test
