// The nodes of one stage of the pipeline: computation, collectives, messages, what each waits for,
// and the tensors that it reads and writes.
//
//     StageNodes nodes = make_nodes(split, 0, arguments);
//     nodes.role;         // for every rank of the stage
//     nodes.numbers;      // ids that each of its ranks takes
//
// STAGE counts ids for every tensor, in the order of the graph: one for its computation, then one
// for each collective of its operands. Where there is nothing to compute the number stays unused.
#pragma once

#include <cstdint>
#include <string>

#include "generators/stage/pipeline_split.h"
#include "generators/stage/stage_arguments.h"
#include "generators/workload.h"

namespace npunet::generators::stage_dialect {

struct StageNodes {
    Role role;
    std::uint64_t numbers = 0;
};

/// Slots of groups are those of resharding.h, slots of peers the stages of the pipeline. Messages
/// are numbered by link, then replica: ids 2 (link x replicas) + 1 (send) and + 2 (receive) in
/// IdSpace::Message, tags link x replicas.
[[nodiscard]] StageNodes make_nodes(const PipelineSplit& split, std::int32_t stage,
                                    const StageArguments& arguments);

/// str(float(value)) of Python, as STAGE writes sizes of tensors: the shortest decimal that reads
/// back as the same double, with an exponent from 1e16 on.
[[nodiscard]] std::string python_float(std::int64_t value);

}  // namespace npunet::generators::stage_dialect
