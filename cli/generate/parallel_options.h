// Command-line options of the parallel plan beyond its degrees: how parts of a sequence exchange
// keys and values, experts, what replicas share, the order of ranks.
//
//     ParallelOptions options;
//     options.add_to(command, "Plan");
//     options.apply(model, plan);      // after parsing
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"

namespace npunet::cli {

class ParallelOptions {
public:
    /// Declares the options in a group of the help. This object must outlive `command`.
    void add_to(CLI::App& command, const std::string& group);

    /// Of what is drawn: which experts are popular. A command that draws nothing else declares
    /// --seed for it; one that simulates has a --seed of its own for all that is drawn.
    void add_seed_to(CLI::App& command, const std::string& group);
    void set_seed(std::uint64_t seed) { seed_ = seed; }

    /// Puts in what was given into a plan that has its mode. Throws InputError.
    void apply(generators::ModelSpec& model, generators::Plan& plan) const;

private:
    void add_replica_options(CLI::App& command, const std::string& group);
    void add_expert_options(CLI::App& command, const std::string& group);
    void apply_to_experts(generators::ModelSpec& model) const;

    std::string context_comm_ = "p2p";
    std::string rank_order_ = "tp-cp-ep-dp-pp";
    std::int64_t zero_ = 0;
    bool distributed_optimizer_ = false;
    bool overlap_grad_reduce_ = false;
    bool overlap_param_gather_ = false;
    std::optional<std::string> grad_dtype_;
    std::int64_t ep_ = 1;
    std::optional<std::int64_t> etp_;
    std::optional<std::string> routing_;
    std::optional<double> capacity_factor_;
    std::uint64_t seed_ = 1;
};

}  // namespace npunet::cli
