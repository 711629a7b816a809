#include "generators/profiler/measured_replay.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace npunet::generators::profiler {

namespace {

class Replay {
public:
    Replay(const std::vector<RankGraph>& graphs, const MatchedRun& run,
           const std::vector<std::int64_t>& begins)
        : graphs_(graphs),
          run_(run),
          begins_(begins),
          meetings_(static_cast<std::size_t>(run.meetings)) {
        times_.rank_ns = begins;
        ranks_.resize(graphs.size());
        for (std::size_t r = 0; r < graphs.size(); ++r) {
            prepare(r, begins[r]);
        }
    }

    ReplayTimes run() {
        for (std::size_t r = 0; r < graphs_.size(); ++r) {
            for (std::uint32_t node = 0; node < graphs_[r].nodes.size(); ++node) {
                if (ranks_[r].waits_for[node] == 0) {
                    ready_.emplace_back(r, node);
                }
            }
        }
        while (!ready_.empty()) {
            const auto [rank, node] = ready_.back();
            ready_.pop_back();
            start(rank, node);
        }
        times_.replayed_ns = *std::max_element(times_.rank_ns.begin(), times_.rank_ns.end());
        for (std::size_t r = 0; r < graphs_.size(); ++r) {
            compare(r);
        }
        return std::move(times_);
    }

private:
    struct RankState {
        std::vector<std::uint32_t> waits_for;  ///< how many, by node
        std::vector<std::int64_t> begin_ns;
        std::vector<std::int64_t> end_ns;
        std::vector<std::uint32_t> first;  ///< of `followers`, by node
        std::vector<std::uint32_t> followers;
    };
    struct Meeting {
        std::vector<std::pair<std::size_t, std::uint32_t>> there;
        std::size_t members = 0;
        std::int64_t transfer_ns = std::numeric_limits<std::int64_t>::max();
    };

    [[nodiscard]] const MatchedCall* call_of(std::size_t rank, std::uint32_t node) const {
        const std::int32_t call = graphs_[rank].nodes[node].call;
        return call < 0 ? nullptr : &run_.calls[rank][static_cast<std::size_t>(call)];
    }

    template <class Visitor>
    void for_each_before(std::size_t rank, std::uint32_t node, const Visitor& visitor) const {
        for (const std::uint32_t before : graphs_[rank].after(node)) {
            visitor(before);
        }
        const MatchedCall* call = call_of(rank, node);
        if (call != nullptr && call->before >= 0) {
            visitor(static_cast<std::uint32_t>(call->before));
        }
    }

    void prepare(std::size_t rank, std::int64_t begin_ns) {
        const std::vector<GraphNode>& nodes = graphs_[rank].nodes;
        RankState& state = ranks_[rank];
        state.waits_for.resize(nodes.size());
        state.begin_ns.assign(nodes.size(), begin_ns);
        state.end_ns.assign(nodes.size(), begin_ns);
        state.first.assign(nodes.size() + 1, 0);
        for (std::uint32_t node = 0; node < nodes.size(); ++node) {
            for_each_before(rank, node, [&](std::uint32_t before) {
                ++state.waits_for[node];
                ++state.first[before + 1];
            });
            const MatchedCall* call = call_of(rank, node);
            if (call != nullptr && call->meeting >= 0) {
                Meeting& meeting = meetings_[static_cast<std::size_t>(call->meeting)];
                ++meeting.members;
                meeting.transfer_ns = std::min(meeting.transfer_ns,
                                               nodes[node].span.end_ns - nodes[node].span.begin_ns);
            }
        }
        for (std::size_t i = 1; i < state.first.size(); ++i) {
            state.first[i] += state.first[i - 1];
        }
        state.followers.resize(state.first.back());
        std::vector<std::uint32_t> next(state.first.begin(), state.first.end() - 1);
        for (std::uint32_t node = 0; node < nodes.size(); ++node) {
            for_each_before(rank, node,
                            [&](std::uint32_t before) { state.followers[next[before]++] = node; });
        }
    }

