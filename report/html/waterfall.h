// A waterfall: how signed changes lead from one time to another.
//
//     section.body += waterfall({"analytical", Time::ns(10'864)},
//                               {{"header", Time::ns(61)}, {"flow control", Time::ns(46'500)}},
//                               "packet", "How they differ.");
#pragma once

#include <string>
#include <vector>

#include "base/quantities.h"

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

}  // namespace npunet::report
