// How large flows are: a cumulative distribution, from a file.
//
//     const SizeDistribution sizes = load_sizes("web-search", "--sizes");
//     sizes.mean()               // bytes
//     sizes.at(0.5)              // the median
//
// A line of the file has two numbers, separated by blanks: bytes, and the percentage of flows of at
// most as many; '#' begins a comment. Both ascend, from 0 % to 100 %. Between two lines sizes are
// spread evenly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace npunet {

class SizeDistribution {
public:
    struct Point {
        double bytes = 0;
        double share = 0;  ///< of flows of at most these bytes, 0 to 1
    };

    /// At least two points that ascend in both, shares from 0 to 1.
    explicit SizeDistribution(std::vector<Point> points) : points_(std::move(points)) {}

    /// In bytes.
    [[nodiscard]] double mean() const;

    /// The size that the share, 0 to below 1, of flows does not exceed; to the nearest byte, at
    /// least 1.
    [[nodiscard]] std::int64_t at(double share) const;

private:
    std::vector<Point> points_;
};

/// The distributions that come with npunet, by name.
[[nodiscard]] std::vector<std::string> names_of_sizes();

/// `name`: one of these, or a file (it holds a '/' or ends in .txt). Throws InputError for a name
/// that is not known, with `where` it was found, and for a file that cannot be read or whose
/// numbers do not ascend, with the line.
[[nodiscard]] SizeDistribution load_sizes(const std::string& name, const std::string& where);

}  // namespace npunet