    void start(std::size_t rank, std::uint32_t node) {
        const GraphNode& one = graphs_[rank].nodes[node];
        const std::int64_t begin_ns = ranks_[rank].begin_ns[node];
        const MatchedCall* call = call_of(rank, node);
        if (call == nullptr || call->kind == MatchedCall::Kind::Compute) {
            end(rank, node, begin_ns + one.span.end_ns - one.span.begin_ns);
        } else if (call->meeting < 0) {
            end(rank, node, begin_ns);
        } else {
            Meeting& meeting = meetings_[static_cast<std::size_t>(call->meeting)];
            meeting.there.emplace_back(rank, node);
            if (meeting.there.size() == meeting.members) {
                end_meeting(meeting);
            }
        }
    }

    void end_meeting(const Meeting& meeting) {
        std::int64_t begin_ns = 0;
        for (const auto& [rank, node] : meeting.there) {
            begin_ns = std::max(begin_ns, ranks_[rank].begin_ns[node]);
        }
        for (const auto& [rank, node] : meeting.there) {
            end(rank, node, begin_ns + meeting.transfer_ns);
        }
    }

    void end(std::size_t rank, std::uint32_t node, std::int64_t end_ns) {
        RankState& state = ranks_[rank];
        state.end_ns[node] = end_ns;
        times_.rank_ns[rank] = std::max(times_.rank_ns[rank], end_ns);
        if (graphs_[rank].nodes[node].launched) {
            times_.largest_ns =
                std::max(times_.largest_ns, std::abs(end_ns - measured_end_ns({rank, node})));
        }
        for (std::uint32_t i = state.first[node]; i < state.first[node + 1]; ++i) {
            const std::uint32_t follower = state.followers[i];
            state.begin_ns[follower] = std::max(state.begin_ns[follower], end_ns);
            if (--state.waits_for[follower] == 0) {
                ready_.emplace_back(rank, follower);
            }
        }
    }

    using Place = std::pair<std::size_t, std::uint32_t>;  ///< rank and node

    [[nodiscard]] std::int64_t measured_end_ns(const Place& at) const {
        const RankGraph& graph = graphs_[at.first];
        return begins_[at.first] + graph.nodes[at.second].span.end_ns - graph.span.begin_ns;
    }
    [[nodiscard]] std::int64_t replayed_end_ns(const Place& at) const {
        return ranks_[at.first].end_ns[at.second];
    }

    void compare(std::size_t rank) {
        ReplayDifference found;
        found.rank = rank;
        found.measured_ns = graphs_[rank].span.end_ns - graphs_[rank].span.begin_ns;
        found.replayed_ns = times_.rank_ns[rank] - begins_[rank];
        const double most = most_replay_difference * static_cast<double>(found.measured_ns);
        const auto off = [&](std::int64_t ns) {
            return static_cast<double>(std::abs(ns - found.measured_ns)) > most;
        };
        if (graphs_[rank].nodes.empty()) {
            return;
        }
        if (off(found.replayed_ns)) {
            find_first(found, most);
        } else if (!find_overlap(found, off)) {
            return;
        }
        times_.differences.push_back(found);
    }

    /// The place with the latest end, measured or replayed.
    template <class End>
    [[nodiscard]] static Place last_of(const std::vector<Place>& places, const End& end_ns) {
        return *std::max_element(places.begin(), places.end(), [&](const Place& a, const Place& b) {
            return end_ns(a) < end_ns(b);
        });
    }

    /// Walks back from the rank's last operation along what each one waited for: the last member of
    /// a collective, else the predecessor that ended last. Uses measured times if time was lost,
    /// replayed ones if time was added.
    void find_first(ReplayDifference& found, double most) const {
        const bool lost = found.replayed_ns < found.measured_ns;
        const auto end_ns = [&](const Place& at) {
            return lost ? measured_end_ns(at) : replayed_end_ns(at);
        };
        std::vector<Place> places;
        for (std::uint32_t node = 0; node < graphs_[found.rank].nodes.size(); ++node) {
            places.emplace_back(found.rank, node);
        }
        std::size_t left = 0;  // bounds the walk in case clocks are inconsistent
        for (const RankGraph& graph : graphs_) {
            left += graph.nodes.size();
        }
        Place first = last_of(places, end_ns);
        found.cause = ReplayDifference::Cause::LeftOut;
        for (Place at = first; !places.empty() && left > 0; --left) {
            at = last_of(places, end_ns);
            const std::int64_t ahead = measured_end_ns(at) - replayed_end_ns(at);
            if (static_cast<double>(lost ? ahead : -ahead) > most) {
                first = at;
                found.cause = ReplayDifference::Cause::Replay;
            }
            at = last_member(at, lost);
            places.clear();
            for_each_before(at.first, at.second,
                            [&](std::uint32_t before) { places.emplace_back(at.first, before); });
        }
        found.node_rank = first.first;
        found.node = first.second;
        found.node_measured_ns = measured_end_ns(first) - begins_[first.first];
        found.node_replayed_ns = replayed_end_ns(first) - begins_[first.first];
    }

