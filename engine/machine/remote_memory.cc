#include "engine/machine/remote_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_object.h"
#include "engine/clock/clock_limit.h"
#include "engine/machine/machine_file.h"

namespace npunet::engine {

namespace {

using nlohmann::json;
using Kind = RemoteMemoryConfig::Kind;

const std::vector<std::string> remote_memory_keys{
    "memory-type", "remote-mem-latency", "remote-mem-bw", "num-nodes", "num-npus-per-node"};

Kind kind_of(const JsonObject<json>& fields) {
    constexpr const char* key = "memory-type";
    constexpr const char* expected =
        "NO_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION, PER_NODE_MEMORY_EXPANSION or MEMORY_POOL";
    const json& value = fields.at(key, expected);
    if (value == "NO_MEMORY_EXPANSION") {
        return Kind::None;
    }
    if (value == "PER_NPU_MEMORY_EXPANSION") {
        return Kind::PerNpu;
    }
    if (value == "PER_NODE_MEMORY_EXPANSION") {
        return Kind::PerNode;
    }
    if (value == "MEMORY_POOL") {
        return Kind::Pool;
    }
    fields.refuse(key, value, expected);
}

std::uint64_t payload_of(Rank rank, std::uint32_t operation, std::uint64_t happening) {
    return (static_cast<std::uint64_t>(rank.value()) << 33) |
           (static_cast<std::uint64_t>(operation) << 1) | happening;
}

}  // namespace

RemoteMemoryConfig read_remote_memory(const std::string& path, const Dialect& dialect,
                                      std::vector<std::string>& warnings) {
    const json document = read_machine_file(path, "a remote_memory.json", "Check --memory");
    const JsonObject fields(path, document);
    fields.check_keys(remote_memory_keys, {}, dialect.tolerant_input, warnings);
    RemoteMemoryConfig config;
    config.file = path;
    config.kind = kind_of(fields);
    if (config.kind == Kind::None) {
        return config;
    }
    // The reference keeps both in whole numbers.
    const auto kept = [&dialect](double value) {
        return dialect.whole_nanoseconds ? std::trunc(value) : value;
    };
    const double latency =
        kept(fields.quantity("remote-mem-latency", json_units::nanoseconds, 0, {1e-3, 1e9}));
    config.latency = Time::ps(std::llround(latency * 1000));
    const double bandwidth =
        kept(fields.quantity("remote-mem-bw", json_units::gigabytes_per_second, 0));
    if (bandwidth == 0) {
        throw InputError({path, "remote-mem-bw",
                          fields.contains("remote-mem-bw") ? describe_json(fields["remote-mem-bw"])
                                                           : "no such key",
                          dialect.whole_nanoseconds
                              ? "the bandwidth of the memory in whole GB/s, from 1"
                              : "the bandwidth of the memory in GB/s, above 0",
                          "Give it"});
    }
    config.bandwidth = Rate(std::llround(bandwidth * 1e9));
    if (config.kind == Kind::PerNode) {
        for (const char* key : {"num-nodes", "num-npus-per-node"}) {
            if (!fields.contains(key)) {
                throw InputError({path, key, "no such key",
                                  "num-nodes and num-npus-per-node beside "
                                  "PER_NODE_MEMORY_EXPANSION",
                                  "Give both"});
            }
        }
        config.nodes = fields.integer("num-nodes", 0, 1);
        config.npus_per_node = fields.integer("num-npus-per-node", 0, 1);
    }
    return config;
}

RemoteMemory::RemoteMemory(const RemoteMemoryConfig& config, const Dialect& dialect,
                           const topology::NetworkDescription& description, RankTimers& timers,
                           OperationListener& listener)
    : config_(config),
      whole_nanoseconds_(dialect.whole_nanoseconds),
      description_(description),
      timers_(timers),
      listener_(listener) {
    if (config.kind == Kind::Pool) {
        ports_.resize(1);
    }
    if (config.kind == Kind::PerNode) {
        const auto npus = static_cast<std::int64_t>(description.graph.npus());
        const std::int64_t needed = (npus + config.npus_per_node - 1) / config.npus_per_node;
        if (needed > config.nodes) {
            throw InputError(
                {config.file, "num-nodes, num-npus-per-node",
                 fmt::format("{} nodes of {} NPUs", config.nodes, config.npus_per_node),
                 fmt::format("room for the {} NPUs of the network", npus),
                 "NPU i belongs to node i / num-npus-per-node"});
        }
        ports_.resize(static_cast<std::size_t>(needed));
    }
}

Time RemoteMemory::duration(Bytes bytes) const {
    if (whole_nanoseconds_) {
        const auto rate = static_cast<double>(config_.bandwidth.bytes_per_second());
        return later(config_.latency,
                     truncated_ns(static_cast<double>(bytes.value()) / rate * 1e9));
    }
    return later(config_.latency, transfer_time(bytes, config_.bandwidth));
}

RemoteMemory::Port* RemoteMemory::port_of(Rank rank) {
    switch (config_.kind) {
        case Kind::Pool:
            return &ports_.front();
        case Kind::PerNode: {
            const NodeId npu = description_.npu_of_rank[rank.index()];
            return &ports_[npu.index() / static_cast<std::size_t>(config_.npus_per_node)];
        }
        default:
            return nullptr;
    }
}

void RemoteMemory::access(Rank rank, std::uint32_t operation, Bytes bytes) {
    const Access access{rank, operation, bytes};
    Port* port = port_of(rank);
    if (port != nullptr && port->busy) {
        port->waiting.push_back(access);
        return;
    }
    serve(access);
}

void RemoteMemory::serve(const Access& access) {
    const Time span = duration(access.bytes);
    timers_.start(access.rank, span, *this, payload_of(access.rank, access.operation, ended));
    if (Port* port = port_of(access.rank)) {
        port->busy = true;
        timers_.start(access.rank, span, *this,
                      payload_of(access.rank, access.operation, port_free));
    }
}

void RemoteMemory::handle(std::uint64_t payload) {
    const Rank rank(static_cast<std::int32_t>(payload >> 33));
    if ((payload & 1) == ended) {
        listener_.on_operation_done(rank, static_cast<std::uint32_t>(payload >> 1));
        return;
    }
    Port& port = *port_of(rank);
    port.busy = false;
    if (!port.waiting.empty()) {
        const Access next = port.waiting.front();
        port.waiting.pop_front();
        serve(next);
    }
}

}  // namespace npunet::engine
