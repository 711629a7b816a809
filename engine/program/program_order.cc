#include "engine/program/program_order.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/program/untimed_run.h"
#include "engine/program/work_pattern.h"

namespace npunet::engine {

namespace {

constexpr std::uint32_t none = 0xffffffff;

TraceNumbers trace_numbers(const RankProgram& program) {
    TraceNumbers numbers(program.operations.size(), none);
    std::uint32_t place = 0;
    for (const std::uint32_t number : trace_order(program)) {
        numbers[number] = place++;
    }
    for (const std::vector<std::uint32_t>& list : program.collectives_of) {
        for (std::uint32_t k = 0; k < list.size(); ++k) {
            numbers[list[k]] = k;
        }
    }
    return numbers;
}

bool receives(const RankProgram& program) {
    return std::any_of(program.operations.begin(), program.operations.end(),
                       [](const ProgramOperation& operation) {
                           return operation.kind == OperationKind::Receive && !operation.nothing;
                       });
}

/// Dependencies alone put the collectives of a slot in trace order; `order` is that of the program.
bool follow_each_other(const RankProgram& program, const std::vector<std::uint32_t>& order,
                       const std::vector<std::uint32_t>& collectives) {
    // By operation: how many of the collectives it comes after, as far as these follow each other.
    std::vector<std::uint32_t> after(program.operations.size(), 0);
    std::size_t next = 0;
    for (const std::uint32_t number : order) {
        if (next < collectives.size() && collectives[next] == number) {
            if (after[number] != next) {
                return false;
            }
            after[number] = static_cast<std::uint32_t>(++next);
        }
        for (std::uint32_t c = program.child_begin[number]; c < program.child_begin[number + 1];
             ++c) {
            std::uint32_t& child = after[program.children[c]];
            child = std::max(child, after[number]);
        }
    }
    return true;
}

/// No order but that of the trace is possible.
bool has_one_order(const RankProgram& program) {
    const auto several = [](const std::vector<std::uint32_t>& list) { return list.size() > 1; };
    if (std::none_of(program.collectives_of.begin(), program.collectives_of.end(), several)) {
        return true;
    }
    const std::vector<std::uint32_t> order = trace_order(program);
    return std::all_of(program.collectives_of.begin(), program.collectives_of.end(),
                       [&](const std::vector<std::uint32_t>& list) {
                           return !several(list) || follow_each_other(program, order, list);
                       });
}

/// A member may be done before others come: who has a root, unequal shares or nothing to do.
bool may_end_early(const ProgramOperation& collective) {
    return collective.root >= 0 || !collective.sizes.empty() ||
           (collective.bytes == Bytes() && collective.collective != CollectiveKind::Barrier);
}

/// Whether what never ended may be waited for by nothing but the execution without time.
bool stuck_in_vain(const Workload& workload, const WorkPattern& pattern,
                   const std::vector<std::vector<std::uint32_t>>& rounds) {
    for (const WorkPattern::Actor& actor : pattern.actors) {
        const RankProgram& program = workload.program(actor.rank);
        for (std::size_t slot = 0; slot < program.collectives_of.size(); ++slot) {
            const std::vector<std::uint32_t>& own = program.collectives_of[slot];
            for (std::size_t k = 0; k < own.size(); ++k) {
                if (rounds[actor.groups[slot]][k] == UntimedRun::never &&
                    may_end_early(program.operations[own[k]])) {
                    return true;
                }
            }
        }
    }
    return false;
}

/// By group of the pattern; nothing where the order of the trace has to do.
std::optional<std::vector<CollectiveOrder>> find_orders(const Workload& workload,
                                                        const WorkPattern& pattern) {
    std::vector<TraceNumbers> numbers;
    for (const RankProgram& program : workload.programs) {
        numbers.push_back(trace_numbers(program));
    }
    const auto rounds = UntimedRun(workload, pattern, numbers).rounds();
    if (stuck_in_vain(workload, pattern, rounds)) {
        return std::nullopt;
    }
    std::vector<CollectiveOrder> orders;
    for (const std::vector<std::uint32_t>& ended : rounds) {
        CollectiveOrder order(ended.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return ended[a] < ended[b]; });
        orders.push_back(std::move(order));
    }
    return UntimedRun(workload, pattern, numbers).order_like(std::move(orders));
}

std::vector<std::uint32_t> reordered(const std::vector<std::uint32_t>& collectives,
                                     const CollectiveOrder& order) {
    std::vector<std::uint32_t> result;
    for (const std::uint32_t number : order) {
        if (number < collectives.size()) {  // another member may have more
            result.push_back(collectives[number]);
        }
    }
    return result;
}

/// Gives every rank a program with the order of its groups, and splits shared programs at need.
void apply(Workload& workload, const WorkPattern& pattern,
           const std::vector<CollectiveOrder>& orders) {
    using Lists = std::vector<std::vector<std::uint32_t>>;
    const std::size_t programs = workload.programs.size();
    std::vector<Lists> lists_of(programs);  // by program, also those to come; empty: not yet known
    std::vector<bool> known(programs, false);
    std::map<std::pair<std::uint32_t, Lists>, std::uint32_t> variants;
    std::vector<std::uint32_t> program_of_actor;
    for (const WorkPattern::Actor& actor : pattern.actors) {
        const std::uint32_t own = workload.program_of[actor.rank.index()];
        Lists lists = workload.programs[own].collectives_of;
        for (std::size_t slot = 0; slot < lists.size(); ++slot) {
            lists[slot] = reordered(lists[slot], orders[actor.groups[slot]]);
        }
        const auto [variant, first] = variants.emplace(std::pair(own, lists), own);
        if (first && known[own]) {
            variant->second = static_cast<std::uint32_t>(workload.programs.size());
            workload.programs.push_back(RankProgram(workload.programs[own]));
            lists_of.push_back(std::move(lists));
        } else if (first) {
            known[own] = true;
            lists_of[own] = std::move(lists);
        }
        program_of_actor.push_back(variant->second);
    }
    for (std::size_t program = 0; program < workload.programs.size(); ++program) {
        workload.programs[program].collectives_of = std::move(lists_of[program]);
    }
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        workload.program_of[rank] = program_of_actor[pattern.actor_of[rank]];
    }
}

