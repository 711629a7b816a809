// The sections of a network.yml, each read by the .cc file of its name: the networks without
// dimensions, placement, faults, and packet with its parts.
//
// All throw InputError for what they do not understand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/yaml_field.h"
#include "topology/builders/fat_tree.h"
#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"
#include "topology/parameters/congestion_control.h"
#include "topology/yaml/standalone_network.h"

namespace npunet::topology {

struct FatTreeParameters {
    FatTreeShape shape;
    std::vector<LinkSpeed> speeds;
    std::optional<ReducingSwitch> reduces;  ///< all switches of the tree
};

/// The parameters of one fat tree. `npus`: as many as there must be; nothing when the section says
/// so itself. Refuses ports that do not come out whole and more NPUs than the tree holds.
[[nodiscard]] FatTreeParameters fat_tree_at(const YamlField& section, GigaByte gigabyte,
                                            const UnknownKeys& unknown,
                                            std::optional<std::int64_t> npus);

///     FatTree: {levels: 2, radix: 16, npus: 64, oversubscription: [1], bandwidth: [50, 50],
///               latency: [500, 500]}
[[nodiscard]] StandaloneNetwork read_fat_tree(const YamlField& section, GigaByte gigabyte,
                                              const UnknownKeys& unknown);

///     Dragonfly: {a: 4, p: 2, h: 2, groups: 9, bandwidth: [50, 50, 50], latency: [100, 100, 1us]}
///
/// Refuses more groups than the global links join.
[[nodiscard]] StandaloneNetwork read_dragonfly(const YamlField& section, GigaByte gigabyte,
                                               const UnknownKeys& unknown);

///     Rail:
///         servers: 16
///         npus_per_server: 8
///         scale_up: {kind: switch, bandwidth: 450, latency: 100}
///         scale_out: {levels: 2, radix: 16, bandwidth: 50, latency: 500}
[[nodiscard]] StandaloneNetwork read_rail(const YamlField& section, GigaByte gigabyte,
                                          const UnknownKeys& unknown);

/// Any graph, node by node and link by link:
///
///     Custom:
///         nodes: [{name: gpu0, kind: npu}, {name: gpu1, kind: npu}, {name: tor, kind: switch}]
///         links:
///             - {from: gpu0, to: tor, bandwidth: 50, latency: 500}
///             - {from: gpu1, to: tor, bandwidth: 25, latency: 500, count: 2}
///
/// or `Custom: {file: cluster.txt}` with one line a link, FROM TO BANDWIDTH LATENCY and then, where
/// wanted, COUNT and `both` or `forward`; lines `npu NAME ...` and `switch NAME ...` name the
/// nodes. Refuses names that are unknown or given twice, links from a node to itself, and NPUs that
/// cannot reach each other. Without the key `tiers` the tiers are found
/// (topology/network/find_tiers.h).
[[nodiscard]] StandaloneNetwork read_custom(const YamlField& section, GigaByte gigabyte,
                                            const UnknownKeys& unknown);

/// The key `reduces` of a switch: true, false, or its limits, {unit: 16KiB, entries: 1024,
/// latency: 0ns}. Nothing for false.
[[nodiscard]] std::optional<ReducingSwitch> reduces_at(const YamlField& field,
                                                       const UnknownKeys& unknown);

/// The key `tiers` of a Custom network, from the inside to the outside:
///
///     tiers:
///         - {name: server, size: 2}                      # 8 consecutive NPUs a block
///         - {name: pod, blocks: [[gpu0, gpu1, gpu4, gpu5], [gpu2, gpu3]]}
///
/// An empty list says that there are none. The last tier, of all NPUs, is added when it is missing.
/// Refuses NPUs that are unknown, missing or given twice, and blocks that are not made of whole
/// blocks of the tier before.
[[nodiscard]] std::vector<Tier> read_tiers(const YamlField& tiers, const UnknownKeys& unknown,
                                           const Graph& graph);

/// The key `logical` of a Custom network: the sizes of its logical dimensions, the innermost first,
/// or ASTRA-sim's file of them, {"logical-dims": ["8", "4"]}, relative to the network description.
/// NPUs that differ in the first k dimensions only are a block of tier k. Refuses sizes whose
/// product is not the number of NPUs.
[[nodiscard]] std::vector<Tier> read_logical(const YamlField& field, const Graph& graph);

/// The key `placement`: linear, snake, a list of NPUs (one for each rank), or the name of a file
/// with that list, relative to the network description. The file holds numbers separated by blanks,
/// commas or line ends, in brackets or not; '#' begins a comment. Refuses what is not a permutation
/// of the NPUs.
[[nodiscard]] std::vector<NodeId> read_placement(const YamlField& field,
                                                 const std::vector<Dimension>& dimensions,
                                                 std::size_t npus);

/// The same as one text: linear, snake, NPUs with commas or blanks between them, or the name of a
/// file, relative to the working directory. `from` says in errors where the text stands.
[[nodiscard]] std::vector<NodeId> placement_of_text(const std::string& text,
                                                    const std::string& from,
                                                    const std::vector<Dimension>& dimensions,
                                                    std::size_t npus);

/// A list of links and NPUs with what is wrong with them:
///
///     faults:
///         - {link: [3, 7], at: 2ms, until: 5ms, bandwidth_factor: 0.1}
///         - {npu: 5, slowdown: 1.3}
///
/// Sets the faults of a network whose graph is already built. Refuses links and NPUs that do not
/// exist, spans that end before they begin, factors out of range, and entries without effect.
void read_faults_section(const YamlField& section, const UnknownKeys& unknown,
                         NetworkDescription& network);

/// The section `packet`: parameters of the packet fidelity, and the routing. Sets those of a
/// network whose graph and tiers are already built. `own`: the routings of a network that is no
/// product; null for products. `seed` stands instead of the section's.
void read_packet_section(const YamlField& section, const UnknownKeys& unknown,
                         const RoutingChoice* own, GigaByte gigabyte,
                         std::optional<std::uint64_t> seed, NetworkDescription& network);

/// Of the section `packet`, the keys classes, class_arbitration and class_of: sets
/// network.packet.classes. Once the network has its routing and virtual channels: all its channels
/// are at most TrafficClasses::most_channels.
void read_classes(const YamlField& section, const UnknownKeys& unknown,
                  NetworkDescription& network);

/// Of the section `packet`, how switches and NPUs keep order on a network without credits:
///
///     flow_control: pfc
///     congestion_control: dcqcn
///     transport: {kind: go-back-n, window: 1MiB, ack_every: 4, rto: 500us, retries: 7}
///     ecn: {kmin: 100KiB, kmax: 400KiB, pmax: 0.2}
///     pfc: {alpha: 1, headroom: auto}
///
/// Sets flow_control, transport, congestion_control, ecn and shared_buffer of network.packet. Comes
/// after the other keys. Sections without effect are warnings, so that one text serves for networks
/// that differ in flow_control or congestion_control.
void read_transport_section(const YamlField& section, const UnknownKeys& unknown,
                            NetworkDescription& network);

/// Of the section `packet`, the key congestion_control, and the section with the parameters of the
/// algorithm:
///
///     congestion_control: dcqcn
///     dcqcn: {preset: paper, rate_ai: 5Mbps}
///
/// The default is none. The values of an algorithm are its defaults, or with `preset: paper` its
/// paper's, where no key of the algorithm's section gives another. Refuses the section of an
/// algorithm that is not chosen.
[[nodiscard]] CongestionControlChoice read_congestion_control(const YamlField& packet,
                                                              const UnknownKeys& unknown);

}  // namespace npunet::topology
