// Whole YAML and JSON documents: what is beyond the limits is refused with its place, whatever the
// parsers behind would do with it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/json_document.h"
#include "base/yaml_document.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet {
namespace {

using nlohmann::json;
using test::problem_of;
using testing::HasSubstr;

InputProblem yaml_problem(const std::string& text) {
    return problem_of([&] { return parse_yaml("a.yml", text); });
}

InputProblem json_problem(const std::string& text) {
    return problem_of([&] { return parse_json<json>("a.json", text, {"a thing", ""}); });
}

std::string repeated(std::size_t times, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

TEST(InputDocuments, ComplaintsOfTheLibraryGoWithoutItsName) {
    EXPECT_THAT(json_problem("{").remedy,
                testing::StartsWith("parse error at line 1, column 2: syntax error"));
    EXPECT_EQ(json_complaint("anything else]"), "anything else]");
}

// A file whose bytes the system does not give: the first page of memory is never there.
TEST(InputText, WhatTheSystemRefusesIsNotTheInputsFault) {
    EXPECT_THAT(test::message_of<MachineError>(
                    [] { return read_input_text("/proc/self/mem", "a text", ""); }),
                testing::StartsWith("/proc/self/mem: cannot read: "));
    const auto found = [](const std::string& file, std::size_t longest) {
        return problem_of([&] { return read_input_text(file, "a text", "", longest); }).found;
    };
    EXPECT_EQ(found("/dev/zero", std::size_t{3} << 20), "more than 3 MiB");
    EXPECT_EQ(found("/proc/self", 1), "a folder");
    EXPECT_EQ(found("/proc/self/nothing", 1), "no such file");
}

// d brackets around nothing are d deep.
TEST(InputDocuments, AreAsDeepAsTheLimitAndNoDeeper) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_TRUE(parse_yaml("a.yml", nested(deepest_input)).IsSequence());
    EXPECT_TRUE(parse_json<json>("a.json", nested(deepest_input), {}).is_array());
    for (const std::size_t depth : {deepest_input + 1, std::size_t{200'000}}) {
        EXPECT_EQ(yaml_problem(nested(depth)).found, "lists or maps 65 deep in each other");
        EXPECT_EQ(json_problem(nested(depth)).found, "lists or maps 65 deep in each other");
        EXPECT_EQ(json_problem(repeated(depth, "{\"a\":")).found,
                  "lists or maps 65 deep in each other");
    }
    EXPECT_EQ(yaml_problem(nested(70)).place, "line 1, column 65");
    EXPECT_EQ(json_problem("{\"key\": " + nested(70) + "}").place, "key");
    EXPECT_THAT(yaml_problem(repeated(1000, "- ")).found, HasSubstr("65 deep"));
    EXPECT_THAT(yaml_problem(repeated(1000, "? ")).found, HasSubstr("65 deep"));
    EXPECT_THAT(yaml_problem(repeated(1000, "{a: ")).found, HasSubstr("65 deep"));
}

// A list of ten of what is a level below has 10^n + 10^(n-1) + ... + 1 values at level n: 11 at the
// first, 1 111 111 at the sixth, 11 111 111 at the seventh, which is beyond 2^22.
TEST(InputDocuments, CountAnAliasAsWhatItNames) {
    const auto bomb = [](int levels) {
        std::string text = "a0: &a0 x\n";
        for (int level = 1; level <= levels; ++level) {
            text += fmt::format("a{0}: &a{0} [", level);
            for (int i = 0; i < 10; ++i) {
                text += fmt::format("{}*a{}", i == 0 ? "" : ", ", level - 1);
            }
            text += "]\n";
        }
        return text;
    };
    EXPECT_EQ(parse_yaml("a.yml", bomb(6))["a6"].size(), 10U);
    EXPECT_EQ(yaml_problem(bomb(7)).found, "more than 4194304 values");
    EXPECT_THAT(yaml_problem(bomb(30)).place, HasSubstr("line 8, "));
}

TEST(InputDocuments, HaveNoAliasInsideOfWhatItNames) {
    for (const char* const text : {"&a [*a]", "a: &b {c: [*b]}", "&a {*a : 1}"}) {
        EXPECT_EQ(yaml_problem(text).found, "an alias inside of what it names") << text;
    }
    EXPECT_EQ(parse_yaml("a.yml", "[&a 1, *a, &a 2, *a]")[3].Scalar(), "2");
}

// The list itself is one value.
TEST(InputDocuments, HoldAsManyValuesAsTheLimit) {
    const std::string most = "[" + repeated(most_input_values - 2, "1,") + "1";
    EXPECT_EQ(parse_json<json>("a.json", most + "]", {}).size(), most_input_values - 1);
    EXPECT_EQ(json_problem(most + ",1]").found, "more than 4194304 values");
}

TEST(InputDocuments, SayWhereTheyAreNoDocuments) {
    EXPECT_EQ(yaml_problem("a: 1\nb: [1\n").expected, "YAML");
    EXPECT_THAT(yaml_problem("a: 1\nb: *c\n").place, HasSubstr("line 2"));
    EXPECT_EQ(yaml_problem("a: 1\n---\nb: 2\n---\nc: 3\n").found, "a second document");
    for (const char* const text : {", a", "]", "a: 1\n, b"}) {
        EXPECT_EQ(yaml_problem(text).expected, "YAML") << text;
    }
    EXPECT_TRUE(parse_yaml("a.yml", "# nothing\n").IsNull());
    EXPECT_EQ(json_problem("{\"a\": }").place, "byte 7");
    EXPECT_EQ(json_problem("1e999").found, "a value that cannot be read");
}

// {"b": 1, "b": 2} is ambiguous. Separate or nested objects may have the same keys.
TEST(InputDocuments, HaveEveryKeyOnce) {
    for (const char* const text :
         {R"({"b": 1, "b": 2})", R"({"a": {"b": 1, "b": 2}})", R"([{}, {"b": {}, "b": []}])"}) {
        EXPECT_EQ(json_problem(text).found, "the same key twice in an object") << text;
        EXPECT_EQ(json_problem(text).place, "b") << text;
    }
    EXPECT_EQ(parse_json<json>("a.json", R"([{"b": 1}, {"b": {"b": 2}}])", {})[1]["b"]["b"], 2);
}

// YAML does not allow tabs for indentation. The parser itself would report "illegal map values" or
// a block entry.
TEST(InputDocuments, NameTheTabThatIndents) {
    for (const char* const text : {"a:\n\tb: 1\n", "a: 1\n\tb: 2\n", "a:\n  - x\n \t- y\n"}) {
        const InputProblem problem = yaml_problem(text);
        EXPECT_EQ(problem.found, "a tab in the indentation") << text;
        EXPECT_THAT(problem.place, testing::StartsWith("line ")) << text;
        EXPECT_THAT(problem.remedy, HasSubstr("blanks")) << text;
    }
    EXPECT_EQ(parse_yaml("a.yml", "a:\tb\n")["a"].Scalar(), "b");
    EXPECT_EQ(parse_yaml("a.yml", "a: [1,\n\t2]\n")["a"].size(), 2U);
    EXPECT_THAT(yaml_problem("a: 1\nb: [1\t\n").found, testing::Not(HasSubstr("tab")));
}

// A device without an end is read up to the limit.
TEST(InputDocuments, AreFilesOfAnEnd) {
    const test::TemporaryFolder folder;
    const auto problem = [](const std::filesystem::path& file) {
        return problem_of([&] { return read_yaml(file, "a model file", "Check the path"); });
    };
    EXPECT_EQ(problem(folder / "none").found, "no such file");
    EXPECT_EQ(problem(folder / "none").remedy, "Check the path");
    EXPECT_EQ(problem(folder.path()).found, "a folder");
    EXPECT_EQ(problem(folder.write("empty", "")).found, "an empty file");
    EXPECT_EQ(problem("/dev/zero").found, "more than 256 MiB");
    EXPECT_EQ(read_yaml(folder.write("one", "1"), "", "").Scalar(), "1");
}

}  // namespace
}  // namespace npunet
