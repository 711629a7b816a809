// Micro-benchmarks: one collective (or message) over a group, some number of times in a row.
//
//     CollectiveBenchmark benchmark;
//     benchmark.type = BenchmarkType::AllReduce;
//     benchmark.size = parse_bytes("64MiB", "--size");
//     benchmark.npus = 8;
//     GeneratedWorkload workload = generate(benchmark);
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "generators/workload.h"

namespace npunet::generators {

enum class BenchmarkType {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    SendReceive,  ///< every member sends to the next of the group, all at once; the last only
                  ///< receives
    Broadcast,    ///< from the first member; so with the next three, which have a root too
    Reduce,
    Gather,
    Scatter,
    Barrier
};

/// Every type with its name: "all_reduce", "all_gather", and so on.
[[nodiscard]] const std::vector<std::pair<std::string, BenchmarkType>>& benchmark_types();

struct CollectiveBenchmark {
    static constexpr std::int32_t most_npus = 1 << 20;
    static constexpr std::int32_t most_repetitions = 1 << 20;

    BenchmarkType type = BenchmarkType::AllReduce;
    /// comm_size: all-reduce the buffer, all-gather a rank's own part, reduce-scatter the whole
    /// input, all-to-all the whole send buffer, send a message, broadcast and reduce the buffer,
    /// gather a rank's own part, scatter the root's whole buffer; barrier: not read. At most
    /// chakra::largest_comm_size, with what is gathered all together.
    Bytes size;
    std::int32_t npus = 0;  ///< ranks of the workload, 2 or more
    std::vector<Rank>
        group;  ///< who takes part, in ring order; empty: all. Others have empty traces.
    std::int32_t repeat = 1;  ///< each repetition starts when the previous one is done on the rank
};

/// Throws InputError for no bytes or too many, fewer than two members, a member that is named twice
/// or is not one of the npus, or no repetition.
[[nodiscard]] GeneratedWorkload generate(const CollectiveBenchmark& benchmark);

}  // namespace npunet::generators
