// Random networks, plans of messages, and runs of them on a network model.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/machine/dialect.h"
#include "tests/analytical/naive_congestion_aware.h"
#include "tests/packet/traffic.h"
#include "topology/builders/builder.h"

namespace npunet::test {

inline constexpr packet_test::Pattern open_patterns[] = {
    packet_test::Pattern::AllToAll, packet_test::Pattern::Permutation, packet_test::Pattern::Random,
    packet_test::Pattern::Streams};

/// One to three dimensions of 2 to 5 with at most 24 NPUs. Rates and latencies are few and round,
/// so that much happens at the same instant. `rate`: of all links; else each dimension has its own.
inline topology::NetworkDescription random_network(std::mt19937_64& random,
                                                   std::optional<Rate> rate = std::nullopt) {
    using topology::DimensionKind;
    const auto below = [&](std::uint64_t bound) {
        return static_cast<std::int32_t>(random() % bound);
    };
    constexpr DimensionKind kinds[] = {DimensionKind::Ring, DimensionKind::FullyConnected,
                                       DimensionKind::Switch, DimensionKind::Mesh1D};
    constexpr std::int64_t rates[] = {1'000'000'000'000, 500'000'000'000, 30'000'000'000};
    std::vector<topology::Dimension> dimensions;
    std::int32_t npus = 1;
    for (int left = 1 + below(3); left > 0; --left) {
        const std::int32_t size = 2 + below(4);
        if (npus * size > 24) {
            break;
        }
        npus *= size;
        dimensions.push_back(topology::make_dimension(kinds[below(4)], size,
                                                      rate.value_or(Rate(rates[below(3)])),
                                                      Time::ps(1000 * (1 + below(4)))));
    }
    return topology::make_network(dimensions);
}

/// `shuffle`: events of an instant are inserted in an order drawn from it. `more`: what the network
/// takes behind its description and the queue.
template <class Network, class... More>
NaiveRun run_network(const packet_test::Plan& plan, const topology::NetworkDescription& description,
                     std::optional<std::uint64_t> shuffle, const More&... more) {
    engine::EventQueue queue;
    if (shuffle) {
        queue.shuffle_insertions(*shuffle);
    }
    Network network(description, queue, more...);
    packet_test::Traffic traffic(plan, queue, network);
    queue.run();
    return {traffic.outcomes(), network.link_use()};
}

template <class Network>
NaiveRun run_traffic(const packet_test::Plan& plan, const topology::NetworkDescription& description,
                     std::optional<std::uint64_t> shuffle = std::nullopt) {
    return run_network<Network>(plan, description, shuffle, engine::Dialect::named("npunet"));
}

inline Time last_delivery(const NaiveRun& run) {
    Time last;
    for (const packet_test::Outcome& outcome : run.outcomes) {
        last = std::max(last, outcome.delivered);
    }
    return last;
}

}  // namespace npunet::test
