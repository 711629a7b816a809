#include "study/sweep/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/suggest.h"
#include "base/units.h"
#include "engine/machine/dialect.h"
#include "generators/collective_benchmark.h"
#include "generators/transformer/layer_split.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/moe_routing.h"
#include "generators/transformer/plan_names.h"
#include "study/simulation_run.h"
#include "topology/yaml/machine.h"

namespace npunet::study {

namespace {

namespace fs = std::filesystem;

/// Names of one thing, of which a spec may give one.
const std::vector<std::pair<std::string, std::string>> synonyms{
    {"sp", "cp"}, {"distributed_optimizer", "zero"}, {"activation_recompute", "recompute"}};

/// A decimal number; nothing for other text.
std::optional<double> parse_factor(const std::string& text) {
    double number = 0.0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    return error == std::errc{} && end == last ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse(const Source& source, const std::string& found,
                         const std::string& expected, const std::string& remedy = "") {
    throw InputError({source.file, source.place, found, expected, remedy});
}

Parameter count(const char* name, Section section, void (*apply)(StepInputs&, std::int64_t),
                bool task = false, std::int64_t least = 1) {
    return {name, section, ValueKind::Count, least, {}, apply, task};
}

Parameter plain(const char* name, ValueKind kind, Section section, bool task = false) {
    return {name, section, kind, 0, {}, nullptr, task};
}

/// `apply` gets the position of the word.
Parameter word(const char* name, Section section, std::vector<std::string> words,
               void (*apply)(StepInputs&, std::int64_t), bool task = false) {
    return {name, section, ValueKind::Word, 0, std::move(words), apply, task};
}

Parameter toggle(const char* name, void (*apply)(StepInputs&, std::int64_t)) {
    return {name, Section::Plan, ValueKind::Switch, 0, {}, apply};
}

void require_experts(const StepInputs& step, const char* name) {
    if (step.model.moe.experts == 0) {
        throw InputError({name, "", fmt::format("model {} without experts", step.model.name),
                          "a model with a mixture of experts", ""});
    }
}

/// Where tokens go is the data's, and so another task.
std::vector<Parameter> expert_parameters() {
    Parameter routing = plain("moe_routing", ValueKind::Routing, Section::Plan, true);
    routing.apply_value = [](StepInputs& step, const Value& value) {
        require_experts(step, "moe_routing");
        step.model.moe.routing =
            generators::routing_named(value.path.empty() ? value.text : value.path, "moe_routing");
    };
    Parameter capacity = plain("capacity_factor", ValueKind::Factor, Section::Plan, true);
    capacity.apply_value = [](StepInputs& step, const Value& value) {
        require_experts(step, "capacity_factor");
        step.model.moe.capacity_factor = *parse_factor(value.text);
    };
    return {
        routing, capacity,
        count(
            "seed", Section::Plan,
            [](StepInputs& s, auto n) { s.plan.seed = static_cast<std::uint64_t>(n); }, true, 0)};
}

Parameter layers_parameter() {
    Parameter layers = plain("pp_layers", ValueKind::Layers, Section::Plan);
    layers.apply_value = [](StepInputs& step, const Value& value) {
        step.plan.pp_layers = generators::layer_counts(value.text, "pp_layers");
    };
    return layers;
}

std::vector<Parameter> model_parameters() {
    using generators::AttentionKernel;
    using generators::CausalFlops;
    using Step = StepInputs;
    Parameter overlap = plain("tp_comm_overlap", ValueKind::Factor, Section::Plan);
    overlap.apply_value = [](StepInputs& step, const Value& value) {
        step.plan.tp_comm_overlap = *parse_factor(value.text);
    };
    return {
        plain("model", ValueKind::Model, Section::Workload, true),
        count(
            "batch", Section::WorkloadOrPlan, [](Step& s, auto n) { s.plan.batch = n; }, true),
        count(
            "seq", Section::Workload, [](Step& s, auto n) { s.plan.sequence = n; }, true),
        count(
            "make_vocab_size_divisible_by", Section::Workload,
            [](Step& s, auto n) { s.model.vocab_divisible_by = n; }, true, 0),
        count("micro_batch", Section::WorkloadOrPlan,
              [](Step& s, auto n) { s.plan.micro_batch = n; }),
        count("dp", Section::Plan, [](Step& s, auto n) { s.plan.dp = n; }),
        count("tp", Section::Plan, [](Step& s, auto n) { s.plan.tp = n; }),
        count("cp", Section::Plan, [](Step& s, auto n) { s.plan.cp = n; }),
        count("sp", Section::Plan, [](Step& s, auto n) { s.plan.cp = n; }),
        count("pp", Section::Plan, [](Step& s, auto n) { s.plan.pp = n; }),
        {"schedule", Section::Plan, ValueKind::Word, 0, generators::schedule_names(),
         [](Step& s, std::int64_t n) {
             s.plan.schedule = generators::schedules()[static_cast<std::size_t>(n)].second;
         }},
        count("vpp", Section::Plan, [](Step& s, auto n) { s.plan.vpp = n; }),
        layers_parameter(),
        count(
            "first_stage_layers", Section::Plan,
            [](Step& s, auto n) { s.plan.first_stage_layers = n; }, false, 0),
        count(
            "last_stage_layers", Section::Plan,
            [](Step& s, auto n) { s.plan.last_stage_layers = n; }, false, 0),
        toggle("sequence_parallel", [](Step& s, auto n) { s.plan.sequence_parallel = n != 0; }),
        toggle("overlap_grad_reduce", [](Step& s, auto n) { s.plan.overlap_grad_reduce = n != 0; }),
        word("recompute", Section::Plan, {"none", "selective", "full"},
             [](Step& s, auto n) { s.plan.recompute = static_cast<generators::Recompute>(n); }),
        word("causal_flops", Section::Plan, {"auto", "full", "half"},
             [](Step& s, auto n) { s.plan.causal_flops = static_cast<CausalFlops>(n); }),
        word("attention_backward", Section::Plan, {"kernel", "model"},
             [](Step& s, auto n) {
                 s.plan.attention_backward = static_cast<generators::AttentionBackward>(n);
             }),
        word("attention_kernel", Section::Plan, {"auto", "fused", "unfused"},
             [](Step& s, auto n) { s.plan.attention_kernel = static_cast<AttentionKernel>(n); }),
        word("step_ops", Section::Plan, {"core", "full"},
             [](Step& s, auto n) { s.plan.step_ops = static_cast<generators::StepOps>(n); }),
        word("precision", Section::Plan, {"bf16", "fp8"},
             [](Step& s, auto n) { s.plan.precision = static_cast<generators::Precision>(n); }),
        overlap,
        word("grad_dtype", Section::Plan, {"fp32", "bf16"},
             [](Step& s, auto n) { s.model.dtypes.gradients = n == 0 ? 4 : 2; }),
        word(
            "mode", Section::Workload, {"train", "prefill", "decode"},
            [](Step& s, auto n) { s.plan.mode = static_cast<generators::Mode>(n); }, true),
        count(
            "context", Section::Workload, [](Step& s, auto n) { s.plan.context = n; }, true),
        toggle("overlap_param_gather",
               [](Step& s, auto n) { s.plan.overlap_param_gather = n != 0; }),
        count(
            "zero", Section::Plan, [](Step& s, auto n) { s.plan.zero = n; }, false, 0),
        toggle("distributed_optimizer", [](Step& s, auto n) { s.plan.zero = n; }),
        toggle("activation_recompute",
               [](Step& s, auto n) {
                   s.plan.recompute =
                       n != 0 ? generators::Recompute::Full : generators::Recompute::None;
               }),
        count("ep", Section::Plan, [](Step& s, auto n) { s.plan.ep = n; }),
        count("etp", Section::Plan, [](Step& s, auto n) { s.plan.etp = n; }),
        {"cp_comm", Section::Plan, ValueKind::Word, 0, generators::context_comm_names(),
         [](Step& s, std::int64_t n) {
             s.plan.context_comm = generators::context_comm_named(
                 generators::context_comm_names()[static_cast<std::size_t>(n)]);
         }},
        {"rank_order",
         Section::Plan,
         ValueKind::RankOrder,
         0,
         {},
         [](Step& s, std::int64_t n) { s.plan.rank_order = generators::rank_order_of(n); }},
    };
}

std::vector<Parameter> stage_parameters() {
    using Step = StepInputs;
    const auto size = [](const char* name, void (*apply)(Step&, std::int64_t)) {
        return count(name, Section::Workload, apply, true);
    };
    return {
        size("din", [](Step& s, auto n) { s.stage.din = n; }),
        size("dout", [](Step& s, auto n) { s.stage.dout = n; }),
        size("dmodel", [](Step& s, auto n) { s.stage.dmodel = n; }),
        size("dff", [](Step& s, auto n) { s.stage.dff = n; }),
        size("head", [](Step& s, auto n) { s.stage.head = n; }),
        size("num_stacks", [](Step& s, auto n) { s.stage.num_stacks = n; }),
        size("seq", [](Step& s, auto n) { s.stage.seq = n; }),
        size("batch", [](Step& s, auto n) { s.stage.batch = n; }),
        count("dp", Section::Plan, [](Step& s, auto n) { s.stage.dp = n; }),
        count("tp", Section::Plan, [](Step& s, auto n) { s.stage.tp = n; }),
        count("sp", Section::Plan, [](Step& s, auto n) { s.stage.sp = n; }),
        count("pp", Section::Plan, [](Step& s, auto n) { s.stage.pp = n; }),
        toggle("weight_sharded", [](Step& s, auto n) { s.stage.weight_sharded = n != 0; }),
        toggle("activation_recompute",
               [](Step& s, auto n) { s.stage.activation_recompute = n != 0; }),
    };
}

std::vector<Parameter> collective_parameters() {
    Parameter type = plain("type", ValueKind::Word, Section::Workload, true);
    for (const auto& [name, value] : generators::benchmark_types()) {
        type.words.push_back(name);
    }
    Parameter repeat = count("repeat", Section::Workload, nullptr, true);
    repeat.most = generators::CollectiveBenchmark::most_repetitions;
    return {type, plain("size", ValueKind::Size, Section::Workload, true), repeat};
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.name);
    }
    return names;
}

std::int64_t read_count(const Parameter& parameter, const std::string& text, const Source& source) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < parameter.least ||
        number > parameter.most) {
        refuse(
            source, fmt::format("'{}'", text),
            fmt::format(
                "a whole number from {} to {}", parameter.least,
                parameter.most == std::int64_t{1} << 53 ? "2^53" : std::to_string(parameter.most)));
    }
    return number;
}