/// Gives operations more children, in ascending order: `more(number)`.
template <typename More>
void add_children(RankProgram& program, const More& more) {
    std::vector<std::uint32_t> children;
    children.reserve(program.children.size() + program.collectives.size());
    std::uint32_t begin = 0;
    for (std::size_t number = 0; number < program.operations.size(); ++number) {
        const std::uint32_t end = program.child_begin[number + 1];
        program.child_begin[number] = static_cast<std::uint32_t>(children.size());
        const std::vector<std::uint32_t> added = more(number);
        const auto own = program.children.begin();
        for (const std::uint32_t child : added) {
            if (!std::binary_search(own + begin, own + end, child)) {
                ++program.operations[child].dependencies;
            }
        }
        std::set_union(own + begin, own + end, added.begin(), added.end(),
                       std::back_inserter(children));
        begin = end;
    }
    program.child_begin.back() = static_cast<std::uint32_t>(children.size());
    program.children = std::move(children);
}

/// Each collective waits for the one before it in its slot.
void chain(RankProgram& program) {
    std::vector<std::uint32_t> next(program.operations.size(), none);
    for (const std::vector<std::uint32_t>& list : program.collectives_of) {
        for (std::size_t k = 1; k < list.size(); ++k) {
            next[list[k - 1]] = list[k];
        }
    }
    add_children(program, [&](std::size_t number) {
        return next[number] == none ? std::vector<std::uint32_t>()
                                    : std::vector<std::uint32_t>{next[number]};
    });
}

/// Those that wait for the same run together; each waits for all that ran together before.
void chain_launches(RankProgram& program) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> next;
    const std::vector<std::vector<std::uint32_t>> parents = parents_of_collectives(program);
    for (const std::vector<std::uint32_t>& list : program.collectives_of) {
        std::vector<std::uint32_t> before;
        for (std::size_t k = 0; k < list.size();) {
            std::vector<std::uint32_t> launch{list[k]};
            while (++k < list.size() && parents[list[k]] == parents[launch.front()]) {
                launch.push_back(list[k]);
            }
            for (const std::uint32_t one : before) {
                next[one] = launch;
                std::sort(next[one].begin(), next[one].end());
            }
            before = std::move(launch);
        }
    }
    add_children(program, [&](std::size_t number) {
        const auto found = next.find(static_cast<std::uint32_t>(number));
        return found == next.end() ? std::vector<std::uint32_t>() : found->second;
    });
}

}  // namespace

std::vector<std::vector<std::uint32_t>> parents_of_collectives(const RankProgram& program) {
    std::vector<std::vector<std::uint32_t>> parents(program.operations.size());
    for (std::uint32_t parent = 0; parent < program.operations.size(); ++parent) {
        for (std::uint32_t i = program.child_begin[parent]; i < program.child_begin[parent + 1];
             ++i) {
            if (is_of_group(program.operations[program.children[i]])) {
                parents[program.children[i]].push_back(parent);
            }
        }
    }
    return parents;
}

void keep_program_order(Workload& workload, bool launches) {
    const auto& programs = workload.programs;
    if (std::any_of(programs.begin(), programs.end(), receives) &&
        !std::all_of(programs.begin(), programs.end(), has_one_order)) {
        const WorkPattern pattern = find_work_pattern(workload);
        if (const auto orders = find_orders(workload, pattern)) {
            apply(workload, pattern, *orders);
        }
    }
    for (RankProgram& program : workload.programs) {
        if (launches) {
            chain_launches(program);
        } else {
            chain(program);
        }
    }
}

}  // namespace npunet::engine
