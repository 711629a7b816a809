#include "generators/transformer/parameter_sync.h"

#include <utility>

#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

ParameterSync::ParameterSync(RoleBuilder& builder, const DataTypes& dtypes, const Plan& plan)
    : builder_(builder),
      dtypes_(dtypes),
      zero_(plan.zero),
      overlap_sums_(plan.overlap_grad_reduce || plan.zero == 3),
      overlap_gathers_(plan.overlap_param_gather),
      replicas_{Replicas{gradient_group, "", {}}, Replicas{expert_gradient_group, "expert_", {}}} {}

void ParameterSync::add_unit(const std::string& name, const UnitParameters& parameters) {
    index_[name] = units_.size();
    units_.push_back({name, {parameters.dense, parameters.experts}});
}

std::int64_t ParameterSync::shard(const Replicas& replicas, std::int64_t parameters) const {
    return largest_share(parameters, builder_.group_size(replicas.slot));
}

void ParameterSync::sum(const Unit& unit, const std::string& prefix) {
    builder_.set_scope(prefix);
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
        Replicas& replicas = replicas_[i];
        const bool scatters = zero_ > 0;
        const std::string name = unit.name + "_" + replicas.prefix + "gradients_" +
                                 (scatters ? "reduce_scatter" : "all_reduce");
        const Collective what{
            replicas.slot,
            scatters ? chakra::CollectiveType::ReduceScatter : chakra::CollectiveType::AllReduce,
            unit.parameters[i] * dtypes_.gradients, element_type(dtypes_.gradients)};
        replicas.last = builder_.start(name, what, replicas.last);
    }
}

ParameterSync::Gathers ParameterSync::gather(const Unit& unit, const std::string& prefix) {
    builder_.set_scope(prefix);
    Gathers gathers;
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
        Replicas& replicas = replicas_[i];
        replicas.last = builder_.start(
            unit.name + "_" + replicas.prefix + "weights_all_gather",
            {replicas.slot, chakra::CollectiveType::AllGather,
             shard(replicas, unit.parameters[i]) * dtypes_.weights, element_type(dtypes_.weights)},
            replicas.last);
        gathers[i] = replicas.last;
    }
    return gathers;
}

ParameterSync::Gathers ParameterSync::gather_use(std::size_t number) {
    const std::string& use = expected_[number];
    const std::size_t blank = use.find(' ');
    return gather(units_[index_.at(use.substr(0, blank))], use.substr(blank + 1));
}

void ParameterSync::wait(Gathers& gathers) {
    for (Pending& pending : gathers) {
        builder_.wait(pending);
        pending = {};
    }
}

void ParameterSync::begin_step() {
    if (!overlap_gathers_ || zero_ == 3) {
        return;
    }
    for (std::size_t i = 0; i < units_.size(); ++i) {
        early_[i] = gather(units_[i], "");
    }
}

void ParameterSync::use(const std::string& unit, const std::string& use) {
    if (zero_ < 3) {
        if (const auto found = early_.find(index_.at(unit)); found != early_.end()) {
            wait(found->second);
            early_.erase(found);
        }
        return;
    }
    const std::size_t number = recorded_.size();
    recorded_.push_back(unit + " " + use);
    if (expected_.empty()) {
        return;
    }
    if (number == 0) {
        next_ = gather_use(0);
    }
    wait(next_);
    if (number + 1 < expected_.size()) {
        next_ = gather_use(number + 1);
    }
}

void ParameterSync::ready(const std::string& unit, const std::string& use, bool complete) {
    const std::size_t number = index_.at(unit);
    if (zero_ == 3) {
        sum(units_[number], use);
    } else if (complete && overlap_sums_) {
        sum(units_[number], "");
    } else if (complete) {
        complete_.push_back(number);
    }
}

void ParameterSync::finish_gradients() {
    for (const std::size_t unit : complete_) {
        sum(units_[unit], "");
        for (const Replicas& replicas : replicas_) {
            builder_.wait(replicas.last);
        }
    }
    complete_.clear();
    for (const Replicas& replicas : replicas_) {
        builder_.wait(replicas.last);
    }
    builder_.set_scope("");
}

void ParameterSync::finish_step() {
    if (zero_ == 0 || zero_ == 3 || overlap_gathers_) {
        return;
    }
    for (const Unit& unit : units_) {
        Gathers gathers = gather(unit, "");
        wait(gathers);
    }
}

std::int64_t ParameterSync::held(bool shards) const {
    std::int64_t sum = 0;
    for (const Unit& unit : units_) {
        for (std::size_t i = 0; i < replicas_.size(); ++i) {
            sum += shards ? shard(replicas_[i], unit.parameters[i]) : unit.parameters[i];
        }
    }
    return sum;
}

std::int64_t ParameterSync::optimizer_parameters() const {
    return held(zero_ > 0);
}

std::int64_t ParameterSync::gradient_parameters() const {
    return held(zero_ > 1);
}

std::int64_t ParameterSync::gradient_elements(std::int64_t parameters) const {
    return zero_ == 3 ? shard(replicas_[0], parameters) : parameters;
}

}  // namespace npunet::generators
