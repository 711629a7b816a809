#include "report/timeline/activity.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace npunet::report {

using analysis::Category;
using analysis::Dimension;
using analysis::Phase;

namespace {

Activity of_phase(Phase phase) {
    switch (phase) {
        case Phase::Forward:
            return Activity::Forward;
        case Phase::Backward:
            return Activity::Backward;
        case Phase::Recompute:
            return Activity::Recompute;
        case Phase::Optimizer:
            return Activity::Optimizer;
        case Phase::Other:
            break;
    }
    return Activity::Computation;
}

Activity of_dimension(Dimension dimension) {
    switch (dimension) {
        case Dimension::Tensor:
            return Activity::Tensor;
        case Dimension::Pipeline:
            return Activity::Pipeline;
        case Dimension::Data:
            return Activity::Data;
        case Dimension::Expert:
            return Activity::Expert;
        case Dimension::Context:
            return Activity::Context;
        case Dimension::Other:
            break;
    }
    return Activity::Communication;
}

struct Look {
    const char* name;
    Colour colour;
};

constexpr std::array<Look, activities> looks{{{"forward", {0.000, 0.447, 0.698}},
                                              {"backward", {0.835, 0.369, 0.000}},
                                              {"recompute", {0.941, 0.894, 0.259}},
                                              {"optimizer", {0.100, 0.100, 0.100}},
                                              {"computation", {0.450, 0.450, 0.450}},
                                              {"host", {0.760, 0.690, 0.610}},
                                              {"other", {0.800, 0.800, 0.800}},
                                              {"TP", {0.337, 0.706, 0.914}},
                                              {"PP", {0.000, 0.480, 0.350}},
                                              {"DP", {0.800, 0.475, 0.655}},
                                              {"EP", {0.860, 0.560, 0.000}},
                                              {"CP", {0.330, 0.130, 0.330}},
                                              {"communication", {0.620, 0.620, 0.620}},
                                              {"memory", {0.420, 0.290, 0.060}}}};

}  // namespace

Activity activity_of(const analysis::Intervals& rows, std::size_t row) {
    switch (rows.category(row)) {
        case Category::Computation:
            return of_phase(rows.phase(row));
        case Category::Communication:
            return of_dimension(rows.dimension(row));
        case Category::Memory:
            return Activity::Memory;
        case Category::Host:
            return Activity::Host;
        case Category::Other:
            break;
    }
    return Activity::Other;
}

std::size_t band_of(Activity activity) {
    return activity < Activity::Tensor ? 0 : 1;
}

const char* name_of(Activity activity) {
    return looks[static_cast<std::size_t>(activity)].name;
}

Colour colour_of(Activity activity) {
    return looks[static_cast<std::size_t>(activity)].colour;
}

std::string hex_of(const Colour& colour) {
    const auto byte = [](double part) { return static_cast<int>(std::lround(255 * part)); };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.red), byte(colour.green),
                       byte(colour.blue));
}

const char* name_of(Track track) {
    static constexpr std::array<const char*, tracks> names{
        "compute",       "TP",        "PP",     "DP",   "EP",   "CP",
        "communication", "optimizer", "memory", "host", "other"};
    return names[static_cast<std::size_t>(track)];
}

Track track_of(const analysis::Intervals& rows, std::size_t row) {
    static constexpr std::array<Track, activities> track_of_activity{
        Track::Compute, Track::Compute, Track::Compute,       Track::Optimizer, Track::Compute,
        Track::Host,    Track::Other,   Track::Tensor,        Track::Pipeline,  Track::Data,
        Track::Expert,  Track::Context, Track::Communication, Track::Memory};
    return track_of_activity[static_cast<std::size_t>(activity_of(rows, row))];
}

}  // namespace npunet::report
