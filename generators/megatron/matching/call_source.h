// Where the calls of all ranks of a run come from: logs, or whatever makes them.
//
//     const LogSource source(open_log_folder(path).logs);
//     source.read(Rank(3), groups, [&](const LoggedCall& event) { ... });
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/logs/call_log_reader.h"

namespace npunet::generators::megatron {

/// Can be asked for a rank again, and by several threads at once.
class CallSource {
public:
    CallSource() = default;
    virtual ~CallSource() = default;
    CallSource(const CallSource&) = delete;
    CallSource& operator=(const CallSource&) = delete;

    [[nodiscard]] virtual std::int64_t ranks() const = 0;
    /// Of the rank's log, for messages.
    [[nodiscard]] virtual std::string name(Rank rank) const = 0;
    /// All events of the rank in order; groups are added to the table.
    virtual void read(Rank rank, GroupTable& groups, const CallVisitor& visitor) const = 0;
};

/// The logs of a folder (LogFolder::logs).
class LogSource : public CallSource {
public:
    explicit LogSource(std::vector<std::filesystem::path> logs) : logs_(std::move(logs)) {}

    [[nodiscard]] std::int64_t ranks() const override {
        return static_cast<std::int64_t>(logs_.size());
    }
    [[nodiscard]] std::string name(Rank rank) const override {
        return logs_[rank.index()].filename().string();
    }
    void read(Rank rank, GroupTable& groups, const CallVisitor& visitor) const override {
        read_call_log(logs_[rank.index()], rank, groups, visitor);
    }

private:
    std::vector<std::filesystem::path> logs_;
};

/// A rank's calls with the same partners, in order.
struct CallStream {
    enum class Kind : std::uint8_t { Collective, Send, Receive, NewGroup };
    Kind kind = Kind::Collective;
    std::vector<Rank> members{};  ///< Collective: ascending
    Rank peer{};                  ///< Send, Receive
    /// Without the last three barriers before the first broadcast.
    bool shortened = false;
};

/// "comm_log_rank_1.json event 17 (barrier) and comm_log_rank_0.json event 20 (all_reduce [3]
/// torch.float32 SUM) differ in operation": the first difference of two streams that should be
/// equal. Reads both ranks.
[[nodiscard]] std::string first_difference(const CallSource& source, Rank a,
                                           const CallStream& stream_a, Rank b,
                                           const CallStream& stream_b);

/// "on ranks 0, 1: comm_log_rank_0.json event 17 (all_to_all_single [6] to [9] torch.float32): what
/// the members hand in is not what they take out": the first collective of the set whose members do
/// not take out what is handed in. Reads all members.
[[nodiscard]] std::string first_imbalance(const CallSource& source,
                                          const std::vector<Rank>& members);

}  // namespace npunet::generators::megatron
