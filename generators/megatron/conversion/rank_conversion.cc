#include "generators/megatron/conversion/rank_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace npunet::generators::megatron {

namespace {

/// "forward_mb2_chunk1_layer7_attention_projection".
std::string node_name(const ProgramItem& item) {
    std::string name(name_of(item.phase));
    if (item.micro_batch >= 0) {
        name += fmt::format("_mb{}", item.micro_batch);
    }
    if (item.chunk > 0) {
        name += fmt::format("_chunk{}", item.chunk);
    }
    if (item.layer >= 0) {
        name += fmt::format("_layer{}", item.layer);
    }
    name += '_';
    name += item.what;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

}  // namespace

std::string group_name(std::int32_t number) {
    return std::to_string(number + 1);
}

RankConversion::RankConversion(const ConversionOptions& options, Rank rank, NodeVisitor visitor)
    : options_(options), trace_(rank, options.scale, std::move(visitor)) {}

bool RankConversion::leaves_out(Phase phase, const Call& call) const {
    return (phase == Phase::SetUp && !options_.set_up) ||
           (call.operation == Operation::Barrier && !options_.barriers);
}

void RankConversion::add(const ProgramItem& item, std::size_t index, const Call& call) {
    switch (item.kind) {
        case ProgramItem::Kind::Compute:
            compute(item);
            return;
        case ProgramItem::Kind::Wait:
            if (const auto node = in_progress_.extract(item.waited)) {
                trace_.wait(node.mapped());
            }
            return;
        case ProgramItem::Kind::Call:
            break;
    }
    if (leaves_out(item.phase, call) || item.first_of_tensor_only) {
        return;
    }
    const std::uint64_t node = make(call, node_name(item));
    if (call.asynchronous) {
        in_progress_.emplace(index, node);
    }
}

void RankConversion::add_alone(const Call& call, Phase phase) {
    if (leaves_out(phase, call)) {
        return;
    }
    Call made = call;
    made.asynchronous =
        call.operation == Operation::AsyncSend || call.operation == Operation::AsyncReceive;
    if (!made.asynchronous) {
        for (const std::uint64_t node : std::exchange(alone_, {})) {
            trace_.wait(node);
        }
    }
    const std::uint64_t node = make(made, std::string(name_of(call.operation)));
    if (made.asynchronous) {
        alone_.push_back(node);
    }
}

void RankConversion::compute(const ProgramItem& item) {
    if (options_.compute == ComputeSource::None) {
        return;
    }
    ComputeCost cost{item.flops, item.bytes, -1};
    if (options_.compute == ComputeSource::Times) {
        cost.ns = (options_.times->ns(item.what) + item.parts - 1) / item.parts;
    } else {
        totals_.flops += static_cast<double>(item.flops) * options_.scale;
    }
    trace_.compute(node_name(item), cost);
    ++totals_.nodes;
    ++totals_.computations;
}

std::uint64_t RankConversion::make(const Call& call, const std::string& name) {
    std::string group;
    if (is_collective(call.operation)) {
        group = group_name(call.group);
        const auto place = std::lower_bound(groups_.begin(), groups_.end(), call.group);
        if (place == groups_.end() || *place != call.group) {
            groups_.insert(place, call.group);
        }
    }
    ConversionTotals::Kind& kind = totals_.kinds[std::string(name_of(call.operation))];
    ++kind.calls;
    kind.bytes += trace_.comm_size(call);
    ++totals_.nodes;
    return trace_.call(call, group, name);
}

}  // namespace npunet::generators::megatron
