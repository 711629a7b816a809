#include "generators/profiler/host_segments.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace npunet::generators::profiler {

namespace {

/// Pauses below this are the thread's own, whatever another thread does meanwhile.
constexpr std::int64_t least_pause_ns = 50'000;

/// Where a segment of a thread ends, and what the next one waits for.
struct Cut {
    std::int64_t at_ns = 0;               ///< what the thread's cuts are ordered by
    std::int64_t end_ns = 0;              ///< of the segment
    std::int64_t resume_ns = 0;           ///< of the next segment, at least end_ns
    std::vector<std::uint32_t> launches;  ///< operations that follow the segment
    std::vector<std::uint32_t> waits;     ///< operations that the next segment follows
    std::int32_t awaits_turn = -1;        ///< number of the turn that the next segment follows
    std::int32_t ends_turn = -1;          ///< number of the turn whose last segment this ends
};

class SegmentBuilder {
public:
    SegmentBuilder(const RankActivity& activity, const StreamOrder& order)
        : activity_(activity),
          order_(order),
          cuts_(activity.threads.size()),
          latency_ns_(launch_latency()) {
        result_.of_launch.assign(activity.operations.size(), -1);
    }

    HostSegments build() {
        for (std::size_t thread = 0; thread < cuts_.size(); ++thread) {
            for (const std::uint32_t number : activity_.threads[thread].calls) {
                cut_at(activity_.host_calls[number], cuts_[thread]);
            }
        }
        find_turns();
        turn_ends_.assign(static_cast<std::size_t>(turns_), -1);
        for (std::size_t thread = 0; thread < cuts_.size(); ++thread) {
            put_in_order(cuts_[thread]);
            make_segments(thread);
        }
        for (const auto& [segment, turn] : turns_awaited_) {
            const std::int32_t end = turn_ends_[static_cast<std::size_t>(turn)];
            if (end >= 0) {
                result_.segments[segment].after_segments.push_back(static_cast<std::uint32_t>(end));
            }
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] const Span& span_of(std::uint32_t operation) const {
        return activity_.operations[operation].span;
    }

    /// From the begin of a launch to the start of its operation, where that found its stream idle:
    /// the median; 0 where none did.
    [[nodiscard]] std::int64_t launch_latency() const {
        std::vector<std::int64_t> latencies;
        for (std::uint32_t i = 0; i < activity_.operations.size(); ++i) {
            const DeviceOperation& operation = activity_.operations[i];
            if (operation.launch < 0 || operation.communication) {
                continue;
            }
            const Span& call =
                activity_.host_calls[static_cast<std::size_t>(operation.launch)].span;
            const std::int32_t before = order_.before(i);
            if (operation.span.begin_ns >= call.begin_ns &&
                (before < 0 ||
                 span_of(static_cast<std::uint32_t>(before)).end_ns <= call.begin_ns)) {
                latencies.push_back(operation.span.begin_ns - call.begin_ns);
            }
        }
        if (latencies.empty()) {
            return 0;
        }
        const auto middle =
            latencies.begin() + static_cast<std::ptrdiff_t>((latencies.size() - 1) / 2);
        std::nth_element(latencies.begin(), middle, latencies.end());
        return *middle;
    }

    void cut_at(const HostCall& call, std::vector<Cut>& cuts) {
        if (call.kind == HostCall::Kind::StreamWait) {
            return;
        }
        Cut cut;
        cut.at_ns = call.span.begin_ns;
        if (call.launches.empty()) {
            cut.end_ns = call.span.begin_ns;
            cut.waits = awaited(call);
            if (cut.waits.empty()) {
                return;
            }
        } else {
            cut.launches = call.launches;
            if (call.kind == HostCall::Kind::Copy &&
                span_of(call.launches.back()).end_ns <= call.span.end_ns) {
                cut.waits = call.launches;
            }
            const std::int64_t reached = call.span.begin_ns + latency_ns_;
            cut.end_ns = std::min(cut.waits.empty() ? std::max(reached, call.span.end_ns) : reached,
                                  span_of(call.launches.front()).begin_ns);
        }
        cut.end_ns = std::max(cut.end_ns, activity_.span.begin_ns);
        cut.resume_ns = cut.end_ns;
        for (const std::uint32_t operation : cut.waits) {
            cut.resume_ns =
                std::max(cut.resume_ns, std::min(span_of(operation).end_ns, call.span.end_ns));
        }
        cuts.push_back(std::move(cut));
    }

    /// The operations that a synchronization waited for: only those that had ended when it did.
    [[nodiscard]] std::vector<std::uint32_t> awaited(const HostCall& call) const {
        const auto ended = [&](std::int32_t stream,
                               std::int64_t ns) -> std::optional<std::uint32_t> {
            const std::int32_t operation = order_.launched_before(stream, ns);
            if (operation < 0 ||
                span_of(static_cast<std::uint32_t>(operation)).end_ns > call.span.end_ns) {
                return std::nullopt;
            }
            return static_cast<std::uint32_t>(operation);
        };
        std::vector<std::uint32_t> operations;
        if (call.stream >= 0) {
            const std::int64_t ns = call.recorded_ns >= 0 ? call.recorded_ns : call.span.begin_ns;
            if (const auto operation = ended(call.stream, ns)) {
                operations.push_back(*operation);
            }
            return operations;
        }
        for (std::int32_t s = 0; s < static_cast<std::int32_t>(activity_.streams.size()); ++s) {
            if (const auto operation = ended(s, call.span.begin_ns)) {
                operations.push_back(*operation);
            }
        }
        if (call.kind != HostCall::Kind::DeviceSynchronize && !operations.empty()) {
            operations.assign(1, likeliest(operations, call));
        }
        return operations;
    }

    /// Which of the last operations of the streams a synchronization with one stream is about: the
    /// one that ended last during the call, else the one that was launched last.
    [[nodiscard]] std::uint32_t likeliest(const std::vector<std::uint32_t>& operations,
                                          const HostCall& call) const {
        const auto key = [&](std::uint32_t operation) {
            const std::int64_t end = span_of(operation).end_ns;
            const auto launch = static_cast<std::size_t>(activity_.operations[operation].launch);
            return std::pair(end > call.span.begin_ns ? end : 0,
                             activity_.host_calls[launch].span.begin_ns);
        };
        return *std::max_element(operations.begin(), operations.end(),
                                 [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    }

    /// Pauses of a thread that another one's turn fills.
    void find_turns() {
        for (std::size_t thread = 0; thread < cuts_.size(); ++thread) {
            const std::vector<Span>& busy = activity_.threads[thread].busy;
            std::int64_t paused_ns = activity_.span.begin_ns;
            for (const Span& span : busy) {
                if (span.begin_ns - paused_ns >= least_pause_ns) {
                    find_turn(thread, {paused_ns, span.begin_ns});
                }
                paused_ns = span.end_ns;
            }
        }
    }

    void find_turn(std::size_t thread, const Span& pause) {
        std::int64_t longest = (pause.end_ns - pause.begin_ns + 1) / 2;
        std::int32_t other = -1;
        std::int64_t end_ns = 0;
        for (std::size_t i = 0; i < activity_.threads.size(); ++i) {
            if (i == thread) {
                continue;
            }
            const std::vector<Span>& busy = activity_.threads[i].busy;
            const auto first = std::lower_bound(
                busy.begin(), busy.end(), pause.begin_ns,
                [](const Span& span, std::int64_t ns) { return span.begin_ns < ns; });
            auto last = first;
            while (last != busy.end() && last->end_ns <= pause.end_ns) {
                ++last;
            }
            if (first != last && (last - 1)->end_ns - first->begin_ns >= longest) {
                longest = (last - 1)->end_ns - first->begin_ns + 1;
                other = static_cast<std::int32_t>(i);
                end_ns = (last - 1)->end_ns;
            }
        }
        if (other < 0) {
            return;
        }
        Cut cut;
        cut.at_ns = cut.end_ns = pause.begin_ns;
        cut.resume_ns = end_ns;
        cut.awaits_turn = turns_;
        cuts_[thread].push_back(std::move(cut));
        Cut turn;
        turn.at_ns = turn.end_ns = turn.resume_ns = end_ns;
        turn.ends_turn = turns_++;
        cuts_[static_cast<std::size_t>(other)].push_back(std::move(turn));
    }

    /// A turn ends before the pause that follows it begins. An operation may start behind the begin
    /// of the next call: that one's segment then ends no earlier.
    static void put_in_order(std::vector<Cut>& cuts) {
        const auto key = [](const Cut& cut) { return std::pair(cut.at_ns, cut.awaits_turn >= 0); };
        std::stable_sort(cuts.begin(), cuts.end(),
                         [&](const Cut& a, const Cut& b) { return key(a) < key(b); });
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            if (i > 0) {
                cuts[i].end_ns = std::max(cuts[i].end_ns, cuts[i - 1].end_ns);
            }
            cuts[i].resume_ns = std::max(cuts[i].resume_ns, cuts[i].end_ns);
        }
    }

    void make_segments(std::size_t thread) {
        Segmenting at{activity_.span.begin_ns, -1, {}, {}};
        for (const Cut& cut : cuts_[thread]) {
            const std::int32_t segment = make_segment(thread, cut.end_ns, at);
            for (const std::uint32_t operation : cut.launches) {
                result_.of_launch[operation] = segment;
            }
            if (cut.ends_turn >= 0) {
                turn_ends_[static_cast<std::size_t>(cut.ends_turn)] = segment;
            }
            at.begin_ns = std::max(at.begin_ns, cut.resume_ns);
            at.operations.insert(at.operations.end(), cut.waits.begin(), cut.waits.end());
            if (cut.awaits_turn >= 0) {
                at.turns.push_back(cut.awaits_turn);
            }
        }
        make_segment(thread, activity_.threads[thread].busy.back().end_ns, at);
    }

    struct Segmenting {
        std::int64_t begin_ns;  ///< of the next segment
        std::int32_t last;      ///< segment before it
        std::vector<std::uint32_t> operations;
        std::vector<std::int32_t> turns;
    };

    /// The segment that ends then, or the one before where there is nothing between.
    std::int32_t make_segment(std::size_t thread, std::int64_t end_ns, Segmenting& at) {
        const std::int64_t end = std::max(end_ns, at.begin_ns);
        if (end == at.begin_ns && at.operations.empty() && at.turns.empty()) {
            return at.last;
        }
        HostSegment segment;
        segment.thread = static_cast<std::int32_t>(thread);
        segment.span = {at.begin_ns, end};
        if (at.last >= 0) {
            segment.after_segments.push_back(static_cast<std::uint32_t>(at.last));
        }
        segment.after_operations = std::exchange(at.operations, {});
        const auto number = static_cast<std::int32_t>(result_.segments.size());
        for (const std::int32_t turn : std::exchange(at.turns, {})) {
            turns_awaited_.push_back({static_cast<std::uint32_t>(number), turn});
        }
        result_.segments.push_back(std::move(segment));
        at.begin_ns = end;
        at.last = number;
        return number;
    }

    struct TurnAwaited {
        std::uint32_t segment;
        std::int32_t turn;
    };

    const RankActivity& activity_;
    const StreamOrder& order_;
    std::vector<std::vector<Cut>> cuts_;  ///< by thread
    std::int64_t latency_ns_;
    std::int32_t turns_ = 0;
    std::vector<std::int32_t> turn_ends_;  ///< by turn: its last segment
    std::vector<TurnAwaited> turns_awaited_;
    HostSegments result_;
};

}  // namespace

HostSegments host_segments(const RankActivity& activity, const StreamOrder& order) {
    return SegmentBuilder(activity, order).build();
}

}  // namespace npunet::generators::profiler
