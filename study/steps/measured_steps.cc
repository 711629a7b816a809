#include "study/steps/measured_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/csv_table.h"
#include "base/shipped_files.h"
#include "study/validation/measured_text.h"

namespace npunet::study {

namespace {

constexpr std::int64_t most_gpus = generators::most_ranks;

/// What is known of a GPU by its name.
struct KnownGpu {
    const char* part;  ///< of the name
    const char* device;
    const char* library;
    double intra_gb_s;
    double inter_gb_s;
};
// Links of DGX systems and NVL72 racks, from NVIDIA's data sheets.
constexpr std::array<KnownGpu, 7> known_gpus{{{"a100_40", "a100-sxm4-40gb", "a100", 300, 25},
                                              {"a100-sxm4-40", "a100-sxm4-40gb", "a100", 300, 25},
                                              {"a100", "a100-sxm4-80gb", "a100", 300, 25},
                                              {"h200", "h200", "h200", 450, 50},
                                              {"h100", "h100-sxm5-80gb", "h100", 450, 50},
                                              {"gb200", "gb200", "gb200", 900, 50},
                                              {"b200", "b200", "b200", 900, 50}}};

const KnownGpu* known_gpu(const std::string& name) {
    const auto found = std::find_if(known_gpus.begin(), known_gpus.end(), [&](const KnownGpu& gpu) {
        return has_part(lower_case(name), gpu.part);
    });
    return found == known_gpus.end() ? nullptr : &*found;
}

/// A row of the table, and what it leaves open.
class RowReader {
public:
    RowReader(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}

    MeasuredStep read() {
        step_.id = text("id").empty() ? fmt::format("line {}", table_.line(row_)) : text("id");
        step_.group = text("group");
        step_.gpu = text("gpu");
        step_.unit = text("unit");
        step_.value = number_of(text("value")).value_or(0);
        read_quantity();
        if (step_.quantity == StepQuantity::None) {
            return skip("not a training step");
        }
        if (step_.unit_factor == 0) {
            return skip(fmt::format("unit '{}'", step_.unit));
        }
        if (step_.value <= 0) {
            return skip("the column value has no positive number");
        }
        read_gpu();
        read_plan();
        read_links();
        read_model();
        return std::move(step_);
    }

private:
    [[nodiscard]] const std::string& text(const char* column) const {
        return table_.text(row_, column);
    }

    MeasuredStep skip(std::string reason) {
        if (step_.skipped.empty()) {
            step_.skipped = std::move(reason);
        }
        return step_;
    }

    std::optional<std::int64_t> given(const char* column) {
        const auto value = number_of(text(column));
        constexpr double most = 1e9;  // products of three are counts of 64 bits
        return value && *value >= 0 && *value <= most && *value == std::floor(*value)
                   ? std::optional(static_cast<std::int64_t>(*value))
                   : std::nullopt;
    }

    /// The step cannot be predicted without it.
    std::int64_t needed(const char* column, const char* what) {
        const auto value = given(column);
        if (!value || *value < 1) {
            skip(fmt::format("{} not stated", what));
        }
        return std::max<std::int64_t>(1, value.value_or(1));
    }

    std::int64_t assumed(const char* column, std::int64_t fallback) {
        const auto value = given(column);
        if (!value) {
            step_.assumed.push_back(fmt::format("{} {}", column, fallback));
        }
        return value.value_or(fallback);
    }

    void read_quantity() {
        const std::string& name = text("quantity");
        const std::string& unit = step_.unit;
        const auto factor_if = [&unit](std::string_view wanted) {
            return has_part(unit, wanted) ? 1.0 : 0.0;
        };
        if (name == "iteration_time") {
            step_.quantity = StepQuantity::Time;
            step_.unit_factor = unit == "s" ? 1 : unit == "ms" ? 1e-3 : 0;
        } else if (name == "tokens_per_s_per_gpu") {
            step_.quantity = StepQuantity::TokensPerGpu;
            step_.unit_factor = factor_if("token");
        } else if (name == "sequences_per_s") {
            step_.quantity = StepQuantity::Sequences;
            step_.unit_factor = factor_if("sequence");
        } else if (name == "achieved_tflops_per_gpu") {
            step_.quantity = StepQuantity::AchievedTflops;
            step_.unit_factor = factor_if("TFLOP");
        } else if (name == "mfu") {
            step_.quantity = StepQuantity::Mfu;
            step_.unit_factor = unit == "%" || unit == "percent" ? 1 : unit.empty() ? 100 : 0;
        }
    }

