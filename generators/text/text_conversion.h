// Text workloads as execution traces: the graph that the converter of the Chakra project makes
// (chakra_converter Text), node by node and byte by byte, for the types that it knows.
//
//     TextConversion conversion;
//     conversion.npus = 16;
//     conversion.passes = 2;
//     GeneratedWorkload workload = convert(read_text_workload("Resnet50.txt"), conversion);
//     write_workload(workload, {"traces", "resnet50"});
//
// All ranks do the same; ids go on from rank to rank. Times become microseconds, one a cycle. Which
// nodes depend on which: docs/text-workloads.md.
#pragma once

#include <cstdint>

#include "generators/text/text_workload.h"
#include "generators/workload.h"

namespace npunet::generators {

struct TextConversion {
    static constexpr std::int32_t most_npus = 1 << 20;
    static constexpr std::int32_t most_passes = 1 << 20;
    /// A rank's nodes are in memory, those of all ranks once.
    static constexpr std::int64_t most_nodes = std::int64_t{1} << 22;

    std::int32_t npus = 0;    ///< 1 to most_npus
    std::int32_t passes = 1;  ///< training steps, 1 to most_passes
};

/// Throws InputError for npus and passes out of range, more nodes a rank than most_nodes, and NPUs
/// that the model-parallel group of a HYBRID_TRANSFORMER does not divide.
[[nodiscard]] GeneratedWorkload convert(const TextWorkload& workload,
                                        const TextConversion& conversion);

}  // namespace npunet::generators
