#include "engine/collective_algorithms/algorithms.h"

#include <array>

#include "engine/collective_algorithms/custom_algorithm.h"
#include "engine/collective_algorithms/folding_in.h"
#include "engine/collective_algorithms/phase.h"

namespace npunet::engine {

namespace {

struct Row {
    std::int32_t (*count)(const PhaseShape&);
    std::int32_t (*reductions)(const PhaseShape&);
    Gate (*gate)(const PhaseShape&, std::int32_t);  ///< null: each waits for all before it
    Exchange (*at)(const PhaseShape&, std::int32_t);
};

/// In the order of enum Algorithm.
constexpr std::array<Row, 7> rows{{
    {ring::count, ring::reductions, nullptr, ring::at},
    {direct::count, direct::reductions, direct::gate, direct::at},
    {halving_doubling::count, halving_doubling::reductions, nullptr, halving_doubling::at},
    {halving_doubling::count, halving_doubling::reductions, nullptr, halving_doubling::at},
    {double_binary_tree::count, double_binary_tree::reductions, double_binary_tree::gate,
     double_binary_tree::at},
    {binomial_tree::count, binomial_tree::reductions, binomial_tree::gate, binomial_tree::at},
    {dissemination::count, dissemination::reductions, nullptr, dissemination::at},
}};

Row row(const PhaseShape& shape) {
    const auto number = static_cast<std::size_t>(shape.algorithm);
    if (number < rows.size()) {
        return rows[number];
    }
    const CustomAlgorithm& own = custom_algorithm(custom_algorithm_number(shape.algorithm));
    return {own.count, own.reductions, own.gate, own.at};
}

/// The reference counts receptions of a direct phase in cycles of 2 P, P = window: the first P
/// tokens of a cycle are not charged, the next P are if the phase reduces; an all-reduce charges in
/// every other cycle only. The P tokens that start the phase are the first of the first cycle.
bool direct_charged_in_reference(const PhaseShape& shape, std::int32_t reception) {
    const std::int32_t parallel = direct::window(shape);
    const std::int32_t token = reception + parallel;
    const bool second_half = token % (2 * parallel) >= parallel;
    const bool even_cycle = (token / (2 * parallel)) % 2 == 0;
    return second_half && (shape.kind == CollectiveKind::ReduceScatter ||
                           (shape.kind == CollectiveKind::AllReduce && even_cycle));
}

/// The reference charges the reception before each halving message, by the size of that message:
/// the last one of the halving is left out.
Bytes halving_charged_in_reference(const PhaseShape& shape, std::int32_t reception) {
    const std::int32_t token = reception + 1;
    const bool charged =
        shape.kind != CollectiveKind::AllGather && token < FoldingIn(shape.members).rounds();
    return charged ? exchange(shape, token).bytes : Bytes();
}

}  // namespace

std::int32_t exchange_count(const PhaseShape& shape) {
    return row(shape).count(shape);
}

Gate exchange_gate(const PhaseShape& shape, std::int32_t e) {
    return exchanges_in_sequence(shape) ? Gate{e, 0} : row(shape).gate(shape, e);
}

bool exchanges_in_sequence(const PhaseShape& shape) {
    return row(shape).gate == nullptr;
}

Exchange exchange(const PhaseShape& shape, std::int32_t e) {
    return row(shape).at(shape, e);
}

bool exchanges_alike(const PhaseShape& shape) {
    return shape.algorithm == Algorithm::Ring && ring::alike(shape);
}

std::int32_t exchange_reductions(const PhaseShape& shape) {
    return row(shape).reductions(shape);
}

Bytes reduced_bytes_in_reference(const PhaseShape& shape, std::int32_t r, std::int32_t e,
                                 Bytes received) {
    switch (shape.algorithm) {
        case Algorithm::Direct:
            return direct_charged_in_reference(shape, r) ? received : Bytes();
        case Algorithm::HalvingDoubling:
            return halving_charged_in_reference(shape, r);
        case Algorithm::DoubleBinaryTree:
            // Inner members pay for the result from above too.
            return exchange_reductions(shape) > 0 ? received : Bytes();
        default:
            return e < exchange_reductions(shape) ? received : Bytes();
    }
}

}  // namespace npunet::engine
