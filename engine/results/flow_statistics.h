// Collects what FlowResults tells, message by message.
//
//     FlowStatistics statistics([&](const FlowKey& flow, Bytes bytes) { return idle(flow, bytes);
//     }); statistics.add(message);                       // for every message, in any order
//     FlowResults results = statistics.results(network.flow_use());
//
// It keeps 16 bytes a message, which percentiles without an error take, and results() takes 8 more;
// and about 500 a flow, with its results.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/quantities.h"
#include "engine/network/network.h"
#include "engine/results/flow_results.h"

namespace npunet::engine {

class FlowStatistics {
public:
    /// How long a message takes alone on an idle network; a pure function.
    using IdleTime = std::function<Time(const FlowKey&, Bytes)>;

    /// Without `idle` there are no slowdowns.
    explicit FlowStatistics(IdleTime idle = nullptr) : idle_(std::move(idle)) {}

    /// Counts a message and returns its slowdown; its own does not matter.
    double add(const CompletedMessage& message);

    /// Of all messages so far. FlowResults::classes and names are the caller's to set. Flows that
    /// only `use` has, none of whose messages has arrived, are left out.
    [[nodiscard]] FlowResults results(const std::vector<FlowUse>& use);

private:
    /// A message: which of flows_ and idle_times_, and how long it took.
    struct Sample {
        std::uint32_t flow;
        std::uint32_t idle;
        std::int64_t completion;  ///< ps
    };
    using Samples = std::deque<Sample>;  // no copies when it grows
    struct Flow {
        FlowResult result;  ///< key, messages, bytes, first and last time
        Bytes latest_size;  ///< a message's, and its place in idle_times_
        std::uint32_t latest_idle = 0;
        bool any = false;
    };

    [[nodiscard]] std::uint32_t number_of(const FlowKey& key);
    [[nodiscard]] std::uint32_t idle_time_of(std::uint32_t flow, Bytes bytes);
    [[nodiscard]] double slowdown_of(const Sample& sample) const;
    /// Fills in the times and slowdowns of samples that are in order of completion.
    void summarize(Samples::iterator begin, Samples::iterator end, FlowResult& result) const;
    void summarize_all(FlowResults& results);
    /// Changes the order of the samples.
    void summarize_sizes(FlowResults& results);
    /// Of messages of the sizes of a SizeResult; larger for larger ones.
    [[nodiscard]] std::int64_t up_to_of(const Sample& sample) const { return up_to_[sample.idle]; }

    IdleTime idle_;
    std::vector<Flow> flows_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< of flows, by packed key
    Samples samples_;
    std::vector<Time> idle_times_;
    std::vector<std::int64_t> sizes_;  ///< of the messages with these, bytes
    std::vector<std::int64_t> up_to_;  ///< and SizeResult::up_to, bytes
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> known_;  ///< by flow and bytes
};

}  // namespace npunet::engine
