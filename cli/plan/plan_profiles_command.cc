#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/plan.h"
#include "planner/roofline_profiles.h"
#include "planner/synthetic_hostfile.h"
#include "planner/synthetic_profiles.h"
#include "study/kernel_clock.h"

namespace npunet::cli {

namespace {

using generators::ModelSpec;
using planner::ProfileFile;
using planner::RooflineDevice;
using planner::ScaledType;
using MaybeNumber = std::optional<std::int64_t>;

constexpr std::int64_t largest_batch = 65536;
constexpr const char* system_group = "From a system file";

struct ProfilesOptions {
    std::string from;
    MaybeNumber layers;
    std::int64_t max_batch = 1;
    MaybeNumber max_tp;
    std::vector<std::string> scales;
    std::string folder;
    bool json = false;

    std::optional<std::string> type;
    std::optional<double> intra_bandwidth;
    std::optional<std::string> model;
    MaybeNumber hidden;
    MaybeNumber heads;
    MaybeNumber ffn;
    MaybeNumber vocabulary;
    MaybeNumber sequence;
};

/// "V100=3.5".
ScaledType scale_from(const std::string& text) {
    const std::size_t sign = text.find('=');
    const std::string type = text.substr(0, sign);
    const std::string factor = sign == std::string::npos ? "" : text.substr(sign + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(factor.data(), factor.data() + factor.size(), value);
    if (!planner::is_type_name(type) || factor.empty() || error != std::errc{} ||
        end != factor.data() + factor.size() || !(value >= 1e-6 && value <= 1e6)) {
        throw InputError({"--scale", "", fmt::format("'{}'", text),
                          "TYPE=FACTOR: letters and digits, and a number from 1e-06 to 1e+06",
                          "For example V100=3.5"});
    }
    return {type, value};
}

/// What only profiles from a system file need.
void refuse_beside_samples(const ProfilesOptions& options) {
    const std::vector<std::pair<const char*, bool>> given{
        {"--type", options.type.has_value()},
        {"--intra-bandwidth", options.intra_bandwidth.has_value()},
        {"--model", options.model.has_value()},
        {"--hidden", options.hidden.has_value()},
        {"--heads", options.heads.has_value()},
        {"--ffn", options.ffn.has_value()},
        {"--vocab", options.vocabulary.has_value()},
        {"--seq", options.sequence.has_value()}};
    for (const auto& [option, is_given] : given) {
        if (is_given) {
            throw InputError({option, "", fmt::format("beside --from {}, a folder", options.from),
                              "samples alone: they tell device and model",
                              "Leave it out, or give a system file"});
        }
    }
}

std::vector<ProfileFile> from_samples(const ProfilesOptions& options) {
    refuse_beside_samples(options);
    const std::vector<ProfileFile> samples = planner::read_profile_files(options.from);
    const auto sampled = static_cast<std::int64_t>(samples.front().layer_ms.size());
    return planner::stretched_profiles(samples,
                                       {options.layers.value_or(sampled), options.max_batch,
                                        options.max_tp.value_or(options.max_batch)});
}

std::int64_t of_model(const MaybeNumber& value, const char* option) {
    if (!value) {
        throw InputError({option, "", "no value", "a model",
                          "Give --model NAME, or --hidden, --vocab, --seq "
                          "and --total-layers"});
    }
    return *value;
}

/// A GPT: two-matrix MLP, layer norms, biases, learned positions, heads of 128 channels.
ModelSpec plain_model(const ProfilesOptions& options) {
    constexpr std::int64_t channels = 128;
    generators::DenseSizes sizes;
    sizes.hidden = of_model(options.hidden, "--hidden");
    sizes.vocab = of_model(options.vocabulary, "--vocab");
    sizes.seq = of_model(options.sequence, "--seq");
    sizes.layers = of_model(options.layers, "--total-layers") - 2;
    sizes.heads = options.heads.value_or(std::max<std::int64_t>(sizes.hidden / channels, 1));
    sizes.ffn = options.ffn;
    if (sizes.hidden % sizes.heads != 0) {
        throw InputError({"--heads", "",
                          fmt::format("{} heads for --hidden {}", sizes.heads, sizes.hidden),
                          "a number that divides the hidden size", ""});
    }
    ModelSpec model = generators::gpt_model(sizes);
    model.name = "GPT";
    model.vocab_divisible_by = channels;
    generators::check_model(model, "--hidden, --heads, --ffn, --vocab");
    return model;
}

ModelSpec model_of(const ProfilesOptions& options) {
    if (!options.model) {
        return plain_model(options);
    }
    for (const auto& [option, value] :
         {std::pair{"--hidden", options.hidden}, std::pair{"--heads", options.heads},
          std::pair{"--ffn", options.ffn}, std::pair{"--vocab", options.vocabulary}}) {
        if (value) {
            throw InputError({option, "", fmt::format("{} beside --model", *value),
                              "either a model or its sizes",
                              "Copy the model's file, change it and give its path"});
        }
    }
    ModelSpec model = generators::load_model(*options.model);
    model.layers = options.layers ? *options.layers - 2 : model.layers;
    return model;
}

/// "A100" of configs/systems/a100.json.
std::string type_from(const std::string& file) {
    std::string type;
    for (const char c : std::filesystem::path(file).stem().string()) {
        if (planner::is_type_name({c})) {
            type += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
    }
    return type;
}

RooflineDevice device_of(const ProfilesOptions& options, CommandContext& context) {
    std::vector<std::string> warnings;
    const engine::SystemConfig system =
        engine::read_system_config(options.from, engine::Dialect::named("npunet"), warnings);
    for (const std::string& warning : warnings) {
        log_warning(context.log, warning);
    }
    for (const auto& [key, value] : {std::pair{"peak-perf", system.compute.peak_tflops},
                                     std::pair{"local-mem-bw", system.compute.memory_bandwidth}}) {
        if (value <= 0) {
            throw InputError({options.from, key, "nothing", "what a roofline needs",
                              "Add it, or give another system file"});
        }
    }
    RooflineDevice device;
    device.type = options.type.value_or(type_from(options.from));
    if (!planner::is_type_name(device.type)) {
        throw InputError({"--type", "", fmt::format("'{}'", device.type), "letters and digits",
                          "For example A100"});
    }
    device.peak_tflops = system.compute.peak_tflops;
    device.memory_bandwidth = system.compute.memory_bandwidth;
    device.kernel_us = study::kernel_clock(system);
    const auto known = planner::known_cluster_entry(device.type);
    device.intra_bandwidth = options.intra_bandwidth.value_or(known ? known->intra_bandwidth : 0);
    return device;
}

std::vector<ProfileFile> from_system(const ProfilesOptions& options, CommandContext& context) {
    const RooflineDevice device = device_of(options, context);
    const std::int64_t most_tp = options.max_tp.value_or(options.max_batch);
    if (device.intra_bandwidth <= 0 && most_tp > 1) {
        throw InputError({"--intra-bandwidth", "", "no value",
                          fmt::format("GB/s between devices of a node of {}", device.type),
                          "Give it, or --max-tp 1"});
    }
    return planner::roofline_profiles(
        model_of(options), device,
        {options.sequence.value_or(0), options.max_batch, options.max_tp.value_or(0)});
}

void print_json(const ProfilesOptions& options, const std::vector<ProfileFile>& files,
                std::ostream& out) {
    using Json = nlohmann::ordered_json;
    std::set<std::string> types;
    std::set<std::int64_t> degrees;
    std::set<std::int64_t> batches;
    for (const ProfileFile& file : files) {
        types.insert(file.type);
        degrees.insert(file.tp);
        batches.insert(file.batch);
    }
    const Json document{{"folder", options.folder},
                        {"files", files.size()},
                        {"types", types},
                        {"layers", files.front().layer_ms.size()},
                        {"tp", degrees},
                        {"batches", batches}};
    print_document(document, out);
}

void run_profiles(const ProfilesOptions& options, CommandContext& context) {
    std::vector<ScaledType> scales;
    for (const std::string& item :
         options.scales.empty() ? options.scales : list_items(options.scales)) {
        scales.push_back(scale_from(item));
    }
    std::error_code ignored;
    if (!std::filesystem::exists(options.from, ignored)) {
        throw InputError({"--from", "", fmt::format("'{}', which does not exist", options.from),
                          "a folder of profiles or a system file", "Check the path"});
    }
    std::vector<ProfileFile> files = std::filesystem::is_directory(options.from)
                                         ? from_samples(options)
                                         : from_system(options, context);
    planner::add_scaled_types(files, scales);
    planner::write_profile_files(files, options.folder);
    if (options.json) {
        print_json(options, files, context.out);
    } else {
        context.out << fmt::format(
            "{} of {} layers in {}\n",
            counted(static_cast<std::int64_t>(files.size()), "profile", "profiles"),
            files.front().layer_ms.size(), options.folder);
    }
}

void add_system_options(CLI::App& command, ProfilesOptions& options) {
    const auto size = [&command](const char* name, MaybeNumber& value, const char* help) {
        command.add_option(name, value, help)
            ->check(whole_number(1, std::int64_t{1} << 28))
            ->type_name("N")
            ->group(system_group);
    };
    command
        .add_option("--type", options.type, "Name of the device (default: the file's, in capitals)")
        ->type_name("NAME")
        ->group(system_group);
    command
        .add_option("--intra-bandwidth", options.intra_bandwidth,
                    "GB/s between devices of a node (default: known for V100, P100, T4 and A100)")
        ->check(number(1e-3, 1e6))
        ->type_name("GB/s")
        ->group(system_group);
    command
        .add_option("--model", options.model,
                    "A shipped model by its name, a model file (.yml) or a config.json; "
                    "--total-layers sets "
                    "another number of blocks")
        ->group(system_group);
    size("--hidden,--hidden-size", options.hidden,
         "Without --model, a GPT: width of the residual stream");
    size("--heads", options.heads, "Attention heads (default: one for 128 channels)");
    size("--ffn,--ffn-size", options.ffn, "Inner width of the MLP (default: 4 x --hidden)");
    size("--vocab,--vocab-size", options.vocabulary, "Tokens in the vocabulary");
    size("--seq,--sequence-length", options.sequence,
         "Tokens of a sequence (default: the model's)");
}

}  // namespace

void add_plan_profiles_command(CLI::App& plan, CommandContext& context) {
    const auto options = std::make_shared<ProfilesOptions>();
    CLI::App* command = plan.add_subcommand(
        "profiles", "A folder of profiles, stretched from samples, by roofline or by device");
    command
        ->add_option("--from", options->from,
                     "A folder of measured profiles, or a system file (system.json): its device "
                     "and stack, or else its peak-perf and local-mem-bw")
        ->required()
        ->type_name("PATH");
    command
        ->add_option(
            "--total-layers,--layers", options->layers,
            "Decoder layers + 2: embedding and output layer count (default: the samples' or "
            "the model's)")
        ->check(whole_number(3, most_layers))
        ->type_name("L");
    command
        ->add_option("--max-micro-batch,--max-batch", options->max_batch,
                     "The largest micro-batch; batches are 1, 2, 4, ...")
        ->required()
        ->check(whole_number(1, largest_batch))
        ->type_name("B");
    command
        ->add_option(
            "--max-tp", options->max_tp,
            "The largest degree of tensor parallelism (default: --max-micro-batch, as far as "
            "the model can be divided)")
        ->check(whole_number(1, largest_batch))
        ->type_name("N");
    command
        ->add_option("--scale", options->scales,
                     "Add a type that takes FACTOR times as long; may be given again")
        ->type_name("TYPE=FACTOR");
    command->add_option("--output-dir", options->folder, "For the files")
        ->required()
        ->check(output_folder())
        ->type_name("DIR");
    add_json_flag(*command, options->json);
    add_system_options(*command, *options);
    command->footer(
        "Example:\n"
        "  npunet plan profiles --from configs/systems/a100.json --hidden 4096 --vocab 51200 \\\n"
        "      --seq 1024 --total-layers 10 --max-micro-batch 8 --scale V100=3.5 "
        "--output-dir profiles\n"
        "  npunet plan profiles --from profiles --total-layers 20 --max-micro-batch 4 "
        "--output-dir longer");
    command->callback([options, &context] { run_profiles(*options, context); });
}

}  // namespace npunet::cli
