// Which links the messages of a communicator may use, and which communicators are likely to have
// theirs to themselves.
//
//     CommunicatorLinks links(workload, network);
//     links.of(group);              // numbers of links and nodes, ascending
//     links.sharing(group);
//
// Counted are the routes between all pairs of members, of which an algorithm uses some; with
// switches that reduce, the links of the members to them, and those between switches. Nodes that
// messages share stand for themselves: switches that reduce, and nodes through which messages pass
// between links without credits, as their packets share its buffer.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/workload.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class CommunicatorLinks {
public:
    /// Of larger communicators every link counts as used.
    static constexpr std::size_t most_members = 256;

    /// The references must outlive this. Every pair of NPUs has one set of routes: no multipath.
    CommunicatorLinks(const Workload& workload, const topology::NetworkDescription& network);

    /// Links by their number, nodes by theirs + links(): below size().
    [[nodiscard]] const std::vector<std::uint32_t>& of(std::size_t group);
    [[nodiscard]] std::size_t links() const { return network_.graph.links(); }
    [[nodiscard]] std::size_t size() const { return links() + network_.graph.nodes(); }

    /// Who else may use the links.
    enum class Sharing : std::uint8_t {
        /// Collectives only of communicators that hold the same members, more, or some of them: a
        /// tensor-parallel group beside that of all NPUs.
        Rare,
        Collectives,  ///< of other communicators, too: data-parallel ones over the same NIC
        Messages      ///< between two NPUs, as of a pipeline; or it is not known
    };
    [[nodiscard]] Sharing sharing(std::size_t group);

private:
    using Marks = std::vector<bool>;

    /// A message passes through the node from the link, or to it.
    void mark_node(LinkId link, NodeId node, Marks& marks) const;
    void mark_route(NodeId from, NodeId to, Marks& marks) const;
    void mark_reducing_switches(const std::vector<Rank>& ranks, Marks& marks) const;
    [[nodiscard]] static std::vector<std::uint32_t> list(const Marks& marks);
    void find_users();
    [[nodiscard]] bool nested(std::size_t group, std::size_t other) const;

    const Workload& workload_;
    const topology::NetworkDescription& network_;
    std::vector<std::optional<std::vector<std::uint32_t>>> of_;
    Marks used_by_messages_;  ///< between two NPUs; empty before find_users()
    std::vector<std::vector<std::uint32_t>> users_;  ///< by link or node: communicators
    std::vector<std::vector<Rank>> sorted_;          ///< by communicator: its members
    std::vector<std::optional<Sharing>> sharing_;
};

}  // namespace npunet::engine
