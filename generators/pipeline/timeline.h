// When every pass of a pipeline runs on a network without cost, and a picture of it.
//
//     PipelineShape shape;
//     shape.stages = 2;
//     shape.micro_batches = 2;
//     pipeline_picture(shape, {1, 1, 1})
//     // stage 0 | F0 F1 .. .. B0 == .. B1 ==
//     // stage 1 | .. F0 B0 == F1 B1 ==
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/pipeline/schedule.h"

namespace npunet::generators {

/// How long passes of one micro-batch and chunk take, in any unit. A backward pass that is not
/// split takes backward + weight.
struct PassTimes {
    std::int64_t forward = 1;
    std::int64_t backward = 1;
    std::int64_t weight = 1;
};

struct TimedAction {
    PipelineAction action;
    std::int64_t start = 0;
    std::int64_t end = 0;
};

/// By stage, in order: each pass starts when the one before it and the ones that it takes its input
/// from are done.
[[nodiscard]] std::vector<std::vector<TimedAction>> pipeline_timeline(const PipelineShape& shape,
                                                                      const PassTimes& times);

/// One line a stage, one column a unit of time: F forward, B backward, I gradient of the input, W
/// gradient of the weights, with the number of the micro-batch and, where there are several, the
/// chunk as a letter; = the same pass still, . idle.
[[nodiscard]] std::string pipeline_picture(const PipelineShape& shape, const PassTimes& times);

}  // namespace npunet::generators
