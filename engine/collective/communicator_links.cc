#include "engine/collective/communicator_links.h"

#include <algorithm>
#include <set>
#include <utility>

namespace npunet::engine {

CommunicatorLinks::CommunicatorLinks(const Workload& workload,
                                     const topology::NetworkDescription& network)
    : workload_(workload),
      network_(network),
      of_(workload.groups.size()),
      sharing_(workload.groups.size()) {}

void CommunicatorLinks::mark_node(LinkId link, NodeId node, Marks& marks) const {
    if (network_.packet_of(link).flow_control != topology::FlowControl::Credit) {
        marks[links() + node.index()] = true;
    }
}

void CommunicatorLinks::mark_route(NodeId from, NodeId to, Marks& marks) const {
    for (const std::vector<topology::Hop>& route : network_.routes(from, to)) {
        for (const topology::Hop hop : route) {
            marks[hop.link.index()] = true;
            if (hop.link != route.front().link) {
                mark_node(hop.link, network_.graph.link(hop.link).from, marks);
            }
        }
    }
}

void CommunicatorLinks::mark_reducing_switches(const std::vector<Rank>& ranks, Marks& marks) const {
    if (network_.reducing_switches.empty()) {
        return;
    }
    constexpr std::size_t several = 2;
    Marks member(network_.graph.nodes());
    for (const Rank rank : ranks) {
        member[network_.npu_of_rank[rank.index()].index()] = true;
    }
    // Of a switch that reduces: the members at it, and several where it is part of a tree.
    std::vector<std::size_t> below(network_.graph.nodes());
    Marks reduces(network_.graph.nodes());
    for (const topology::ReducingSwitch& each : network_.reducing_switches) {
        reduces[each.node.index()] = true;
    }
    const auto for_each_link = [&](auto act) {
        for (std::size_t number = 0; number < links(); ++number) {
            const topology::Link& link = network_.graph.link(LinkId(number));
            if (reduces[link.from.index()]) {
                act(LinkId(number), link.from.index(), link.to.index());
            }
            if (reduces[link.to.index()]) {
                act(LinkId(number), link.to.index(), link.from.index());
            }
        }
    };
    for_each_link([&](LinkId link, std::size_t at, std::size_t other) {
        const bool is_up = network_.graph.link(link).to.index() == at;
        below[at] += other >= network_.graph.npus() ? several : member[other] && is_up ? 1 : 0;
    });
    for_each_link([&](LinkId link, std::size_t at, std::size_t other) {
        if (below[at] >= several && (other >= network_.graph.npus() || member[other])) {
            marks[link.index()] = true;
            marks[links() + at] = true;
        }
    });
}

std::vector<std::uint32_t> CommunicatorLinks::list(const Marks& marks) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t number = 0; number < marks.size(); ++number) {
        if (marks[number]) {
            numbers.push_back(static_cast<std::uint32_t>(number));
        }
    }
    return numbers;
}

const std::vector<std::uint32_t>& CommunicatorLinks::of(std::size_t group) {
    std::optional<std::vector<std::uint32_t>>& known = of_[group];
    if (!known) {
        const std::vector<Rank>& ranks = workload_.groups[group].ranks;
        Marks marks(size(), ranks.size() > most_members);
        if (ranks.size() <= most_members) {
            for (const Rank from : ranks) {
                for (const Rank to : ranks) {
                    if (from != to) {
                        mark_route(network_.npu_of_rank[from.index()],
                                   network_.npu_of_rank[to.index()], marks);
                    }
                }
            }
            mark_reducing_switches(ranks, marks);
        }
        known = list(marks);
    }
    return *known;
}

void CommunicatorLinks::find_users() {
    used_by_messages_.assign(size(), false);
    users_.resize(size());
    std::vector<bool> has_collectives(workload_.groups.size());
    std::set<std::pair<NodeId, NodeId>> pairs;
    std::vector<std::set<std::int32_t>> peers(workload_.programs.size());
    for (std::size_t program = 0; program < workload_.programs.size(); ++program) {
        for (const ProgramOperation& operation : workload_.programs[program].operations) {
            if (operation.kind == OperationKind::Send) {
                peers[program].insert(operation.peer);
            }
        }
    }
    for (std::size_t rank = 0; rank < workload_.ranks(); ++rank) {
        const RankBinding& binding = workload_.bindings[rank];
        const RankProgram& program = workload_.program(Rank(rank));
        for (std::size_t slot = 0; slot < binding.groups.size(); ++slot) {
            has_collectives[static_cast<std::size_t>(binding.groups[slot])] =
                has_collectives[static_cast<std::size_t>(binding.groups[slot])] ||
                (slot < program.collectives_of.size() && !program.collectives_of[slot].empty());
        }
        for (const std::int32_t peer : peers[workload_.program_of[rank]]) {
            const Rank to = binding.peers[static_cast<std::size_t>(peer)];
            pairs.emplace(network_.npu_of_rank[rank], network_.npu_of_rank[to.index()]);
        }
    }
    for (const auto& [from, to] : pairs) {
        if (from != to) {
            mark_route(from, to, used_by_messages_);
            mark_route(to, from, used_by_messages_);  // acknowledgements
        }
    }
    for (std::size_t group = 0; group < workload_.groups.size(); ++group) {
        sorted_.push_back(workload_.groups[group].ranks);
        std::sort(sorted_.back().begin(), sorted_.back().end());
        if (has_collectives[group] && sorted_.back().size() > 1) {
            for (const std::uint32_t number : of(group)) {
                users_[number].push_back(static_cast<std::uint32_t>(group));
            }
        }
    }
}

bool CommunicatorLinks::nested(std::size_t group, std::size_t other) const {
    const std::vector<Rank>& a = sorted_[group];
    const std::vector<Rank>& b = sorted_[other];
    const std::vector<Rank>& larger = a.size() < b.size() ? b : a;
    const std::vector<Rank>& smaller = a.size() < b.size() ? a : b;
    return std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
}

CommunicatorLinks::Sharing CommunicatorLinks::sharing(std::size_t group) {
    if (users_.empty()) {
        find_users();
    }
    std::optional<Sharing>& known = sharing_[group];
    if (!known) {
        std::set<std::uint32_t> others;
        bool messages = sorted_[group].size() > most_members;
        for (const std::uint32_t number : of(group)) {
            messages = messages || used_by_messages_[number];
            if (messages) {
                break;
            }
            others.insert(users_[number].begin(), users_[number].end());
        }
        const bool nests =
            !messages && std::all_of(others.begin(), others.end(),
                                     [&](std::uint32_t other) { return nested(group, other); });
        known = messages ? Sharing::Messages : nests ? Sharing::Rare : Sharing::Collectives;
    }
    return *known;
}

}  // namespace npunet::engine
