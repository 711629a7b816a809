// Summaries of traces against the counts of an independent reader, for every file of the corpus.
#include "chakra/inspection/trace_summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "chakra/files/trace_writer.h"
#include "test_files.h"
#include "tests/support/shared_data.h"

namespace npunet::chakra::trace_summary_test {
namespace {

using Json = nlohmann::json;

class Summaries : public ::testing::Test {
protected:
    test::TemporaryFolder folder_;
};

/// The keys of the expected file, as the summary says them.
Json counted(const TraceSummary& summary) {
    const auto by_name = [](const auto& counts) {
        Json json = Json::object();
        for (const auto& [name, count] : counts) {
            json[name] = count;
        }
        return json;
    };
    Json totals = Json::object();
    const auto add = [&](const std::string& name, std::int64_t sum) {
        if (sum != 0) {
            totals[name] = sum;
        }
    };
    add("comm_size", summary.comm_size);
    add("num_ops", summary.num_ops);
    add("tensor_size", summary.tensor_size);
    for (const auto& [type, sum] : summary.comm_size_by_type) {
        add("comm_size_" + type, sum);
    }
    return {{"version", name_of(summary.format.schema)},
            {"has_metadata", summary.format.metadata_frame},
            {"gzip", summary.format.gzip},
            {"metadata_bytes", summary.metadata_bytes},
            {"nodes", summary.nodes},
            {"unique_ids", summary.unique_ids},
            {"first_ids", summary.first_ids},
            {"node_types", by_name(summary.nodes_by_type)},
            {"comm_types", by_name(summary.comm_types)},
            {"totals", totals},
            {"duration_micros_sum", summary.duration_micros},
            {"data_deps", summary.data_deps.all},
            {"ctrl_deps", summary.ctrl_deps.all},
            {"dangling_deps", summary.data_deps.dangling},
            {"dangling_ctrl_deps", summary.ctrl_deps.dangling},
            {"forward_deps", summary.data_deps.forward},
            {"self_deps", summary.data_deps.self},
            {"acyclic", summary.acyclic},
            {"truncated", summary.problem.has_value()}};
}

/// The same keys of the expected file. Attributes are NAME:MEMBER, in schema 0.0.1 by their fields.
Json wanted(const Json& file) {
    Json json;
    for (const char* const key :
         {"version", "has_metadata", "gzip", "nodes", "unique_ids", "first_ids", "node_types",
          "comm_types", "totals", "duration_micros_sum", "data_deps", "ctrl_deps", "dangling_deps",
          "dangling_ctrl_deps", "forward_deps", "self_deps", "acyclic"}) {
        json[key] = file.at(key);
    }
    for (auto total = json["totals"].begin(); total != json["totals"].end();) {
        total = *total == 0 ? json["totals"].erase(total) : std::next(total);
    }
    const auto metadata = file.find("metadata_bytes");
    json["metadata_bytes"] =
        metadata == file.end() || metadata->is_null() ? 0 : metadata->get<int>();
    json["truncated"] = !file.at("frame_error").is_null();
    return json;
}

TEST_F(Summaries, EveryFileOfTheCorpus) {
    const std::filesystem::path folder = std::filesystem::path(NPUNET_SHARED_DIR) / "data/chakra";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const Json expected = Json::parse(bytes_of(folder / "expected.json"));
    std::vector<std::string> different;
    for (const auto& [name, file] : expected.items()) {
        const TraceSummary summary = summarize_trace(folder / name);
        const Json found = counted(summary);
        bool same = found == wanted(file);
        EXPECT_EQ(found, wanted(file)) << name;
        if (file.at("version") == "0.0.4") {
            const Json attributes(summary.attributes);
            EXPECT_EQ(attributes, file.at("attrs")) << name;
            same = same && attributes == file.at("attrs");
        }
        EXPECT_FALSE(summary.format.ambiguous) << name << ": " << summary.format.reason;
        if (!same) {
            different.push_back(name);
        }
    }
    EXPECT_EQ(expected.size(), 463U);
    EXPECT_TRUE(different.empty()) << fmt::format("files that differ: {}", different.size());
}

Node node(std::uint64_t id, NodeType type) {
    Node result;
    result.id = id;
    result.name = fmt::format("n{}", id);
    result.type = type;
    return result;
}

// Sums stay at the ends of 64 bits; an unknown type is counted under its number; groups by name.
TEST_F(Summaries, SumsAndGroups) {
    std::vector<Node> nodes;
    for (std::uint64_t id = 10; id < 13; ++id) {
        nodes.push_back(node(id, NodeType::CommCollective));
        nodes.back().set("comm_size", std::uint64_t{1} << 62);
        nodes.back().set_integer("comm_type", 6);
        nodes.back().set_text("pg_name", id == 12 ? "b" : "a");
        nodes.back().start_time_micros = id;
        nodes.back().duration_micros = 5;
    }
    nodes.push_back(node(3, NodeType::Compute));
    nodes.back().set_integer("num_ops", -7);
    nodes.back().data_deps = {10, 3, 99};
    nodes.back().ctrl_deps = {12, 12};
    nodes.push_back(node(4, static_cast<NodeType>(9)));
    nodes.back().data_deps = {5};
    nodes.push_back(node(5, NodeType::MemoryLoad));
    nodes.back().set_bool("tensor_size", true);
    const auto path = folder_ / "t.0.et";
    write_trace(path, nodes);
    const TraceSummary summary = summarize_trace(path);
    EXPECT_EQ(summary.nodes, 6U);
    EXPECT_EQ(summary.lowest_id, 3U);
    EXPECT_EQ(summary.highest_id, 12U);
    EXPECT_EQ(summary.comm_size, std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(summary.groups.at("a").nodes, 2U);
    EXPECT_EQ(summary.groups.at("b").comm_size, std::int64_t{1} << 62);
    EXPECT_EQ(summary.collectives.at("ALL_TO_ALL"), 3U);
    EXPECT_EQ(summary.num_ops, -7);
    EXPECT_EQ(summary.tensor_size, 1);
    EXPECT_EQ(summary.duration_micros, 15);
    EXPECT_EQ(summary.first_start_micros, 10U);
    EXPECT_EQ(summary.last_end_micros, 17U);
    EXPECT_EQ(summary.nodes_by_type.at("type 9"), 1U);
    EXPECT_EQ(summary.data_deps.all, 4U);
    EXPECT_EQ(summary.data_deps.dangling, 1U);
    EXPECT_EQ(summary.data_deps.self, 1U);
    EXPECT_EQ(summary.data_deps.forward, 1U);
    EXPECT_EQ(summary.ctrl_deps.all, 2U);
    EXPECT_FALSE(summary.acyclic);
    EXPECT_EQ(summary.attributes.at("comm_size:uint64_val"), 3U);
    EXPECT_FALSE(summary.problem);
}

// What stands before the damage is described, and the damage.
TEST_F(Summaries, TruncatedFile) {
    write_trace(folder_ / "t.0.et", {node(1, NodeType::Compute), node(2, NodeType::Compute)});
    const std::string bytes = bytes_of(folder_ / "t.0.et");
    const auto path = folder_.write("cut.0.et", bytes.substr(0, bytes.size() - 1));
    const TraceSummary summary = summarize_trace(path);
    EXPECT_EQ(summary.nodes, 1U);
    ASSERT_TRUE(summary.problem);
    EXPECT_EQ(summary.problem->place, "frame 2 at byte 17");
}

}  // namespace
}  // namespace npunet::chakra::trace_summary_test
