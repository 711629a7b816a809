#include "feeder_oracle.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <stdexcept>

namespace npunet::chakra {

FeederOracle::FeederOracle(const std::vector<Node>& nodes, FollowedDeps followed) {
    for (const Node& node : nodes) {
        left_.insert(node.id);
    }
    for (const Node& node : nodes) {
        auto& open = open_[node.id];
        for (const std::uint64_t dep : node.data_deps) {
            if (left_.count(dep) != 0) {
                open.insert(dep);
            }
        }
        for (const std::uint64_t dep : node.ctrl_deps) {
            if (followed == FollowedDeps::DataAndCtrl && left_.count(dep) != 0) {
                open.insert(dep);
            }
        }
        if (open.empty()) {
            ready_.insert(node.id);
            open_.erase(node.id);
        }
    }
}

std::optional<std::uint64_t> FeederOracle::next() {
    if (ready_.empty()) {
        return std::nullopt;
    }
    const std::uint64_t id = *ready_.begin();
    ready_.erase(id);
    running_.insert(id);
    return id;
}

void FeederOracle::push_back(std::uint64_t id) {
    running_.erase(id);
    ready_.insert(id);
}

void FeederOracle::finish(std::uint64_t id) {
    running_.erase(id);
    finished_.insert(id);
    for (auto node = open_.begin(); node != open_.end();) {
        node->second.erase(id);
        if (node->second.empty()) {
            ready_.insert(node->first);
            node = open_.erase(node);
        } else {
            ++node;
        }
    }
}

namespace {

std::vector<std::uint64_t> random_ids(const RandomTraceOptions& options, std::mt19937_64& random) {
    std::vector<std::uint64_t> ids(options.nodes);
    std::iota(ids.begin(), ids.end(), random() % 2 == 0 ? 0 : random() % 100'000);
    if (options.scattered_ids) {
        std::set<std::uint64_t> distinct{0, std::numeric_limits<std::uint64_t>::max()};
        while (distinct.size() < options.nodes) {
            distinct.insert(random() >> random() % 64);
        }
        ids.assign(distinct.begin(), distinct.end());
        ids.resize(options.nodes);
    }
    return ids;
}

}  // namespace

std::vector<Node> random_trace(const RandomTraceOptions& options, std::mt19937_64& random) {
    const std::vector<std::uint64_t> ids = random_ids(options, random);
    std::vector<std::uint64_t> order = ids;  // dependencies go to earlier ones of these
    if (options.shuffled) {
        std::shuffle(order.begin(), order.end(), random);
    }
    std::vector<Node> nodes(options.nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Node& node = nodes[i];
        node.id = order[i];
        node.name = fmt::format("n{}", node.id);
        node.type = NodeType::Compute;
        node.duration_micros = random() % 1000;
        for (auto* const deps : {&node.data_deps, options.ctrl_deps ? &node.ctrl_deps : nullptr}) {
            const std::size_t count = deps == nullptr ? 0 : random() % (options.most_deps + 1);
            for (std::size_t dep = 0; dep < count && i > 0; ++dep) {
                const std::size_t near = std::min<std::size_t>(i, 1 + random() % 8);
                deps->push_back(order[random() % 2 == 0 ? i - near : random() % i]);
            }
            if (deps != nullptr && !deps->empty() && random() % 4 == 0) {
                deps->push_back(deps->front());
            }
            std::uint64_t absent = random();
            if (deps != nullptr && options.absent_deps && random() % 4 == 0 &&
                std::count(ids.begin(), ids.end(), absent) == 0) {
                deps->push_back(absent);
            }
        }
    }
    if (options.shuffled) {
        std::shuffle(nodes.begin(), nodes.end(), random);
    }
    return nodes;
}

namespace {

std::uint64_t any_of(const std::set<std::uint64_t>& ids, std::mt19937_64& random) {
    return *std::next(ids.begin(), static_cast<std::ptrdiff_t>(random() % ids.size()));
}

void look_up(TraceFeeder& feeder, const FeederOracle& oracle, std::uint64_t id) {
    if (oracle.left().count(id) == 0) {
        EXPECT_THROW((void)feeder.lookup_node(id), std::out_of_range) << id;
        return;
    }
    const NodeView& node = feeder.lookup_node(id);
    EXPECT_EQ(node.id(), id);
    EXPECT_EQ(node.name(), fmt::format("n{}", id));
}

}  // namespace

void drive(TraceFeeder& feeder, FeederOracle& oracle, std::mt19937_64& random) {
    const std::set<std::uint64_t> all = oracle.left();
    ASSERT_EQ(feeder.node_count(), all.size());
    const std::size_t eagerness = 1 + random() % 8;
    while (oracle.has_nodes_to_issue() && !::testing::Test::HasFailure()) {
        ASSERT_TRUE(feeder.has_nodes_to_issue());
        const std::size_t action = random() % (6 + eagerness);
        std::set<std::uint64_t> ended;
        std::set_intersection(oracle.finished().begin(), oracle.finished().end(),
                              oracle.left().begin(), oracle.left().end(),
                              std::inserter(ended, ended.end()));
        if (action == 0 && !oracle.running().empty()) {
            const std::uint64_t id = any_of(oracle.running(), random);
            feeder.push_back_issuable_node(id);
            oracle.push_back(id);
        } else if (action == 1) {
            look_up(feeder, oracle, random() % 8 == 0 ? random() : any_of(all, random));
        } else if (action <= 3 && !oracle.running().empty()) {
            const std::uint64_t id = any_of(oracle.running(), random);
            feeder.free_children_nodes(id);
            oracle.finish(id);
        } else if (action <= 5 && !ended.empty()) {
            const std::uint64_t id = any_of(ended, random);
            feeder.remove_node(id);
            oracle.remove(id);
        } else {
            const auto wanted = oracle.next();
            const NodeView* const node = feeder.next_issuable_node();
            ASSERT_EQ(node == nullptr ? std::nullopt : std::optional(node->id()), wanted);
            if (node != nullptr) {
                ASSERT_EQ(node->name(), fmt::format("n{}", *wanted));
            }
        }
        ASSERT_EQ(feeder.finished_count(), oracle.finished().size());
        ASSERT_EQ(feeder.taken_count(), oracle.finished().size() + oracle.running().size());
    }
    EXPECT_FALSE(feeder.has_nodes_to_issue());
    EXPECT_EQ(feeder.next_issuable_node(), nullptr);
}

std::vector<std::uint64_t> issued(TraceFeeder& feeder, std::size_t most_running) {
    std::vector<std::uint64_t> order;
    std::map<std::uint64_t, std::uint64_t> running;  // by hash
    while (feeder.has_nodes_to_issue()) {
        const NodeView* const node =
            running.size() < most_running ? feeder.next_issuable_node() : nullptr;
        if (node != nullptr) {
            order.push_back(node->id());
            running.emplace((node->id() + 1) * 0x9E3779B97F4A7C15U, node->id());
            continue;
        }
        if (running.empty()) {
            ADD_FAILURE() << "nothing runs and nothing may begin";
            break;
        }
        const std::uint64_t id = running.begin()->second;
        running.erase(running.begin());
        feeder.free_children_nodes(id);
        feeder.remove_node(id);
    }
    return order;
}

}  // namespace npunet::chakra
