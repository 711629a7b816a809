#include "generators/megatron/logs/run_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/json_document.h"
#include "generators/transformer/plan_names.h"

namespace npunet::generators::megatron {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t any_number = std::int64_t{1} << 40;

/// One object of the file, key by key.
class Section {
public:
    Section(const Json& json, std::string file, std::string prefix)
        : json_(json), file_(std::move(file)), prefix_(std::move(prefix)) {
        if (!json.is_object()) {
            throw InputError({file_, prefix_, json_excerpt(json),
                              "an object with the run's settings",
                              "Copy the folder again, or record or make it again"});
        }
    }

    [[nodiscard]] bool has(const char* key) const {
        const auto found = json_.find(key);
        return found != json_.end() && !found->is_null();
    }
    [[nodiscard]] const Json& value(const char* key) const {
        if (!has(key)) {
            fail(key, "nothing", "a value");
        }
        return json_[key];
    }
    [[nodiscard]] std::int64_t number(const char* key, std::int64_t least) const {
        const Json& json = value(key);
        const std::string expected = fmt::format("a whole number from {} to {}", least, any_number);
        if (!json.is_number_integer() ||
            (json.is_number_unsigned() &&
             json.get<std::uint64_t>() > static_cast<std::uint64_t>(any_number))) {
            fail(key, json_excerpt(json), expected);
        }
        const auto number = json.get<std::int64_t>();
        if (number < least) {
            fail(key, json_excerpt(json), expected);
        }
        return number;
    }
    [[nodiscard]] std::int64_t number(const char* key, std::int64_t least,
                                      std::int64_t otherwise) const {
        return has(key) ? number(key, least) : otherwise;
    }
    [[nodiscard]] std::string text(const char* key) const {
        const Json& json = value(key);
        if (!json.is_string()) {
            fail(key, json_excerpt(json), "text");
        }
        return json.get<std::string>();
    }
    [[nodiscard]] bool flag(const char* key, bool otherwise) const {
        if (!has(key)) {
            return otherwise;
        }
        const Json& json = value(key);
        if (!json.is_boolean()) {
            fail(key, json_excerpt(json), "true or false");
        }
        return json.get<bool>();
    }
    [[nodiscard]] Section section(const char* key) const {
        return {value(key), file_, place_of(key)};
    }
    /// One of the names; the number of its place.
    template <class Value>
    [[nodiscard]] Value named(const char* key, Value otherwise,
                              std::initializer_list<std::pair<const char*, Value>> names) const {
        if (!has(key)) {
            return otherwise;
        }
        const std::string name = text(key);
        std::string all = "one of ";
        for (const auto& [known, meant] : names) {
            if (name == known) {
                return meant;
            }
            all += fmt::format("{}{}", all.size() == 7 ? "" : ", ", known);
        }
        fail(key, json_excerpt(value(key)), all);
    }

    [[noreturn]] void fail(const char* key, std::string found, std::string expected) const {
        throw InputError({file_, place_of(key), std::move(found), std::move(expected),
                          "Correct the value, or record or make the logs again"});
    }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] std::string place_of(const char* key) const {
        return prefix_.empty() ? key : prefix_ + "." + key;
    }

private:
    const Json& json_;
    std::string file_;
    std::string prefix_;
};

/// model_config of the file.
GenstackSizes sizes_of(const Section& config) {
    const Section model = config.section("model_config");
    return {model.number("hidden_size", 1), model.number("num_layers", 1),
            model.number("num_attention_heads", 1), model.number("seq_length", 1)};
}

bool has_sizes(const ModelSpec& model, const GenstackSizes& sizes) {
    return model.hidden == sizes.hidden && model.layers == sizes.layers &&
           model.heads == sizes.heads && model.seq == sizes.seq;
}

TrainingRun genstack_run_of(const Section& config) {
    const std::string name = config.text("model_size");
    const GenstackSizes sizes = sizes_of(config);
    const std::vector<std::string>& known = genstack_models();
    if (std::find(known.begin(), known.end(), name) != known.end()) {
        TrainingRun run = genstack_run(name);
        if (has_sizes(run.model, sizes)) {
            return run;
        }
    }
    if (sizes.hidden % sizes.heads != 0) {
        config.fail("model_config",
                    fmt::format("{} heads, hidden size {}", sizes.heads, sizes.hidden),
                    "heads that divide the hidden size");
    }
    return genstack_run(name, sizes);
}

