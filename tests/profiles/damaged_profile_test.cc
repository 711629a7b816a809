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

/// `good` with one of its values replaced.
std::string with(const std::string& old_text, const std::string& text) {
    std::string changed = good;
    changed.replace(changed.find(old_text), old_text.size(), text);
    return changed;
}

// An event with an invalid time is skipped: 0 ns would be a kernel that took no time. The limits
// are 2^50 ns, 1125899906842.624 us, for durations and 2^61 ns for begins.
TEST(DamagedProfile, TimesThatAreNoneAreSkippedAndSaid) {
    const test::TemporaryFolder folder;
    for (const char* key : {"dur", "ts"}) {
        for (const char* value :
             {"1e308", "9223372036854775808", "null", "true", "false", "[1]", "{}", "-1",
              "\"soon\"", "-9223372036854775808", "1e16", "NaN", ""}) {
            SCOPED_TRACE(std::string(key) + " " + value);
            const std::string old_text = std::string(key) == "dur" ? "\"dur\": 2" : "\"ts\": 1.5";
            const std::string bad = with(old_text, "\"" + std::string(key) + "\": " + value);
            const EventTable trace = read(folder, good + ",\n" + bad + ",\n" + good);
            EXPECT_EQ(trace.size(), 2U);
            EXPECT_EQ(trace.damage.skipped_events, 1U);
            ASSERT_EQ(trace.damage.first.size(), 1U);
            EXPECT_EQ(trace.damage.first[0].line, 3U);
            EXPECT_THAT(trace.damage.first[0].what, testing::HasSubstr(key));
            ProfileReadOptions strict;
            strict.strict = true;
            EXPECT_EQ(test::problem_of([&] { return read_profile(trace.file, strict); }).place,
                      "line 3");
        }
    }
    EXPECT_EQ(read(folder, with("\"dur\": 2", "\"dur\": 1125899906842.624")).duration_ns[0],
              longest_event_ns);
    EXPECT_EQ(read(folder, with("\"dur\": 2", "\"dur\": 1125899906842.625")).size(), 0U);
    EXPECT_EQ(read(folder, with(", \"dur\": 2", "")).size(), 0U);
    // Larger than any double.
    EXPECT_EQ(read(folder, with("\"dur\": 2", "\"dur\": 1e999")).damage.skipped_events, 1U);
}

// 1e15 us is 31 years: too long for a duration, and as a begin far from the other events.
TEST(DamagedProfile, EventsFarFromTheOthersAreSkippedAndSaid) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(read(folder, with("\"dur\": 2", "\"dur\": 1e15")).size(), 0U);
    const std::string far = with("\"ts\": 1.5", "\"ts\": 1e15");
    const EventTable trace = read(folder, good + ",\n" + far + ",\n" + good);
    EXPECT_EQ(trace.damage.skipped_events, 1U);
    EXPECT_EQ(trace.damage.first_text(),
              ", first 'k', more than 13 days from the middle of the "
              "profile");
    EXPECT_EQ(trace.category[0], EventCategory::Kernel);
    EXPECT_EQ(trace.category[1], EventCategory::Other);
    EXPECT_EQ(trace.duration_ns[1], 0);
    ProfileReadOptions strict;
    strict.strict = true;
    EXPECT_THROW((void)read_profile(trace.file, strict), InputError);
    // All events are of 2001 by the wall clock, so none is far from the others.
    EXPECT_FALSE(read(folder, far + ",\n" + far).damage.any());
}

// Sums of GPU work over a thousand ranks must fit in 64 bits.
TEST(DamagedProfile, GpuWorkIsBounded) {
    const test::TemporaryFolder folder;
    std::string events = good;
    for (int i = 0; i < 20; ++i) {
        events += ",\n" + with("\"dur\": 2", "\"dur\": 1125899906842.624");
    }
    const EventTable trace = read(folder, events);
    EXPECT_EQ(trace.size(), 8U);
    EXPECT_EQ(trace.damage.skipped_events, 13U);
}

// An argument that is not a whole number counts as missing, and the rest of the event is kept.
// Profilers write strings and null for missing values.
TEST(DamagedProfile, ArgumentsThatAreNoNumbersAreLeftOutAndSaid) {
    const test::TemporaryFolder folder;
    for (const char* value : {"1e308", "9223372036854775808", "true", "1.5"}) {
        SCOPED_TRACE(value);
        const EventTable trace =
            read(folder, with("\"correlation\": 3", "\"correlation\": " + std::string(value) +
                                                        ", \"device\": 1, \"stream\": 7"));
        ASSERT_EQ(trace.size(), 1U);
        EXPECT_EQ(trace.correlation[0], absent);
        EXPECT_EQ(trace.tracks[0].stream, 7);
        EXPECT_EQ(trace.damage.repaired_events, 1U);
        ASSERT_EQ(trace.damage.first.size(), 1U);
        EXPECT_THAT(trace.damage.first[0].what, testing::HasSubstr("'correlation'"));
    }
    for (const char* argument :
         {"\"device\": 2147483648", "\"bytes\": 1e18", "\"In msg nelems\": 1e300",
          "\"Group size\": 1e10", "\"Src Rank\": -1e10"}) {
        EXPECT_EQ(read(folder, with("\"correlation\": 3", argument)).damage.repaired_events, 1U)
            << argument;
    }
    for (const char* argument : {"\"correlation\": null", "\"stream\": \"0x0\"",
                                 "\"correlation\": 7.0", "\"Src Rank\": -1"}) {
        EXPECT_FALSE(read(folder, with("\"correlation\": 3", argument)).damage.any()) << argument;
    }
}

// A list is kept as text. No known argument is a list of objects; such a list is skipped, and
// reading continues after it.
TEST(DamagedProfile, ListsWithNullAndObjectsAreRead) {
    const test::TemporaryFolder folder;
    const auto ranks_of = [&](const std::string& list) -> std::string {
        const EventTable trace =
            read(folder, with("\"correlation\": 3",
                              "\"Process Group Ranks\": " + list + ", \"correlation\": 3"));
        EXPECT_EQ(trace.correlation.at(0), 3);
        return trace.collectives.empty()
                   ? std::string()
                   : std::string(trace.strings[trace.collectives[0].group_ranks]);
    };
    EXPECT_EQ(ranks_of("[0, null]"), "[0, null]");
    EXPECT_EQ(ranks_of("[[null], 1]"), "[[null], 1]");
    EXPECT_EQ(ranks_of("[0, {\"a\": [1, null]}, 1]"), "");
    EXPECT_EQ(ranks_of("[]"), "[]");
}

// The same for values outside the events.
TEST(DamagedProfile, HeadersThatAreNoNumbersAreSaid) {
    const test::TemporaryFolder folder;
    for (const char* member :
         {R"("baseTimeNanoseconds": 1e308)", R"("baseTimeNanoseconds": 4611686018427387904)",
          R"("distributedInfo": {"rank": 1e308, "world_size": 2})",
          R"("distributedInfo": {"rank": 4294967296})", R"("distributedInfo": {"rank": true})",
          R"("distributedInfo": {"rank": 0, "world_size": -5})",
          R"("distributedInfo": {"pg_config": [{"pg_size": 1e308}]})",
          R"("deviceProperties": [{"id": 1e308}])"}) {
        const EventTable trace = read_profile(folder.write(
            "rank_0.json", "{" + std::string(member) + ", \"traceEvents\": [" + good + "]}"));
        EXPECT_TRUE(trace.damage.any()) << member;
        EXPECT_EQ(trace.rank, 0) << member;
        EXPECT_GE(trace.world_size, 0) << member;
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
