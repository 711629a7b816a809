#include "generators/transformer/layer_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "base/errors.h"
#include "generators/option_checks.h"

namespace npunet::generators {

namespace {

constexpr std::int64_t most_virtual_stages = std::int64_t{1} << 20;

/// A whole number from 0 on that is all of `text`; -1 otherwise.
std::int64_t count_in(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : -1;
}

std::string virtual_stages(const Plan& plan) {
    return plan.vpp > 1 ? fmt::format("{} virtual stages (--pp {} x --vpp {})", plan.pp * plan.vpp,
                                      plan.pp, plan.vpp)
                        : fmt::format("{} stages", plan.pp);
}

/// For a plan whose virtual stages cannot be equal.
std::string advice(std::int64_t layers, std::int64_t stages) {
    if (stages > layers) {
        return "Take fewer stages than layers";
    }
    std::vector<std::int64_t> counts(static_cast<std::size_t>(stages), layers / stages);
    for (std::int64_t i = 0; i < layers % stages; ++i) {
        ++counts[static_cast<std::size_t>(i)];
    }
    return fmt::format(
        "For unequal stages give --pp-layers {}, or --first-stage-layers and --last-stage-layers",
        layer_counts_text(counts));
}

void check_counts(const ModelSpec& model, const Plan& plan) {
    const std::vector<std::int64_t>& counts = plan.pp_layers;
    const std::string option = fmt::format("--pp-layers {}", layer_counts_text(counts));
    if (static_cast<std::int64_t>(counts.size()) != plan.pp * plan.vpp) {
        throw InputError({option, "", fmt::format("{} numbers", counts.size()),
                          fmt::format("one for each of the {}", virtual_stages(plan)),
                          "N*K stands for K stages of N layers each"});
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const bool end = i == 0 || i + 1 == counts.size();
        if (counts[i] < (end ? 0 : 1) || counts[i] > model.layers) {
            throw InputError({option, "", fmt::format("{} for stage {}", counts[i], i),
                              fmt::format("{} to {} layers", end ? 0 : 1, model.layers),
                              "Only the first stage, for the embedding, and the last one, for the "
                              "head, may have none"});
        }
        sum += counts[i];
    }
    if (sum != model.layers) {
        throw InputError({option, "", fmt::format("{} layers in all", sum),
                          fmt::format("the model's {}", model.layers), ""});
    }
}

/// Those that --first-stage-layers and --last-stage-layers leave, in equal shares.
void fill_between(const ModelSpec& model, Plan& plan) {
    const std::int64_t first = plan.first_stage_layers;
    const std::int64_t last = plan.last_stage_layers;
    const std::int64_t stages = plan.pp * plan.vpp;
    const std::string option = first > 0 && last > 0 ? "--first-stage-layers, --last-stage-layers"
                               : first > 0           ? "--first-stage-layers"
                                                     : "--last-stage-layers";
    const std::string found = first > 0 && last > 0 ? fmt::format("{} and {}", first, last)
                                                    : fmt::format("{}", first + last);
    const auto refuse = [&](const std::string& expected, const std::string& remedy) {
        throw InputError({option, "", found, expected, remedy});
    };
    if (!plan.pp_layers.empty()) {
        refuse("not beside --pp-layers, which gives the layers of every stage", "Leave one out");
    }
    check_range("--first-stage-layers", first, 0, model.layers);
    check_range("--last-stage-layers", last, 0, model.layers);
    if (stages == 1) {
        refuse("several pipeline stages", "Give --pp, or leave it out");
    }
    const std::int64_t others = stages - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
    const std::int64_t rest = model.layers - first - last;
    if (others == 0 ? rest != 0 : rest < others || rest % others != 0) {
        const std::string between =
            others == 0 ? fmt::format("the model's {} layers in all", model.layers)
                        : fmt::format(
                              "a rest of the model's {} layers that the other {} of {} "
                              "share equally, not {}",
                              model.layers, others, virtual_stages(plan), rest);
        refuse(between, "--pp-layers gives the layers of every stage one by one");
    }
    plan.pp_layers.assign(static_cast<std::size_t>(stages), others > 0 ? rest / others : 0);
    plan.pp_layers.front() = first > 0 ? first : plan.pp_layers.front();
    plan.pp_layers.back() = last > 0 ? last : plan.pp_layers.back();
    plan.first_stage_layers = plan.last_stage_layers = 0;
}

}  // namespace

std::vector<std::int64_t> layer_counts(const std::string& text, const std::string& source) {
    std::vector<std::int64_t> counts;
    std::string_view rest = text;
    for (bool more = true; more;) {
        const std::size_t comma = rest.find(',');
        more = comma != std::string_view::npos;
        const std::string_view part = rest.substr(0, comma);
        rest.remove_prefix(more ? comma + 1 : rest.size());
        const std::size_t star = part.find('*');
        const std::int64_t layers = count_in(part.substr(0, star));
        const std::int64_t times =
            star == std::string_view::npos ? 1 : count_in(part.substr(star + 1));
        const auto room = most_virtual_stages - static_cast<std::int64_t>(counts.size());
        if (layers < 0 || times < 1 || times > room) {
            throw InputError({source, "", fmt::format("'{}' in '{}'", part, text),
                              "layers of every stage, separated by commas; N*K for K stages of N",
                              "For example 7,8*14,7"});
        }
        counts.insert(counts.end(), static_cast<std::size_t>(times), layers);
    }
    return counts;
}

std::string layer_counts_text(const std::vector<std::int64_t>& counts) {
    std::string text;
    for (std::size_t i = 0; i < counts.size();) {
        std::size_t end = i + 1;
        while (end < counts.size() && counts[end] == counts[i]) {
            ++end;
        }
        text += fmt::format("{}{}", text.empty() ? "" : ",", counts[i]);
        text += end - i > 1 ? fmt::format("*{}", end - i) : "";
        i = end;
    }
    return text;
}

void resolve_layers(const ModelSpec& model, Plan& plan) {
    if (plan.first_stage_layers != 0 || plan.last_stage_layers != 0) {
        fill_between(model, plan);
    }
    if (plan.pp_layers.empty()) {
        check_divides(plan.vpp > 1 ? "--pp x --vpp" : "--pp", plan.pp * plan.vpp, "layers",
                      model.layers, advice(model.layers, plan.pp * plan.vpp));
        return;
    }
    check_counts(model, plan);
    const bool equal = std::all_of(plan.pp_layers.begin(), plan.pp_layers.end(),
                                   [&](std::int64_t n) { return n == plan.pp_layers.front(); });
    if (equal) {
        plan.pp_layers.clear();
    }
}

std::vector<std::int64_t> layers_of_chunk(const ModelSpec& model, const Plan& plan,
                                          std::int64_t stage, std::int64_t chunk) {
    const std::int64_t number = chunk * plan.pp + stage;
    std::int64_t count = model.layers / (plan.pp * plan.vpp);
    std::int64_t first = number * count;
    if (!plan.pp_layers.empty()) {
        const auto own = plan.pp_layers.begin() + number;
        count = *own;
        first = std::accumulate(plan.pp_layers.begin(), own, std::int64_t{0});
    }
    std::vector<std::int64_t> layers(static_cast<std::size_t>(count));
    std::iota(layers.begin(), layers.end(), first);
    return layers;
}

std::vector<std::int64_t> layers_of_stage(const ModelSpec& model, const Plan& plan,
                                          std::int64_t stage) {
    std::vector<std::int64_t> list;
    for (std::int64_t chunk = 0; chunk < plan.vpp; ++chunk) {
        const std::vector<std::int64_t> layers = layers_of_chunk(model, plan, stage, chunk);
        list.insert(list.end(), layers.begin(), layers.end());
    }
    return list;
}

std::int64_t most_layers_of_a_stage(const ModelSpec& model, const Plan& plan) {
    if (plan.pp_layers.empty()) {
        return model.layers / plan.pp;
    }
    std::int64_t most = 0;
    for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
        std::int64_t layers = 0;
        for (std::int64_t chunk = 0; chunk < plan.vpp; ++chunk) {
            layers += plan.pp_layers[static_cast<std::size_t>(chunk * plan.pp + stage)];
        }
        most = std::max(most, layers);
    }
    return most;
}

}  // namespace npunet::generators
