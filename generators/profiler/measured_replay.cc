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
        return std::move(times_);
    }

private:
    struct RankState {
        std::vector<std::uint32_t> waits_for;  ///< how many, by node
        std::vector<std::int64_t> begin_ns;
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
        times_.rank_ns[rank] = std::max(times_.rank_ns[rank], end_ns);
        const GraphNode& one = graphs_[rank].nodes[node];
        if (one.launched) {
            const std::int64_t measured_ns =
                begins_[rank] + one.span.end_ns - graphs_[rank].span.begin_ns;
            times_.largest_ns = std::max(times_.largest_ns, std::abs(end_ns - measured_ns));
        }
        for (std::uint32_t i = state.first[node]; i < state.first[node + 1]; ++i) {
            const std::uint32_t follower = state.followers[i];
            state.begin_ns[follower] = std::max(state.begin_ns[follower], end_ns);
            if (--state.waits_for[follower] == 0) {
                ready_.emplace_back(rank, follower);
            }
        }
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
