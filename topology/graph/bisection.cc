#include "topology/graph/bisection.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "topology/graph/line.h"

namespace npunet::topology {

namespace {

/// All links across the middle of one dimension.
Bisection across_middle(const Dimension& dimension, std::int64_t npus) {
    const std::int64_t links = npus / dimension.size * visit_line(dimension, [](const auto& line) {
                                   return line.links_across_middle();
                               });
    return Bisection{
        links, static_cast<double>(links) * static_cast<double>(dimension.rate.bytes_per_second())};
}

}  // namespace

Bisection bisection_of(std::vector<Dimension> dimensions) {
    Bisection sum;
    bool halved = false;
    while (!halved) {
        dimensions.erase(std::remove_if(dimensions.begin(), dimensions.end(),
                                        [](const Dimension& d) { return d.size == 1; }),
                         dimensions.end());
        if (dimensions.empty()) {
            break;
        }
        std::int64_t npus = 1;
        for (const Dimension& dimension : dimensions) {
            npus *= dimension.size;
        }
        const auto least = std::min_element(dimensions.begin(), dimensions.end(),
                                            [&](const Dimension& a, const Dimension& b) {
                                                return across_middle(a, npus).bytes_per_second <
                                                       across_middle(b, npus).bytes_per_second;
                                            });
        const Bisection cut = across_middle(*least, npus);
        sum.links += cut.links;
        sum.bytes_per_second += cut.bytes_per_second;
        halved = least->size % 2 == 0;
        dimensions.erase(least);
    }
    return sum;
}

namespace {

__extension__ using Wide = unsigned __int128;

/// Greatest flow from the lower to the upper half of the NPUs.
class Flow {
public:
    Flow(const Graph& graph, bool upwards)
        : graph_(graph),
          source_(graph.nodes()),
          sink_(graph.nodes() + 1),
          arcs_of_(graph.nodes() + 2) {
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const Link& link = graph.link(LinkId(i));
            const auto rate = static_cast<Wide>(link.rate.bytes_per_second());
            if (upwards) {
                add_arc(link.from.index(), link.to.index(), rate);
            } else {
                add_arc(link.to.index(), link.from.index(), rate);
            }
        }
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            if (npu < graph.npus() / 2) {
                add_arc(source_, npu, unlimited);
            } else {
                add_arc(npu, sink_, unlimited);
            }
        }
    }

    [[nodiscard]] Bisection greatest() {
        Wide flow = 0;
        while (find_levels()) {
            next_arc_.assign(arcs_of_.size(), 0);
            while (const Wide more = push()) {
                flow += more;
            }
        }
        // After the last search the nodes with a level are those on the source's side.
        Bisection cut;
        cut.bytes_per_second = static_cast<double>(flow);
        for (std::size_t arc = 0; arc < 2 * graph_.links(); arc += 2) {
            cut.links += level_[tail(arc)] >= 0 && level_[head_[arc]] < 0 ? 1 : 0;
        }
        return cut;
    }

private:
    static constexpr Wide unlimited = ~Wide{0} >> 1U;

    void add_arc(std::size_t from, std::size_t to, Wide room) {
        arcs_of_[from].push_back(head_.size());
        head_.push_back(to);
        room_.push_back(room);
        arcs_of_[to].push_back(head_.size());
        head_.push_back(from);
        room_.push_back(0);
    }

    /// An arc and its reverse stand side by side.
    [[nodiscard]] std::size_t tail(std::size_t arc) const { return head_[arc ^ 1U]; }

    /// Distances from the source over arcs with room; false when the sink has none.
    bool find_levels() {
        level_.assign(arcs_of_.size(), -1);
        level_[source_] = 0;
        std::vector<std::size_t> open{source_};
        for (std::size_t i = 0; i < open.size(); ++i) {
            for (const std::size_t arc : arcs_of_[open[i]]) {
                if (room_[arc] > 0 && level_[head_[arc]] < 0) {
                    level_[head_[arc]] = level_[open[i]] + 1;
                    open.push_back(head_[arc]);
                }
            }
        }
        return level_[sink_] >= 0;
    }

    /// Sends as much as one way along the levels takes; 0 when there is none left.
    Wide push() {
        std::vector<std::size_t> next_hop;
        std::size_t at = source_;
        while (at != sink_) {
            std::size_t& next = next_arc_[at];
            const std::vector<std::size_t>& arcs = arcs_of_[at];
            while (next < arcs.size() &&
                   !(room_[arcs[next]] > 0 && level_[head_[arcs[next]]] == level_[at] + 1)) {
                ++next;
            }
            if (next < arcs.size()) {
                next_hop.push_back(arcs[next]);
                at = head_[next_hop.back()];
            } else if (next_hop.empty()) {
                return 0;
            } else {
                at = tail(next_hop.back());
                next_hop.pop_back();
                ++next_arc_[at];
            }
        }
        Wide most = unlimited;
        for (const std::size_t arc : next_hop) {
            most = std::min(most, room_[arc]);
        }
        for (const std::size_t arc : next_hop) {
            room_[arc] -= most;
            room_[arc ^ 1U] += most;
        }
        return most;
    }

    const Graph& graph_;
    std::size_t source_;
    std::size_t sink_;
    std::vector<std::vector<std::size_t>> arcs_of_;
    std::vector<std::size_t> head_;
    std::vector<Wide> room_;
    std::vector<std::int64_t> level_;
    std::vector<std::size_t> next_arc_;
};

}  // namespace

Bisection middle_cut_of(const Graph& graph) {
    if (graph.npus() < 2) {
        return {};
    }
    const Bisection up = Flow(graph, true).greatest();
    const Bisection down = Flow(graph, false).greatest();
    return down.bytes_per_second < up.bytes_per_second ? down : up;
}

}  // namespace npunet::topology
