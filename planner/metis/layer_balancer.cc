#include "planner/metis/layer_balancer.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace npunet::planner::metis {

namespace {

constexpr std::size_t cuts = 7;  ///< sub-layers of a layer

constexpr std::int32_t no_lowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t no_highest = std::numeric_limits<std::int32_t>::max();

}  // namespace

LayerBalancer::LayerBalancer(const std::vector<double>& norm, std::int64_t layers)
    : layers_(static_cast<std::size_t>(layers)),
      subs_(layers_ * cuts),
      norm_(norm.begin(), norm.begin() + layers),
      norm_sums_(norm_, layers),
      sub_owner_(subs_),
      owner_(layers_) {
    for (const double share : norm_) {
        share_.insert(share_.end(), cuts, share / static_cast<double>(cuts));
    }
    unassigned_.reserve(subs_);
}

void LayerBalancer::run(const std::vector<double>& performance,
                        std::vector<std::uint16_t>& counts) {
    stages_ = performance.size();
    if (stages_ == 1) {
        counts.assign(1, static_cast<std::uint16_t>(layers_));
        return;
    }
    capacity_ = performance;
    lowest_.assign(stages_, no_lowest);
    highest_.assign(stages_, no_highest);
    give_forward();
    give_backward();
    give_rest();
    own_layers(performance);
    move_layers();
    counts = owned_;
}

void LayerBalancer::give_forward() {
    // The last layer and one sub-layer more stay out of this pass.
    const std::size_t end = subs_ - cuts - 1;
    const double* const shares = share_.data();
    std::int16_t* const owners = sub_owner_.data();
    unassigned_.clear();
    std::size_t sub = 0;
    for (std::size_t stage = 0; stage + 1 < stages_; ++stage) {
        const std::size_t first = sub;
        double capacity = capacity_[stage];
        for (; sub < end && capacity > shares[sub]; ++sub) {
            capacity -= shares[sub];
            owners[sub] = static_cast<std::int16_t>(stage);
        }
        capacity_[stage] = capacity;
        if (sub > first) {
            lowest_[stage] = static_cast<std::int32_t>(first);
            highest_[stage] = static_cast<std::int32_t>(sub) - 1;
        }
        if (sub < end) {
            unassigned_.push_back(static_cast<std::int32_t>(sub));
            ++sub;
        }
    }
    for (; sub < subs_; ++sub) {
        unassigned_.push_back(static_cast<std::int32_t>(sub));
    }
}

/// The last stage takes a layer's worth in any case, then what follows on it downwards.
void LayerBalancer::give_backward() {
    const std::size_t last = stages_ - 1;
    double capacity = capacity_[last];
    auto lowest = static_cast<std::int32_t>(subs_);
    while (!unassigned_.empty() && unassigned_.back() == lowest - 1) {
        const double share = share_[static_cast<std::size_t>(lowest) - 1];
        if (static_cast<std::size_t>(lowest) + cuts <= subs_ && !(capacity > share)) {
            break;
        }
        capacity -= share;
        --lowest;
        unassigned_.pop_back();
    }
    capacity_[last] = capacity;
    lowest_[last] = lowest;
    highest_[last] = static_cast<std::int32_t>(subs_) - 1;
    std::fill(sub_owner_.begin() + lowest, sub_owner_.end(), static_cast<std::int16_t>(last));
}

void LayerBalancer::give(std::int32_t sub_layer, std::size_t stage) {
    capacity_[stage] -= share_[static_cast<std::size_t>(sub_layer)];
    sub_owner_[static_cast<std::size_t>(sub_layer)] = static_cast<std::int16_t>(stage);
    lowest_[stage] = lowest_[stage] == no_lowest ? sub_layer : std::min(lowest_[stage], sub_layer);
    highest_[stage] =
        highest_[stage] == no_highest ? sub_layer : std::max(highest_[stage], sub_layer);
}

/// The stage that ends nearest below a sub-layer; the first where none does. All sub-layers below
/// are given, so that it is mostly the owner of the one before.
std::size_t LayerBalancer::stage_below(std::int32_t sub) const {
    const auto before = static_cast<std::size_t>(sub > 0 ? sub_owner_[at(sub - 1)] : 0);
    if (sub > 0 && highest_[before] == sub - 1) {
        return before;
    }
    std::int32_t below = -1;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
        below = std::max(below, highest_[stage] < sub ? highest_[stage] : -1);
    }
    return below < 0 ? 0 : static_cast<std::size_t>(sub_owner_[at(below)]);
}

/// The stage that begins nearest above a sub-layer; the last where none does. `given` is the next
/// one that is given already.
std::size_t LayerBalancer::stage_above(std::int32_t sub, std::int32_t given) const {
    const auto next = static_cast<std::size_t>(sub_owner_[at(given)]);
    if (lowest_[next] == given) {
        return next;
    }
    const auto none = static_cast<std::int32_t>(subs_);
    std::int32_t above = none;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
        above = std::min(above, lowest_[stage] > sub ? lowest_[stage] : none);
    }
    return above == none ? stages_ - 1 : static_cast<std::size_t>(sub_owner_[at(above)]);
}