    void read_gpu() {
        const std::string precision = lower_case(text("precision"));
        step_.fp8 = has_part(precision, "fp8") || has_part(precision, "float8");
        if (has_part(precision, "fp4")) {
            skip("no measured rates of fp4");
        }
        const KnownGpu* const gpu = known_gpu(step_.gpu);
        if (gpu == nullptr) {
            skip(fmt::format("no device profile for '{}'", step_.gpu));
            return;
        }
        step_.device = gpu->device;
        step_.library_gpu = gpu->library;
        if (precision.empty()) {
            step_.assumed.emplace_back("precision bf16");
        }
        if (has_part(step_.gpu, "500W")) {
            step_.assumed.emplace_back("a GPU of the full power limit");
        }
    }

    void read_plan() {
        generators::Plan& plan = step_.plan;
        step_.gpus = needed("gpus", "number of GPUs");
        plan.tp = assumed("tp", 1);
        plan.pp = assumed("pp", 1);
        plan.cp = given("cp").value_or(1);
        plan.ep = std::max<std::int64_t>(1, given("ep").value_or(1));
        const bool large = std::max({step_.gpus, plan.tp, plan.pp, plan.cp}) > most_gpus;
        const std::int64_t parts = large ? 0 : plan.tp * plan.pp * plan.cp;
        if (parts < 1 || step_.gpus % parts != 0) {
            skip("tp x pp x cp does not divide the number of GPUs");
            return;
        }
        plan.dp = step_.gpus / parts;
        plan.sequence = needed("seq", "length of sequences");
        plan.batch = needed("global_batch", "global batch");
        plan.micro_batch = needed("micro_batch", "micro-batch");
        if (plan.pp > 1) {
            plan.vpp = assumed("vpp", 1);
        }
        if (plan.vpp > 1) {
            plan.schedule = generators::Schedule::Interleaved;
        }
        if (plan.tp > 1) {
            // Recipes with the distributed optimizer have it.
            const bool recipe = has_part(lower_case(text("zero")), "distributed optimizer");
            plan.sequence_parallel = assumed("sp", recipe ? 1 : 0) != 0;
        }
        const std::string recompute = lower_case(text("recompute"));
        if (has_part(recompute, "selective")) {
            plan.recompute = generators::Recompute::Selective;
        } else if (has_part(recompute, "full")) {
            plan.recompute = generators::Recompute::Full;
        } else if (recompute.empty()) {
            step_.assumed.emplace_back("no recomputation");
        }
        read_zero();
    }

    void read_zero() {
        const std::string zero = lower_case(text("zero"));
        step_.plan.zero = has_part(zero, "distributed optimizer") ? 1
                          : has_part(zero, "fsdp")                ? 3
                                                                  : given("zero").value_or(0);
        if (zero.empty() && step_.plan.dp > 1) {
            step_.assumed.emplace_back("zero 0");
        }
        // llm-foundry's eager loop runs FSDP, or DDP with a sharded optimizer; NeMo has an FSDP of
        // its own.
        const bool nemo = has_part(lower_case(text("source")), "nemo");
        const bool eager =
            (step_.plan.zero == 3 && !nemo) || has_part(lower_case(text("model")), "mpt");
        step_.stack = eager       ? "fsdp-eager"
                      : step_.fp8 ? "megatron-nemo-24-fp8"
                                  : "megatron-nemo-24";
    }

    void read_links() {
        const KnownGpu* const gpu = known_gpu(step_.gpu);
        if (gpu == nullptr) {
            return;
        }
        const std::string& intra = text("intra_link");
        const std::string& inter = text("inter_link");
        const std::int64_t node = std::max<std::int64_t>(1, assumed("gpus_per_node", 8));
        // Racks are filled evenly.
        step_.domain = std::min(has_part(intra, "NVL72") ? std::int64_t{72} : node, step_.gpus);
        while (step_.gpus % step_.domain != 0) {
            --step_.domain;
        }
        step_.intra_gb_s = gpu->intra_gb_s;
        if (const auto rate = number_before(intra, "GB/s")) {
            step_.intra_gb_s = *rate;
        } else {
            step_.assumed.push_back(fmt::format("{} GB/s in a node", step_.intra_gb_s));
        }
        step_.inter_gb_s = gpu->inter_gb_s;
        if (const auto rate = number_before(inter, "Gb/s")) {
            const double nics =
                number_before(inter, " x ")
                    .value_or(has_part(inter, "per GPU") ? static_cast<double>(node) : 1.0);
            step_.inter_gb_s = *rate / 8 * nics / static_cast<double>(node);
        } else if (step_.domain < step_.gpus) {
            step_.assumed.push_back(fmt::format("{} GB/s between nodes", step_.inter_gb_s));
        }
    }

