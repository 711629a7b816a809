// What a feeder has to do, as a plain simulation with sets, random traces to try it on, and a
// driver that holds the two against each other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "chakra/feeder/trace_feeder.h"
#include "chakra/trace/node.h"

namespace npunet::chakra {

/// Of the nodes whose dependencies have ended, the one with the lowest id is next. Dependencies on
/// absent nodes count as satisfied.
class FeederOracle {
public:
    FeederOracle(const std::vector<Node>& nodes, FollowedDeps followed);

    std::optional<std::uint64_t> next();
    void push_back(std::uint64_t id);
    void finish(std::uint64_t id);
    void remove(std::uint64_t id) { left_.erase(id); }

    [[nodiscard]] bool has_nodes_to_issue() const { return !left_.empty(); }
    [[nodiscard]] const std::set<std::uint64_t>& running() const { return running_; }
    [[nodiscard]] const std::set<std::uint64_t>& finished() const { return finished_; }
    [[nodiscard]] const std::set<std::uint64_t>& left() const { return left_; }

private:
    std::map<std::uint64_t, std::set<std::uint64_t>> open_;  // dependencies of those that wait
    std::set<std::uint64_t> ready_;
    std::set<std::uint64_t> running_;
    std::set<std::uint64_t> finished_;
    std::set<std::uint64_t> left_;  // not removed
};

struct RandomTraceOptions {
    std::size_t nodes = 40;
    bool scattered_ids = false;  ///< over all 64 bits, and not from 0
    bool shuffled = false;       ///< the order of the file is neither that of ids nor topological
    std::size_t most_deps = 4;
    bool ctrl_deps = false;
    bool absent_deps = false;  ///< some dependencies on nodes that are not there
};

/// Without cycles. Some dependencies stand there twice; names are "n" and the id.
std::vector<Node> random_trace(const RandomTraceOptions& options, std::mt19937_64& random);

/// Calls both at random until every node was removed; every answer has to be the same.
void drive(TraceFeeder& feeder, FeederOracle& oracle, std::mt19937_64& random);

/// The ids in the order in which they are issued when up to `most_running` run at a time and the
/// one ends first whose id has the lowest hash.
std::vector<std::uint64_t> issued(TraceFeeder& feeder, std::size_t most_running);

}  // namespace npunet::chakra