/// Each of the rest goes to the stage with most capacity left, from the one that ends nearest below
/// it to the one that begins nearest above it.
void LayerBalancer::give_rest() {
    std::int32_t given = 0;
    for (std::size_t i = 0; i < unassigned_.size(); ++i) {
        const std::int32_t sub = unassigned_[i];
        if (given <= sub) {
            given = sub + 1;
            for (std::size_t j = i + 1; j < unassigned_.size() && unassigned_[j] == given; ++j) {
                ++given;
            }
        }
        const std::size_t first = stage_below(sub);
        const std::size_t last = stage_above(sub, given);
        assert(first <= last);
        std::size_t best = first;
        for (std::size_t stage = first + 1; stage <= last; ++stage) {
            best = capacity_[stage] > capacity_[best] ? stage : best;
        }
        give(sub, best);
    }
}

/// True where seven owners in a row are one: two overlapping groups of four are compared.
bool LayerBalancer::one_owner(const std::int16_t* owners) {
    std::uint64_t front = 0;
    std::uint64_t back = 0;
    std::memcpy(&front, owners, sizeof front);
    std::memcpy(&back, owners + cuts - 4, sizeof back);
    const std::uint64_t all = static_cast<std::uint16_t>(owners[3]) * 0x0001'0001'0001'0001U;
    return front == all && back == all;
}

std::int16_t LayerBalancer::owner_of_most(std::size_t layer) const {
    const std::int16_t* const owners = &sub_owner_[layer * cuts];
    if (one_owner(owners)) {
        return owners[0];
    }
    // The majority vote of Boyer and Moore (1981), and a count to see whether there is one.
    std::int16_t candidate = owners[0];
    int lead = 0;
    for (std::size_t i = 0; i < cuts; ++i) {
        if (lead == 0) {
            candidate = owners[i];
        }
        lead += owners[i] == candidate ? 1 : -1;
    }
    std::size_t votes = 0;
    for (std::size_t i = 0; i < cuts; ++i) {
        votes += owners[i] == candidate ? 1U : 0U;
    }
    return 2 * votes > cuts ? candidate : std::int16_t{-1};
}

void LayerBalancer::own_layers(const std::vector<double>& performance) {
    owned_.assign(stages_, 0);
    for (std::size_t layer = 0; layer < layers_; ++layer) {
        owner_[layer] = owner_of_most(layer);
        if (owner_[layer] >= 0) {
            const auto stage = static_cast<std::size_t>(owner_[layer]);
            const auto number = static_cast<std::int32_t>(layer);
            lowest_[stage] = owned_[stage] == 0 ? number : lowest_[stage];
            highest_[stage] = number;
            ++owned_[stage];
        }
    }
    for (std::size_t stage = 0; stage < stages_; ++stage) {
        capacity_[stage] = performance[stage];
        if (owned_[stage] != 0) {
            capacity_[stage] -= norm_sums_(static_cast<std::size_t>(lowest_[stage]),
                                           static_cast<std::size_t>(highest_[stage]) + 1);
        }
    }
}

/// The neighbour with less capacity left, if it can spare a layer; the number of stages where none.
std::size_t LayerBalancer::neighbour_of(std::size_t stage) const {
    std::size_t neighbour = stages_;
    if (stage > 0) {
        neighbour = stage - 1;
    }
    if (stage + 1 < stages_ &&
        (neighbour == stages_ || tried_capacity_[stage + 1] < tried_capacity_[neighbour])) {
        neighbour = stage + 1;
    }
    return tried_owned_[neighbour] < 2 ? stages_ : neighbour;
}

bool LayerBalancer::move_to(std::size_t stage) {
    const std::size_t neighbour = neighbour_of(stage);
    if (neighbour == stages_) {
        return false;
    }
    const auto from = static_cast<std::int16_t>(neighbour);
    const auto found = neighbour < stage
                           ? std::find(owner_.rbegin(), owner_.rend(), from).base() - 1
                           : std::find(owner_.begin(), owner_.end(), from);
    *found = static_cast<std::int16_t>(stage);
    const double share = norm_[static_cast<std::size_t>(found - owner_.begin())];
    tried_capacity_[stage] -= share;
    tried_capacity_[neighbour] += share;
    ++tried_owned_[stage];
    --tried_owned_[neighbour];
    return true;
}

/// Moves that make the largest capacity left no larger are kept. Metis tries a fourth one too but
/// never keeps it; and when one cannot be made, neither can the next.
void LayerBalancer::move_layers() {
    constexpr int most_moves = 3;
    tried_capacity_ = capacity_;
    tried_owned_ = owned_;
    auto largest = std::max_element(tried_capacity_.begin(), tried_capacity_.end());
    for (int move = 0; move < most_moves; ++move) {
        const double before = *largest;
        if (!move_to(static_cast<std::size_t>(largest - tried_capacity_.begin()))) {
            return;
        }
        largest = std::max_element(tried_capacity_.begin(), tried_capacity_.end());
        if (*largest > before) {
            return;
        }
        owned_ = tried_owned_;
    }
}

}  // namespace npunet::planner::metis
