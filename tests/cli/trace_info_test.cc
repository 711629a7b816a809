// npunet trace info: what it says of good traces and of others.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/trace_commands.h"

namespace npunet::cli::trace_info_test {
namespace {

namespace fs = std::filesystem;
using chakra::Node;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Json = nlohmann::json;

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

}  // namespace
}  // namespace npunet::cli::trace_info_test
