#include "generators/stage/pipeline_split.h"

#include <cstddef>
#include <map>
#include <utility>

namespace npunet::generators::stage_dialect {

namespace {

constexpr std::int32_t nowhere = -1;

std::int64_t dealt_to(std::int32_t block, const StageArguments& arguments) {
    if (block == input_block) {
        return 0;
    }
    const std::int64_t place = block == output_block ? arguments.num_stacks : block;
    return (place + 1) % arguments.pp;
}

class Splitter {
public:
    Splitter(const TensorGraph& graph, const StageArguments& arguments)
        : graph_(graph), places_(graph.size()) {
        split_.stages.resize(static_cast<std::size_t>(arguments.pp));
        place_tensors(arguments);
    }

    [[nodiscard]] PipelineSplit split() {
        for (std::size_t stage = 0; stage < split_.stages.size(); ++stage) {
            localize(static_cast<std::int32_t>(stage));
        }
        return std::move(split_);
    }

private:
    struct Place {
        std::int32_t stage = nowhere;
        TensorId tensor = no_tensor;  ///< in the graph of the stage
    };

    [[nodiscard]] const Place& place_of(TensorId tensor) const {
        return places_[static_cast<std::size_t>(tensor)];
    }

    void place_tensors(const StageArguments& arguments) {
        std::vector<std::int32_t>& number = split_.position_of_stage;
        number.assign(split_.stages.size(), nowhere);
        std::int32_t seen = 0;
        for (std::size_t i = 0; i < graph_.size(); ++i) {
            std::int32_t& stage =
                number[static_cast<std::size_t>(dealt_to(graph_[i].block, arguments))];
            stage = stage == nowhere ? seen++ : stage;
            TensorGraph& own = split_.stages[static_cast<std::size_t>(stage)];
            places_[i] = {stage, static_cast<TensorId>(own.size())};
            own.push_back(graph_[i]);
        }
    }

    /// Makes all references of a stage's graph ones into itself.
    void localize(std::int32_t stage) {
        TensorGraph& own = split_.stages[static_cast<std::size_t>(stage)];
        std::map<TensorId, TensorId> shadows;
        const auto local = [&](TensorId tensor) {
            if (tensor == no_tensor || place_of(tensor).stage == stage) {
                return tensor == no_tensor ? no_tensor : place_of(tensor).tensor;
            }
            const auto [entry, first] = shadows.emplace(tensor, static_cast<TensorId>(own.size()));
            if (first) {
                add_shadow(own, stage, tensor);
            }
            return entry->second;
        };
        const std::size_t tensors = own.size();
        for (std::size_t i = 0; i < tensors; ++i) {
            const TensorId x1 = local(own[i].x1.tensor);
            own[i].x1.tensor = x1;
            const TensorId x2 = local(own[i].x2.tensor);
            own[i].x2.tensor = x2;
            own[i].after = local(own[i].after);
        }
    }

    void add_shadow(TensorGraph& own, std::int32_t stage, TensorId tensor) {
        const Tensor& remote = graph_[static_cast<std::size_t>(tensor)];
        Tensor shadow;
        shadow.name = "shadow_" + remote.name;
        shadow.revision = remote.revision;
        shadow.block = remote.block;
        shadow.operation = Operation::Shadow;
        shadow.y = remote.y;
        const Place& from = place_of(tensor);
        split_.links.push_back({from.stage, from.tensor, stage, static_cast<TensorId>(own.size())});
        own.push_back(std::move(shadow));
    }

    const TensorGraph& graph_;
    std::vector<Place> places_;  ///< by tensor of the whole graph
    PipelineSplit split_;
};

}  // namespace

PipelineSplit split_over_stages(const TensorGraph& graph, const StageArguments& arguments) {
    return Splitter(graph, arguments).split();
}

}  // namespace npunet::generators::stage_dialect
