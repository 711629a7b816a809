#include "engine/simulation/stall_report.h"

#include <fmt/format.h>

#include "base/units.h"

namespace npunet::engine {

namespace {

/// The first collective or send that is ready but held back by a limit; empty if there is none.
std::string explain_limit(const UnfinishedRun& run, Rank rank) {
    const std::string limit = run.rules.communication_limit();
    const RankProgram& program = run.workload.program(rank);
    const RankRecord& record = run.records[rank.index()];
    for (std::uint32_t number = 0; number < program.operations.size() && !limit.empty(); ++number) {
        const ProgramOperation& operation = program.operations[number];
        if (record.waiting[number] == 0 &&
            run.rules.resource_of(operation) == Resource::Communication) {
            return fmt::format("; node {} '{}' is ready and waits for a place ({})",
                               run.workload.node_of(rank, operation), program.names[number], limit);
        }
    }
    return {};
}

std::string explain_rank(const UnfinishedRun& run, Rank rank) {
    const RankProgram& program = run.workload.program(rank);
    const RankRecord& record = run.records[rank.index()];
    const std::size_t left = program.operations.size() - record.finished;
    std::string text = fmt::format("rank {} ({} of {} nodes left): ", rank.value(), left,
                                   program.operations.size());
    // The first operation under way is what everything else waits for; without one the first ready
    // one is blocked by its resource.
    for (std::uint32_t number = 0; number < program.operations.size(); ++number) {
        if (record.waiting[number] != RankRecord::in_progress) {
            continue;
        }
        const ProgramOperation& operation = program.operations[number];
        text += fmt::format("node {} '{}' ", run.workload.node_of(rank, operation),
                            program.names[number]);
        switch (operation.kind) {
            case OperationKind::Receive:
                return text + "waits for " + run.point_to_point.explain_receive(rank, number) +
                       explain_limit(run, rank);
            case OperationKind::Collective:
                return text + fmt::format("({}) waits for ", name_of(operation.collective)) +
                       run.collectives.explain(rank, run.workload.group_of(rank, operation)) +
                       explain_limit(run, rank);
            default:
                return text + "never ends" + explain_limit(run, rank);
        }
    }
    for (std::uint32_t number = 0; number < program.operations.size(); ++number) {
        if (record.waiting[number] == 0) {
            return text + fmt::format("node {} '{}' is ready and was not started",
                                      run.workload.node_of(rank, program.operations[number]),
                                      program.names[number]);
        }
    }
    return text + "no node is ready";
}

}  // namespace

std::string explain_stall(const UnfinishedRun& run) {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t stuck = 0;
    for (std::size_t rank = 0; rank < run.records.size(); ++rank) {
        if (!run.simulates(Rank(rank)) ||
            run.records[rank].finished == run.workload.program(Rank(rank)).operations.size()) {
            continue;
        }
        if (++stuck <= most) {
            text += "\n  " + explain_rank(run, Rank(rank));
        }
    }
    if (stuck > most) {
        text += fmt::format("\n  ... and {} more", stuck - most);
    }
    if (const std::string network = run.network.explain_stall(); !network.empty()) {
        text += "\n  " + network;
    }
    return fmt::format("at {} nothing is left to happen, but {} of {} ranks have work left:{}",
                       format_time(run.now), stuck, run.records.size(), text);
}

}  // namespace npunet::engine
