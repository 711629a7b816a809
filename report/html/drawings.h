// The drawings of pages: a waterfall, which shows how signed changes lead from one time to another,
// and columns, which show where the time of the NPUs went, from compute to idle, over their rank.
//
//     section.body += waterfall({"analytical", Time::ns(10'864)},
//                               {{"header", Time::ns(61)}, {"flow control", Time::ns(46'500)}},
//                               "packet", "How they differ.");
//     section.body += npu_columns(results);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/quantities.h"
#include "engine/results/results.h"

namespace npunet::report {

/// A time by its name.
struct NamedTime {
    std::string name;
    Time time;
};

/// A drawing with legend: a row for `start`, for each change in their order, and for what they lead
/// to, which is called `end`. The axis begins where the changes are well seen. `text` stands below.
[[nodiscard]] std::string waterfall(const NamedTime& start, const std::vector<NamedTime>& changes,
                                    const std::string& end, const std::string& text);

/// The most columns; with more NPUs a column stands for neighbours of as many ranks each, and shows
/// the one that finishes last.
inline constexpr std::size_t most_columns = 640;

/// A drawing with legend and caption; empty where there are no NPUs or the run takes no time.
[[nodiscard]] std::string npu_columns(const engine::Results& results);

}  // namespace npunet::report
