// How many cases a test has compared, for the tables of docs/validation.md: scripts/validate adds
// up what the tests say.
//
//     for (...) { compare(...); ++cases; }
//     test::count_cases(cases);
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace npunet::test {

/// The property by which the number stands in GoogleTest's report.
inline constexpr const char* cases_property = "cases";

/// Once in a test; one that does not say is one case.
inline void count_cases(std::size_t cases) {
    ::testing::Test::RecordProperty(cases_property, std::to_string(cases));
}

}  // namespace npunet::test
