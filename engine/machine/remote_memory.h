// Memory beyond the NPU's own: what MEM_LOAD and MEM_STORE nodes access.
//
// An access of b bytes takes latency + b / bandwidth, rounded up to a picosecond (in the astra-sim
// dialects the transfer is truncated to whole nanoseconds in double arithmetic). Memory of an NPU
// is its own; that of a node, and a pool of all nodes, serve one access at a time, latency
// included, in the order of the requests, those of one instant by rank. So does ASTRA-sim's
// analytical remote memory.
//
//     const RemoteMemoryConfig config = read_remote_memory("remote_memory.json", dialect,
//     warnings); RemoteMemory memory(config, dialect, description, timers, listener);
//     memory.access(rank, operation, Bytes(4096));
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/machine/dialect.h"
#include "engine/network/rank_timers.h"
#include "engine/program/operation_listener.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

struct RemoteMemoryConfig {
    /// Who shares a memory.
    enum class Kind : std::uint8_t { None, PerNpu, PerNode, Pool };

    Kind kind = Kind::None;
    Time latency;
    Rate bandwidth;
    /// PerNode: NPU i belongs to node i / npus_per_node.
    std::int64_t nodes = 0;
    std::int64_t npus_per_node = 0;
    /// It was read from, for messages.
    std::string file = "remote_memory.json";
};

/// Reads ASTRA-sim's remote_memory.json. Throws InputError with file and key. Unknown keys are
/// errors with the nearest known key, or warnings in a tolerant dialect.
[[nodiscard]] RemoteMemoryConfig read_remote_memory(const std::string& path, const Dialect& dialect,
                                                    std::vector<std::string>& warnings);

class RemoteMemory final : private EventHandler {
public:
    /// Throws InputError when the nodes do not hold all NPUs. The references must outlive this.
    RemoteMemory(const RemoteMemoryConfig& config, const Dialect& dialect,
                 const topology::NetworkDescription& description, RankTimers& timers,
                 OperationListener& listener);

    /// Whether there is any.
    [[nodiscard]] bool available() const { return config_.kind != RemoteMemoryConfig::Kind::None; }

    /// How long an access takes that waits for no other.
    [[nodiscard]] Time duration(Bytes bytes) const;

    void access(Rank rank, std::uint32_t operation, Bytes bytes);

private:
    struct Access {
        Rank rank;
        std::uint32_t operation;
        Bytes bytes;
    };
    /// A memory that serves one access at a time.
    struct Port {
        bool busy = false;
        std::deque<Access> waiting;
    };
    /// The lowest bit of a payload: an access has ended, or its port is free for the next.
    enum Happening : std::uint64_t { ended = 0, port_free = 1 };

    void handle(std::uint64_t payload) override;
    void serve(const Access& access);
    [[nodiscard]] Port* port_of(Rank rank);

    RemoteMemoryConfig config_;
    bool whole_nanoseconds_;
    const topology::NetworkDescription& description_;
    RankTimers& timers_;
    OperationListener& listener_;
    std::vector<Port> ports_;
};

}  // namespace npunet::engine
