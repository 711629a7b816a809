#include "generators/profiler/stream_order.h"

#include <algorithm>

namespace npunet::generators::profiler {

StreamOrder::StreamOrder(const RankActivity& activity)
    : activity_(activity),
      launched_(activity.streams.size()),
      before_(activity.operations.size(), -1) {
    std::vector<std::int32_t> last(activity.streams.size(), -1);
    for (std::uint32_t i = 0; i < activity.operations.size(); ++i) {
        const DeviceOperation& operation = activity.operations[i];
        const auto stream = static_cast<std::size_t>(operation.stream);
        before_[i] = last[stream];
        last[stream] = static_cast<std::int32_t>(i);
        if (operation.launch >= 0) {
            const HostCall& call = activity.host_calls[static_cast<std::size_t>(operation.launch)];
            launched_[stream].push_back({call.span.begin_ns, i});
        }
    }
    for (std::vector<Launched>& stream : launched_) {
        std::stable_sort(stream.begin(), stream.end(),
                         [](const Launched& a, const Launched& b) { return a.ns < b.ns; });
    }
}

std::int32_t StreamOrder::launched_from(std::int32_t stream, std::int64_t ns) const {
    const auto& launched = launched_[static_cast<std::size_t>(stream)];
    const auto found =
        std::lower_bound(launched.begin(), launched.end(), ns,
                         [](const Launched& one, std::int64_t time) { return one.ns < time; });
    return found == launched.end() ? -1 : static_cast<std::int32_t>(found->operation);
}

std::int32_t StreamOrder::launched_before(std::int32_t stream, std::int64_t ns) const {
    const auto& launched = launched_[static_cast<std::size_t>(stream)];
    const auto found =
        std::lower_bound(launched.begin(), launched.end(), ns,
                         [](const Launched& one, std::int64_t time) { return one.ns < time; });
    return found == launched.begin() ? -1 : static_cast<std::int32_t>((found - 1)->operation);
}

void StreamOrder::add_ended(std::int32_t earlier, std::uint32_t later,
                            std::vector<Dependency>& dependencies) const {
    if (earlier >= 0 && activity_.operations[static_cast<std::size_t>(earlier)].span.end_ns <=
                            activity_.operations[later].span.begin_ns) {
        dependencies.emplace_back(static_cast<std::uint32_t>(earlier), later);
    }
}

void StreamOrder::follow_events(std::vector<Dependency>& dependencies) const {
    for (const StreamWait& wait : activity_.waits) {
        const std::int32_t later = launched_from(wait.waiting, wait.wait_ns);
        if (later >= 0 && wait.waiting != wait.recorded) {
            add_ended(launched_before(wait.recorded, wait.record_ns),
                      static_cast<std::uint32_t>(later), dependencies);
        }
    }
}

void StreamOrder::follow_thread(const HostThread& thread,
                                std::vector<Dependency>& dependencies) const {
    std::int32_t last = -1;       // operation that is no communication
    std::int64_t waited_ns = -1;  // of the last wait that nothing was launched behind yet
    for (const std::uint32_t number : thread.calls) {
        const HostCall& call = activity_.host_calls[number];
        if (call.kind == HostCall::Kind::StreamWait && !call.in_communication) {
            waited_ns = call.span.begin_ns;
        }
        for (const std::uint32_t i : call.launches) {
            if (activity_.operations[i].communication) {
                add_ended(last, i, dependencies);
                continue;
            }
            follow_wait(waited_ns, last, static_cast<std::int32_t>(i), dependencies);
            last = static_cast<std::int32_t>(i);
            waited_ns = -1;
        }
    }
    follow_wait(waited_ns, last, -1, dependencies);
}

void StreamOrder::follow_wait(std::int64_t waited_ns, std::int32_t last, std::int32_t next,
                              std::vector<Dependency>& dependencies) const {
    if (waited_ns < 0) {
        return;
    }
    // A thread may wait for another that launches: then it does so on the stream that it used last.
    std::int32_t later = next;
    if (last >= 0) {
        const auto place = static_cast<std::size_t>(last);
        const std::int32_t other = launched_from(activity_.operations[place].stream, waited_ns);
        if (other >= 0 && (next < 0 || launch_ns(other) < launch_ns(next))) {
            later = other;
        }
    }
    if (later < 0 || activity_.operations[static_cast<std::size_t>(later)].communication) {
        return;
    }
    const auto operation = static_cast<std::uint32_t>(later);
    for (std::int32_t stream = 0; stream < static_cast<std::int32_t>(launched_.size()); ++stream) {
        if (stream != activity_.operations[operation].stream) {
            add_ended(launched_before(stream, waited_ns), operation, dependencies);
        }
    }
}

std::int64_t StreamOrder::launch_ns(std::int32_t operation) const {
    const std::int32_t call = activity_.operations[static_cast<std::size_t>(operation)].launch;
    return activity_.host_calls[static_cast<std::size_t>(call)].span.begin_ns;
}

void StreamOrder::follow_calls(std::vector<Dependency>& dependencies) const {
    for (const HostThread& thread : activity_.threads) {
        follow_thread(thread, dependencies);
    }
    // Without its launch a communication follows what had ended last.
    std::int32_t ended = -1;
    std::vector<std::uint32_t> by_end;
    for (std::uint32_t i = 0; i < activity_.operations.size(); ++i) {
        if (!activity_.operations[i].communication) {
            by_end.push_back(i);
        }
    }
    const auto end_of = [&](std::uint32_t i) { return activity_.operations[i].span.end_ns; };
    std::stable_sort(by_end.begin(), by_end.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return end_of(a) < end_of(b); });
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < activity_.operations.size(); ++i) {
        const DeviceOperation& operation = activity_.operations[i];
        while (next < by_end.size() && end_of(by_end[next]) <= operation.span.begin_ns) {
            ended = static_cast<std::int32_t>(by_end[next++]);
        }
        if (operation.communication && operation.launch < 0) {
            add_ended(ended, i, dependencies);
        }
    }
}

std::vector<StreamOrder::Dependency> StreamOrder::dependencies() const {
    std::vector<Dependency> dependencies;
    for (std::uint32_t i = 0; i < before_.size(); ++i) {
        if (before_[i] >= 0) {
            dependencies.emplace_back(static_cast<std::uint32_t>(before_[i]), i);
        }
    }
    if (activity_.tells_waits) {
        follow_events(dependencies);
    } else {
        follow_calls(dependencies);
    }
    std::sort(dependencies.begin(), dependencies.end());
    dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
    return dependencies;
}

}  // namespace npunet::generators::profiler
