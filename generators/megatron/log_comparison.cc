#include "generators/megatron/log_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors.h"
#include "chakra/node.h"

namespace npunet::generators::megatron {

namespace {

constexpr std::size_t most_ranks_told = 16;

std::string described(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

std::string described(const std::vector<Rank>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most_ranks_told); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i].value());
    }
    return ranks.size() > most_ranks_told ? fmt::format("{}, ... ({} in all)", text, ranks.size())
                                          : text;
}

bool is_reduction(Operation operation) {
    switch (operation) {
        case Operation::AllReduce:
        case Operation::ReduceScatter:
        case Operation::ReduceScatterBase:
        case Operation::ReduceScatterTensor:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::string described(const Call& call, const std::vector<Rank>* ranks) {
    std::string text(name_of(call.operation));
    if (call.operation != Operation::Barrier) {
        text += call.has_shape
                    ? fmt::format(" of {}", described(call.shape))
                    : fmt::format(" of {} to {}", described(call.input), described(call.output));
        text += fmt::format(" {}", name_of(call.dtype));
        text += is_reduction(call.operation) ? fmt::format(" {}", name_of(call.reduce_op)) : "";
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
    return ranks == nullptr ? text : fmt::format("{} over ranks {}", text, described(*ranks));
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
           (!is_reduction(logged.operation) || logged.reduce_op == made.reduce_op);
}

void require_convertible(const std::string& file, const LoggedCall& event) {
    const Call& call = event.call;
    const auto refuse = [&](std::string found, std::string expected) {
        throw InputError({file, fmt::format("call_id {}", event.call_id), std::move(found),
                          std::move(expected), ""});
    };
    if (is_collective(call.operation) && call.group < 0) {
        refuse(fmt::format("{} without ranks", name_of(call.operation)),
               "the ranks that take part");
    }
    if (is_receive(call.operation) && !call.peer.valid()) {
        refuse(fmt::format("{} from anybody", name_of(call.operation)),
               "the rank that it comes from");
    }
    const Shape& shape = call.has_shape ? call.shape : call.input;
    const std::int64_t most =
        chakra::largest_comm_size / size_of(call.dtype) / std::max<std::int64_t>(call.inputs, 1);
    if (shape.elements().value_or(most + 1) > most) {
        refuse(described(call, nullptr),
               fmt::format("at most {} bytes", chakra::largest_comm_size));
    }
}

}  // namespace npunet::generators::megatron
