// Two results.json side by side: what people compare of two runs, of any workloads and machines.
//
//     const ResultsPair both(read_figures("out/a/results.json"), read_figures("out/b.json"));
//     out << results_pair_table(both);
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"

namespace npunet::report {

/// One number of a results.json.
struct ResultsFigure {
    enum class Unit : std::uint8_t { Nanoseconds, Bytes, Percent, Number };

    std::string key;   ///< its path in the file: "summary.compute_ns"
    std::string name;  ///< for people: "compute"
    Unit unit = Unit::Number;
    double value = 0;
};

struct SavedFigures {
    std::string label;  ///< the file, or its folder where it is called results.json
    std::string fidelity;
    std::string partial;  ///< why the run was broken off; empty: it was not
    std::vector<ResultsFigure> figures;
};

/// Of `npunet simulate`: results.json of its output folder, or what --json printed. Throws
/// InputError for a file that is none of these.
[[nodiscard]] SavedFigures read_figures(const std::filesystem::path& file);

/// A figure in both runs; nothing where a run does not have it.
struct ComparedFigure {
    ResultsFigure figure;  ///< without its value
    std::array<std::optional<double>, 2> values;
};

/// Labels that are equal get a number.
struct ResultsPair {
    ResultsPair(SavedFigures first, SavedFigures second);

    std::array<SavedFigures, 2> runs;
    std::vector<ComparedFigure> rows;  ///< in the order of the files
};

/// "18.25 ms", "36.8 GiB", "41.2%"
[[nodiscard]] std::string format_figure(ResultsFigure::Unit unit, double value);
/// "+823.0 us"; "+1.2 points" of percent.
[[nodiscard]] std::string format_difference(ResultsFigure::Unit unit, double difference);

[[nodiscard]] std::string results_pair_table(const ResultsPair& both);

/// An object: `files` (`file`, `fidelity`, `partial`), `rows` (`key`, `values`, `difference`).
void write_results_pair(JsonWriter& json, const ResultsPair& both);
/// The same as a document.
[[nodiscard]] std::string results_pair_json(const ResultsPair& both);

/// The table of a page.
[[nodiscard]] std::string results_pair_html(const ResultsPair& both);

}  // namespace npunet::report
