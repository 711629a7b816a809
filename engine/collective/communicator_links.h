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
// between links without credits, as their packets share its buffer (count_buffers()).
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
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

    /// Whether nodes count of which only the buffer is shared; they do at first. What was listed
    /// before is of no use after a change.
    void count_buffers(bool count);
    [[nodiscard]] bool counts_buffers() const { return counts_buffers_; }

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
        Unknown       ///< of more than most_members
    };
    /// As far as collectives are concerned.
    [[nodiscard]] Sharing sharing(std::size_t group);
    /// Whether messages between two NPUs, as of a pipeline, may use the links, too.
    [[nodiscard]] bool may_meet_messages(std::size_t group);

    /// Messages of Sends from one NPU to another: what they and their answers pass.
    struct Messages {
        NodeId from;
        NodeId to;
        std::vector<std::uint32_t> numbers;  ///< of links and nodes, ascending
        std::vector<std::uint32_t> links;    ///< of links only
    };
    /// Lives until count_buffers() changes something.
    [[nodiscard]] const Messages& of_messages(NodeId from, NodeId to);

private:
    using Marks = std::vector<bool>;

    /// A message passes through the node from the link, or to it.
    void add_node(LinkId link, NodeId node, std::vector<std::uint32_t>& numbers) const;
    void add_route(NodeId from, NodeId to, std::vector<std::uint32_t>& numbers) const;
    void mark_reducing_switches(const std::vector<Rank>& ranks, Marks& marks) const;
    [[nodiscard]] static std::vector<std::uint32_t> list(const Marks& marks);
    void find_users();
    [[nodiscard]] Sharing find_sharing(std::size_t group);
    [[nodiscard]] bool nested(std::size_t group, std::size_t other) const;

    const Workload& workload_;
    const topology::NetworkDescription& network_;
    bool counts_buffers_ = true;
    std::vector<std::optional<std::vector<std::uint32_t>>> of_;
    std::map<std::pair<NodeId, NodeId>, Messages> messages_;
    Marks used_by_messages_;                         ///< of Sends; empty before find_users()
    std::vector<std::vector<std::uint32_t>> users_;  ///< by link or node: communicators
    std::vector<std::vector<Rank>> sorted_;          ///< by communicator: its members
    std::vector<std::optional<Sharing>> sharing_;
    std::vector<std::optional<bool>> may_meet_messages_;
};

}  // namespace npunet::engine
