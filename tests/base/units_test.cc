#include "base/units.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "tests/support/refusals.h"

namespace npunet {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// KB is 10^3, KiB is 2^10.
TEST(ParseBytes, KnowsDecimalAndBinarySteps) {
    EXPECT_EQ(parse_bytes("4096", "--size"), Bytes(4096));
    EXPECT_EQ(parse_bytes("0", "--size"), Bytes(0));
    EXPECT_EQ(parse_bytes("7B", "--size"), Bytes(7));
    EXPECT_EQ(parse_bytes("64KiB", "--size"), Bytes(65536));
    EXPECT_EQ(parse_bytes("64 MiB", "--size"), Bytes(67108864));
    EXPECT_EQ(parse_bytes("1GB", "--size"), Bytes(1'000'000'000));
    EXPECT_EQ(parse_bytes("1.5KiB", "--size"), Bytes(1536));
    EXPECT_EQ(parse_bytes("2TiB", "--size"), Bytes(std::int64_t{1} << 41));
}

// 2^53 + 1 is no double.
TEST(ParseBytes, WholeNumbersAreExact) {
    EXPECT_EQ(parse_bytes("9007199254740993", "--size"), Bytes(9007199254740993));
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
    for (const char* text : {"", "MiB", "-1", "1.5", "0.3KB5", "12 parsecs", "1e30", "nan", "inf",
                             "5000000TiB", "64mib", "64MiB "}) {
        EXPECT_THROW(static_cast<void>(parse_bytes(text, "--size")), InputError) << text;
    }
}

TEST(ParseBytes, SaysWhereAndWhat) {
    EXPECT_THAT(test::message_of<InputError>([] { return parse_bytes("12 parsecs", "--size"); }),
                AllOf(HasSubstr("--size"), HasSubstr("12 parsecs"), HasSubstr("64MiB")));
}

TEST(ParseTime, RoundsToPicoseconds) {
    EXPECT_EQ(parse_time("500ns", "--latency"), Time::ns(500));
    EXPECT_EQ(parse_time("1.5us", "--latency"), Time::ns(1500));
    EXPECT_EQ(parse_time("2ms", "--latency"), Time::ns(2'000'000));
    EXPECT_EQ(parse_time("1s", "--latency"), Time::ns(1'000'000'000));
    EXPECT_EQ(parse_time("3ps", "--latency"), Time::ps(3));
    EXPECT_EQ(parse_time("0.0006ns", "--latency"), Time::ps(1));
    EXPECT_EQ(parse_time("0", "--latency"), Time());
}

TEST(ParseTime, NeedsAUnit) {
    for (const char* text : {"500", "", "ns", "-5ns", "5 minutes", "1e9s"}) {
        EXPECT_THROW(static_cast<void>(parse_time(text, "--latency")), InputError) << text;
    }
}

// 400 Gbit/s are 400 x 10^9 / 8 bytes per second.
TEST(ParseRate, KnowsBitsAndBytes) {
    EXPECT_EQ(parse_rate("400Gbps", "--rate"), Rate(50'000'000'000));
    EXPECT_EQ(parse_rate("50GB/s", "--rate"), Rate(50'000'000'000));
    EXPECT_EQ(parse_rate("1GiB/s", "--rate"), Rate(1 << 30));
    EXPECT_EQ(parse_rate("128.5714GB/s", "--rate"), Rate(128'571'400'000));
    EXPECT_EQ(parse_rate("8bps", "--rate"), Rate(1));
}

TEST(ParseRate, RefusesWhatIsNoRate) {
    for (const char* text : {"0", "0Gbps", "400", "7bps", "400Gb", "-1GB/s"}) {
        EXPECT_THROW(static_cast<void>(parse_rate(text, "--rate")), InputError) << text;
    }
}

// Tera is 10^12; decimal digits are kept exactly.
TEST(ParseTflops, KnowsTheUnits) {
    EXPECT_EQ(parse_tflops("989 TFLOPS", "peak"), 989);
    EXPECT_EQ(parse_tflops("989.4TFLOP/s", "peak"), 989.4);
    EXPECT_EQ(parse_tflops("1.979 PFLOPS", "peak"), 1979);
    EXPECT_EQ(parse_tflops("312e12FLOPS", "peak"), 312);
    EXPECT_EQ(parse_tflops("19500 GFLOPS", "peak"), 19.5);
    for (const char* text : {"989", "", "TFLOPS", "-1 TFLOPS", "989 TB/s", "inf TFLOPS"}) {
        EXPECT_THROW(static_cast<void>(parse_tflops(text, "peak")), InputError) << text;
    }
}

// Other spellings of a unit are rejected with a suggestion. b is a bit and B a byte; the case of
// the other letters does not matter for the suggestion.
TEST(Units, ThatAreWrittenOtherwiseAreSuggested) {
    const auto remedy = [](auto* parse, const char* text) {
        return test::problem_of([&] { return parse(text, "here"); }).remedy;
    };
    const std::vector<std::pair<const char*, const char*>> rates{
        {"400gbps", "400Gbps"}, {"400 Gbit/s", "400Gbps"},
        {"400Gb/s", "400Gbps"}, {"400 gbits/sec", "400Gbps"},
        {"50GBps", "50GB/s"},   {"50 GByte/s", "50GB/s"},
        {"400Gb", "400Gbps"},   {"3.35tB/s", "3.35TB/s"},
        {"50GB", "50GB/s"},     {"400G", "400Gbps or 400GB/s or 400GiB/s"}};
    for (const auto& [text, meant] : rates) {
        EXPECT_EQ(remedy(parse_rate, text), fmt::format("Did you mean {}?", meant)) << text;
    }
    const std::vector<std::pair<const char*, const char*>> sizes{
        {"64M", "64MB or 64MiB"}, {"64Mi", "64MiB"},  {"64mb", "64MB"}, {"64mib", "64MiB"},
        {"4kB", "4KB"},           {"1 gigabyte", ""}, {"3bit", ""}};
    for (const auto& [text, meant] : sizes) {
        EXPECT_EQ(remedy(parse_bytes, text), *meant == '\0'
                                                 ? std::string("Give a number and a unit")
                                                 : fmt::format("Did you mean {}?", meant))
            << text;
    }
    const std::vector<std::pair<const char*, const char*>> times{{"5 \xC2\xB5s", "5us"},
                                                                 {"5usec", "5us"},
                                                                 {"2 seconds", "2s"},
                                                                 {"7NS", "7ns"},
                                                                 {"10microseconds", "10us"}};
    for (const auto& [text, meant] : times) {
        EXPECT_EQ(remedy(parse_time, text), fmt::format("Did you mean {}?", meant)) << text;
    }
    EXPECT_EQ(remedy(parse_tflops, "989 tflops"), "Did you mean 989TFLOPS?");
    EXPECT_EQ(remedy(parse_tflops, "989T"), "Did you mean 989TFLOPS?");
    EXPECT_EQ(remedy(parse_rate, "400"), "Give a number and a unit");
    EXPECT_EQ(remedy(parse_rate, "400 furlongs"), "Give a number and a unit");
}

TEST(FormatNs, IsExact) {
    EXPECT_EQ(format_ns(Time()), "0");
    EXPECT_EQ(format_ns(Time::ps(583'200)), "583.2");
    EXPECT_EQ(format_ns(Time::ps(5000)), "5");
    EXPECT_EQ(format_ns(Time::ps(7)), "0.007");
    EXPECT_EQ(format_ns(Time::ps(-1500)), "-1.5");
    EXPECT_EQ(format_ns(Time::max()), "9223372036854775.807");
    EXPECT_EQ(format_ns(Time::ps(std::numeric_limits<std::int64_t>::min())),
              "-9223372036854775.808");
}

// Below 2^53 ps a double holds the picoseconds, so reading back what was written is exact.
TEST(FormatNs, ReadsBack) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const Time time = Time::ps(static_cast<std::int64_t>(random() >> 12));
        EXPECT_EQ(parse_time(format_ns(time) + "ns", "test"), time) << time.ps();
    }
}

TEST(FormatTime, ChoosesTheUnit) {
    EXPECT_EQ(format_time(Time::ps(12'500)), "12.5 ns");
    EXPECT_EQ(format_time(Time::ns(1234)), "1.234 us");
    EXPECT_EQ(format_time(Time::ns(12'345'600)), "12.35 ms");
    EXPECT_EQ(format_time(Time::ns(123'456'000'000)), "123.5 s");
}

TEST(FormatBytes, ChoosesTheUnit) {
    EXPECT_EQ(format_bytes(Bytes(0)), "0 B");
    EXPECT_EQ(format_bytes(Bytes(1023)), "1023 B");
    EXPECT_EQ(format_bytes(Bytes(64 << 20)), "64 MiB");
    EXPECT_EQ(format_bytes(Bytes((std::int64_t{3} << 30) / 2)), "1.500 GiB");
}

// What has no decimals is read back as it was.
TEST(FormatBytes, ReadsBackExactMultiples) {
    for (const std::int64_t size : {1, 1023, 1024, 65536, 1 << 20, 1 << 30}) {
        EXPECT_EQ(parse_bytes(format_bytes(Bytes(size)), "test"), Bytes(size));
    }
}

}  // namespace
}  // namespace npunet
