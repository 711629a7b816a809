// How many cases a random test runs, and how many a test has compared, for the tables of
// docs/validation.md, where scripts/validate adds up the tests' counts.
//
//     const std::uint64_t cases = test::random_cases(300, 20'000);
//     for (...) { compare(...); }
//     test::count_cases(cases);
//
// A test that calls random_cases() needs a line in scripts/test-long.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace npunet::test {

/// The property by which the number stands in GoogleTest's report.
inline constexpr const char* cases_property = "cases";

/// `usual`; in scripts/test-long `in_long_runs`, or the value of the environment variable
/// NPUNET_TEST_CASES if that is a number.
inline std::uint64_t random_cases(std::uint64_t usual, std::uint64_t in_long_runs) {
    const char* const cases = std::getenv("NPUNET_TEST_CASES");
    if (cases == nullptr) {
        return usual;
    }
    return cases == std::string("long") ? in_long_runs : std::stoull(cases);
}

/// Once in a test; one that does not say is one case.
inline void count_cases(std::size_t cases) {
    ::testing::Test::RecordProperty(cases_property, std::to_string(cases));
}

}  // namespace npunet::test
