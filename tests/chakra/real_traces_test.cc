// Traces of other producers, with counts made by an independent reader.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "chakra/dependencies/dependency_check.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/trace/trace_set.h"
#include "test_files.h"
#include "tests/support/shared_data.h"

namespace npunet::chakra {
namespace {

using Json = nlohmann::json;

class RealTraces : public ::testing::Test {
protected:
    void SetUp() override {
        shared_ = NPUNET_SHARED_DIR;
        NPUNET_SKIP_WITHOUT_SHARED_DATA();
        expected_ = Json::parse(bytes_of(shared_ / "data/chakra/expected.json"));
    }

    [[nodiscard]] std::filesystem::path trace(const std::string& name) const {
        return shared_ / "data/chakra" / name;
    }

    std::filesystem::path shared_;
    Json expected_;
    test::TemporaryFolder folder_;
};

/// What the expected counts say about a file, counted from its nodes.
Json counts_of(const std::vector<Node>& nodes) {
    Json counts{{"nodes", nodes.size()},
                {"data_deps", 0},
                {"ctrl_deps", 0},
                {"duration_micros_sum", 0},
                {"node_types", Json::object()},
                {"comm_types", Json::object()},
                {"first_ids", Json::array()},
                {"attrs", Json::object()}};
    const auto add = [](Json& count, std::uint64_t amount) {
        count = count.is_null() ? amount : count.get<std::uint64_t>() + amount;
    };
    for (const Node& node : nodes) {
        add(counts["data_deps"], node.data_deps.size());
        add(counts["ctrl_deps"], node.ctrl_deps.size());
        add(counts["duration_micros_sum"], node.duration_micros);
        for (const Attribute& attribute : node.attributes) {
            add(counts["attrs"][attribute.name], 1);
        }
        add(counts["node_types"][std::string(name_of(node.type))], 1);
        if (const auto collective = node.integer("comm_type")) {
            const auto type = collective_type_from(*collective);
            add(counts["comm_types"][std::string(type ? name_of(*type) : "?")], 1);
        }
        if (counts["first_ids"].size() < 5) {
            counts["first_ids"].push_back(node.id);
        }
    }
    return counts;
}

Json expected_counts(const Json& file) {
    Json counts;
    for (const char* key : {"nodes", "data_deps", "ctrl_deps", "duration_micros_sum", "node_types",
                            "comm_types", "first_ids"}) {
        counts[key] = file.at(key);
    }
    // Keys are NAME:MEMBER; the member is the reader's affair. The run time of schema 0.0.1 is the
    // duration here.
    counts["attrs"] = Json::object();
    for (const auto& [key, count] : file.at("attrs").items()) {
        const std::string name = key.substr(0, key.find(':'));
        if (name == "simulated_run_time") {
            continue;
        }
        counts["attrs"][name] = counts["attrs"].value(name, 0) + count.get<int>();
    }
    return counts;
}

TEST_F(RealTraces, CountsAgree) {
    int files = 0;
    for (const auto& [name, file] : expected_.items()) {
        if (!file.at("frame_error").is_null()) {
            continue;
        }
        SCOPED_TRACE(name);
        ++files;
        EXPECT_EQ(counts_of(read_trace(trace(name))), expected_counts(file));
        const TraceReader reader(trace(name));
        if (file.at("frames") > 0) {
            EXPECT_EQ(reader.has_metadata(), file.at("has_metadata").get<bool>());
        }
    }
    EXPECT_GT(files, 300);
}

InputProblem refusal_of(const std::filesystem::path& path) {
    return problem_of([&] { (void)read_trace(path); });
}

TEST_F(RealTraces, TruncatedFilesAreRefused) {
    int files = 0;
    for (const auto& [name, file] : expected_.items()) {
        if (!file.at("frame_error").is_null()) {
            ++files;
            const auto found = refusal_of(trace(name));
            EXPECT_NE(found.remedy.find("truncated"), std::string::npos) << name;
        }
    }
    EXPECT_GT(files, 0);
}

// A copy has the same bytes, but for compressed files, which another writer may compress otherwise.
TEST_F(RealTraces, CopiesAreFaithful) {
    int files = 0;
    for (const auto& [name, file] : expected_.items()) {
        if (file.at("version") != "0.0.4" || !file.at("frame_error").is_null() ||
            file.at("frames") == 0) {
            continue;
        }
        SCOPED_TRACE(name);
        ++files;
        const auto copy = folder_ / fmt::format("copy.{}.et", files);
        const TraceReader reader(trace(name));
        const auto nodes = read_trace(trace(name));
        write_trace(copy, nodes, reader.metadata());
        if (file.at("gzip").get<bool>()) {
            EXPECT_TRUE(read_trace(copy) == nodes);
        } else {
            EXPECT_TRUE(bytes_of(copy) == bytes_of(trace(name)));
        }
    }
    EXPECT_GT(files, 300);
}

TEST_F(RealTraces, DependenciesAreJudgedAlike) {
    int refused = 0;
    int taken = 0;
    for (const auto& [name, file] : expected_.items()) {
        if (file.at("version") != "0.0.4" || !file.at("frame_error").is_null()) {
            continue;
        }
        SCOPED_TRACE(name);
        const bool sound = file.at("acyclic").get<bool>() && file.at("dangling_deps") == 0 &&
                           file.at("unique_ids") == file.at("nodes");
        const auto nodes = read_trace(trace(name));
        if (sound) {
            ++taken;
            const auto warnings = check_dependencies(nodes, name);
            EXPECT_EQ(warnings.absent_ctrl_deps.size(), file.at("dangling_ctrl_deps"));
        } else {
            ++refused;
            EXPECT_THROW((void)check_dependencies(nodes, name), InputError);
        }
    }
    EXPECT_GT(taken, 300);
    EXPECT_GT(refused, 0);
}

TEST_F(RealTraces, SystemWorkloadsAreWhole) {
    int workloads = 0;
    for (const auto& suite : std::filesystem::directory_iterator(shared_ / "data/system")) {
        for (const auto& one : std::filesystem::directory_iterator(suite)) {
            if (!std::filesystem::exists(one.path() / "w.0.et")) {
                continue;
            }
            SCOPED_TRACE(one.path());
            ++workloads;
            const TraceSet traces = find_traces((one.path() / "w").string());
            for (std::int32_t rank = 0; rank < traces.ranks; ++rank) {
                const auto path = traces.path(Rank(rank));
                const auto nodes = read_trace(path);
                EXPECT_FALSE(nodes.empty()) << path;
                EXPECT_NO_THROW((void)check_dependencies(nodes, path.string()));
            }
            if (std::filesystem::exists(one.path() / "w.json")) {
                const auto groups = read_comm_groups(one.path() / "w.json");
                EXPECT_NO_THROW(check_comm_groups(groups, traces.ranks, "w.json"));
            }
        }
    }
    EXPECT_GE(workloads, 79);
}

}  // namespace
}  // namespace npunet::chakra