TrainingRun npunet_run_of(const Section& config, const std::string& model_file) {
    const std::string name = config.text("model_size");
    TrainingRun run = npunet_run(model_file.empty() ? name : model_file);
    run.model_size = name;
    const GenstackSizes sizes = sizes_of(config);
    // The sequence is the run's, the rest the model's.
    run.model.seq = sizes.seq;
    if (!has_sizes(run.model, sizes)) {
        config.fail("model_config",
                    fmt::format("hidden size {}, {} layers, {} heads", sizes.hidden, sizes.layers,
                                sizes.heads),
                    fmt::format("those of model {}: {}, {}, {}", run.model_size, run.model.hidden,
                                run.model.layers, run.model.heads));
    }
    return run;
}

void take_npunet_keys(const Section& config, TrainingRun& run) {
    Parallelism& parallelism = run.parallelism;
    parallelism.ep = config.number("expert_model_parallel_size", 1, 1);
    parallelism.etp = config.number("expert_tensor_parallel_size", 0, 0);
    run.vpp = config.number("virtual_pipeline_model_parallel_size", 1, 1);
    if (config.has("rank_order")) {
        parallelism.rank_order = rank_order_named(
            config.text("rank_order"), config.file() + ": " + config.place_of("rank_order"));
    }
    run.sequence_parallel = config.flag("sequence_parallel", false);
    run.distributed_optimizer = config.flag("use_distributed_optimizer", false);
    run.overlap_grad_reduce = config.flag("overlap_grad_reduce", false);
    run.overlap_param_gather = config.flag("overlap_param_gather", false);
    run.overlap_p2p = config.flag("overlap_p2p_comm", run.overlap_p2p);
    run.fused_cross_entropy = config.flag("cross_entropy_loss_fusion", false);
    run.context_comm = config.named("cp_comm_type", run.context_comm,
                                    {{"p2p", ContextComm::PointToPoint},
                                     {"all_gather", ContextComm::AllGather},
                                     {"a2a", ContextComm::AllToAll}});
    run.micro_batch_group = config.number("microbatch_group_size_per_vp_stage", 0, 0);
    run.attention_mask = config.flag("create_attention_mask_in_dataloader", false);
    run.vocab_divisible_by =
        config.number("make_vocab_size_divisible_by", 0, run.vocab_divisible_by);
    run.dtype = config.named(
        "params_dtype", run.dtype,
        {{"bf16", DataType::BFloat16}, {"fp16", DataType::Float16}, {"fp32", DataType::Float32}});
}

void take_sizes(const Section& config, TrainingRun& run) {
    Parallelism& parallelism = run.parallelism;
    parallelism.dp = config.number("data_parallel_size", 1);
    parallelism.tp = config.number("tensor_model_parallel_size", 1);
    parallelism.pp = config.number("pipeline_model_parallel_size", 1);
    parallelism.cp = config.number("context_parallel_size", 1, 1);
    run.micro_batches = config.number("num_micro_batches", 1);
    run.global_batch_size = config.number("global_batch_size", 1);
    run.seed = config.number("seed", -any_number);
    run.timestamp = config.text("timestamp");
}

void check_world(const Section& config, const TrainingRun& run) {
    const Parallelism& parallelism = run.parallelism;
    // Bounds the degrees, so that their product cannot overflow.
    check_parallelism(parallelism);
    const std::int64_t world = config.number("world_size", 1);
    if (world != parallelism.world()) {
        config.fail(
            "world_size", fmt::format("{}", world),
            fmt::format("dp {} x tp {} x pp {} x cp {} = {}", parallelism.dp, parallelism.tp,
                        parallelism.pp, parallelism.cp, parallelism.world()));
    }
}

}  // namespace

TrainingRun read_run_config(const Json& json, const std::string& file,
                            const std::string& model_file) {
    const Section config(json, file, "");
    const auto dialect =
        config.named("dialect", Dialect::Genstack,
                     {{"genstack", Dialect::Genstack}, {"npunet", Dialect::Npunet}});
    const bool genstack = dialect == Dialect::Genstack;
    TrainingRun run = genstack ? genstack_run_of(config) : npunet_run_of(config, model_file);
    run.dialect = dialect;
    take_sizes(config, run);
    run.writes_context_size = genstack && config.has("context_parallel_size");
    if (!genstack) {
        take_npunet_keys(config, run);
    }
    check_world(config, run);
    return run;
}

}  // namespace npunet::generators::megatron