std::int64_t position_of(const std::string& text, const std::vector<std::string>& words,
                         const Source& source) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
        refuse(source, fmt::format("'{}'", text), fmt::format("one of {}", fmt::join(words, ", ")),
               did_you_mean(text, words));
    }
    return found - words.begin();
}

std::string existing(const fs::path& folder, const std::string& text, const std::string& suffix,
                     const std::string& what, const Source& source) {
    const fs::path found = text.empty() ? fs::path() : find_upwards(folder, text + suffix);
    if (found.empty()) {
        refuse(source, fmt::format("'{}'", text), what,
               fmt::format("There is no {}{}{}", text, suffix,
                           fs::path(text).is_absolute()
                               ? ""
                               : fmt::format(" in {} or a folder above it", folder.string())));
    }
    const std::string path = found.string();
    return path.substr(0, path.size() - suffix.size());
}

/// Empty for the name of a shipped model.
std::string model_path(const std::string& text, const Source& source, const fs::path& folder) {
    if (generators::is_model_file(text)) {
        return generators::model_file(existing(folder, text, "", "a model file", source)).string();
    }
    return "";
}

/// Runs a check whose InputError is about an option, and says instead where the value stands.
template <class Check>
void check_at(const Source& source, const Check& check) {
    try {
        check();
    } catch (const InputError& error) {
        const InputProblem& problem = error.problem();
        refuse(source, problem.found, problem.expected, problem.remedy);
    }
}

}  // namespace

