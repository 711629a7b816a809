// A trace written as JSON and read again is the trace, byte for byte; the JSON of Chakra's feeder
// is read as its keys say.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "chakra/feeder/trace_feeder.h"
#include "chakra/files/frame_input.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "random_messages.h"
#include "test_files.h"
#include "tests/support/shared_data.h"

namespace npunet::chakra {
namespace {

using Json = nlohmann::json;

class JsonRoundTrip : public ::testing::Test {
protected:
    /// Copies a trace in another form.
    static void copy(const std::filesystem::path& from, const std::filesystem::path& to,
                     WrittenForm form) {
        TraceReader reader(from);
        TraceWriter writer(to, reader.metadata(), form);
        Node node;
        while (reader.next(node)) {
            writer.write(node);
        }
        writer.commit();
    }

    /// The bytes after they have been JSON.
    [[nodiscard]] std::string after_json(const std::filesystem::path& path) const {
        copy(path, folder_ / "copy.json", WrittenForm::Json);
        copy(folder_ / "copy.json", folder_ / "copy.et", WrittenForm::V0_0_4);
        EXPECT_TRUE(Json::accept(bytes_of(folder_ / "copy.json")));
        return bytes_of(folder_ / "copy.et");
    }

    [[nodiscard]] std::vector<Node> read_json(const std::string& text) const {
        return read_trace(folder_.write("t.0.json", text));
    }

    test::TemporaryFolder folder_;
};

TEST_F(JsonRoundTrip, RealTraces) {
    const auto folder = std::filesystem::path(NPUNET_SHARED_DIR) / "data/chakra";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const Json expected = Json::parse(bytes_of(folder / "expected.json"));
    int files = 0;
    for (const auto& [name, file] : expected.items()) {
        if (file.at("version") != "0.0.4" || !file.at("frame_error").is_null() ||
            file.at("frames") == 0) {
            continue;
        }
        SCOPED_TRACE(name);
        ++files;
        // Without the compression that some have.
        copy(folder / name, folder_ / "plain.et", WrittenForm::V0_0_4);
        ASSERT_TRUE(after_json(folder / name) == bytes_of(folder_ / "plain.et"));
    }
    EXPECT_GT(files, 300);
}

TEST_F(JsonRoundTrip, RandomTraces) {
    RandomMessages random(21);
    for (int round = 0; round < 60; ++round) {
        std::string bytes = plain_beginning();
        for (int nodes = 0; nodes < 30; ++nodes) {
            bytes += frame(random.node().SerializeAsString());
        }
        ASSERT_TRUE(after_json(folder_.write("random.et", bytes)) == bytes) << round;
    }
}

// Each member with each special value.
TEST_F(JsonRoundTrip, EveryMember) {
    RandomMessages random(22);
    std::string bytes = plain_beginning();
    for (unsigned member = first_value_member; member <= last_value_member; ++member) {
        for (std::uint64_t round = 0; round < 60; ++round) {
            ChakraProtoMsg::Node node;
            node.set_id(member * 1000 + round);
            random.fill(static_cast<ValueMember>(member), *node.add_attr());
            bytes += frame(node.SerializeAsString());
        }
    }
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::signaling_NaN(),
          -std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), -0.0, 5e-324, 1e308, 0.1}) {
        ChakraProtoMsg::Node node;
        node.add_attr()->set_double_val(value);
        node.add_attr()->set_float_val(static_cast<float>(value));
        node.add_attr()->mutable_double_list()->add_values(value);
        node.add_attr()->mutable_float_list()->add_values(static_cast<float>(value));
        bytes += frame(node.SerializeAsString());
    }
    for (const char* const text : {"NaN", "Infinity", "hex", "\xFF", "\xC0\x80", "\xED\xA0\x80"}) {
        ChakraProtoMsg::Node node;
        node.set_name(text);
        node.add_attr()->set_string_val(text);
        node.add_attr()->mutable_string_list()->add_values(text);
        node.mutable_inputs()->set_values(text);
        bytes += frame(node.SerializeAsString());
    }
    EXPECT_TRUE(after_json(folder_.write("members.et", bytes)) == bytes);
}

// With and without a metadata frame, an empty one, and no nodes.
TEST_F(JsonRoundTrip, Metadata) {
    const std::string node = frame(field(1, 1) + field(2, "COMP_NODE_x") + field(3, 4));
    for (const std::string& bytes :
         {node, frame("") + node, frame(field(1, "1.0.0")), frame(field(1, "0.0.4")) + node,
          frame(field(1, "0.0.4") + field(2, field(1, "schema") + field(29, "x")) +
                field(40, "later")) +
              node}) {
        EXPECT_TRUE(after_json(folder_.write("t.et", bytes)) == bytes);
    }
}

