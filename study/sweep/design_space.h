// A design space: what varies, what it varies over, and the single points of it.
//
//     const DesignSpace space = read_design_space("sweep.yml");
//     for (const Point& point : space.points) {
//         space.find(point, "tp")->number;
//     }
//
// An axis is one parameter with its values, or several parameters that change together (the traces
// and their groups; the columns of a file of points). A point takes one row of each axis. Points
// count from 0, the last axis changing fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantities.h"

namespace npunet::study {

/// One value of a parameter.
struct Value {
    std::string text;                    ///< as it appears in the results
    std::optional<std::int64_t> number;  ///< of counts, sizes (bytes) and switches (0, 1)
    std::string path{};                  ///< of files: where the file is
    std::string file{};                  ///< in which it stands, for messages
    std::string place{};                 ///< in that file
};

struct Axis {
    std::vector<std::string> names;
    std::vector<std::vector<Value>> rows;  ///< each with a value for every name
    /// Whether the values have columns in the results: all but what is given as a single value.
    bool listed = false;
};

struct Point {
    std::vector<std::uint32_t> rows;  ///< of each axis
    /// The number of the point that this one runs again at the fidelity of the second stage.
    std::optional<std::size_t> replay_of;
};

enum class WorkloadKind : std::uint8_t {
    Model,      ///< generated from a model and a plan
    Stage,      ///< generated as STAGE does
    Traces,     ///< read from files
    Collective  ///< a micro-benchmark
};

/// The second stage: the best points once more at another fidelity.
struct ReplayStage {
    Value fidelity;
    std::size_t top = 0;
};

struct DesignSpace {
    std::string file;  ///< the spec, for messages
    std::string text;  ///< its content
    WorkloadKind kind = WorkloadKind::Model;
    std::vector<Axis> axes;
    std::vector<Point> points;
    std::optional<Bytes> memory_limit;
    std::optional<ReplayStage> replay;
    /// Of everything that the results depend on: the points, the limits, the content of all input
    /// files. Equal for equal spaces, wherever the files lie.
    std::uint64_t fingerprint = 0;

    /// The value of a parameter at a point; null when the spec does not give it.
    [[nodiscard]] const Value* find(const Point& point, std::string_view name) const;
    /// Likewise, and `otherwise` when it is not given.
    [[nodiscard]] std::string text_of(const Point& point, std::string_view name,
                                      const std::string& otherwise) const;
    /// The parameters that have columns, in the order of the axes.
    [[nodiscard]] std::vector<std::string> columns() const;
    /// "dp=4 tp=2 fidelity=packet": the values of columns() at a point.
    [[nodiscard]] std::string describe(const Point& point) const;
};

/// Reads a sweep.yml (docs/inputs.md). Relative paths in it are looked up in the folder of the
/// spec, then in the folder above, and so on, never in the working directory: the same spec means
/// the same sweep wherever it is run. Throws InputError with file and line for whatever cannot be
/// meant: unknown keys, values out of range, files that are missing, an expression that fails, no
/// points at all. `confirm`, at least 1, is short for `then: {fidelity: packet, top: confirm}`;
/// refused beside `then`, and where every point runs at packet fidelity.
[[nodiscard]] DesignSpace read_design_space(const std::string& file,
                                            std::optional<std::size_t> confirm = std::nullopt);

}  // namespace npunet::study
