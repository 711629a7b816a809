#include "generators/megatron/logs/run_config.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>

#include "generators/transformer/plan_names.h"

namespace npunet::generators::megatron {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view log_prefix = "comm_log_rank_";

const char* dtype_of(const TrainingRun& run) {
    return run.dtype == DataType::BFloat16  ? "bf16"
           : run.dtype == DataType::Float16 ? "fp16"
                                            : "fp32";
}

void add_switches(OrderedJson& config, const TrainingRun& run) {
    const Parallelism& p = run.parallelism;
    config["dialect"] = "npunet";
    config["expert_model_parallel_size"] = p.ep;
    config["expert_tensor_parallel_size"] = p.expert_tensor();
    config["virtual_pipeline_model_parallel_size"] = run.vpp;
    config["rank_order"] = rank_order_name(p.rank_order);
    config["sequence_parallel"] = run.sequence_parallel;
    config["use_distributed_optimizer"] = run.distributed_optimizer;
    config["overlap_grad_reduce"] = run.overlap_grad_reduce;
    config["overlap_param_gather"] = run.overlap_param_gather;
    config["overlap_p2p_comm"] = run.overlap_p2p;
    config["cross_entropy_loss_fusion"] = run.fused_cross_entropy;
    config["cp_comm_type"] = context_comm_names()[static_cast<std::size_t>(run.context_comm)];
    config["microbatch_group_size_per_vp_stage"] = run.micro_batch_group;
    config["create_attention_mask_in_dataloader"] = run.attention_mask;
    config["make_vocab_size_divisible_by"] = run.vocab_divisible_by;
    config["params_dtype"] = dtype_of(run);
}

OrderedJson config_of(const TrainingRun& run) {
    const Parallelism& p = run.parallelism;
    const bool genstack = run.dialect == Dialect::Genstack;
    OrderedJson config;
    config["model_size"] = run.model_size;
    config["model_config"] = {{"hidden_size", run.model.hidden},
                              {"num_layers", run.model.layers},
                              {"num_attention_heads", run.model.heads},
                              {"seq_length", run.model.seq}};
    config["data_parallel_size"] = p.dp;
    config["tensor_model_parallel_size"] = p.tp;
    config["pipeline_model_parallel_size"] = p.pp;
    if (!genstack || run.writes_context_size) {
        config["context_parallel_size"] = p.cp;
    }
    config["world_size"] = run.world();
    config["seed"] = run.seed;
    config["timestamp"] = run.timestamp;
    config["num_micro_batches"] = run.micro_batches;
    config["global_batch_size"] = run.global_batch_size;
    if (!genstack) {
        add_switches(config, run);
    }
    return config;
}

/// ASCII, as Python writes it; bytes that are not UTF-8 become the replacement character.
std::string document_text(const OrderedJson& document) {
    return document.dump(2, ' ', true, OrderedJson::error_handler_t::replace);
}

}  // namespace

std::string config_text(const TrainingRun& run) {
    return document_text(config_of(run));
}

std::string summary_text(const TrainingRun& run) {
    OrderedJson summary{{"config", config_of(run)}, {"log_files", OrderedJson::array()}};
    for (std::int64_t rank = 0; rank < run.world(); ++rank) {
        summary["log_files"].push_back(log_name(rank));
    }
    return document_text(summary);
}

std::string log_name(std::int64_t rank) {
    return std::string(log_prefix) + std::to_string(rank) + ".json";
}

std::optional<std::int64_t> rank_of_log(std::string_view name) {
    const auto drop_end = [&](std::string_view end) {
        if (name.size() >= end.size() && name.substr(name.size() - end.size()) == end) {
            name.remove_suffix(end.size());
            return true;
        }
        return false;
    };
    drop_end(".gz");
    if (!drop_end(".json") || name.substr(0, log_prefix.size()) != log_prefix) {
        return std::nullopt;
    }
    name.remove_prefix(log_prefix.size());
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    if (error != std::errc{} || end != name.data() + name.size() || rank < 0) {
        return std::nullopt;
    }
    return rank;
}

}  // namespace npunet::generators::megatron