// The same nodes give the same text; ids and sizes are numbers, not text as in Protobuf's JSON.
TEST_F(JsonRoundTrip, IsWhatTheFeederReads) {
    Node node;
    node.id = std::numeric_limits<std::uint64_t>::max();
    node.name = "x";
    node.type = NodeType::CommSend;
    node.duration_micros = 7;
    node.data_deps = {1, 2};
    node.set_bool("is_cpu_op", true);
    node.set_integer("comm_size", 1024);
    node.set_int32("comm_dst", 3);
    write_trace(folder_ / "a.json", {node, Node{}}, {}, WrittenForm::Json);
    write_trace(folder_ / "b.json", {node, Node{}}, {}, WrittenForm::Json);
    EXPECT_EQ(bytes_of(folder_ / "a.json"), bytes_of(folder_ / "b.json"));
    const Json graph = Json::parse(bytes_of(folder_ / "a.json")).at("workload_graph");
    ASSERT_EQ(graph.size(), 2U);
    EXPECT_EQ(graph[0].at("Id"), node.id);
    EXPECT_EQ(graph[0].at("Name"), "x");
    EXPECT_EQ(graph[0].at("NodeType"), 5);
    EXPECT_EQ(graph[0].at("runtime"), 7);
    EXPECT_EQ(graph[0].at("data_deps"), (Json{1, 2}));
    EXPECT_EQ(graph[0].at("is_cpu_op"), true);
    EXPECT_EQ(graph[0].at("comm_size"), 1024);
    EXPECT_EQ(graph[0].at("comm_dst"), 3);
    EXPECT_EQ(graph[0].at("comm_tag"), 0);
}

TEST_F(JsonRoundTrip, FeederFormBecomesAttributes) {
    const auto nodes = read_json(R"({"workload_name": "w", "ngpus": 2, "soc": [{"a": {}}],
        "workload_graph": [
        {"Id": 18446744073709551615, "Name": "ar", "NodeType": 7, "runtime": 5, "data_deps": [3, 4],
         "ctrlDeps": [9], "is_cpu_op": false, "tensor_size": 8, "comm_type": 0, "comm_size": 1024,
         "comm_priority": 1, "comm_src": 2, "comm_dst": 3, "comm_tag": -4, "unknown": {"x": [1]}},
        {"NodeType": 4, "Id": 3, "is_cpu_op": 1}, {"Id": 4, "NodeType": 0}]})");
    ASSERT_EQ(nodes.size(), 3U);
    Node expected;
    expected.id = std::numeric_limits<std::uint64_t>::max();
    expected.name = "ar";
    expected.type = NodeType::CommCollective;
    expected.duration_micros = 5;
    expected.data_deps = {3, 4};
    expected.ctrl_deps = {9};
    expected.attributes = nodes[0].attributes;  // by name, below
    EXPECT_EQ(nodes[0], expected);
    const std::vector<std::pair<const char*, std::int64_t>> values{
        {"is_cpu_op", 0},     {"tensor_size", 8}, {"comm_type", 0}, {"comm_size", 1024},
        {"comm_priority", 1}, {"comm_src", 2},    {"comm_dst", 3},  {"comm_tag", -4}};
    EXPECT_EQ(nodes[0].attributes.size(), values.size());
    for (const auto& [name, value] : values) {
        EXPECT_EQ(nodes[0].integer(name), value) << name;
    }
    EXPECT_EQ(nodes[1].integer("is_cpu_op"), 1);
    EXPECT_EQ(nodes[1].type, NodeType::Compute);
    EXPECT_TRUE(nodes[2].attributes.empty());
    EXPECT_FALSE(TraceReader(folder_ / "t.0.json").has_metadata());
    EXPECT_TRUE(read_json(R"( { "workload_graph" : [ ] } )").empty());
}

