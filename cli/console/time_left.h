// How long a task still takes, from how far it was when.
//
//     TimeLeft left;
//     left.at(12.5, 0.25);  // a quarter after 12.5 s
//     left.seconds();       // at the speed of the last third of the time
//
// The last third: what comes next is more like what came last than like the beginning.
#pragma once

#include <optional>
#include <vector>

namespace npunet::cli {

class TimeLeft {
public:
    /// `share` is from 0 to 1; seconds ascend. A smaller share than before: it has begun again.
    void at(double seconds, double share);

    /// Nothing while there is no speed.
    [[nodiscard]] std::optional<double> seconds() const;

private:
    struct Sample {
        double seconds = 0;
        double share = 0;
    };
    std::vector<Sample> samples_;
};

}  // namespace npunet::cli
