#include "study/recorded_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "analysis/simulated_timeline.h"
#include "base/errors.h"
#include "chakra/files/node_frames.h"
#include "chakra/trace/trace_set.h"
#include "engine/results/results.h"
#include "report/timeline/perfetto_trace.h"

namespace npunet::study {

namespace {

constexpr std::uint64_t longest_micros = std::uint64_t{100} * 24 * 3600 * 1'000'000;
constexpr std::int64_t ps_of_a_microsecond = 1'000'000;

engine::OperationKind kind_of(const chakra::NodeView& node) {
    switch (chakra::node_type_from(node.type_number()).value_or(chakra::NodeType::Invalid)) {
        case chakra::NodeType::CommSend:
            return engine::OperationKind::Send;
        case chakra::NodeType::CommReceive:
            return engine::OperationKind::Receive;
        case chakra::NodeType::CommCollective:
            return engine::OperationKind::Collective;
        case chakra::NodeType::MemoryLoad:
        case chakra::NodeType::MemoryStore:
            return engine::OperationKind::Memory;
        default:
            return node.integer("is_cpu_op").value_or(0) != 0 ? engine::OperationKind::Cpu
                                                              : engine::OperationKind::Compute;
    }
}

/// The earliest start and the latest end of the traces.
struct Extent {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
};

Extent extent_of(const std::vector<std::filesystem::path>& traces,
                 const chakra::ReadOptions& read) {
    Extent extent;
    for (const std::filesystem::path& trace : traces) {
        chakra::NodeFrames nodes(trace, read);
        while (nodes.next()) {
            const std::uint64_t start = nodes.view().start_time_micros();
            const std::uint64_t duration = nodes.view().duration_micros();
            if (start == 0) {
                continue;
            }
            extent.first = std::min(extent.first, start);
            extent.last = std::max(extent.last, start + std::min(duration, longest_micros));
            if (extent.last - extent.first > longest_micros || duration > longest_micros) {
                nodes.fail(
                    fmt::format("node {} from {} us for {} us", nodes.view().id(), start, duration),
                    fmt::format("times less than 100 days apart, from {} us on", extent.first),
                    "Look at traces of one run, whose clocks agree");
            }
        }
    }
    return extent;
}

void add_operations(const std::filesystem::path& trace, Rank rank, std::uint64_t origin,
                    const chakra::ReadOptions& read, std::vector<engine::Operation>& operations) {
    chakra::NodeFrames nodes(trace, read);
    while (nodes.next()) {
        const chakra::NodeView& node = nodes.view();
        if (node.start_time_micros() == 0) {
            continue;
        }
        const auto start = static_cast<std::int64_t>(node.start_time_micros() - origin);
        const auto end = start + static_cast<std::int64_t>(node.duration_micros());
        operations.push_back({rank, kind_of(node), node.id(), std::string(node.name()),
                              Time::ps(start * ps_of_a_microsecond),
                              Time::ps(end * ps_of_a_microsecond)});
    }
}

}  // namespace

std::uint64_t write_recorded_timeline(const std::vector<std::filesystem::path>& traces,
                                      const chakra::ReadOptions& read,
                                      const std::filesystem::path& file) {
    const Extent extent = extent_of(traces, read);
    if (extent.last == 0) {
        throw InputError({traces.front().string(), "", "no start times",
                          "nodes with start_time_micros, as a profiler records them",
                          "npunet simulate --output-dir draws the timeline of a simulated run"});
    }
    engine::Results results;
    for (std::size_t i = 0; i < traces.size(); ++i) {
        const Rank named = chakra::rank_of(traces[i]);
        add_operations(traces[i], named.valid() ? named : Rank(static_cast<std::int32_t>(i)),
                       extent.first, read, results.operations);
    }
    std::stable_sort(results.operations.begin(), results.operations.end(),
                     [](const engine::Operation& a, const engine::Operation& b) {
                         return std::tie(a.rank, a.start, a.node) <
                                std::tie(b.rank, b.start, b.node);
                     });
    report::write_perfetto_trace(analysis::simulated_timeline(results), file);
    return extent.first;
}

}  // namespace npunet::study
