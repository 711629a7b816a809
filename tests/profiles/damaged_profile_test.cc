// What real files have that JSON has not. An event that is damaged costs that event at most, and
// its place is named; what stands around it is read as if nothing were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "base/errors.h"
#include "profiles/damaged_json.h"
#include "profiles/profile_reader.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::profiles {
namespace {

const std::string good = R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, )"
                         R"("ts": 1.5, "dur": 2, "args": {"correlation": 3}})";

EventTable read(const test::TemporaryFolder& folder, const std::string& events) {
    return read_profile(folder.write("rank_0.json", "{\"traceEvents\": [\n" + events + "\n]}"));
}

TEST(DamagedProfile, MissingValuesAreRepaired) {
    const test::TemporaryFolder folder;
    const EventTable trace = read(
        folder, good + ",\n" +
                    R"({"ph": "X", "cat": "kernel", "name": "n", "pid": 0, "tid": 7, "ts": 4, )" +
                    R"("dur": 2, "args": {"Process Group Description": , "correlation": 5}},)" +
                    "\n" + good);
    ASSERT_EQ(trace.size(), 3U);
    EXPECT_EQ(trace.correlation[1], 5);
    EXPECT_EQ(trace.damage.repaired_events, 1U);
    EXPECT_EQ(trace.damage.skipped_events, 0U);
    ASSERT_EQ(trace.damage.first.size(), 1U);
    EXPECT_EQ(trace.damage.first[0].line, 3U);
    EXPECT_EQ(trace.damage.first[0].byte, 18 + good.size() + 2);
}

TEST(DamagedProfile, RepairMakesJson) {
    EXPECT_EQ(repaired(R"({"a": , "b": NaN, "c": -1.5e3})"),
              R"({"a": null, "b": null, "c": -1.5e3})");
    EXPECT_EQ(repaired("{\"C:\\Users\": \"x\ty\"}"), "{\"C:\\\\Users\": \"x y\"}");
    EXPECT_EQ(repaired(R"(["\n", true, inf])"), R"(["\n", true, null])");
}

TEST(DamagedProfile, WhatIsNoEventIsSkipped) {
    const test::TemporaryFolder folder;
    // A name with an unescaped quote; an event without a time; a text between events.
    for (const std::string& bad :
         {std::string(R"({"ph": "X", "name": "a "quoted" {name", "pid": 0, "tid": 1, "ts": 1})"),
          std::string(R"({"ph": "X", "name": "a", "pid": 0, "tid": 1, "dur": 1})"),
          std::string("garbage"),
          std::string(R"({"ph": "X", "name": "a", "pid": 0, "tid": 1, "ts": 1, "dur": -5})")}) {
        SCOPED_TRACE(bad);
        const EventTable trace = read(folder, good + ",\n" + bad + ",\n" + good);
        EXPECT_EQ(trace.size(), 2U);
        EXPECT_EQ(trace.damage.skipped_events, 1U);
        ASSERT_EQ(trace.damage.first.size(), 1U);
        EXPECT_EQ(trace.damage.first[0].line, 3U);
    }
}

TEST(DamagedProfile, StrictReadingRefuses) {
    const test::TemporaryFolder folder;
    ProfileReadOptions options;
    options.strict = true;
    const auto path =
        folder.write("rank_0.json", "{\"traceEvents\": [\n" + good + ",\n{\"ph\": }\n]}");
    EXPECT_EQ(test::problem_of([&] { return read_profile(path, options); }).place, "line 3");
}

// Every proper part of a file gives its whole events and says that it is a part.
TEST(DamagedProfile, HalfAFileGivesItsEvents) {
    const test::TemporaryFolder folder;
    const std::string text =
        "{\"schemaVersion\": 1, \"traceEvents\": [\n" + good + ",\n" + good + "\n], \"a\": 1}";
    const std::size_t first_end = text.find(good) + good.size();
    const std::size_t second_end = text.rfind(good) + good.size();
    for (std::size_t length = text.find('[') + 1; length < text.size(); ++length) {
        const EventTable trace = read_profile(folder.write("r.json", text.substr(0, length)));
        EXPECT_TRUE(trace.damage.cut_off) << length;
        EXPECT_EQ(trace.size(), (length >= first_end) + (length >= second_end)) << length;
        EXPECT_EQ(trace.damage.skipped_events, 0U) << length;
    }
}

TEST(DamagedProfile, HalfACompressedFileGivesItsEvents) {
    const test::TemporaryFolder folder;
    std::string text = "{\"traceEvents\": [\n" + good;
    for (int i = 0; i < 20'000; ++i) {
        text += ",\n" + good;
    }
    text += "\n]}";
    const auto path = folder.path() / "rank_0.json.gz";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    const EventTable trace = read_profile(path);
    EXPECT_TRUE(trace.damage.cut_off);
    EXPECT_GT(trace.size(), 100U);
    EXPECT_LT(trace.size(), 20'001U);
}

// A reader that calls itself for every bracket would run out of stack.
TEST(DamagedProfile, DeepNestingIsSkipped) {
    const test::TemporaryFolder folder;
    const std::string deep(1'000'000, '[');
    const EventTable trace =
        read(folder, good + ",\n{\"ph\": \"X\", \"ts\": 1, \"args\": {\"a\": " + deep +
                         std::string(deep.size(), ']') + "}},\n" + good);
    EXPECT_EQ(trace.size(), 2U);
    EXPECT_EQ(trace.damage.skipped_events, 1U);
}

// Each of very many events without an end makes the reader look for it.
TEST(DamagedProfile, DamageThroughoutIsRefused) {
    const test::TemporaryFolder folder;
    std::string bad;
    for (int i = 0; i < 200'000; ++i) {
        bad += "{\"ph\": [";
    }
    EXPECT_THROW((void)read(folder, bad), InputError);
}

TEST(DamagedProfile, LengthsOfValues) {
    constexpr std::size_t none = std::string_view::npos;
    EXPECT_EQ(value_length(R"({"a": "}"} , 1)"), 10U);
    EXPECT_EQ(value_length("[1, [2]], 3"), 8U);
    EXPECT_EQ(value_length("12, 3"), 2U);
    EXPECT_EQ(value_length(R"("a\"b": 1)"), 6U);
    EXPECT_EQ(value_length("{\"a\": 1"), none);
    EXPECT_EQ(value_length("\"abc"), none);
}

}  // namespace
}  // namespace npunet::profiles
