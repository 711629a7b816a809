#include "study/plan_verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/quantities.h"
#include "generators/pipeline/stage_pipeline.h"
#include "planner/search/plan_cost.h"

namespace npunet::study {

namespace {

using generators::PipelinePeer;
using generators::PipelinePeers;
using planner::Node;
using planner::NodeShare;
using planner::Plan;
using planner::PlanStage;
using planner::Problem;

constexpr std::int64_t most_passes = std::int64_t{1} << 24;
constexpr std::int32_t gradient_slot = 0;

/// A stage's devices in the order in which replicas take them.
struct Place {
    Rank rank;
    const Node* node = nullptr;
};
using Places = std::vector<Place>;

/// Nodes that tensor groups divide come first, so that as few groups as can be span nodes.
Places places_of(const Problem& problem, const PlanStage& stage) {
    std::vector<NodeShare> shares = stage.shares;
    std::stable_partition(shares.begin(), shares.end(),
                          [&](const NodeShare& share) { return share.devices % stage.tp == 0; });
    Places places;
    for (const NodeShare& share : shares) {
        std::int64_t rank = share.first;
        for (std::size_t n = 0; n < share.node; ++n) {
            rank += problem.cluster().nodes[n].devices;
        }
        for (std::int64_t i = 0; i < share.devices; ++i) {
            places.push_back(
                {Rank(static_cast<std::int32_t>(rank + i)), &problem.cluster().nodes[share.node]});
        }
    }
    return places;
}

/// Bytes from places of one stage to places of the next, of one micro-batch.
using Exchange = std::map<std::pair<std::size_t, std::size_t>, std::int64_t>;

Exchange exchange_between(const Problem& problem, const PlanStage& from, const PlanStage& to) {
    Exchange exchange;
    const std::int64_t parts = std::max(from.tp, to.tp);
    for (std::int64_t i = 0; i < from.dp; ++i) {
        for (std::int64_t j = 0; j < to.dp; ++j) {
            const std::int64_t samples = std::min((i + 1) * from.batch, (j + 1) * to.batch) -
                                         std::max(i * from.batch, j * to.batch);
            if (samples <= 0) {
                continue;
            }
            const Bytes bytes(std::llround(static_cast<double>(samples) * problem.sample_bytes()));
            for (std::int64_t part = 0; part < parts; ++part) {
                const std::int64_t sender = i * from.tp + part * from.tp / parts;
                const std::int64_t receiver = j * to.tp + part * to.tp / parts;
                exchange[{static_cast<std::size_t>(sender), static_cast<std::size_t>(receiver)}] +=
                    part_of(bytes, part, parts).value();
            }
        }
    }
    return exchange;
}

std::int64_t nanoseconds(double ms) {
    constexpr double ns_per_ms = 1e6;
    return std::llround(ms * ns_per_ms);
}

/// What one device does.
class DeviceRole : private generators::PipelineWork {
public:
    DeviceRole(const Problem& problem, const Plan& plan, std::size_t stage, const Places& places,
               std::size_t place)
        : problem_(problem),
          plan_(plan),
          index_(stage),
          stage_(plan.stages[stage]),
          builder_({stage_.dp}) {
        const std::size_t tp = static_cast<std::size_t>(stage_.tp);
        const std::size_t first = place / tp * tp;
        for (std::size_t i = first; i < first + tp; ++i) {
            group_.push_back(places[i].node);
        }
        own_ = places[place].node;
        planner::DeviceGroup devices;
        for (const NodeShare& share : stage_.shares) {
            devices.parts.push_back({&problem.cluster().nodes[share.node], share.devices});
        }
        tensor_ms_ = planner::tensor_ms_per_layer(problem, devices, stage_.tp, stage_.batch);
    }

    generators::Role build(const generators::PipelineShape& shape, PipelinePeers peers) {
        generators::StagePipeline(builder_, shape, static_cast<std::int64_t>(index_),
                                  std::move(peers))
            .run(pipeline_actions(shape, static_cast<std::int64_t>(index_)), *this);
        update();
        return builder_.take();
    }

private:
    [[nodiscard]] const planner::ProfileSums& sums(const Node& node) const {
        return *problem_.sums(node.type, stage_.tp, stage_.batch);
    }

    /// Of a chunk's layers, forward and backward, on the slowest device of the replica.
    [[nodiscard]] double layers_ms(std::int64_t chunk) const {
        const std::int64_t first =
            chunk * (problem_.model().layers / plan_.chunks) + stage_.first_layer;
        double longest = 0;
        for (const Node* node : group_) {
            double sum = 0;
            for (std::int64_t l = first; l < first + stage_.layers; ++l) {
                sum += sums(*node).profile->layer_ms[static_cast<std::size_t>(l)];
            }
            longest = std::max(longest, sum);
        }
        return longest;
    }

    [[nodiscard]] double tensor_ms() const {
        return tensor_ms_ * static_cast<double>(stage_.layers);
    }

    void forward(std::int64_t micro_batch, std::int64_t chunk) override {
        double time = layers_ms(chunk) / 3 + tensor_ms() / 2;
        if (index_ == 0 && chunk == 0) {
            time += sums(*own_).profile->batch_generator_ms;
        }
        compute("forward", micro_batch, chunk, time);
    }

    void backward(std::int64_t micro_batch, std::int64_t chunk) override {
        double time = layers_ms(chunk) / 3 * 2 + tensor_ms() / 2;
        if (index_ + 1 == plan_.stages.size() && chunk + 1 == plan_.chunks) {
            time += sums(*own_).gap_ms;
        }
        compute("backward", micro_batch, chunk, time);
    }

