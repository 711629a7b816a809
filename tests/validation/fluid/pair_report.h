// What the runs of pairs come to: errors against packets, and the bars that the fluid model has to
// hold.
//
//     const std::vector<Comparison> compared = compare(pairs, file, "fluid");
//     for (const Table& table : tables_of(compared, file, "fluid")) { ... }
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pair_runs.h"
#include "pairs.h"
#include "tests/validation/validation_table.h"

namespace npunet::validation {

/// A pair moves with its buffers by more than this part: buffers decide its finish.
inline constexpr double buffers_matter = 0.005;
/// Part of packets with a mark from which on congestion control by marks is not held to bars.
inline constexpr double hardly_marked = 0.01;
/// An error below this never counts against the model for being farther than the estimate.
inline constexpr double close_enough = 0.01;

/// A pair of which all that is needed was run. Errors: (finish - packets') / packets'.
struct PairOutcome {
    const Pair* pair = nullptr;
    Time packet;          ///< finish of packets
    double model = 0;     ///< error of the compared fidelity
    double estimate = 0;  ///< error of analytical
    bool buffer_bound = false;
    double deep = 0;    ///< how far 256 MiB move the finish of packets, as a part of it
    double marked = 0;  ///< part of the packets on links that were marked
    bool says_buffers = false;
};

/// A pair without a comparison.
struct LeftOut {
    const Pair* pair = nullptr;
    std::string reason;
};

struct Outcomes {
    std::vector<PairOutcome> pairs;  ///< in the order of the pairs
    std::vector<LeftOut> left_out;   ///< with a reason other than that it was not run yet
    std::size_t not_run = 0;
};

[[nodiscard]] Outcomes outcomes_of(const std::vector<Pair>& pairs, const RunFile& file,
                                   const std::string& model);

/// The smallest of the values that at least this part of them does not exceed; 0 of none.
[[nodiscard]] double percentile(std::vector<double> values, double part);

/// What an outcome has to be to be judged by a bar.
using Selection = std::function<bool(const PairOutcome&)>;

/// The least part of the selected pairs whose |error| is within a limit (`part` of a percentile),
/// or whose property holds.
struct Bar {
    std::string name;  ///< of what is selected
    std::string rule;  ///< "median at most 0.1 %"
    Selection selects;
    /// The figure of the selected pairs, in %.
    std::function<double(const std::vector<PairOutcome>&)> figure;
    double limit = 0;     ///< in %
    bool at_most = true;  ///< else at least
};

/// Those of the fluid fidelity.
[[nodiscard]] const std::vector<Bar>& bars();

/// The bars with their figures; a bar that selects nothing holds.
[[nodiscard]] Table bar_table(const Outcomes& outcomes);
/// Median, 95th percentile and largest |error| of estimate and model by control, class and whether
/// buffers decide.
[[nodiscard]] Table error_table(const Outcomes& outcomes, const std::string& model);
/// The `count` pairs that are farthest from packets.
[[nodiscard]] Table worst_table(const Outcomes& outcomes, std::size_t count);
/// Pairs that have no comparison, with reasons.
[[nodiscard]] Table left_out_table(const Outcomes& outcomes);
/// Seconds of the processor of each fidelity over the same pairs: the steps with credits, all.
[[nodiscard]] Table time_table(const Outcomes& outcomes, const RunFile& file,
                               const std::string& model);

/// A line for each pair that was compared: finish, errors, class.
[[nodiscard]] std::string outcomes_csv(const Outcomes& outcomes);

}  // namespace npunet::validation
