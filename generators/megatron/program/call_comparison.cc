#include "generators/megatron/program/call_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/splitmix64.h"

namespace npunet::generators::megatron {

namespace {

bool has_root(Operation operation) {
    return operation == Operation::Broadcast || operation == Operation::Scatter ||
           operation == Operation::Gather;
}

/// Whether all members hand in the same shapes, and whether they take out the same.
struct SharedSides {
    bool input = false;
    bool output = false;
};

SharedSides shared_sides(Operation operation) {
    switch (operation) {
        case Operation::AllGatherBase:
        case Operation::AllGatherIntoTensor:
        case Operation::ReduceScatterBase:
        case Operation::ReduceScatterTensor:
            return {true, true};
        case Operation::AllGather:
        case Operation::Scatter:
            return {false, true};
        case Operation::ReduceScatter:
        case Operation::Gather:
            return {true, false};
        default:
            return {};
    }
}

/// What each member must agree on, part by part; `name` says which.
struct Part {
    const char* name;
    std::uint64_t value;
};

std::uint64_t value_of(const Shape& shape, std::int64_t tensors) {
    std::uint64_t value = splitmix64(static_cast<std::uint64_t>(tensors));
    for (const std::int64_t size : shape) {
        value = splitmix64(value + static_cast<std::uint64_t>(size));
    }
    return splitmix64(value + shape.dimensions());
}

/// Calls visit(part) for each.
template <class Visit>
void for_each_part(const Call& call, Visit&& visit) {
    const Operation operation = call.operation;
    if (is_message(operation)) {
        visit(Part{"number of elements", static_cast<std::uint64_t>(*call.shape.elements())});
        visit(Part{"dtype", static_cast<std::uint64_t>(call.dtype)});
        visit(Part{"tag", static_cast<std::uint64_t>(call.tag)});
        return;
    }
    visit(Part{"operation", static_cast<std::uint64_t>(operation)});
    if (operation == Operation::Barrier || !is_collective(operation)) {
        return;
    }
    visit(Part{"dtype", static_cast<std::uint64_t>(call.dtype)});
    if (reduces(operation)) {
        visit(Part{"reduce_op", static_cast<std::uint64_t>(call.reduce_op)});
    }
    if (has_root(operation)) {
        visit(Part{"root", static_cast<std::uint64_t>(call.peer.value())});
    }
    if (call.has_shape) {
        visit(Part{"shape", value_of(call.shape, 1)});
        return;
    }
    const SharedSides shared = shared_sides(operation);
    if (shared.input) {
        visit(Part{"input shape", value_of(call.input, call.inputs)});
    }
    if (shared.output) {
        visit(Part{"output shape", value_of(call.output, call.outputs)});
    }
}

std::string shape_text(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

std::string shape_text(const Shape& shape, std::int64_t tensors) {
    return tensors == 1 ? shape_text(shape) : fmt::format("{} x {}", tensors, shape_text(shape));
}

constexpr std::size_t most_ranks_told = 16;

std::string rank_list(const std::vector<Rank>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most_ranks_told); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i].value());
    }
    return ranks.size() > most_ranks_told ? fmt::format("{}, ... ({} in all)", text, ranks.size())
                                          : text;
}

}  // namespace

std::uint64_t digest_of(const Call& call) {
    std::uint64_t digest = 0;
    for_each_part(call, [&](const Part& part) { digest = splitmix64(digest + part.value); });
    return digest;
}

std::uint64_t balance_of(const Call& call, std::size_t members) {
    if (call.has_shape || call.operation == Operation::Barrier) {
        return 0;
    }
    const auto elements = [](const Shape& shape, std::int64_t tensors) {
        return static_cast<std::uint64_t>(*shape.elements()) * static_cast<std::uint64_t>(tensors);
    };
    const std::uint64_t input = elements(call.input, call.inputs);
    const std::uint64_t output = elements(call.output, call.outputs);
    switch (call.operation) {
        case Operation::AllGather:
        case Operation::AllGatherBase:
        case Operation::AllGatherIntoTensor:
            return members * input - output;
        case Operation::ReduceScatter:
        case Operation::ReduceScatterBase:
        case Operation::ReduceScatterTensor:
            return members * output - input;
        default:
            return input - output;
    }
}

std::string description_of(const Call& call) {
    std::string text(name_of(call.operation));
    if (call.operation == Operation::Barrier ||
        !(is_collective(call.operation) || is_message(call.operation))) {
        return text;
    }
    text += call.has_shape ? fmt::format(" {}", shape_text(call.shape))
                           : fmt::format(" {} to {}", shape_text(call.input, call.inputs),
                                         shape_text(call.output, call.outputs));
    text += fmt::format(" {}", name_of(call.dtype));
    if (reduces(call.operation)) {
        text += fmt::format(" {}", name_of(call.reduce_op));
    }
    if (has_root(call.operation)) {
        text += fmt::format(" root {}", call.peer.value());
    }
    if (is_message(call.operation) && call.tag != 0) {
        text += fmt::format(" tag {}", call.tag);
    }
    return text;
}

std::string differences(const Call& a, const Call& b) {
    std::vector<Part> parts;
    for_each_part(a, [&](const Part& part) { parts.push_back(part); });
    std::string text;
    std::size_t next = 0;
    for_each_part(b, [&](const Part& part) {
        if (next < parts.size() && parts[next].value != part.value) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", part.name);
        }
        ++next;
    });
    // Different operations have different parts; the rest does not compare.
    return text.rfind("operation", 0) == 0 ? "operation" : text;
}

std::string described(const Call& call, const std::vector<Rank>* ranks) {
    std::string text(name_of(call.operation));
    if (call.operation != Operation::Barrier) {
        text += call.has_shape
                    ? fmt::format(" of {}", shape_text(call.shape))
                    : fmt::format(" of {} to {}", shape_text(call.input), shape_text(call.output));
        text += fmt::format(" {}", name_of(call.dtype));
        text += reduces(call.operation) ? fmt::format(" {}", name_of(call.reduce_op)) : "";
        text += call.batch_size > 0
                    ? fmt::format(", {} of a batch of {}", call.batch_index, call.batch_size)
                    : "";
        text += call.asynchronous ? ", going on" : "";
    }
    if (call.peer.valid()) {
        text += fmt::format("{} rank {}",
                            is_send(call.operation)      ? " to"
                            : is_receive(call.operation) ? " from"
                                                         : " with root",
                            call.peer.value());
    }
    return ranks == nullptr ? text : fmt::format("{} over ranks {}", text, rank_list(*ranks));
}

bool same_call(const Call& logged, const std::vector<Rank>* logged_ranks, const Call& made,
               const std::vector<Rank>* made_ranks, bool tells_waiting) {
    if (logged.operation != made.operation ||
        (tells_waiting && logged.asynchronous != made.asynchronous)) {
        return false;
    }
    if (logged_ranks != nullptr && made_ranks != nullptr && *logged_ranks != *made_ranks) {
        return false;
    }
    if (logged.operation == Operation::Barrier) {
        return true;
    }
    return logged.dtype == made.dtype && logged.shape == made.shape && logged.input == made.input &&
           logged.output == made.output && logged.peer == made.peer &&
           logged.batch_index == made.batch_index && logged.batch_size == made.batch_size &&
           (!reduces(logged.operation) || logged.reduce_op == made.reduce_op);
}

}  // namespace npunet::generators::megatron
