// Divisions of the layers that were worked out already for the same device groups: other numbers of
// micro-batches often give the same performances, to the last bit.
//
//     if (!known.find(performance, counts)) { ...; known.keep(performance, counts); }
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::planner::metis {

class DivisionCache {
public:
    /// Forgets all; performances from now on are of so many stages.
    void clear(std::size_t stages);

    /// `performance` is asked for bit by bit.
    bool find(const std::vector<double>& performance, std::vector<std::uint16_t>& counts);
    /// Of the performance that was last asked for in vain.
    void keep(const std::vector<double>& performance, const std::vector<std::uint16_t>& counts);

private:
    static constexpr std::size_t places = 256;  ///< a newer division takes the place of an older

    std::size_t stages_ = 0;
    std::size_t place_ = 0;
    std::uint32_t round_ = 0;
    std::vector<std::uint32_t> used_;  ///< in which round a place was filled
    std::vector<double> performances_;
    std::vector<std::uint16_t> counts_;
};

}  // namespace npunet::planner::metis