fs::path find_upwards(const fs::path& folder, const fs::path& path) {
    std::error_code unreadable;
    if (path.is_absolute()) {
        return fs::exists(path, unreadable) ? path : fs::path();
    }
    for (fs::path at = fs::absolute(folder).lexically_normal();; at = at.parent_path()) {
        if (fs::exists(at / path, unreadable)) {
            return at / path;
        }
        if (at == at.parent_path()) {
            return {};
        }
    }
}

std::vector<Parameter> parameters_of(WorkloadKind kind) {
    std::vector<Parameter> parameters;
    if (kind == WorkloadKind::Model) {
        parameters = model_parameters();
        for (Parameter& parameter : expert_parameters()) {
            parameters.push_back(std::move(parameter));
        }
    } else if (kind == WorkloadKind::Stage) {
        parameters = stage_parameters();
    } else if (kind == WorkloadKind::Collective) {
        parameters = collective_parameters();
    } else {
        parameters = {plain("prefix", ValueKind::Prefix, Section::Workload),
                      plain("comm_group", ValueKind::File, Section::Workload)};
    }
    parameters.push_back(plain("system", ValueKind::File, Section::Machine));
    parameters.push_back(plain("network", ValueKind::File, Section::Machine));
    parameters.push_back(plain("dialect", ValueKind::Dialect, Section::Machine, true));
    parameters.push_back(plain("fidelity", ValueKind::Fidelity, Section::Machine, true));
    return parameters;
}

