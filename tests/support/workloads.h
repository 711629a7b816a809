// Small workloads in memory for tests: one line an operation.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "chakra/trace/node.h"
#include "engine/machine/dialect.h"
#include "engine/program/workload.h"

namespace npunet::test {

inline chakra::Node compute_node(std::uint64_t id, std::uint64_t micros,
                                 std::vector<std::uint64_t> dependencies = {}) {
    chakra::Node node;
    node.id = id;
    node.name = "compute_" + std::to_string(id);
    node.type = chakra::NodeType::Compute;
    node.duration_micros = micros;
    node.data_deps = std::move(dependencies);
    return node;
}

inline chakra::Node collective_node(std::uint64_t id, chakra::CollectiveType type,
                                    std::int64_t bytes, std::string group = "",
                                    std::vector<std::uint64_t> dependencies = {}) {
    chakra::Node node;
    node.id = id;
    node.name = "collective_" + std::to_string(id);
    node.type = chakra::NodeType::CommCollective;
    node.data_deps = std::move(dependencies);
    node.set_integer("comm_type", static_cast<std::int64_t>(type));
    node.set_integer("comm_size", bytes);
    if (!group.empty()) {
        node.set_text("pg_name", std::move(group));
    }
    return node;
}

inline chakra::Node send_node(std::uint64_t id, std::int32_t to, std::int64_t bytes,
                              std::int32_t tag = 0, std::vector<std::uint64_t> dependencies = {}) {
    chakra::Node node;
    node.id = id;
    node.name = "send_" + std::to_string(id);
    node.type = chakra::NodeType::CommSend;
    node.data_deps = std::move(dependencies);
    node.set_integer("comm_size", bytes);
    node.set_int32("comm_dst", to);
    node.set_int32("comm_tag", tag);
    return node;
}

inline chakra::Node receive_node(std::uint64_t id, std::int32_t from, std::int64_t bytes,
                                 std::int32_t tag = 0,
                                 std::vector<std::uint64_t> dependencies = {}) {
    chakra::Node node;
    node.id = id;
    node.name = "receive_" + std::to_string(id);
    node.type = chakra::NodeType::CommReceive;
    node.data_deps = std::move(dependencies);
    node.set_integer("comm_size", bytes);
    node.set_int32("comm_src", from);
    node.set_int32("comm_tag", tag);
    return node;
}

inline chakra::Node memory_node(std::uint64_t id, std::int64_t bytes,
                                std::vector<std::uint64_t> dependencies = {}) {
    chakra::Node node;
    node.id = id;
    node.name = "memory_" + std::to_string(id);
    node.type = chakra::NodeType::MemoryLoad;
    node.data_deps = std::move(dependencies);
    node.set_integer("tensor_size", bytes);
    return node;
}

using NodesOf = std::function<std::vector<chakra::Node>(Rank)>;

inline engine::Workload workload_of(std::size_t ranks, const NodesOf& nodes,
                                    const std::vector<engine::Group>& groups = {},
                                    const engine::WorkloadOptions& options = {}) {
    return engine::make_workload(
        ranks, nodes, [](Rank rank) { return "rank " + std::to_string(rank.value()); }, groups,
        options);
}

/// How study/ lays out workloads for the astra-sim dialects.
inline engine::WorkloadOptions options_of(const engine::Dialect& dialect) {
    engine::WorkloadOptions options;
    options.collectives_in_program_order = !dialect.one_communication_at_a_time;
    options.issue_order = dialect.issue_order;
    options.broadcasts_replay = dialect.broadcasts_replay;
    return options;
}

}  // namespace npunet::test
