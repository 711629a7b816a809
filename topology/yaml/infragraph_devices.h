// The devices of an InfraGraph file (topology/yaml/infragraph_file.h): their components, their
// links and the edges between their components, each device once, however many instances it has.
//
// The nodes of a device are its components that are no devices themselves, in the order of the
// file; those of a device inside it stand in its place. Nodes count from 0 within their device.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml_field.h"

namespace npunet::topology {

/// What such a file may describe, before what no route uses is left out.
constexpr std::size_t most_infra_nodes = std::size_t{1} << 20;
constexpr std::size_t most_infra_edges = std::size_t{1} << 21;

/// An entry of `links`: of a device, or of the infrastructure.
struct InfraLink {
    YamlField field;
    bool in_device;
};

struct InfraNode {
    std::string name;  ///< "host.0.xpu.3"
    bool is_npu;
};

/// An edge between two nodes; it leads in both directions.
struct InfraEdge {
    std::size_t from;
    std::size_t to;
    const InfraLink* link;
    std::string place;  ///< "line 31, column 9, edges[2]"
};

/// Edges between pairs of nodes, each pair once.
class InfraEdges {
public:
    /// A pair that is there with the same link is left out, as is a node with itself; with another
    /// link it is refused at `field`, as are more than most_infra_edges, those left out included.
    void add(std::size_t from, std::size_t to, const InfraLink& link, const YamlField& field);
    /// The same for an edge of a device whose nodes begin at `base`; it keeps its place.
    void add(const InfraEdge& edge, std::size_t base, const YamlField& field);

    [[nodiscard]] const std::vector<InfraEdge>& all() const { return edges_; }

private:
    void add(const InfraEdge& edge, const YamlField& field);

    std::vector<InfraEdge> edges_;
    std::map<std::pair<std::size_t, std::size_t>, const InfraLink*> link_of_;
    std::size_t added_ = 0;
};

struct InfraComponent {
    std::string name;
    bool is_npu = false;
    std::int64_t count = 0;
    std::optional<std::size_t> device;  ///< the device that it is
    std::size_t offset = 0;             ///< its first node
    std::size_t unit = 1;               ///< nodes of one of them
};

struct InfraDevice {
    YamlField field;
    std::string name;
    std::vector<InfraComponent> components;
    std::map<std::string, InfraLink> links;
    std::size_t nodes = 0;
    InfraEdges edges;  ///< with those of the devices inside it
};

/// What an endpoint names.
struct InfraEndpoint {
    std::vector<std::size_t> nodes;  ///< in the order in which edges take them
    /// All components of its last name, which has no brackets, in one or all of what they are in.
    bool is_whole = false;
};

class InfraDevices {
public:
    /// Of the map `infrastructure`. Throws InputError with line and column for devices and
    /// components that are unknown, given twice or inside themselves, for indices out of range and
    /// for what the schema does not have.
    InfraDevices(const YamlField& infrastructure, const UnknownKeys& unknown);

    /// The device that a field names.
    [[nodiscard]] std::size_t named(const YamlField& name) const;
    [[nodiscard]] const InfraDevice& device(std::size_t number) const { return devices_[number]; }

    /// The nodes of "nic[0:2].port[1]" in a device. `path`: that text, of `field`.
    [[nodiscard]] InfraEndpoint endpoint(std::size_t device, const std::string& path,
                                         const YamlField& field) const;

    /// Appends the nodes of a device, their names behind `prefix` ("host.0.").
    void list_nodes(std::size_t device, const std::string& prefix,
                    std::vector<InfraNode>& nodes) const;

private:
    enum class State { New, Open, Done };

    void read_components(InfraDevice& device, const UnknownKeys& unknown) const;
    void lay_out(std::size_t number, std::size_t depth, std::vector<State>& states);
    void read_edges(std::size_t number, const UnknownKeys& unknown, std::vector<bool>& done);

    std::vector<InfraDevice> devices_;
    std::map<std::string, std::size_t> numbers_;
};

/// The name of an entry that may have one only once: no dots, brackets or blanks.
[[nodiscard]] std::string infra_name_at(const YamlField& entry);

/// The entries of the list at `key`; none where there is no such key.
[[nodiscard]] std::vector<YamlField> infra_entries(const YamlField& map, const std::string& key);

/// The entries of `links` by their names.
[[nodiscard]] std::map<std::string, InfraLink> infra_links_at(const YamlField& map, bool in_device,
                                                              const UnknownKeys& unknown);

/// Refuses a key of the versions before 0.6 that `now` has replaced.
void refuse_old_infra_key(const YamlField& map, const char* old, const std::string& now);

/// The name before the brackets, and the indices that "[3]", "[0:8]", "[0:8:2]" or nothing name, of
/// `count` things.
struct InfraSlice {
    std::string name;
    std::vector<std::int64_t> indices;
    bool is_whole = true;
};
[[nodiscard]] std::string infra_slice_name(const std::string& text);
[[nodiscard]] InfraSlice infra_slice(const std::string& text, std::int64_t count,
                                     const YamlField& field);

/// Adds the edges of one entry of `edges`, between what its two endpoints name.
void add_infra_edges(const YamlField& edge, const InfraEndpoint& from, const InfraEndpoint& to,
                     const std::map<std::string, InfraLink>& links, InfraEdges& edges);

}  // namespace npunet::topology