bool are_synonyms(const std::string& a, const std::string& b) {
    return a == b || std::any_of(synonyms.begin(), synonyms.end(), [&](const auto& pair) {
               return (a == pair.first && b == pair.second) ||
                      (a == pair.second && b == pair.first);
           });
}

const Parameter& find_parameter(const std::vector<Parameter>& parameters, const std::string& name,
                                const Source& source) {
    for (const Parameter& parameter : parameters) {
        if (parameter.name == name) {
            return parameter;
        }
    }
    const std::vector<std::string> names = names_of(parameters);
    refuse(source, fmt::format("'{}'", name), fmt::format("one of {}", fmt::join(names, ", ")),
           did_you_mean(name, names));
}

Value read_value(const Parameter& parameter, const std::string& text, const Source& source,
                 const fs::path& folder) {
    Value value;
    value.text = text;
    value.file = source.file;
    value.place = source.place;
    switch (parameter.kind) {
        case ValueKind::Count:
            value.number = read_count(parameter, text, source);
            value.text = std::to_string(*value.number);
            break;
        case ValueKind::Switch:
            // STAGE's scripts write 0 and 1.
            value.text = text == "0" ? "false" : text == "1" ? "true" : text;
            value.number = position_of(value.text, {"false", "true"}, source);
            break;
        case ValueKind::Word:
            value.number = position_of(text, parameter.words, source);
            break;
        case ValueKind::RankOrder:
            check_at(source, [&] {
                value.number =
                    generators::rank_order_number(generators::rank_order_named(text, source.place));
            });
            break;
        case ValueKind::Layers:
            check_at(source, [&] {
                value.text =
                    generators::layer_counts_text(generators::layer_counts(text, source.place));
            });
            break;
        case ValueKind::Size:
            value.number = parse_bytes(text, source.file + ": " + source.place).value();
            break;
        case ValueKind::Factor: {
            constexpr double most = 0x1p20;
            const std::optional<double> factor = parse_factor(text);
            if (!factor || !(*factor >= 0.0 && *factor <= most)) {
                refuse(source, fmt::format("'{}'", text), "a number from 0 to 2^20");
            }
            value.text = fmt::format("{}", *factor);
            break;
        }
        case ValueKind::Routing:
            check_at(source, [&] {
                const generators::Routing routing = generators::routing_named(text, source.place);
                if (routing.kind == generators::Routing::Kind::File) {
                    value.path = existing(folder, text, "",
                                          "uniform, zipf:S or a file of tokens by expert", source);
                } else {
                    value.text = generators::routing_name(routing);
                }
            });
            break;
        case ValueKind::Model:
            value.path = model_path(text, source, folder);
            break;
        case ValueKind::File:
            if (topology::names_machine(text)) {
                check_at(source, [&] { static_cast<void>(topology::read_machine(text, "")); });
                value.path = text;
            } else {
                value.path = existing(folder, text, "", "a file", source);
            }
            break;
        case ValueKind::Prefix:
            value.path = existing(folder, text, ".0.et",
                                  "the prefix of traces PREFIX.0.et, PREFIX.1.et, ...", source);
            break;
        case ValueKind::Dialect:
            check_at(source, [&] { static_cast<void>(engine::Dialect::named(text)); });
            break;
        case ValueKind::Fidelity:
            check_at(source, [&] { static_cast<void>(fidelity_named(text)); });
            break;
    }
    return value;
}

}  // namespace npunet::study
