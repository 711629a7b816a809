#include "generators/megatron/call_digest.h"

#include <fmt/format.h>

#include <vector>

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
    std::uint64_t value = mixed(static_cast<std::uint64_t>(tensors));
    for (const std::int64_t size : shape) {
        value = mixed(value + static_cast<std::uint64_t>(size));
    }
    return mixed(value + shape.dimensions());
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
    std::string text = "[";
    for (const std::int64_t size : shape) {
        text += fmt::format("{}{}", text.size() == 1 ? "" : ", ", size);
    }
    return text + "]";
}

std::string shape_text(const Shape& shape, std::int64_t tensors) {
    return tensors == 1 ? shape_text(shape) : fmt::format("{} x {}", tensors, shape_text(shape));
}

}  // namespace

std::uint64_t mixed(std::uint64_t number) {
    number += 0x9E3779B97F4A7C15U;
    number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31U);
}

std::uint64_t digest_of(const Call& call) {
    std::uint64_t digest = 0;
    for_each_part(call, [&](const Part& part) { digest = mixed(digest + part.value); });
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

}  // namespace npunet::generators::megatron
