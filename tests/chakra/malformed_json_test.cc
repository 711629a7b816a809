// Whatever is wrong with a JSON trace is one InputError with the file and the line, node and key,
// or key that it is about.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "mutation.h"
#include "random_messages.h"
#include "test_files.h"

namespace npunet::chakra {
namespace {

using ::testing::HasSubstr;

class MalformedJson : public ::testing::Test {
protected:
    InputProblem problem(const std::string& text) const {
        const auto path = folder_.write("t.0.json", text);
        const auto found = problem_of([&] { (void)read_trace(path); });
        EXPECT_EQ(found.file, path.string());
        EXPECT_FALSE(found.place.empty()) << found.found;
        EXPECT_FALSE(found.found.empty());
        EXPECT_FALSE(found.expected.empty());
        EXPECT_FALSE(found.remedy.empty());
        return found;
    }
    /// Where the fault is when these are the keys of the second node.
    [[nodiscard]] std::string place_with(const std::string& keys) const {
        return problem(R"({"workload_graph": [{"Id": 1, "NodeType": 4}, {)" + keys + "}]}").place;
    }

    test::TemporaryFolder folder_;
};

TEST_F(MalformedJson, TextThatIsNoJson) {
    EXPECT_EQ(problem("{\"workload_graph\": [\n{\"Id\": 1,\n\"NodeType\": 4},\n]}").place,
              "line 4");
    EXPECT_EQ(problem("{\"workload_graph\": [\n\n").place, "line 3");
    EXPECT_EQ(problem("{\"workload_graph\": []}\n}").place, "line 2");
    EXPECT_EQ(problem("{\"workload_graph\": [{\"Name\": \"\xFF\"}]}").place, "line 1");
    EXPECT_EQ(problem("{\"workload_graph\": [{\"Id\": 01}]}").place, "line 1");
    EXPECT_EQ(problem("{\"workload_graph\": [{\"runtime\": 1e999}]}").place,
              "node 0 of workload_graph");
}

TEST_F(MalformedJson, JsonThatIsNoTrace) {
    for (const char* const text : {"{}", R"({"graph": []})", R"({"workload_graph": null})",
                                   R"({"workload_graph": "x"})", R"({"metadata": {}})"}) {
        EXPECT_THAT(problem(text).place, HasSubstr("workload_graph")) << text;
    }
    EXPECT_THAT(problem(R"({"workload_graph": {"Id": 1}})").place, HasSubstr("workload_graph"));
    EXPECT_THAT(problem(R"({"workload_graph": [1]})").place, HasSubstr("node 0"));
    EXPECT_EQ(problem(R"({"workload_graph": [], "workload_graph": []})").place, "workload_graph");
    problem("[1, 2]");
}

TEST_F(MalformedJson, KeysOfANode) {
    EXPECT_EQ(place_with(""), "node 1 of workload_graph");
    EXPECT_EQ(place_with(R"("Id": 2)"), "node 1 of workload_graph");
    EXPECT_EQ(place_with(R"("NodeType": 2)"), "node 1 of workload_graph");
    const std::vector<std::pair<const char*, const char*>> faults{
        {"Name", "3"},
        {"Name", R"({"hex": "0"})"},
        {"Name", R"({"hex": "0g"})"},
        {"Name", R"({"base64": ""})"},
        {"runtime", "-1"},
        {"runtime", "1.5"},
        {"runtime", "\"1\""},
        {"runtime", "18446744073709551616"},
        {"start_time_micros", "true"},
        {"data_deps", "1"},
        {"data_deps", "[-1]"},
        {"data_deps", "[[1]]"},
        {"ctrl_deps", "{}"},
        {"ctrlDeps", "[null]"},
        {"is_cpu_op", "2"},
        {"is_cpu_op", "\"true\""},
        {"tensor_size", "-1"},
        {"comm_type", "\"ALL_REDUCE\""},
        {"comm_size", "9223372036854775808"},
        {"comm_src", "2147483648"},
        {"comm_tag", "-2147483649"},
        {"inputs", "[]"},
        {"inputs", R"({"value": ""})"},
        {"outputs", R"({"values": 1})"},
        {"outputs", R"({"rest": {"hex": "ff"}})"},
        {"outputs", R"({"rest": {"hex": "0a0178"}})"},
        {"rest", R"({"hex": "08"})"},
        {"rest", R"({"hex": "0801"})"},
        {"rest", R"({"hex": "4201ff"})"},
        {"attributes", "{}"},
    };
    for (const auto& [key, value] : faults) {
        SCOPED_TRACE(fmt::format("{}: {}", key, value));
        EXPECT_EQ(place_with(fmt::format(R"("Id": 2, "NodeType": 4, "{}": {})", key, value)),
                  fmt::format("node 1 of workload_graph, {}", key));
    }
    for (const char* const value : {"-1", "1.0", "\"1\"", "[]"}) {
        EXPECT_EQ(place_with(fmt::format(R"("Id": {}, "NodeType": 4)", value)),
                  "node 1 of workload_graph, Id");
    }
    for (const char* const value : {"8", "-1", "\"COMP_NODE\"", "4.0"}) {
        EXPECT_EQ(place_with(fmt::format(R"("Id": 2, "NodeType": {})", value)),
                  "node 1 of workload_graph, NodeType");
    }
}

// Which of the two counts would be a guess.
TEST_F(MalformedJson, KeysThatComeTwice) {
    for (const char* const key :
         {"Id", "NodeType", "Name", "runtime", "data_deps", "attributes", "rest", "comm_size"}) {
        const char* const value =
            std::string_view(key) == "data_deps" || std::string_view(key) == "attributes" ? "[]"
            : std::string_view(key) == "Name" || std::string_view(key) == "rest"          ? R"("")"
                                                                                          : "4";
        const auto twice = fmt::format(R"("{}": {}, "{}": {})", key, value, key, value);
        EXPECT_EQ(place_with(twice), fmt::format("node 1 of workload_graph, {}", key));
    }
    EXPECT_EQ(place_with(R"("ctrlDeps": [], "ctrl_deps": [])"),
              "node 1 of workload_graph, ctrl_deps");
    EXPECT_EQ(place_with(R"("inputs": {"types": "", "types": ""})"),
              "node 1 of workload_graph, inputs");
    EXPECT_EQ(place_with(R"("attributes": [{"name": "a", "value": 1, "value": 1}])"),
              "node 1 of workload_graph, attribute 0");
    EXPECT_EQ(
        problem(R"({"metadata": {"version": "", "version": ""}, "workload_graph": []})").place,
        "metadata, version");
    EXPECT_EQ(problem(R"({"metadata": {}, "metadata": {}, "workload_graph": []})").place,
              "metadata");
}

// They stay in memory, a hundred bytes each, while their text may have twelve.
TEST_F(MalformedJson, ManyAttributesOfMetadata) {
    const auto text = [](int attributes) {
        std::string list;
        for (int i = 0; i < attributes; ++i) {
            list += fmt::format(R"({}{{"name": ""}})", i == 0 ? "" : ",");
        }
        return fmt::format(R"({{"metadata": {{"attributes": [{}]}}, "workload_graph": []}})", list);
    };
    EXPECT_TRUE(read_trace(folder_.write("t.0.json", text(1000))).empty());
    EXPECT_EQ(problem(text(1001)).place, "metadata, attributes");
}

TEST_F(MalformedJson, Attributes) {
    for (const char* const attribute :
         {"1",
          "{}",
          R"({"name": 1})",
          R"({"name": "a", "type": "int63_val", "value": 1})",
          R"({"name": "a", "type": 9, "value": 1})",
          R"({"name": "a", "type": "int64_val"})",
          R"({"name": "a", "type": "int32_val", "value": 2147483648})",
          R"({"name": "a", "type": "uint32_val", "value": -1})",
          R"({"name": "a", "type": "int64_val", "value": 1.5})",
          R"({"name": "a", "type": "bool_val", "value": 1})",
          R"({"name": "a", "type": "double_val", "value": "nan"})",
          R"({"name": "a", "type": "string_val", "value": 1})",
          R"({"name": "a", "type": "int64_list", "value": 1})",
          R"({"name": "a", "type": "uint32_list", "value": [4294967296]})",
          R"({"name": "a", "type": "string_list", "value": ["x", 1]})",
          R"({"name": "a", "type": "double_list", "value": ["x"]})",
          R"({"name": "a", "type": "int64_list", "value": [[1]]})",
          R"({"value": 1.5, "name": "a", "type": "int64_val"})",
          R"({"value": [1, "x"], "name": "a", "type": "int64_list"})",
          R"({"value": {"hex": "0"}, "name": "a", "type": "string_val"})",
          R"({"value": [[]], "name": "a", "type": "int64_list"})",
          R"({"name": "a", "type": "wire", "value": {"hex": ""}})",
          R"({"name": "a", "type": "wire", "member": "int64_val", "value": {"hex": "3801"}})",
          R"({"name": "a", "type": "wire", "member": "int64_val", "value": {"hex": "48"}})",
          R"({"name": "a", "type": "wire", "member": "int64_val", "value": {"hex": "0a01624801"}})",
          R"({"name": "a", "rest": {"hex": "4801"}})",
          R"({"name": "a", "rest": {"hex": "0a0162"}})",
          R"({"name": "a", "rest": 5})"}) {
        SCOPED_TRACE(attribute);
        EXPECT_EQ(
            place_with(fmt::format(
                R"("Id": 2, "NodeType": 4, "attributes": [{{"name": "ok"}}, {}])", attribute)),
            "node 1 of workload_graph, attribute 1");
        EXPECT_EQ(
            problem(fmt::format(R"({{"metadata": {{"attributes": [{}]}}, "workload_graph": []}})",
                                attribute))
                .place,
            "metadata, attribute 0");
    }
}

TEST_F(MalformedJson, Metadata) {
    const auto place = [&](const char* metadata) {
        return problem(fmt::format(R"({{"metadata": {}, "workload_graph": []}})", metadata)).place;
    };
    EXPECT_EQ(place("[]"), "metadata");
    EXPECT_EQ(place(R"({"version": 1})"), "metadata, version");
    EXPECT_EQ(place(R"({"attributes": 1})"), "metadata, attributes");
    EXPECT_EQ(place(R"({"rest": {"hex": "ff"}})"), "metadata, rest");
    EXPECT_EQ(place(R"({"rest": {"hex": "1201ff"}})"), "metadata, rest");
}

// No stack is exhausted.
TEST_F(MalformedJson, DeepText) {
    for (const char* const open : {"[", "{\"a\":"}) {
        std::string deep = R"({"workload_graph": [{"Id": 1, "x": )";
        for (int i = 0; i < 100'000; ++i) {
            deep += open;
        }
        EXPECT_EQ(problem(deep).place, "node 0 of workload_graph");
    }
}

// Fields of later schemas that lie too deep for Protobuf.
TEST_F(MalformedJson, DeepRest) {
    for (const int depth : {50, 98, 99, 100, 101}) {
        std::string rest;
        for (int i = 0; i < depth; ++i) {
            rest += "c302";
        }
        for (int i = 0; i < depth; ++i) {
            rest += "c402";
        }
        const auto text = [&](const char* form) {
            return fmt::format(R"({{"workload_graph": [{{"Id": 1, "NodeType": 4, {}}}]}})",
                               fmt::format(fmt::runtime(form), rest));
        };
        const std::string node = text(R"("rest": {{"hex": "{}"}})");
        const std::string inputs = text(R"("inputs": {{"rest": {{"hex": "{}"}}}})");
        const std::string attribute =
            text(R"("attributes": [{{"name": "a", "rest": {{"hex": "{}"}}}}])");
        for (const std::string& one : {node, inputs, attribute}) {
            if (depth <= (one == node ? 100 : 99)) {
                const auto nodes = read_trace(folder_.write("t.0.json", one));
                ASSERT_EQ(nodes.size(), 1U);
                EXPECT_EQ(nodes[0].id, 1U);
            } else {
                EXPECT_THAT(problem(one).place, HasSubstr("node 0 of workload_graph, "));
            }
        }
    }
}

// Whatever happens to the text: nodes or an InputError with a place.
TEST_F(MalformedJson, DamagedText) {
    RandomMessages random(31);
    std::string trace = plain_beginning();
    for (int i = 0; i < 3; ++i) {
        trace += frame(random.node().SerializeAsString());
    }
    write_trace(folder_ / "whole.json", read_trace(folder_.write("whole.et", trace)), {},
                WrittenForm::Json);
    const std::string whole = bytes_of(folder_ / "whole.json");
    int read = 0;
    constexpr int rounds = 1000;
    for (int round = 0; round < rounds; ++round) {
        const auto path = folder_.write("t.0.json", mutated(whole, random.engine()));
        try {
            (void)read_trace(path);
            ++read;
        } catch (const InputError& error) {
            ASSERT_EQ(error.problem().file, path.string());
            ASSERT_FALSE(error.problem().place.empty()) << error.what();
        }
    }
    EXPECT_GT(read, rounds / 50);
    EXPECT_LT(read, rounds);
}

}  // namespace
}  // namespace npunet::chakra
