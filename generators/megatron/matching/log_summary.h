// What the logs of a run hold: calls and bytes of each operation, groups, and whether all meets.
//
//     const LogSummary summary = summarize_logs(folder, [&] { progress.step(); });
//     summary.of(Operation::AllReduce).bytes.sum;
//
// Each log is read once, on all cores.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "generators/megatron/logs/log_folder.h"
#include "generators/megatron/matching/rendezvous.h"
#include "generators/megatron/program/call.h"

namespace npunet::generators::megatron {

/// Over ranks; sums end at 2^63 - 1.
struct Spread {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t sum = 0;
};

struct OperationSummary {
    Spread calls;  ///< without the repetitions of logs/repeated_events.h
    Spread bytes;  ///< payload_bytes
};

/// The groups that collectives name, by what Megatron-LM calls them and how many ranks they have.
struct GroupKind {
    std::string name;  ///< "tp", ...: of the log, else the first role with this group; or "other"
    std::int64_t ranks = 0;
    std::int64_t groups = 0;
    std::int64_t calls = 0;  ///< of all their ranks
    std::int64_t bytes = 0;
};

struct LogSummary {
    std::int64_t ranks = 0;
    Spread events;  ///< as they stand in the logs
    std::array<OperationSummary, operations> by_operation{};
    std::vector<GroupKind> groups;  ///< by name, then size
    RendezvousResult rendezvous;

    [[nodiscard]] const OperationSummary& of(Operation operation) const {
        return by_operation[static_cast<std::size_t>(operation)];
    }
};

/// `read` is called after each log, by one thread at a time. Throws what reading throws.
[[nodiscard]] LogSummary summarize_logs(const LogFolder& folder, const std::function<void()>& read);

}  // namespace npunet::generators::megatron
