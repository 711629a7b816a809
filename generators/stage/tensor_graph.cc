#include "generators/stage/tensor_graph.h"

#include <utility>

namespace npunet::generators::stage_dialect {

namespace {

/// The dimension that a letter stands for; the first operand's where both have it.
Dim dim_of(char letter, std::string_view letters1, const Shape& x1, std::string_view letters2,
           const Shape& x2) {
    const std::size_t first = letters1.find(letter);
    return first != std::string_view::npos ? x1[first] : x2[letters2.find(letter)];
}

}  // namespace

std::string Tensor::id() const {
    return name + '@' + std::to_string(revision);
}

std::int64_t operations_of(const Tensor& tensor, const SymbolValues& values) {
    switch (tensor.operation) {
        case Operation::Product:
            return values.elements(tensor.y.shape, tensor.summed);
        case Operation::Sum:
            return values.elements(tensor.x1.shape);
        case Operation::Scale:
            return tensor.amplitude * values.elements(tensor.x1.shape);
        case Operation::Reshape:
            return values.elements(tensor.y.shape);
        default:
            return 0;
    }
}

std::int64_t elements_touched(const Tensor& tensor, const SymbolValues& values) {
    const bool two = tensor.operation != Operation::Scale;
    return values.elements(tensor.y.shape) + values.elements(tensor.x1.shape) +
           (two ? values.elements(tensor.x2.shape) : 0);
}

TensorId ModuleBuilder::add(std::string_view name, Operation operation, const Operand& x1,
                            const Operand& x2, const Layout& y) {
    Tensor tensor;
    tensor.name = prefix_;
    tensor.name += name;
    tensor.block = block_;
    tensor.operation = operation;
    tensor.x1 = x1;
    tensor.x2 = x2;
    tensor.y = y;
    graph_.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.size() - 1);
}

TensorId ModuleBuilder::placeholder(std::string_view name, const Shape& shape) {
    return add(name, Operation::Placeholder, {no_tensor, shape}, {}, {shape, {}});
}

TensorId ModuleBuilder::product(std::string_view name, const Operand& x1, const Operand& x2,
                                std::string_view rule) {
    const std::size_t comma = rule.find(',');
    const std::size_t arrow = rule.find("->");
    const std::string_view letters1 = rule.substr(0, comma);
    const std::string_view letters2 = rule.substr(comma + 1, arrow - comma - 1);
    const std::string_view result = rule.substr(arrow + 2);
    Layout y;
    for (const char letter : result) {
        y.shape.push_back(dim_of(letter, letters1, x1.shape, letters2, x2.shape));
    }
    for (std::size_t i = 0; i < letters1.size(); ++i) {
        if (result.find(letters1[i]) == std::string_view::npos) {
            y.partial.push_back(x1.shape[i]);
        }
    }
    const TensorId id = add(name, Operation::Product, x1, x2, y);
    at(id).summed = y.partial;
    return id;
}

TensorId ModuleBuilder::sum(std::string_view name, TensorId x1, TensorId x2, const Shape& shape) {
    return add(name, Operation::Sum, {x1, shape}, {x2, shape}, {shape, {}});
}

TensorId ModuleBuilder::scale(std::string_view name, const Operand& x, std::int32_t amplitude) {
    const TensorId id = add(name, Operation::Scale, x, {}, {x.shape, {}});
    at(id).amplitude = amplitude;
    return id;
}

TensorId ModuleBuilder::reshape(std::string_view name, const Operand& x, const Shape& shape) {
    return add(name, Operation::Reshape, x, {no_tensor, shape}, {shape, {}});
}

TensorId ModuleBuilder::identity(std::string_view name, const Operand& x) {
    return add(name, Operation::Identity, x, {}, {x.shape, {}});
}

}  // namespace npunet::generators::stage_dialect
