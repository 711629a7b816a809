#include "engine/system_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"
#include "base/suggest.h"

namespace npunet::engine {

namespace {

using nlohmann::json;

/// Keys of the reference that have no effect here, with the reason why that is right.
const std::vector<std::string> ignored_keys{
    "scheduling-policy",  // all chunks of a collective share one priority
    "boost-mode",
    "local-reduction-delay",  // what a reduction costs follows from local-mem-bw
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
                                          "broadcast-implementation",
                                          "reduce-implementation",
                                          "gather-implementation",
                                          "scatter-implementation",
                                          "peak-perf",
                                          "local-mem-bw",
                                          "roofline-enabled",
                                          "track-local-mem",
                                          "max-concurrent-comms",
                                          "npus"};

/// 2^24 chunks of a collective can be told apart, and a dialect may make twice as many.
constexpr std::int64_t most_splits = 1'000'000;

/// What stands there, for a message. Lists and objects only by their type: printing one is
/// recursive, and a hostile file nests them a million deep.
std::string describe(const json& value) {
    return value.is_structured() ? fmt::format("an {}", value.type_name()) : value.dump();
}

/// The values of one file, with errors that name file and key.
class Reader {
public:
    Reader(const std::string& path, const json& document, bool tolerant = false)
        : path_(path), document_(document), tolerant_(tolerant) {}

    [[noreturn]] void refuse(const std::string& key, const json& found,
                             std::string expected) const {
        throw InputError({path_, key, describe(found), std::move(expected), "Correct the value"});
    }

    /// A rate in TFLOPS or GB/s that is a positive 64-bit number once multiplied out; 0 = not
    /// given.
    [[nodiscard]] double rate(const char* key, double fallback) const {
        constexpr double least = 1e-6;
        constexpr double most = 1e6;
        if (!document_.contains(key)) {
            return fallback;
        }
        const json& value = document_[key];
        const double number = value.is_number() ? value.get<double>() : -1;
        if (number != 0 && !(number >= least && number <= most)) {
            refuse(key, value, fmt::format("0 (not given) or a number from {} to {}", least, most));
        }
        return number;
    }

    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t fallback, std::int64_t least,
                                       std::int64_t most = 1'000'000'000) const {
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

    void implementations(CollectiveKind kind, SystemConfig& config) const {
        const std::string key = key_of(kind);
        if (!document_.contains(key)) {
            return;
        }
        const json& value = document_[key];
        if (!value.is_array() || value.empty() || (has_root(kind) && value.size() > 1)) {
            refuse(key, value,
                   has_root(kind) ? "a list with one algorithm, such as [\"direct\"]"
                                  : "a list with one algorithm a dimension, such as [\"ring\"]");
        }
        std::vector<Implementation> list;
        for (const json& entry : value) {
            list.push_back(implementation(key, kind, entry));
        }
        for (std::size_t i = 1; i < list.size(); ++i) {
            if (list[i].all_dimensions_at_once) {
                refuse(key, value[i], "multiRing alone: it uses every dimension");
            }
        }
        if (list.size() > 1 && list.front().all_dimensions_at_once) {
            refuse(key, value, "multiRing alone: it uses every dimension");
        }
        config.implementations(kind) = std::move(list);
    }

private:
    [[nodiscard]] static std::string key_of(CollectiveKind kind) {
        std::string key = name_of(kind);
        std::replace(key.begin(), key.end(), '_', '-');
        return key + "-implementation";
    }

    [[nodiscard]] Implementation implementation(const std::string& key, CollectiveKind kind,
                                                const json& entry) const {
        const auto found = entry.is_string() ? Implementation::named(entry.get<std::string>())
                                             : std::optional<Implementation>();
        // The reference runs its only double binary tree, an all-reduce, for every collective.
        const bool stands_in =
            tolerant_ && found && found->algorithm == Algorithm::DoubleBinaryTree && !has_root(kind);
        if (!found || (!found->does(kind) && !stands_in)) {
            refuse(key, entry,
                   Implementation::names_for(kind) + "; one... in front: one line over the group");
        }
        return *found;
    }

