#include "generators/stage/stage_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "generators/stage/resharding.h"

namespace npunet::generators::stage_dialect {

namespace {

using chakra::NodeType;
using Position = std::uint32_t;  // of a node in its role, from 1
constexpr Position none = 0;
constexpr std::uint32_t unnamed = ~std::uint32_t{0};

/// The nodes of a tensor.
struct TensorNodes {
    Position compute = none;
    Position receive = none;
    std::vector<Position> sends;
    std::array<std::vector<Position>, 2> collectives;  ///< of x1, of x2
};

class NodeMaker {
public:
    NodeMaker(const PipelineSplit& split, std::int32_t stage, const StageArguments& arguments)
        : split_(split),
          stage_(stage),
          graph_(split.stages[static_cast<std::size_t>(stage)]),
          values_(arguments),
          symbols_(arguments),
          replicas_(arguments.dp * arguments.tp * arguments.sp),
          nodes_(graph_.size()),
          names_(graph_.size(), unnamed) {}

    [[nodiscard]] StageNodes make() {
        made_.role.nodes.reserve(graph_.size() * 2);
        std::vector<std::vector<std::size_t>> leaving(graph_.size());
        std::vector<std::size_t> arriving(graph_.size());
        for (std::size_t link = 0; link < split_.links.size(); ++link) {
            const Link& ends = split_.links[link];
            if (ends.from_stage == stage_) {
                leaving[static_cast<std::size_t>(ends.from)].push_back(link);
            }
            if (ends.to_stage == stage_) {
                arriving[static_cast<std::size_t>(ends.to)] = link;
            }
        }
        for (std::size_t i = 0; i < graph_.size(); ++i) {
            add_nodes(i, leaving[i], arriving[i]);
        }
        for (std::size_t i = 0; i < graph_.size(); ++i) {
            add_dependencies(i);
        }
        chain_free_communication();
        return std::move(made_);
    }

private:
    [[nodiscard]] const Tensor& tensor(TensorId id) const {
        return graph_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] TensorNodes& nodes_of(TensorId id) {
        return nodes_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] NodeTemplate& node(Position position) { return made_.role.nodes[position - 1]; }

    Position append(NodeTemplate node) {
        made_.role.nodes.push_back(std::move(node));
        return static_cast<Position>(made_.role.nodes.size());
    }

    /// The tensor's place in Role::tensors.
    std::uint32_t named(TensorId id) {
        std::uint32_t& index = names_[static_cast<std::size_t>(id)];
        if (index == unnamed) {
            index = static_cast<std::uint32_t>(made_.role.tensors.size());
            const Shape& shape = tensor(id).y.shape;
            const std::int64_t elements = values_.elements(shape);
            made_.role.tensors.push_back(
                {tensor(id).id() + text_of(shape), elements, python_float(elements)});
        }
        return index;
    }

    /// The tensor behind an identity, which has no data of its own.
    [[nodiscard]] TensorId behind(TensorId id) const {
        return tensor(id).operation == Operation::Identity ? tensor(id).x1.tensor : id;
    }

    void add_nodes(std::size_t i, const std::vector<std::size_t>& leaving, std::size_t arriving) {
        const Tensor& made = graph_[i];
        TensorNodes& own = nodes_[i];
        const std::uint64_t compute_id = ++made_.numbers;
        if (made.computed()) {
            own.compute = add_compute(static_cast<TensorId>(i), compute_id);
        }
        add_collectives(made, made.x1, own.collectives[0], "_X1COMM");
        add_collectives(made, made.x2, own.collectives[1], "_X2_COMM");
        for (const std::size_t link : leaving) {
            own.sends.push_back(add_message(static_cast<TensorId>(i), link, NodeType::CommSend));
        }
        if (made.operation == Operation::Shadow) {
            own.receive = add_message(static_cast<TensorId>(i), arriving, NodeType::CommReceive);
        }
    }

    Position add_compute(TensorId id, std::uint64_t number) {
        const Tensor& made = tensor(id);
        NodeTemplate node;
        node.name = made.id() + "_COMP";
        node.type = NodeType::Compute;
        node.id = number;
        node.flops = operations_of(made, values_);
        node.bytes = elements_touched(made, values_);
        for (const Operand* operand : {&made.x1, &made.x2}) {
            if (operand->tensor != no_tensor) {
                node.reads.push_back(named(behind(operand->tensor)));
            }
        }
        node.writes.push_back(named(id));
        return append(std::move(node));
    }

    void add_collectives(const Tensor& made, const Operand& operand,
                         std::vector<Position>& positions, const char* suffix) {
        if (operand.tensor == no_tensor) {
            return;
        }
        const Layout& layout = tensor(operand.tensor).y;
        for (const ReshardingStep& step : resharding(layout, operand.shape, symbols_)) {
            NodeTemplate node;
            node.name = made.id() + suffix;
            node.type = NodeType::CommCollective;
            node.id = ++made_.numbers;
            node.collective = step.type;
            node.slot = step.slot;
            node.bytes = values_.elements(layout.shape);
            node.reads.push_back(named(behind(operand.tensor)));
            positions.push_back(append(std::move(node)));
        }
    }

