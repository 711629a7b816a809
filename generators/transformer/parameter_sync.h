// What replicas exchange about parameters: sums of gradients and, with ZeRO, gathered weights.
//
// A unit (a decoder layer, the embedding, the head) has dense parameters, replicated over the
// gradient group, and those of the rank's experts, replicated over the expert-gradient group; each
// goes in a collective of its own. P = the unit's parameters of this rank in one of the two, n =
// the members of that group, g and w = bytes of a gradient and of a weight. By Plan::zero
// (Rajbhandari et al. 2020; Megatron-LM's distributed optimizer; FSDP, Zhao et al. 2023):
//
// | zero | gradients                             | weights                                     |
// | 0    | all-reduce P g, once a step           | -                                           |
// | 1, 2 | reduce-scatter P g, once a step       | all-gather, own part ceil(P/n) w, once      |
// | 3    | reduce-scatter P g, each micro-batch  | the same, each use: twice each micro-batch  |
//
// Where n does not divide P the last shard is padded; reduce-scatters count their exact bytes.
//
// Gradients without overlap: all units follow the whole backward pass; with it a unit's collective
// starts when the last micro-batch's backward of that unit is done. Weights at zero 1 and 2: after
// the optimizer, or, with overlap_param_gather, from the beginning of the step on, unit by unit in
// the order of the forward pass, each waited for at its first use: in a row of equal steps the
// gathers of one optimizer step overlap the next forward pass. At zero 3 everything overlaps: while
// a unit is at work the next one's weights are gathered, one unit ahead. On each communicator all
// this goes one after the other, as on one stream.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generators/role_builder.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"

namespace npunet::generators {

/// What a member keeps of parameters that `members` share: ceil(P/n).
[[nodiscard]] constexpr std::int64_t largest_share(std::int64_t parameters, std::int64_t members) {
    return (parameters + members - 1) / members;
}

/// Parameters of one unit on one rank.
struct UnitParameters {
    std::int64_t dense = 0;
    std::int64_t experts = 0;
};

class ParameterSync {
public:
    /// `builder` has to outlive this.
    ParameterSync(RoleBuilder& builder, const DataTypes& dtypes, const Plan& plan);

    /// Units are added in the order of the forward pass.
    void add_unit(const std::string& name, const UnitParameters& parameters);

    /// The uses that will come, as a rehearsal recorded them: zero 3 needs them to gather ahead.
    void expect(std::vector<std::string> uses) { expected_ = std::move(uses); }
    [[nodiscard]] const std::vector<std::string>& recorded() const { return recorded_; }

    void begin_step();
    /// What follows needs the weights of `unit`. `use` tells one use from the others: "mb0_".
    void use(const std::string& unit, const std::string& use);
    /// A micro-batch's gradients of `unit` are there; `complete`: it was the last micro-batch.
    void ready(const std::string& unit, const std::string& use, bool complete);
    /// The backward pass is over; what follows needs all sums.
    void finish_gradients();
    /// The optimizer has made new weights.
    void finish_step();

    /// Of all units: those whose optimizer states the rank holds.
    [[nodiscard]] std::int64_t optimizer_parameters() const;
    /// Of all units: those whose gradients the rank holds.
    [[nodiscard]] std::int64_t gradient_parameters() const;
    /// The rank's part of a dense gradient that takes part in sums beside those here.
    [[nodiscard]] std::int64_t gradient_elements(std::int64_t parameters) const;

private:
    /// One of the two communicators, and the last operation on it.
    struct Replicas {
        std::int32_t slot = 0;
        const char* prefix = "";
        Pending last;
    };
    struct Unit {
        std::string name;
        std::array<std::int64_t, 2> parameters{};  ///< by replicas_
    };
    using Gathers = std::array<Pending, 2>;

    [[nodiscard]] std::int64_t shard(const Replicas& replicas, std::int64_t parameters) const;
    [[nodiscard]] std::int64_t held(bool shards) const;
    void sum(const Unit& unit, const std::string& prefix);
    Gathers gather(const Unit& unit, const std::string& prefix);
    Gathers gather_use(std::size_t number);
    void wait(Gathers& gathers);

    RoleBuilder& builder_;
    DataTypes dtypes_;
    std::int64_t zero_;
    bool overlap_sums_;
    bool overlap_gathers_;
    std::array<Replicas, 2> replicas_;
    std::vector<Unit> units_;
    std::map<std::string, std::size_t> index_;
    std::vector<std::size_t> complete_;     ///< units whose sums wait for the end
    std::map<std::size_t, Gathers> early_;  ///< by unit: gathers since the beginning of the step
    std::vector<std::string> expected_;     ///< "unit use"
    std::vector<std::string> recorded_;
    Gathers next_;
};

}  // namespace npunet::generators
