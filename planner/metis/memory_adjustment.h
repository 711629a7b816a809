// What Metis does with the stages' shares of the layers when a division of the layers does not fit
// the memory: stages that are too full get less, those with room more.
#pragma once

#include <cstddef>
#include <vector>

namespace npunet::planner::metis {

class MemoryAdjustment {
public:
    /// Changes `performance` (a share for each stage). False where the stages with room cannot take
    /// what the others give up; then it is as before. Throws InputError where the original's loop
    /// has no end: all room is spent in crumbs of at most 0.001, and more than 0.01 is left over.
    bool adjust(std::vector<double>& performance, const std::vector<double>& capacity,
                const std::vector<double>& demand);

private:
    void hand_out(const std::vector<double>& performance, double needed);

    std::vector<double> room_;
    std::vector<double> kept_;
    std::vector<double> added_;
    std::vector<double> ratio_;
};

}  // namespace npunet::planner::metis
