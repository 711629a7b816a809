// The graph of tensors that STAGE distributes: each tensor with the operation that makes it.
//
//     TensorGraph graph = training_step(arguments);      // modules.h
//     for (const Tensor& tensor : graph) ...
//
// An operand is named together with the shape in which it is wanted; where its producer has it
// otherwise, a collective turns the one into the other (resharding.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/stage/shape.h"

namespace npunet::generators::stage_dialect {

enum class Operation : std::uint8_t {
    Placeholder,  ///< a weight or an input of the graph
    Product,      ///< an einsum of two tensors
    Sum,          ///< of two tensors
    Scale,        ///< some operations for each element
    Reshape,
    Identity,  ///< another name of its operand
    Shadow     ///< what another stage of the pipeline sends
};

using TensorId = std::int32_t;
inline constexpr TensorId no_tensor = -1;

/// A shape, and the dimensions over which the parts of it have yet to be summed.
struct Layout {
    Shape shape;
    Shape partial;
};

struct Operand {
    TensorId tensor = no_tensor;
    Shape shape;  ///< as the operation wants it
};

/// Of the embeddings, and of layers from 0.
inline constexpr std::int32_t input_block = -1;
inline constexpr std::int32_t output_block = -2;

struct Tensor {
    std::string name;
    std::int32_t revision = 0;  ///< 1: a weight after its update
    std::int32_t block = 0;     ///< input_block, output_block or the layer
    Operation operation = Operation::Placeholder;
    Operand x1;
    Operand x2;
    Layout y;
    Shape summed;                   ///< Product: the dimensions that it sums over
    std::int32_t amplitude = 1;     ///< Scale: operations an element
    TensorId after = no_tensor;     ///< is not to begin before this one is there
    TensorId gradient = no_tensor;  ///< of a weight

    /// Whether it takes any work: placeholders, identities and shadows take none.
    [[nodiscard]] bool computed() const {
        return operation == Operation::Product || operation == Operation::Sum ||
               operation == Operation::Scale || operation == Operation::Reshape;
    }
    /// "stack_3_mha_q@0"
    [[nodiscard]] std::string id() const;
};

using TensorGraph = std::vector<Tensor>;

/// Operations that a tensor costs: a product one for each multiply-add, a sum and a reshape one for
/// each element, a scale `amplitude` for each. 0 where none is computed.
[[nodiscard]] std::int64_t operations_of(const Tensor& tensor, const SymbolValues& values);
/// Elements of both operands, as wanted, and of the result.
[[nodiscard]] std::int64_t elements_touched(const Tensor& tensor, const SymbolValues& values);

/// Adds the tensors of one module; all their names begin with its prefix.
class ModuleBuilder {
public:
    ModuleBuilder(TensorGraph& graph, std::string prefix, std::int32_t block)
        : graph_(graph), prefix_(std::move(prefix)), block_(block) {}

    [[nodiscard]] TensorId placeholder(std::string_view name, const Shape& shape);
    /// `rule` names dimensions by letters, "bsm,mn->bsn"; a letter that the result lacks is summed.
    [[nodiscard]] TensorId product(std::string_view name, const Operand& x1, const Operand& x2,
                                   std::string_view rule);
    [[nodiscard]] TensorId sum(std::string_view name, TensorId x1, TensorId x2, const Shape& shape);
    [[nodiscard]] TensorId scale(std::string_view name, const Operand& x, std::int32_t amplitude);
    [[nodiscard]] TensorId reshape(std::string_view name, const Operand& x, const Shape& shape);
    [[nodiscard]] TensorId identity(std::string_view name, const Operand& x);
    void set_after(TensorId tensor, TensorId after) { at(tensor).after = after; }
    void set_gradient(TensorId weight, TensorId gradient) { at(weight).gradient = gradient; }

private:
    [[nodiscard]] Tensor& at(TensorId id) { return graph_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] TensorId add(std::string_view name, Operation operation, const Operand& x1,
                               const Operand& x2, const Layout& y);

    TensorGraph& graph_;
    std::string prefix_;
    std::int32_t block_;
};

}  // namespace npunet::generators::stage_dialect
