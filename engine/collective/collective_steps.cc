// CollectiveEngine: its state at one instant, for PeriodicSteps.

#include <algorithm>
#include <limits>

#include "engine/collective/collective_engine.h"

namespace npunet::engine {

bool CollectiveEngine::is_in_progress(const Run& run) {
    return run.started && run.streams_left > 0;
}

CollectiveEngine::StepCount CollectiveEngine::find_step_count(std::int32_t least) const {
    StepCount none;
    for (const std::unique_ptr<Run>& run : runs_) {
        ++none.looked_at;
        if (!is_in_progress(*run)) {
            continue;
        }
        for (const Stream& stream : run->streams) {
            ++none.looked_at;
            if (stream.active && stream.count - stream.started >= least &&
                exchanges_alike(stream.shape)) {
                return {run->index, stream.index, run->rank, none.looked_at};
            }
        }
    }
    return none;
}

std::int32_t CollectiveEngine::steps_of(const StepCount& count) const {
    const Run& run = *runs_[count.run];
    if (!is_in_progress(run)) {
        return -1;
    }
    const Stream& stream = run.streams[count.stream];
    return stream.active ? stream.started : -1;
}

std::int64_t CollectiveEngine::periods_left(std::int32_t steps) const {
    std::int64_t periods = std::numeric_limits<std::int64_t>::max();
    for (const std::unique_ptr<Run>& run : runs_) {
        if (!is_in_progress(*run)) {
            continue;
        }
        for (const Stream& stream : run->streams) {
            if (!stream.active) {
                continue;
            }
            // The period after the last one that is counted has steps of the same kind only, too.
            periods = std::min<std::int64_t>(periods, (stream.count - stream.started) / steps - 1);
            if (pays_for_reductions(*run, stream)) {
                const std::int32_t reductions = stream.reductions - stream.received;
                periods = std::min<std::int64_t>(periods, reductions / steps - 1);
            }
        }
    }
    return periods;
}

void CollectiveEngine::scan(StateScan& scan, PendingEvents& events, const StepCount& count) {
    steps_.base = static_cast<std::uint64_t>(steps_of(count));
    steps_.step = scan.progress(steps_.base);
    if (!arrivals_.empty() || !by_content_ || file_messages_ > 0) {
        scan.refuse();
    }
    for (const std::unique_ptr<Run>& run : runs_) {
        scan.same(std::int64_t{is_in_progress(*run)});
        if (is_in_progress(*run)) {
            scan_run(scan, *run);
        } else if (!run->started) {
            scan.same(static_cast<std::int64_t>(run->early.size()));
        }
    }
    events.scan(scan, delay_end_, [&](const EventQueue::Pending& event) {
        scan.same(static_cast<std::int64_t>(event.payload));
    });
}

void CollectiveEngine::scan_run(StateScan& scan, Run& run) {
    if (run.mirrored) {
        scan.same(std::int64_t{run.instance});
        return;
    }
    if (run.file != nullptr || run.plan.by_library() || run.recalled) {
        scan.refuse();
        return;
    }
    scan.same(std::int64_t{run.instance});
    scan.same(static_cast<std::int64_t>(run.streams_left));
    for (Stream& stream : run.streams) {
        scan.same(std::int64_t{stream.phase} << 1 | std::int64_t{stream.active});
        if (stream.active) {
            scan_stream(scan, run, stream);
        } else if (stream.has_early) {
            scan.same(static_cast<std::int64_t>(stream.early->size()));
        }
    }
}

bool CollectiveEngine::pays_for_reductions(const Run& run, const Stream& stream) const {
    return memory_bandwidth_[run.rank.index()] > 0 && stream.received < stream.reductions;
}

void CollectiveEngine::scan_stream(StateScan& scan, const Run& run, Stream& stream) {
    if (!exchanges_alike(stream.shape)) {
        scan.refuse();
    }
    scan.same(std::int64_t{pays_for_reductions(run, stream)});
    scan.sequence(stream.started, steps_);
    scan.sequence(stream.received, steps_);
    scan.sequence(stream.completed, steps_);
    if (!stream.has_early) {
        scan.same(std::int64_t{-1});
        return;
    }
    for (EarlyMessage& message : *stream.early) {
        scan.same(std::int64_t{message.phase} - std::int64_t{stream.phase});
        scan.same(message.bytes.value());
        scan.sequence(message.exchange, steps_);
    }
}

void CollectiveEngine::scan(StateScan& scan, MessageNote& note) {
    scan.same(std::int64_t{note[0]});
    scan.same(std::int64_t{note[1]});
    scan.sequence(note[2], steps_);
}

}  // namespace npunet::engine
