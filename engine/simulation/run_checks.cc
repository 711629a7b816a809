#include "engine/simulation/run_checks.h"

#include <fmt/format.h>

#include <cassert>

#include "base/errors.h"

namespace npunet::engine {

namespace {

void check_ranks(const RunInput& run) {
    if (const std::size_t npus = run.description.npu_of_rank.size(); run.workload.ranks() != npus) {
        const bool all = npus == run.description.graph.npus();
        throw InputError({"the workload", "", fmt::format("{} ranks", run.workload.ranks()),
                          fmt::format("{}, the NPUs of the {}", npus, all ? "network" : "job"),
                          "Give one trace for each NPU"});
    }
    for (const auto& [rank, rate] : run.system.overrides) {
        if (static_cast<std::size_t>(rank) >= run.workload.ranks()) {
            throw InputError({run.system.file, "npus", fmt::format("rank {}", rank),
                              fmt::format("0 to {}", run.workload.ranks() - 1), ""});
        }
    }
}

void check_remote_memory(const RunInput& run) {
    if (run.system.remote_memory.kind != RemoteMemoryConfig::Kind::None) {
        return;
    }
    for (std::size_t rank = 0; rank < run.workload.ranks(); ++rank) {
        const RankProgram& program = run.workload.program(Rank(rank));
        for (std::size_t i = 0; i < program.operations.size(); ++i) {
            if (program.operations[i].kind == OperationKind::Memory) {
                throw InputError(
                    {fmt::format("trace of rank {}", rank),
                     fmt::format("node {} ('{}')",
                                 run.workload.node_of(Rank(rank), program.operations[i]),
                                 program.names[i]),
                     "an access to remote memory", "a machine that has such memory",
                     "Give a remote_memory.json with --memory whose memory-type is not "
                     "NO_MEMORY_EXPANSION"});
            }
        }
    }
}

void check_algorithm_files(const RunInput& run) {
    if (run.system.library != nullptr && !run.share.whole()) {
        throw InputError({run.system.file, "collectives", run.system.library->name,
                          "built-in algorithms, where several processes share a simulation",
                          "Run it in one process"});
    }
    for (const FileChoices& choices : run.system.file_lists) {
        if (!choices.list.empty() && !run.share.whole()) {
            throw InputError({run.system.file, "", choices.list.front().algorithm->file,
                              "built-in algorithms, where several processes share a simulation",
                              "Run it in one process"});
        }
    }
}

void check_share(const RunInput& run) {
    assert((run.share.whole() || (run.fold.trivial() && !run.dialect.send_ends_at_delivery)) &&
           "another process hears of a delivery");
    const RemoteMemoryConfig::Kind memory = run.system.remote_memory.kind;
    if (!run.share.whole() &&
        (memory == RemoteMemoryConfig::Kind::PerNode || memory == RemoteMemoryConfig::Kind::Pool)) {
        throw InputError({run.system.remote_memory.file, "memory-type",
                          "a memory that several NPUs share, and which serves them in turn",
                          "memories of single NPUs, where several processes share a simulation",
                          "Run it in one process"});
    }
}

}  // namespace

void check_run(const RunInput& run) {
    check_ranks(run);
    check_remote_memory(run);
    check_algorithm_files(run);
    check_share(run);
}

}  // namespace npunet::engine