    void compute(const char* name, std::int64_t micro_batch, std::int64_t chunk, double ms) {
        builder_.set_scope(plan_.chunks > 1 ? fmt::format("mb{}_chunk{}_", micro_batch, chunk)
                                            : fmt::format("mb{}_", micro_batch));
        builder_.recorded_compute(name, nanoseconds(ms));
    }

    void update() {
        const double parameters =
            planner::parameters_of(problem_, plan_.chunks, stage_.first_layer, stage_.layers);
        builder_.set_scope("");
        builder_.collective("gradient_all_reduce",
                            {gradient_slot, chakra::CollectiveType::AllReduce,
                             std::llround(parameters / static_cast<double>(stage_.tp))});
        const double share = parameters > 0 ? parameters / problem_.all_parameters() : 0;
        builder_.recorded_compute("optimizer",
                                  nanoseconds(sums(*own_).profile->optimizer_ms * share));
    }

    const Problem& problem_;
    const Plan& plan_;
    std::size_t index_;
    const PlanStage& stage_;
    std::vector<const Node*> group_;  ///< the nodes of the replica's devices
    const Node* own_ = nullptr;
    double tensor_ms_ = 0;
    generators::RoleBuilder builder_;
};

class WorkloadMaker {
public:
    WorkloadMaker(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {
        for (const PlanStage& stage : plan.stages) {
            places_.push_back(places_of(problem, stage));
        }
        const std::size_t stages = plan.stages.size();
        for (std::size_t s = 0; s < stages && stages > 1; ++s) {
            exchanges_.push_back(
                exchange_between(problem, plan.stages[s], plan.stages[(s + 1) % stages]));
        }
        bindings_.resize(static_cast<std::size_t>(problem.cluster().devices()));
        roles_.resize(bindings_.size());
    }

    generators::GeneratedWorkload make() {
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            add_groups(s);
            for (std::size_t place = 0; place < places_[s].size(); ++place) {
                add_role(s, place);
            }
        }
        return {std::move(groups_), std::move(roles_), std::move(bindings_)};
    }

private:
    /// Ranks that hold the same part of the stage's parameters.
    void add_groups(std::size_t s) {
        const PlanStage& stage = plan_.stages[s];
        for (std::int64_t t = 0; t < stage.tp; ++t) {
            generators::RankGroup group;
            group.id = fmt::format("{}", groups_.size() + 1);
            group.kind = "gradient";
            group.slot = gradient_slot;
            for (std::int64_t i = 0; i < stage.dp; ++i) {
                group.ranks.push_back(places_[s][static_cast<std::size_t>(i * stage.tp + t)].rank);
            }
            for (const Rank rank : group.ranks) {
                bindings_[rank.index()].groups = {
                    stage.dp > 1 ? static_cast<std::int32_t>(groups_.size()) : -1};
            }
            if (stage.dp > 1) {
                groups_.push_back(std::move(group));
            }
        }
    }

    void add_role(std::size_t s, std::size_t place) {
        const Rank rank = places_[s][place].rank;
        generators::RankBinding& binding = bindings_[rank.index()];
        binding.role = rank.value();
        const std::size_t stages = plan_.stages.size();
        PipelinePeers peers;
        if (stages > 1) {
            const std::size_t previous = (s + stages - 1) % stages;
            for (const auto& [ends, bytes] : exchanges_[previous]) {
                if (ends.second == place && bytes > 0) {
                    peers.previous.push_back(
                        {add_peer(binding, places_[previous][ends.first].rank), bytes});
                }
            }
            for (const auto& [ends, bytes] : exchanges_[s]) {
                if (ends.first == place && bytes > 0) {
                    peers.next.push_back(
                        {add_peer(binding, places_[(s + 1) % stages][ends.second].rank), bytes});
                }
            }
        }
        generators::PipelineShape shape;
        shape.schedule = plan_.chunks > 1 ? generators::Schedule::Interleaved
                                          : generators::Schedule::OneForwardOneBackward;
        shape.stages = static_cast<std::int64_t>(stages);
        shape.chunks = plan_.chunks;
        shape.micro_batches = plan_.micro_batches;
        roles_[rank.index()] =
            DeviceRole(problem_, plan_, s, places_[s], place).build(shape, std::move(peers));
    }

    static std::int32_t add_peer(generators::RankBinding& binding, Rank peer) {
        binding.peers.push_back(peer);
        return static_cast<std::int32_t>(binding.peers.size() - 1);
    }

    const Problem& problem_;
    const Plan& plan_;
    std::vector<Places> places_;
    std::vector<Exchange> exchanges_;  ///< from each stage to the next, the last to the first
    std::vector<generators::RankGroup> groups_;
    std::vector<generators::Role> roles_;
    std::vector<generators::RankBinding> bindings_;
};

}  // namespace

generators::GeneratedWorkload workload_of(const Problem& problem, const Plan& plan) {
    const std::int64_t passes = problem.cluster().devices() * plan.chunks;
    if (plan.micro_batches > most_passes / passes) {
        throw InputError({"--verify", "",
                          fmt::format("a plan of {} micro-batches", plan.micro_batches),
                          fmt::format("at most {} passes of all devices a step", most_passes),
                          "Verify plans for a smaller --batch"});
    }
    return WorkloadMaker(problem, plan).make();
}

std::vector<std::vector<Rank>> tensor_groups_of(const Problem& problem, const Plan& plan) {
    std::vector<std::vector<Rank>> groups;
    for (const PlanStage& stage : plan.stages) {
        const Places places = places_of(problem, stage);
        const auto tp = static_cast<std::size_t>(stage.tp);
        for (std::size_t place = 0; tp > 1 && place < places.size(); ++place) {
            if (place % tp == 0) {
                groups.emplace_back();
            }
            groups.back().push_back(places[place].rank);
        }
    }
    return groups;
}

}  // namespace npunet::study
