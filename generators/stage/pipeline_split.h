// The graph dealt out to the stages of the pipeline.
//
//     const PipelineSplit split = split_over_stages(graph, arguments);
//     split.stages[0];      // the graph of ranks 0, 1, ...
//     split.links[0];       // the first tensor that goes from stage to stage
//
// The input embedding goes to stage 0, layer i to stage (i + 1) mod pp, the output embedding to
// stage (layers + 1) mod pp. Ranks, however, count stages in the order in which they first appear
// in the graph: the input embedding's, the output embedding's, then those of the layers. All
// numbers of stages here are of the latter kind.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/stage/stage_arguments.h"
#include "generators/stage/tensor_graph.h"

namespace npunet::generators::stage_dialect {

/// A tensor that one stage makes and another one uses.
struct Link {
    std::int32_t from_stage = 0;
    TensorId from = no_tensor;  ///< in the graph of that stage
    std::int32_t to_stage = 0;
    TensorId to = no_tensor;  ///< its shadow, in the graph of that stage
};

struct PipelineSplit {
    std::vector<TensorGraph> stages;
    std::vector<Link> links;  ///< by receiving stage, then in the order of first use there
    /// By the number that layers are dealt to: what ranks count that stage as.
    std::vector<std::int32_t> position_of_stage;
};

/// References in a stage's graph are to tensors of the same graph. What comes from another stage
/// is a Shadow at its end.
[[nodiscard]] PipelineSplit split_over_stages(const TensorGraph& graph,
                                              const StageArguments& arguments);

}  // namespace npunet::generators::stage_dialect
