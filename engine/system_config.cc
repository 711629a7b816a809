#include "engine/system_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/suggest.h"

namespace npunet::engine {

namespace {

using nlohmann::json;

/// Keys of the reference that have no effect here, with the reason why that is right.
const std::vector<std::string> ignored_keys{
    "scheduling-policy",  // all chunks of a collective share one priority
    "boost-mode",
    "trace-enabled",
    "L",
    "o",
    "g",
    "G",
    "model-shared-bus",
    "replay-only",
    "intra-dimension-scheduling",
    "inter-dimension-scheduling"};

const std::vector<std::string> known_keys{"endpoint-delay",
                                          "active-chunks-per-dimension",
                                          "preferred-dataset-splits",
                                          "collective-optimization",
                                          "all-reduce-implementation",
                                          "all-gather-implementation",
                                          "reduce-scatter-implementation",
                                          "all-to-all-implementation",
                                          "peak-perf",
                                          "local-mem-bw",
                                          "roofline-enabled",
                                          "track-local-mem",
                                          "max-concurrent-comms",
                                          "npus"};

/// The values of one file, with errors that name file and key.
class Reader {
public:
    Reader(const std::string& path, const json& document) : path_(path), document_(document) {}

    [[noreturn]] void refuse(const std::string& key, const json& found,
                             std::string expected) const {
        throw InputError({path_, key, found.dump(), std::move(expected), ""});
    }

    [[nodiscard]] double number(const char* key, double fallback, double least) const {
        if (!document_.contains(key)) {
            return fallback;
        }
        const json& value = document_[key];
        if (!value.is_number() || !std::isfinite(value.get<double>()) ||
            value.get<double>() < least) {
            refuse(key, value, fmt::format("a number of at least {}", least));
        }
        return value.get<double>();
    }

    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t fallback,
                                       std::int64_t least) const {
        constexpr std::int64_t most = 1'000'000'000;
        if (!document_.contains(key)) {
            return fallback;
        }
        const json& value = document_[key];
        if (!value.is_number_integer() || value.get<std::int64_t>() < least ||
            value.get<std::int64_t>() > most) {
            refuse(key, value, fmt::format("a whole number from {} to {}", least, most));
        }
        return value.get<std::int64_t>();
    }

    [[nodiscard]] bool flag(const char* key) const {
        if (!document_.contains(key)) {
            return false;
        }
        const json& value = document_[key];
        if (value.is_boolean()) {
            return value.get<bool>();
        }
        if (value.is_number_integer() && (value == 0 || value == 1)) {
            return value == 1;
        }
        refuse(key, value, "0, 1, true or false");
    }

    [[nodiscard]] std::vector<Implementation> implementations(const char* key) const {
        if (!document_.contains(key)) {
            return {Implementation{}};
        }
        const json& value = document_[key];
        if (!value.is_array() || value.empty()) {
            refuse(key, value, "a list with one algorithm a dimension, such as [\"ring\"]");
        }
        std::vector<Implementation> list;
        for (const json& entry : value) {
            list.push_back(implementation(key, entry));
        }
        return list;
    }

private:
    [[nodiscard]] Implementation implementation(const char* key, const json& entry) const {
        constexpr const char* expected =
            "ring, direct, directN (N peers at a time), oneRing, oneDirect or oneDirectN; other "
            "algorithms are not offered by this version";
        if (!entry.is_string()) {
            refuse(key, entry, expected);
        }
        std::string text = entry.get<std::string>();
        Implementation result;
        if (text.rfind("one", 0) == 0 && text.size() > 3) {
            result.flat = true;
            text = text.substr(3);
            text[0] = text[0] == 'R' ? 'r' : text[0] == 'D' ? 'd' : text[0];
        }
        if (text == "ring") {
            return result;
        }
        constexpr std::string_view direct = "direct";
        if (text.rfind(direct, 0) != 0) {
            refuse(key, entry, expected);
        }
        result.algorithm = Algorithm::Direct;
        if (text.size() > direct.size()) {
            const char* begin = text.data() + direct.size();
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(begin, end, result.window);
            if (error != std::errc{} || stop != end || result.window < 1) {
                refuse(key, entry, expected);
            }
        }
        return result;
    }