    Position add_message(TensorId id, std::size_t link, NodeType type) {
        const bool sends = type == NodeType::CommSend;
        const Link& ends = split_.links[link];
        const auto before = static_cast<std::int64_t>(link) * replicas_;
        NodeTemplate node;
        node.name = tensor(id).id() + (sends ? "_Y_SEND" : "_Y_RECV");
        node.type = type;
        node.id = static_cast<std::uint64_t>(2 * before) + (sends ? 1 : 2);
        node.id_space = IdSpace::Message;
        node.bytes = values_.elements(tensor(id).y.shape);
        node.slot = sends ? ends.to_stage : ends.from_stage;
        node.tag = static_cast<std::int32_t>(before);
        (sends ? node.reads : node.writes).push_back(named(id));
        return append(std::move(node));
    }

    /// The node after which the tensor is there; none for what is there from the start.
    [[nodiscard]] Position output(TensorId id) {
        const TensorNodes& own = nodes_of(id);
        if (own.receive != none || own.compute != none) {
            return own.receive != none ? own.receive : own.compute;
        }
        if (!own.collectives[0].empty()) {
            return own.collectives[0].back();
        }
        const Tensor& made = tensor(id);
        return made.operation == Operation::Identity ? output(made.x1.tensor) : none;
    }

    /// Whether STAGE gives it a node of computation, which it removes again as there is no work.
    [[nodiscard]] bool forwarded(TensorId id) {
        return nodes_of(id).receive == none && nodes_of(id).compute == none;
    }

    /// What waits for tensors waits for `first`, then for those that are computed or received, then
    /// for what stands behind removed nodes, in the order of these.
    void wait_for(Position position, const std::vector<Position>& first,
                  std::vector<TensorId> producers) {
        std::vector<Position>& dependencies = node(position).data_deps;
        const auto add = [&dependencies](Position on) {
            if (on != none &&
                std::find(dependencies.begin(), dependencies.end(), on) == dependencies.end()) {
                dependencies.push_back(on);
            }
        };
        for (const Position on : first) {
            add(on);
        }
        for (const TensorId id : producers) {
            if (!forwarded(id)) {
                add(output(id));
            }
        }
        std::sort(producers.begin(), producers.end());
        for (const TensorId id : producers) {
            if (forwarded(id)) {
                add(output(id));
            }
        }
    }

    void add_dependencies(std::size_t i) {
        const Tensor& made = graph_[i];
        const TensorNodes own = nodes_[i];
        std::vector<Position> converted;
        std::vector<TensorId> direct;
        for (std::size_t side = 0; side < 2; ++side) {
            const TensorId operand = (side == 0 ? made.x1 : made.x2).tensor;
            const std::vector<Position>& chain = own.collectives[side];
            if (!chain.empty()) {
                wait_for(chain.front(), {}, {operand});
                for (std::size_t k = 1; k < chain.size(); ++k) {
                    wait_for(chain[k], {chain[k - 1]}, {});
                }
                converted.push_back(chain.back());
            } else if (operand != no_tensor) {
                direct.push_back(operand);
            }
        }
        if (own.compute != none) {
            wait_for(own.compute, converted, direct);
        }
        for (const Position send : own.sends) {
            wait_for(send, {}, {static_cast<TensorId>(i)});
        }
        if (made.after != no_tensor) {
            const Position begin =
                own.collectives[0].empty() ? own.compute : own.collectives[0].front();
            node(begin).ctrl_deps.push_back(output(made.after));
        }
    }

    /// Communication that waits for nothing takes place in the order of the nodes, but only where
    /// there are more than two of it.
    void chain_free_communication() {
        std::vector<Position> free;
        for (Position position = 1; position <= made_.role.nodes.size(); ++position) {
            const NodeTemplate& candidate = node(position);
            const bool communicates =
                candidate.type == NodeType::CommCollective || candidate.type == NodeType::CommSend;
            if (communicates && candidate.data_deps.empty() && candidate.ctrl_deps.empty()) {
                free.push_back(position);
            }
        }
        for (std::size_t k = 1; free.size() > 2 && k < free.size(); ++k) {
            node(free[k]).ctrl_deps.push_back(free[k - 1]);
        }
    }

    const PipelineSplit& split_;
    std::int32_t stage_;
    const TensorGraph& graph_;
    SymbolValues values_;
    SplitSymbols symbols_;
    std::int64_t replicas_;
    std::vector<TensorNodes> nodes_;    ///< by tensor
    std::vector<std::uint32_t> names_;  ///< by tensor: place in Role::tensors
    StageNodes made_;
};

}  // namespace

StageNodes make_nodes(const PipelineSplit& split, std::int32_t stage,
                      const StageArguments& arguments) {
    return NodeMaker(split, stage, arguments).make();
}

std::string python_float(std::int64_t value) {
    std::string text = fmt::format("{}", static_cast<double>(value));
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

}  // namespace npunet::generators::stage_dialect
