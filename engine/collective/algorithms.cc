#include <array>

#include "engine/collective/direct.h"
#include "engine/collective/phase.h"
#include "engine/collective/ring.h"

namespace npunet::engine {

namespace {

struct Row {
    std::int32_t (*count)(const PhaseShape&);
    std::int32_t (*window)(const PhaseShape&);
    std::int32_t (*barrier)(const PhaseShape&);
    Exchange (*at)(const PhaseShape&, std::int32_t);
};

/// In the order of enum Algorithm.
constexpr std::array<Row, 2> rows{{{ring::count, ring::window, ring::barrier, ring::at},
                                   {direct::count, direct::window, direct::barrier, direct::at}}};

const Row& row(const PhaseShape& shape) {
    return rows[static_cast<std::size_t>(shape.algorithm)];
}

/// The reference counts receptions in cycles of 2 P, P = window: the first P tokens of a cycle are
/// not charged, the next P are if the phase reduces; an all-reduce charges in every other cycle
/// only. The P tokens that start the phase are the first of the first cycle.
bool charged_in_reference(const PhaseShape& shape, std::int32_t reception) {
    const std::int32_t parallel = exchange_window(shape);
    const std::int32_t token = reception + parallel;
    const bool second_half = token % (2 * parallel) >= parallel;
    const bool even_cycle = (token / (2 * parallel)) % 2 == 0;
    return second_half && (shape.kind == CollectiveKind::ReduceScatter ||
                           (shape.kind == CollectiveKind::AllReduce && even_cycle));
}

}  // namespace

std::int32_t exchange_count(const PhaseShape& shape) {
    return row(shape).count(shape);
}

std::int32_t exchange_window(const PhaseShape& shape) {
    return row(shape).window(shape);
}

std::int32_t exchange_barrier(const PhaseShape& shape) {
    return row(shape).barrier(shape);
}

Exchange exchange(const PhaseShape& shape, std::int32_t e) {
    return row(shape).at(shape, e);
}

bool reception_reduces(const PhaseShape& shape, std::int32_t r, std::int32_t e) {
    if (shape.algorithm == Algorithm::Direct && !shape.every_reduction_is_charged) {
        return charged_in_reference(shape, r);
    }
    return exchange(shape, e).reduces;
}

}  // namespace npunet::engine