    const std::string& path_;
    const json& document_;
};

json parse_file(const std::string& path) {
    std::ifstream stream(path);
    if (!stream) {
        throw InputError({path, "", "no readable file", "a system.json", "Check --system"});
    }
    json document;
    try {
        document = json::parse(stream);
    } catch (const json::parse_error& error) {
        throw InputError({path, fmt::format("byte {}", error.byte), "text that is not JSON",
                          "a JSON object", error.what()});
    }
    if (!document.is_object()) {
        throw InputError({path, "", "JSON that is not an object", "a JSON object", ""});
    }
    return document;
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

void check_keys(const std::string& path, const json& document, const Dialect& dialect,
                std::vector<std::string>& warnings) {
    for (const auto& [key, value] : document.items()) {
        if (contains(known_keys, key)) {
            continue;
        }
        if (contains(ignored_keys, key)) {
            continue;
        }
        const std::string suggestion = nearest(key, known_keys);
        const std::string remedy =
            suggestion.empty() ? "Remove it" : "Did you mean '" + suggestion + "'?";
        if (!dialect.tolerant_input) {
            throw InputError({path, key, "an unknown key", "a key of docs/inputs.md", remedy});
        }
        warnings.push_back(path + ": unknown key '" + key + "' has no effect. " + remedy);
    }
}

void read_overrides(const std::string& path, const json& document, SystemConfig& config) {
    if (!document.contains("npus")) {
        return;
    }
    const auto refuse = [&path](const json& found) {
        throw InputError({path, "npus", found.dump(),
                          "a list of {\"ranks\": [..], \"peak-perf\": X, \"local-mem-bw\": X}",
                          ""});
    };
    const json& list = document["npus"];
    if (!list.is_array()) {
        refuse(list);
    }
    for (const json& entry : list) {
        if (!entry.is_object() || !entry.contains("ranks") || !entry["ranks"].is_array()) {
            refuse(entry);
        }
        for (const auto& [key, value] : entry.items()) {
            if (key != "ranks" && key != "peak-perf" && key != "local-mem-bw") {
                refuse(entry);
            }
        }
        const Reader reader(path, entry);
        const ComputeRate rate{reader.number("peak-perf", config.compute.peak_tflops, 0),
                               reader.number("local-mem-bw", config.compute.memory_bandwidth, 0)};
        for (const json& rank : entry["ranks"]) {
            if (!rank.is_number_integer() || rank.get<std::int64_t>() < 0) {
                refuse(entry);
            }
            config.overrides.emplace_back(rank.get<std::int32_t>(), rate);
        }
    }
}

}  // namespace

std::vector<ComputeRate> SystemConfig::compute_rates(std::size_t ranks) const {
    std::vector<ComputeRate> rates(ranks, compute);
    for (const auto& [rank, rate] : overrides) {
        if (static_cast<std::size_t>(rank) < ranks) {
            rates[static_cast<std::size_t>(rank)] = rate;
        }
    }
    return rates;
}

SystemConfig read_system_config(const std::string& path, const Dialect& dialect,
                                std::vector<std::string>& warnings) {
    const json document = parse_file(path);
    check_keys(path, document, dialect, warnings);
    const Reader reader(path, document);
    SystemConfig config;
    // The reference's default is 10 ns; ours has no delay that nobody asked for.
    config.endpoint_delay =
        Time::ns(reader.integer("endpoint-delay", dialect.whole_nanoseconds ? 10 : 0, 0));
    if (dialect.whole_nanoseconds && config.endpoint_delay == Time()) {
        throw InputError({path, "endpoint-delay", "0", "at least 1 in the astra-sim dialects",
                          "The reference aborts on it; use --dialect npunet"});
    }
    config.active_chunks_per_dimension =
        static_cast<std::int32_t>(reader.integer("active-chunks-per-dimension", 1, 1));
    config.preferred_dataset_splits =
        static_cast<std::int32_t>(reader.integer("preferred-dataset-splits", 1, 1));
    config.all_reduce = reader.implementations("all-reduce-implementation");
    config.all_gather = reader.implementations("all-gather-implementation");
    config.reduce_scatter = reader.implementations("reduce-scatter-implementation");
    config.all_to_all = reader.implementations("all-to-all-implementation");
    config.compute = {reader.number("peak-perf", 0, 0), reader.number("local-mem-bw", 0, 0)};
    config.roofline = reader.flag("roofline-enabled");
    config.track_memory = reader.flag("track-local-mem");
    config.max_concurrent_comms =
        static_cast<std::int32_t>(reader.integer("max-concurrent-comms", 0, 0));
    if (document.contains("collective-optimization")) {
        const json& value = document["collective-optimization"];
        if (value != "baseline" && value != "localBWAware") {
            reader.refuse("collective-optimization", value, "baseline or localBWAware");
        }
        config.optimization = value == "baseline" ? CollectiveOptimization::Baseline
                                                  : CollectiveOptimization::LocalBandwidthAware;
    }
    if (config.roofline &&
        (config.compute.peak_tflops <= 0 || config.compute.memory_bandwidth <= 0)) {
        throw InputError({path, "roofline-enabled", "1 without both rates",
                          "peak-perf (TFLOPS) and local-mem-bw (GB/s), both above 0", ""});
    }
    read_overrides(path, document, config);
    return config;
}

}  // namespace npunet::engine