    const std::string& path_;
    const json& document_;
    bool tolerant_;
};

json parse_file(const std::string& path) {
    std::ifstream stream(path);
    if (!stream || std::filesystem::is_directory(path)) {
        throw InputError({path, "", "no readable file", "a system.json", "Check --system"});
    }
    json document;
    try {
        document = json::parse(stream);
    } catch (const json::parse_error& error) {
        throw InputError({path, fmt::format("byte {}", error.byte), "text that is not JSON",
                          "a JSON object", error.what()});
    } catch (const json::exception& error) {  // a number beyond every range
        throw InputError({path, "", "a value that cannot be read", "a JSON object", error.what()});
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

/// The roofline divides by both rates.
void check_roofline(const std::string& path, const char* place, bool roofline,
                    const ComputeRate& rate) {
    if (roofline && (rate.peak_tflops <= 0 || rate.memory_bandwidth <= 0)) {
        throw InputError({path, place, "roofline-enabled 1 without both rates",
                          "peak-perf (TFLOPS) and local-mem-bw (GB/s), both above 0",
                          "Give both, or set roofline-enabled to 0"});
    }
}

void read_overrides(const std::string& path, const json& document, SystemConfig& config) {
    if (!document.contains("npus")) {
        return;
    }
    const auto refuse = [&path](const json& found) {
        throw InputError({path, "npus", describe(found),
                          "a list of {\"ranks\": [..], \"peak-perf\": X, \"local-mem-bw\": X}",
                          "Correct the entry"});
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
                throw InputError({path, "npus", "the key '" + key + "'",
                                  "ranks, peak-perf or local-mem-bw", "Remove it"});
            }
        }
        const Reader reader(path, entry);
        const ComputeRate rate{reader.rate("peak-perf", config.compute.peak_tflops),
                               reader.rate("local-mem-bw", config.compute.memory_bandwidth)};
        check_roofline(path, "npus", config.roofline, rate);
        for (const json& rank : entry["ranks"]) {
            if (!rank.is_number_integer() || rank.get<double>() < 0 ||
                rank.get<double>() > std::numeric_limits<std::int32_t>::max()) {
                throw InputError({path, "npus, ranks", describe(rank),
                                  "ranks: whole numbers from 0", "Correct the list of ranks"});
            }
            config.overrides.emplace_back(rank.get<std::int32_t>(), rate);
        }
    }
}

}  // namespace

std::array<std::vector<Implementation>, 9> SystemConfig::default_implementations() {
    std::array<std::vector<Implementation>, 9> lists;
    lists.fill({Implementation{}});
    const auto set = [&lists](CollectiveKind kind, Algorithm algorithm) {
        lists[static_cast<std::size_t>(kind)].front().algorithm = algorithm;
    };
    set(CollectiveKind::Broadcast, Algorithm::BinomialTree);
    set(CollectiveKind::Reduce, Algorithm::BinomialTree);
    set(CollectiveKind::Gather, Algorithm::Direct);
    set(CollectiveKind::Scatter, Algorithm::Direct);
    set(CollectiveKind::Barrier, Algorithm::Dissemination);
    return lists;
}

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
    const Reader reader(path, document, dialect.tolerant_input);
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
        static_cast<std::int32_t>(reader.integer("preferred-dataset-splits", 1, 1, most_splits));
    for (const CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
          CollectiveKind::AllToAll, CollectiveKind::Broadcast, CollectiveKind::Reduce,
          CollectiveKind::Gather, CollectiveKind::Scatter}) {
        reader.implementations(kind, config);
    }
    config.compute = {reader.rate("peak-perf", 0), reader.rate("local-mem-bw", 0)};
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
    check_roofline(path, "roofline-enabled", config.roofline, config.compute);
    read_overrides(path, document, config);
    return config;
}

}  // namespace npunet::engine