    /// The style of a family of models.
    void read_model() {
        step_.model.name = text("model");
        const std::string name = lower_case(text("model"));
        const bool gpt = has_part(name, "gpt") && !has_part(name, "oss");
        const bool mpt = has_part(name, "mpt");
        const bool nemotron = has_part(name, "nemotron4") || has_part(name, "nemotron-4");
        const bool llama = has_part(name, "llama");
        if (text("hidden").empty() || text("layers").empty()) {
            skip("hidden size or layers not stated");
            return;
        }
        if (has_part(name, "lora")) {
            skip("adapters alone are trained (LoRA)");
            return;
        }
        generators::DenseSizes sizes;
        sizes.layers = needed("layers", "layers");
        share_out_layers(sizes.layers);
        sizes.hidden = needed("hidden", "hidden size");
        sizes.heads = text("heads").empty() ? sizes.hidden / 64 : needed("heads", "heads");
        if (text("heads").empty()) {
            step_.assumed.push_back(fmt::format("heads {}", sizes.heads));
        }
        sizes.kv_heads = given("kv_heads").value_or(sizes.heads);
        const bool llama3 = has_part(name, "llama3") || has_part(name, "llama 3");
        sizes.vocab = llama3 ? assumed("vocab", 128256) : needed("vocab", "vocabulary");
        sizes.seq = step_.plan.sequence;
        if (const auto ffn = number_after(text("notes"), "ffn "); ffn && *ffn >= 1 && *ffn <= 1e9) {
            sizes.ffn = static_cast<std::int64_t>(*ffn);
        }
        if (!sizes.ffn) {
            sizes.ffn = llama ? llama_ffn(sizes.hidden) : 4 * sizes.hidden;
            if (llama) {
                step_.assumed.push_back(fmt::format("ffn {}", *sizes.ffn));
            }
        }
        if (!step_.skipped.empty()) {
            return;
        }
        if (sizes.heads < 1 || sizes.hidden % sizes.heads != 0) {
            skip("the heads do not divide the hidden size");
            return;
        }
        step_.model = llama || !(gpt || mpt || nemotron) ? generators::dense_model(sizes)
                                                         : generators::gpt_model(sizes);
        generators::ModelSpec& model = step_.model;
        model.name = text("model");
        model.vocab_divisible_by = 128;
        if (gpt) {
            model.dropout = true;
            model.tied_embeddings = true;
        } else if (mpt) {
            model.biases = {};
            model.tied_embeddings = true;
        } else if (nemotron) {
            model.biases = {};
            model.positions = generators::Positions::Rotary;
            model.tied_embeddings = false;
        } else if (!llama) {
            step_.assumed.emplace_back("a gated MLP, RMS norms, rotary positions");
        }
        if (mpt && has_part(lower_case(text("notes")), "mode pure")) {
            model.dtypes.gradients = 2;
        }
    }

    /// Where they do not divide by the virtual stages, the first and the last have fewer, as
    /// Megatron-LM counts the embedding and the head as layers.
    void share_out_layers(std::int64_t layers) {
        generators::Plan& plan = step_.plan;
        const std::int64_t stages = plan.pp * plan.vpp;
        if (stages < 2 || layers % stages == 0) {
            return;
        }
        const std::int64_t each = (layers + stages - 1) / stages;
        const std::int64_t absent = each * stages - layers;
        plan.first_stage_layers = each - absent / 2;
        plan.last_stage_layers = each - (absent - absent / 2);
        if (plan.first_stage_layers < 1 || plan.last_stage_layers < 1) {
            skip("the virtual stages do not divide the layers");
            return;
        }
        step_.assumed.push_back(fmt::format("{} layers in the first and {} in the last stage",
                                            plan.first_stage_layers, plan.last_stage_layers));
    }

    [[nodiscard]] static std::int64_t llama_ffn(std::int64_t hidden) {
        return hidden == 16384  ? 53248
               : hidden == 8192 ? 28672
               : hidden == 4096 ? 14336
                                : 4 * hidden;
    }

    const CsvTable& table_;
    std::size_t row_;
    MeasuredStep step_;
};

}  // namespace

std::string measured_steps_file() {
    return shipped_path("validation/steps.csv").string();
}

std::vector<MeasuredStep> read_measured_steps(const std::string& path) {
    const CsvTable table = read_measured_table(
        path, "measured training steps",
        "id, gpu, gpus, model, layers, hidden, ..., quantity, value, unit", "validation/steps.csv");
    std::vector<MeasuredStep> steps;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        steps.push_back(RowReader(table, row).read());
    }
    return steps;
}

}  // namespace npunet::study
