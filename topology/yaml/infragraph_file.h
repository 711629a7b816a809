// InfraGraph files (Keysight/infragraph, YAML or JSON): devices with components, links and edges,
// and instances of devices with edges between them.
//
//     devices:
//         - name: server
//           components:
//               - {name: xpu, count: 2, choice: xpu}
//               - {name: nic, count: 2, choice: nic}
//           links: [{name: pcie, physical: {bandwidth: {gigabytes_per_second: 64}}}]
//           edges:
//               - {ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: pcie}
//     links: [{name: cable, physical: {bandwidth: {gigabits_per_second: 400}}}]
//     instances: [{name: host, device: server, count: 2}]
//     edges:
//         - ep1: {instance: "host[0]", component: nic}
//           ep2: {instance: "host[1]", component: nic}
//           scheme: one2one
//           link: cable
//
// The schema of `Infrastructure` is the same in all versions from 0.6.0 to 2.4.0, so that a file
// does not have to say its version. From 2.0 on it may stand below `infrastructure`, beside
// `annotations`, which are not read.
//
// Components of the choice xpu are NPUs, all others forward messages. Nodes that no route between
// NPUs uses are left out: those with fewer than two neighbours, once those are left out that have
// none or one, and those from which no NPU is reached.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <optional>
#include <string>

#include "base/yaml_field.h"
#include "topology/yaml/physical_file.h"

namespace npunet::topology {

/// Whether the map of a YAML file is one of InfraGraph.
[[nodiscard]] bool is_infragraph(const YamlField& root);
/// The map of such a text; nothing when it is of another form.
[[nodiscard]] std::optional<YamlField> infragraph_of_text(const std::string& file,
                                                          const std::string& text);

/// Nodes are called "host.0.xpu.1" and NPUs count in the order of instances, their indices and
/// components. Links without latency have 500 ns in a device and 1 us between instances. What is
/// left out and those latencies are warnings. Throws InputError with line and column for what the
/// schema does not have, names that are unknown or given twice, indices out of range, and edges of
/// links without a bandwidth.
[[nodiscard]] PhysicalFile read_infragraph(const YamlField& root, const UnknownKeys& unknown);

}  // namespace npunet::topology
