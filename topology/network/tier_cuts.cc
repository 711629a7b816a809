#include "topology/network/tier_cuts.h"

#include <algorithm>
#include <cstddef>

namespace npunet::topology {

namespace {

class CutFinder {
public:
    CutFinder(const Graph& graph, const Tier& tier, const std::vector<bool>& dimensions)
        : graph_(graph), dimensions_(dimensions), inside_(graph.nodes(), TierCuts::no_block) {
        cuts_.block_of_node.assign(graph.nodes(), TierCuts::no_block);
        std::int32_t last = TierCuts::no_block;
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            cuts_.block_of_node[npu] = tier.block_of_npu[npu];
            last = std::max(last, tier.block_of_npu[npu]);
        }
        now_.resize(static_cast<std::size_t>(last + 1));
    }

    TierCuts find() {
        list_by_distance();
        cuts_.of_block = now_;
        for (std::size_t level = 0; level + 1 < first_of_level_.size(); ++level) {
            const std::size_t begin = first_of_level_[level];
            const std::size_t end = first_of_level_[level + 1];
            for (std::size_t i = begin; level > 0 && i < end; ++i) {
                assign(nodes_[i]);
            }
            for (std::size_t i = begin; i < end; ++i) {
                add_to_side(nodes_[i]);
            }
            for (std::size_t i = begin; i < end; ++i) {
                note_cut(nodes_[i], level == 0);
            }
        }
        prune();
        return std::move(cuts_);
    }

private:
    /// Calls `use` with each counted link of the node and the node at its other end.
    template <class Use>
    void for_each_link(NodeId node, const Use& use) const {
        for (const LinkId id : graph_.links_from(node)) {
            const Link& link = graph_.link(id);
            if (counts(link, dimensions_) && link.to != node) {
                use(link, link.to);
            }
        }
        for (const LinkId id : graph_.links_to(node)) {
            const Link& link = graph_.link(id);
            if (counts(link, dimensions_) && link.from != node) {
                use(link, link.from);
            }
        }
    }

    /// The nodes by how many links they are from the next NPU.
    void list_by_distance() {
        level_.assign(graph_.nodes(), unknown);
        for (std::size_t npu = 0; npu < graph_.npus(); ++npu) {
            level_[npu] = 0;
            nodes_.emplace_back(npu);
        }
        first_of_level_ = {0};
        while (first_of_level_.back() < nodes_.size()) {
            const std::size_t begin = first_of_level_.back();
            const std::size_t end = nodes_.size();
            const std::size_t next = first_of_level_.size();
            for (std::size_t i = begin; i < end; ++i) {
                for_each_link(nodes_[i], [&](const Link&, NodeId other) {
                    if (level_[other.index()] == unknown) {
                        level_[other.index()] = next;
                        nodes_.push_back(other);
                    }
                });
            }
            first_of_level_.push_back(end);
        }
    }

    /// A switch belongs where all its neighbours nearer to NPUs belong.
    void assign(NodeId node) {
        std::int32_t block = TierCuts::no_block;
        bool first = true;
        for_each_link(node, [&](const Link&, NodeId other) {
            if (level_[other.index()] < level_[node.index()]) {
                const std::int32_t its = cuts_.block_of_node[other.index()];
                block = first || its == block ? its : TierCuts::no_block;
                first = false;
            }
        });
        cuts_.block_of_node[node.index()] = block;
    }

    /// Moves a node from the outside to the side of its block.
    void add_to_side(NodeId node) {
        const std::int32_t block = cuts_.block_of_node[node.index()];
        if (block == TierCuts::no_block) {
            return;
        }
        BlockCut& cut = now_[static_cast<std::size_t>(block)];
        for_each_link(node, [&](const Link& link, NodeId other) {
            const auto rate = static_cast<RateSum>(link.rate.bytes_per_second());
            const bool leaves = link.from == node;
            if (inside_[other.index()] == block) {
                (leaves ? cut.in : cut.out) -= rate;
            } else {
                (leaves ? cut.out : cut.in) += rate;
            }
        });
        inside_[node.index()] = block;
    }

    /// The reverse.
    void take_from_side(NodeId node) {
        const std::int32_t block = cuts_.block_of_node[node.index()];
        BlockCut& cut = now_[static_cast<std::size_t>(block)];
        for_each_link(node, [&](const Link& link, NodeId other) {
            const auto rate = static_cast<RateSum>(link.rate.bytes_per_second());
            const bool leaves = link.from == node;
            if (inside_[other.index()] == block) {
                (leaves ? cut.in : cut.out) += rate;
            } else {
                (leaves ? cut.out : cut.in) -= rate;
            }
        });
        inside_[node.index()] = TierCuts::no_block;
    }

    /// Takes switches out again, the farthest first, where less gets out then.
    void prune() {
        for (std::size_t i = nodes_.size(); i-- > graph_.npus();) {
            const std::int32_t block = cuts_.block_of_node[nodes_[i].index()];
            if (block == TierCuts::no_block) {
                continue;
            }
            const RateSum before = now_[static_cast<std::size_t>(block)].out;
            take_from_side(nodes_[i]);
            if (now_[static_cast<std::size_t>(block)].out > before) {
                add_to_side(nodes_[i]);
            } else {
                note_cut(nodes_[i], false);
            }
        }
    }

    void note_cut(NodeId node, bool first) {
        const std::int32_t block = cuts_.block_of_node[node.index()];
        if (block == TierCuts::no_block) {
            return;
        }
        const BlockCut& now = now_[static_cast<std::size_t>(block)];
        BlockCut& least = cuts_.of_block[static_cast<std::size_t>(block)];
        least.out = first ? now.out : std::min(least.out, now.out);
        least.in = first ? now.in : std::min(least.in, now.in);
    }

    static constexpr std::size_t unknown = SIZE_MAX;

    const Graph& graph_;
    const std::vector<bool>& dimensions_;
    std::vector<std::size_t> level_;           ///< by node: links to the next NPU
    std::vector<NodeId> nodes_;                ///< by level
    std::vector<std::size_t> first_of_level_;  ///< index into nodes_, and its end
    std::vector<std::int32_t> inside_;         ///< by node: on the side of which block it is so far
    std::vector<BlockCut> now_;                ///< round what is inside so far
    TierCuts cuts_;
};

}  // namespace

TierCuts cuts_of(const Graph& graph, const Tier& tier, const std::vector<bool>& dimensions) {
    return CutFinder(graph, tier, dimensions).find();
}

}  // namespace npunet::topology
