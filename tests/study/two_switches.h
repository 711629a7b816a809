// Two NPUs at each of two switches, which one link joins: what two pairs of NPUs send to each other
// across has to share it.
//
//     const Machine machine = two_switches("packet: {flow_control: pfc}\n");
//     const engine::Results results = simulate(messages_across(1'000'000), machine, fidelity);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/simulation_run.h"
#include "tests/support/workloads.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study {

/// g0 and g1 at switch a, g2 and g3 at switch b; every link has 50 GB/s and 500 ns. `sections`:
/// YAML that follows the topology.
inline Machine two_switches(const std::string& sections = "") {
    Machine machine;
    machine.dialect = engine::Dialect::named("npunet");
    machine.network = topology::parse_network(
        "Custom:\n"
        "    nodes: [{name: g0, kind: npu}, {name: g1, kind: npu}, {name: g2, kind: npu},\n"
        "            {name: g3, kind: npu}, {name: a, kind: switch}, {name: b, kind: switch}]\n"
        "    links: [{from: g0, to: a, bandwidth: 50, latency: 500},\n"
        "            {from: g1, to: a, bandwidth: 50, latency: 500},\n"
        "            {from: g2, to: b, bandwidth: 50, latency: 500},\n"
        "            {from: g3, to: b, bandwidth: 50, latency: 500},\n"
        "            {from: a, to: b, bandwidth: 50, latency: 500}]\n" +
            sections,
        "network.yml");
    return machine;
}

/// NPU 0 to 2 and 1 to 3, at once.
inline engine::Workload messages_across(std::int64_t bytes) {
    return test::workload_of(4, [bytes](Rank rank) {
        const std::int32_t own = rank.value();
        return std::vector{own < 2 ? test::send_node(1, own + 2, bytes, own)
                                   : test::receive_node(1, own - 2, bytes, own - 2)};
    });
}

}  // namespace npunet::study
