// Tables of docs/validation.md: rows of text, and what in them is outside of its bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantities.h"

namespace npunet::validation {

struct Table {
    std::string title;                           ///< of its section in docs/validation.md
    std::vector<std::string> heads;              ///< of the columns
    std::vector<std::vector<std::string>> rows;  ///< as many cells as heads
    std::vector<std::string> failures;           ///< a line for each row outside of its bound

    /// A row, and a failure unless `holds`.
    void add(std::vector<std::string> row, bool holds);
};

/// As the lines of a table in Markdown, each with a line feed.
[[nodiscard]] std::string markdown(const Table& table);

/// Nanoseconds with three decimals, which is exact: "31416.008".
[[nodiscard]] std::string nanoseconds(Time time);
/// With so many decimals, as printf() rounds.
[[nodiscard]] std::string decimals(double value, int count);

/// Closed forms against simulations, to the picosecond. Without ns-3 the rows of packets are left
/// out, as in the other tables.
[[nodiscard]] Table closed_forms();
/// Bubbles of pipelines against the published bounds, to the picosecond.
[[nodiscard]] Table pipeline_bubbles();
/// The three fidelities on the same cases; the parts of the difference have to sum to it exactly.
/// Empty without ns-3.
[[nodiscard]] Table fidelities();
/// Congestion control on one bottleneck.
[[nodiscard]] Table bottlenecks();
/// The papers' scenarios, from the recorded output of the examples of the ns-3 module.
[[nodiscard]] Table scenarios();

/// Everything above in the order of the page; empty tables are left out.
[[nodiscard]] std::vector<Table> computed_tables();

/// A group of tests which compare many cases with something else.
struct Comparison {
    std::string what;
    std::string with;
    std::string program;        ///< in tests/ of the build
    std::string tests;          ///< part of their names, as ctest -R takes it; no expression but $
    std::size_t cases = 0;      ///< that they compare
    bool needs_shared = false;  ///< skipped where the recordings are absent
};

/// What a run of a group's tests came to.
struct Outcome {
    std::size_t cases = 0;
    std::size_t failed = 0;   ///< tests
    std::size_t skipped = 0;  ///< tests
};

[[nodiscard]] const std::vector<Comparison>& recordings();  ///< of other programs
[[nodiscard]] const std::vector<Comparison>& oracles();     ///< written a second time, plainly
[[nodiscard]] const std::vector<Comparison>& generated();   ///< what other generators wrote

/// The table as it has to be.
[[nodiscard]] Table stated(const std::string& title, const std::vector<Comparison>& comparisons);
/// The table as the tests of the build in this folder make it now. A row is outside of its bound
/// when a test fails, or when other than the stated number of cases was compared. Throws
/// std::runtime_error when a program cannot be run.
[[nodiscard]] Table tried(const std::string& title, const std::vector<Comparison>& comparisons,
                          const std::string& build);

/// Titles of the three tables, in the order of the functions above.
inline constexpr const char* recordings_title = "Recorded results of ASTRA-sim";
inline constexpr const char* oracles_title = "Independent models";
inline constexpr const char* generated_title = "Files and figures of other programs";

}  // namespace npunet::validation
