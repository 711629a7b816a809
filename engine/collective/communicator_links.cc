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
      sharing_(workload.groups.size()),
      may_meet_messages_(workload.groups.size()) {}

void CommunicatorLinks::count_buffers(bool count) {
    if (count == counts_buffers_) {
        return;
    }
    counts_buffers_ = count;
    of_.assign(of_.size(), std::nullopt);
    messages_.clear();
    used_by_messages_.clear();
    users_.clear();
    sorted_.clear();
    sharing_.assign(sharing_.size(), std::nullopt);
    may_meet_messages_.assign(may_meet_messages_.size(), std::nullopt);
}

void CommunicatorLinks::add_node(LinkId link, NodeId node,
                                 std::vector<std::uint32_t>& numbers) const {
    if (counts_buffers_ && network_.packet_of(link).flow_control != topology::FlowControl::Credit) {
        numbers.push_back(static_cast<std::uint32_t>(links() + node.index()));
    }
}

void CommunicatorLinks::add_route(NodeId from, NodeId to,
                                  std::vector<std::uint32_t>& numbers) const {
    for (const std::vector<topology::Hop>& route : network_.routes(from, to)) {
        for (const topology::Hop hop : route) {
            numbers.push_back(static_cast<std::uint32_t>(hop.link.index()));
            if (hop.link != route.front().link) {
                add_node(hop.link, network_.graph.link(hop.link).from, numbers);
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
            std::vector<std::uint32_t> numbers;
            for (const Rank from : ranks) {
                for (const Rank to : ranks) {
                    if (from != to) {
                        numbers.clear();
                        add_route(network_.npu_of_rank[from.index()],
                                  network_.npu_of_rank[to.index()], numbers);
                        for (const std::uint32_t number : numbers) {
                            marks[number] = true;
                        }
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
        for (const std::uint32_t number : of_messages(from, to).numbers) {
            used_by_messages_[number] = true;
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
        known = find_sharing(group);
    }
    return *known;
}

CommunicatorLinks::Sharing CommunicatorLinks::find_sharing(std::size_t group) {
    if (sorted_[group].size() > most_members) {
        return Sharing::Unknown;
    }
    std::set<std::uint32_t> others;
    for (const std::uint32_t number : of(group)) {
        others.insert(users_[number].begin(), users_[number].end());
    }
    const bool nests = std::all_of(others.begin(), others.end(),
                                   [&](std::uint32_t other) { return nested(group, other); });
    return nests ? Sharing::Rare : Sharing::Collectives;
}

bool CommunicatorLinks::may_meet_messages(std::size_t group) {
    if (users_.empty()) {
        find_users();
    }
    std::optional<bool>& known = may_meet_messages_[group];
    if (!known) {
        const std::vector<std::uint32_t>& numbers = of(group);
        known = std::any_of(numbers.begin(), numbers.end(),
                            [&](std::uint32_t number) { return used_by_messages_[number]; });
    }
    return *known;
}

const CommunicatorLinks::Messages& CommunicatorLinks::of_messages(NodeId from, NodeId to) {
    const auto [place, is_new] = messages_.try_emplace({from, to});
    Messages& messages = place->second;
    if (!is_new) {
        return messages;
    }
    messages.from = from;
    messages.to = to;
    std::vector<std::uint32_t>& numbers = messages.numbers;
    if (from != to) {
        add_route(from, to, numbers);
        add_route(to, from, numbers);  // acknowledgements
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    messages.links.assign(numbers.begin(),
                          std::lower_bound(numbers.begin(), numbers.end(), links()));
    return messages;
}

}  // namespace npunet::engine