    /// The member of a collective that the others waited for: if `measured`, the one with the
    /// shortest kernel.
    [[nodiscard]] Place last_member(const Place& at, bool measured) const {
        const MatchedCall* call = call_of(at.first, at.second);
        if (call == nullptr || call->meeting < 0) {
            return at;
        }
        const auto& there = meetings_[static_cast<std::size_t>(call->meeting)].there;
        const auto waited_ns = [&](const Place& one) {
            const Span& span = graphs_[one.first].nodes[one.second].span;
            return measured ? span.end_ns - span.begin_ns : -ranks_[one.first].begin_ns[one.second];
        };
        return *std::min_element(there.begin(), there.end(), [&](const Place& a, const Place& b) {
            return waited_ns(a) < waited_ns(b);
        });
    }

    /// Whether the computations of the GPU, or those of the CPU, take too long when serialized.
    template <class Off>
    bool find_overlap(ReplayDifference& found, const Off& off) const {
        for (const GraphNode::Kind kind : {GraphNode::Kind::Compute, GraphNode::Kind::Host}) {
            std::vector<std::uint32_t> nodes;
            std::int64_t sum_ns = 0;
            const auto span = [&](std::uint32_t node) -> const Span& {
                return graphs_[found.rank].nodes[node].span;
            };
            for (std::uint32_t node = 0; node < graphs_[found.rank].nodes.size(); ++node) {
                if (graphs_[found.rank].nodes[node].kind == kind) {
                    nodes.push_back(node);
                    sum_ns += span(node).end_ns - span(node).begin_ns;
                }
            }
            if (sum_ns <= found.measured_ns || !off(sum_ns)) {
                continue;
            }
            std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
                return span(a).begin_ns < span(b).begin_ns;
            });
            const auto overlaps = [&](std::uint32_t a, std::uint32_t b) {
                return span(b).begin_ns < span(a).end_ns;
            };
            // Their sum exceeds the whole time, so at least two overlap.
            const auto before = std::adjacent_find(nodes.begin(), nodes.end(), overlaps);
            const std::int64_t zero_ns = graphs_[found.rank].span.begin_ns;
            found.cause = ReplayDifference::Cause::Overlap;
            found.replayed_ns = sum_ns;
            found.node_rank = found.rank;
            found.node = *(before + 1);
            found.node_measured_ns = span(*(before + 1)).begin_ns - zero_ns;
            found.node_replayed_ns = span(*before).end_ns - zero_ns;
            return true;
        }
        return false;
    }

    const std::vector<RankGraph>& graphs_;
    const MatchedRun& run_;
    const std::vector<std::int64_t>& begins_;
    std::vector<Meeting> meetings_;
    std::vector<RankState> ranks_;
    std::vector<std::pair<std::size_t, std::uint32_t>> ready_;
    ReplayTimes times_;
};

}  // namespace

double ReplayTimes::difference_percent() const {
    return measured_ns == 0 ? 0
                            : 100.0 * static_cast<double>(replayed_ns - measured_ns) /
                                  static_cast<double>(measured_ns);
}

ReplayTimes measured_replay(const std::vector<RankGraph>& graphs, const MatchedRun& run,
                            const std::vector<std::int64_t>& begins) {
    ReplayTimes times = Replay(graphs, run, begins).run();
    for (std::size_t r = 0; r < graphs.size(); ++r) {
        times.measured_ns = std::max(times.measured_ns,
                                     begins[r] + graphs[r].span.end_ns - graphs[r].span.begin_ns);
    }
    return times;
}

}  // namespace npunet::generators::profiler
