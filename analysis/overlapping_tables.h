// The nine tables of TraceViz (github.com/WXizhi/Megatron-TraceViz), which overlap: one kernel may
// stand in several.
//
//     const OverlappingTables tables = overlapping_tables(trace, PatternTable());
//     tables[static_cast<std::size_t>(KernelTable::ForwardComputation)];
//
// kernel_classes.h has every kernel once.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/nesting.h"
#include "analysis/patterns.h"

namespace npunet::analysis {

/// In the order of TraceViz's statistics.
enum class KernelTable : std::uint8_t {
    BackwardCommunication,
    BackwardComputation,
    ForwardCommunication,
    ForwardComputation,
    BackwardCommunicationRecompute,
    BackwardComputationRecompute,
    OptimizerComputation,
    DataParallelCommunication,
    PipelineCommunication
};
inline constexpr std::size_t kernel_table_count = 9;

/// "fwd_computation", the name of its file.
[[nodiscard]] std::string_view name_of(KernelTable table);

struct TableRow {
    EventId kernel = no_event;
    EventId launch = no_event;
    EventId step = no_event;       ///< the root frame: the micro-batch, or the call
    EventId recompute = no_event;  ///< the root of recomputation, in the tables of it
};

using OverlappingTables = std::array<std::vector<TableRow>, kernel_table_count>;

struct ReferenceView {
    OverlappingTables tables;  ///< rows by start of the step and of the kernel
    std::vector<std::uint32_t>
        numbers;  ///< of every event: its place by start, TraceViz's slice id
};

/// Rows are sorted by the number of the step and the start of the kernel; those of recomputation by
/// the start of the kernel alone.
[[nodiscard]] ReferenceView overlapping_tables(const EventTable& trace,
                                               const PatternTable& patterns);

}  // namespace npunet::analysis
