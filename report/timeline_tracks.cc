#include "report/timeline_tracks.h"

#include <array>

namespace npunet::report {

using analysis::Category;
using analysis::Dimension;

const char* name_of(Track track) {
    static constexpr std::array<const char*, tracks> names{
        "compute",       "TP",        "PP",     "DP",   "EP",   "CP",
        "communication", "optimizer", "memory", "host", "other"};
    return names[static_cast<std::size_t>(track)];
}

Track track_of(const analysis::Intervals& rows, std::size_t row) {
    switch (rows.category(row)) {
        case Category::Computation:
            return rows.phase(row) == analysis::Phase::Optimizer ? Track::Optimizer
                                                                 : Track::Compute;
        case Category::Communication:
            break;
        case Category::Memory:
            return Track::Memory;
        case Category::Host:
            return Track::Host;
        case Category::Other:
            return Track::Other;
    }
    switch (rows.dimension(row)) {
        case Dimension::Tensor:
            return Track::Tensor;
        case Dimension::Pipeline:
            return Track::Pipeline;
        case Dimension::Data:
            return Track::Data;
        case Dimension::Expert:
            return Track::Expert;
        case Dimension::Context:
            return Track::Context;
        case Dimension::Other:
            break;
    }
    return Track::Communication;
}

}  // namespace npunet::report