// "attributes" counts and the feeder's keys do not, not even wrong ones, whichever comes first.
TEST_F(JsonRoundTrip, AttributesWinOverFeederKeys) {
    const std::string own =
        R"("attributes": [{"name": "comm_size", "type": "int64_val", "value": 5}])";
    const std::string feeder = R"("comm_size": 7, "comm_tag": "x", "comm_dst": [[1], {}])";
    for (const auto& keys : {own + ", " + feeder, feeder + ", " + own}) {
        const auto nodes =
            read_json(R"({"workload_graph": [{"Id": 1, "NodeType": 7, )" + keys + "}]}");
        ASSERT_EQ(nodes.size(), 1U);
        ASSERT_EQ(nodes[0].attributes.size(), 1U) << keys;
        EXPECT_EQ(nodes[0].integer("comm_size"), 5);
    }
}

// An attribute's keys may stand in any order; what comes before the type waits for it.
TEST_F(JsonRoundTrip, KeysOfAttributesInAnyOrder) {
    const std::vector<std::pair<std::string, std::string>> values{
        {"double_val", "-1.5"},
        {"double_list", "[1, 2.5, -3, \"NaN\", \"-Infinity\", 1e300]"},
        {"float_list", "[1, 0.5]"},
        {"int64_list", "[-9223372036854775808, -1, 0, 9223372036854775807]"},
        {"sint64_list", "[-9223372036854775808, -1, 0, 9223372036854775807]"},
        {"uint64_val", "18446744073709551615"},
        {"bool_list", "[true, false]"},
        {"string_val", "{\"hex\": \"ff00\"}"},
        {"string_list", "[\"a\", {\"hex\": \"ff\"}, \"\"]"},
        {"int32_list", "[]"},
    };
    for (const auto& [type, value] : values) {
        SCOPED_TRACE(type);
        std::vector<std::string> keys{R"("name": "a")", fmt::format(R"("type": "{}")", type),
                                      fmt::format(R"("value": {})", value), R"("later": [{}])"};
        std::sort(keys.begin(), keys.end());
        std::vector<std::string> copies;
        do {
            const auto path = folder_.write(
                "t.0.json", fmt::format(R"({{"workload_graph": [{{"attributes": [{{{}}}], )"
                                        R"("NodeType": 4, "Id": 1, "x": [{{"y": [[[]]]}}]}}]}})",
                                        fmt::join(keys, ",")));
            copy(path, folder_ / "copy.json", WrittenForm::Json);
            copies.push_back(bytes_of(folder_ / "copy.json"));
        } while (std::next_permutation(keys.begin(), keys.end()));
        EXPECT_EQ(copies.size(), 24U);
        EXPECT_EQ(std::count(copies.begin(), copies.end(), copies.front()), 24);
        const Json attribute =
            Json::parse(copies.front()).at("workload_graph")[0].at("attributes")[0];
        EXPECT_EQ(attribute.at("type"), type);
        EXPECT_EQ(attribute.at("value"), Json::parse(value));
    }
}

// The traces that Chakra itself tests its feeder with, against a plain reading of their text.
TEST_F(JsonRoundTrip, FeederTestsOfChakra) {
    const auto archive =
        std::filesystem::path(NPUNET_SHARED_DIR) / "data/chakra/chakra_tests/json_trace.tar.gz";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const std::string unpack =
        fmt::format("tar -xzf '{}' -C '{}'", archive.string(), folder_.path().string());
    ASSERT_EQ(std::system(unpack.c_str()), 0);
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
        if (entry.path().extension() != ".json" ||
            entry.path().filename().string().front() == '.') {
            continue;
        }
        SCOPED_TRACE(entry.path());
        ++files;
        const Json graph = Json::parse(bytes_of(entry.path())).at("workload_graph");
        const auto nodes = read_trace(entry.path());
        ASSERT_EQ(nodes.size(), graph.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            EXPECT_EQ(nodes[i].id, graph[i].at("Id"));
            EXPECT_EQ(nodes[i].name, graph[i].at("Name").get<std::string>());
            EXPECT_EQ(static_cast<int>(nodes[i].type), graph[i].at("NodeType"));
            EXPECT_EQ(nodes[i].duration_micros, graph[i].value("runtime", 0));
            EXPECT_EQ(Json(nodes[i].data_deps), graph[i].value("data_deps", Json::array()));
            EXPECT_EQ(Json(nodes[i].ctrl_deps), graph[i].value("ctrlDeps", Json::array()));
            for (const char* const key : {"comm_type", "comm_size", "comm_src", "comm_tag"}) {
                EXPECT_EQ(nodes[i].integer(key).has_value(), graph[i].contains(key));
                EXPECT_EQ(nodes[i].integer(key).value_or(0), graph[i].value(key, 0));
            }
        }
    }
    EXPECT_GE(files, 2);
}

}  // namespace
}  // namespace npunet::chakra
