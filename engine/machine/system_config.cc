#include "engine/machine/system_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"
#include "base/json_object.h"
#include "engine/machine/algorithm_files.h"
#include "engine/machine/machine_file.h"
#include "engine/machine/named_profiles.h"

namespace npunet::engine {

namespace {

using nlohmann::json;

/// Keys of the reference that have no effect here, with the reason why that is right.
const std::vector<std::string> ignored_keys{
    "boost-mode",
    "local-reduction-delay",  // what a reduction costs follows from local-mem-bw
    "trace-enabled",
    "L",  // this and the next three belong to model-shared-bus, which is rejected itself
    "o",
    "g",
    "G",
    "model-shared-bus",
    "replay-only",
    "intra-dimension-scheduling",
    "inter-dimension-scheduling"};

const std::vector<std::string> system_keys{"endpoint-delay",
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
                                           "device",
                                           "recorded-on",
                                           "stack",
                                           "peak-perf",
                                           "local-mem-bw",
                                           "roofline-enabled",
                                           "track-local-mem",
                                           "max-concurrent-comms",
                                           "scheduling-policy",
                                           "memory-capacity",
                                           "comm-compute-slowdown",
                                           "data-type-bytes",
                                           "collectives",
                                           "gpu",
                                           "nccl-algo",
                                           "nccl-proto",
                                           "nccl-collnet",
                                           "nccl-group",
                                           "gpus-per-node",
                                           "gpu-sms",
                                           "npus"};

/// 2^24 chunks of a collective can be told apart, and a dialect may make twice as many.
constexpr std::int64_t most_splits = 1'000'000;

/// Keys of ASTRA-sim that change what a run does and are not supported: ignoring them would
/// simulate a different run, so a warning is not enough.
void refuse_what_is_missing(const std::string& path, const json& document) {
    const auto ends_with = [](const std::string& key, const std::string& end) {
        return key.size() > end.size() &&
               key.compare(key.size() - end.size(), end.size(), end) == 0;
    };
    for (const auto& [key, value] : document.items()) {
        const bool custom =
            ends_with(key, "-implementation-custom") || ends_with(key, "-implementation-chakra");
        if ((custom && !names_custom_traces(key)) || key == "per-node-custom-implementation") {
            const std::string native = key.substr(0, key.rfind('-'));
            throw InputError({path, key, "a collective algorithm given as traces",
                              "an algorithm for a kind of collective that it may be given for",
                              key == "per-node-custom-implementation"
                                  ? "Remove it, and name algorithms: all-reduce-implementation"
                                  : fmt::format("Remove it, and name one with {}", native)});
        }
    }
    const auto bus = document.find("model-shared-bus");
    if (bus != document.end() && *bus != 0 && *bus != false) {
        throw InputError({path, "model-shared-bus", describe_json(*bus),
                          "0: the bus between NPU and network (L, o, g and G) is not supported",
                          "Remove these keys; what a reduction costs follows from local-mem-bw"});
    }
}

/// The values of one file.
class Reader : public JsonObject<json> {
public:
    Reader(const std::string& path, const json& document, bool tolerant = false)
        : JsonObject(path, document), tolerant_(tolerant) {}

    void implementations(CollectiveKind kind, SystemConfig& config,
                         std::vector<std::string>& warnings) const {
        const std::string key = key_of(kind);
        if (!contains(key)) {
            return;
        }
        json value = (*this)[key];
        config.files(kind) = take_algorithm_files(file(), key, kind, value, warnings);
        if (!config.files(kind).list.empty() && value.empty()) {
            return;
        }
        if (!value.is_array() || value.empty() || (has_root(kind) && value.size() > 1)) {
            refuse(key, value,
                   has_root(kind) ? "a list with one algorithm, such as [\"direct\"]"
                                  : "a list with one algorithm a dimension, such as [\"ring\"]");
        }
        if (value.size() == 1 && value.front() == "auto" && !tolerant_) {
            config.implementations(kind).clear();
            return;
        }
        std::vector<Implementation> list;
        for (const json& entry : value) {
            if (entry == "auto" && !tolerant_) {
                refuse(key, value, "auto alone: it chooses for all dimensions and tiers");
            }
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
    [[nodiscard]] Implementation implementation(const std::string& key, CollectiveKind kind,
                                                const json& entry) const {
        const auto found = entry.is_string() ? Implementation::named(entry.get<std::string>())
                                             : std::optional<Implementation>();
        // The reference runs its only double binary tree, an all-reduce, for every collective.
        const bool stands_in = tolerant_ && found &&
                               found->algorithm == Algorithm::DoubleBinaryTree && !has_root(kind);
        if (!found || (!found->does(kind) && !stands_in)) {
            refuse(key, entry,
                   (tolerant_ ? "" : "auto, ") + Implementation::names_for(kind) +
                       "; flat- in front: one line over the group");
        }
        return *found;
    }

    bool tolerant_;
};

/// The roofline divides by both rates.
void check_roofline(const std::string& path, const char* place, bool roofline,
                    const ComputeRate& rate) {
    if (roofline && (rate.peak_tflops <= 0 || rate.memory_bandwidth <= 0)) {
        throw InputError({path, place, "roofline-enabled 1 without both rates",
                          "peak-perf (TFLOPS) and local-mem-bw (GB/s), both above 0",
                          "Give both, or set roofline-enabled to 0"});
    }
}

ComputeRate compute_rate(const Reader& reader, const ComputeRate& fallback) {
    return {reader.quantity("peak-perf", json_units::tflops, fallback.peak_tflops),
            reader.quantity("local-mem-bw", json_units::gigabytes_per_second,
                            fallback.memory_bandwidth)};
}

Bytes capacity_of(const DeviceProfile* device) {
    return device == nullptr ? Bytes(0) : Bytes(std::llround(device->memory_capacity * 1e9));
}

/// ASTRA-sim's default is 10 ns; ours is no delay.
Time default_endpoint_delay(const Dialect& dialect) {
    return Time::ns(dialect.whole_nanoseconds ? 10 : 0);
}

/// A whole number of ns, or a time with its unit.
Time endpoint_delay(const Reader& reader, const Dialect& dialect) {
    constexpr const char* key = "endpoint-delay";
    constexpr std::int64_t most_ns = 1'000'000'000;
    if (!reader.contains(key)) {
        return default_endpoint_delay(dialect);
    }
    const json& value = reader[key];
    const Time delay =
        value.is_string()
            ? Time::ps(std::llround(
                  reader.quantity(key, json_units::nanoseconds, 0, {1e-3, most_ns}) * 1000))
            : Time::ns(reader.integer(key, 0, 0, most_ns));
    if (dialect.whole_nanoseconds && delay.ps() % 1000 != 0) {
        reader.refuse(key, value, "whole nanoseconds with --dialect " + dialect.name);
    }
    if (dialect.whole_nanoseconds && delay == Time()) {
        reader.refuse(key, value, "at least 1 with --dialect " + dialect.name,
                      "ASTRA-sim itself aborts on 0; use --dialect npunet, where 0 is the default");
    }
    return delay;
}

/// GB; absent or 0: not given.
Bytes memory_capacity(const Reader& reader, Bytes fallback) {
    constexpr const char* key = "memory-capacity";
    return reader.contains(key)
               ? Bytes(std::llround(reader.quantity(key, json_units::gigabytes, 0) * 1e9))
               : fallback;
}

SchedulingPolicy scheduling_policy(const Reader& reader) {
    constexpr const char* key = "scheduling-policy";
    if (!reader.contains(key)) {
        return SchedulingPolicy::LowestId;
    }
    const json& value = reader[key];
    if (value == "FIFO") {
        return SchedulingPolicy::Fifo;
    }
    if (value == "LIFO") {
        return SchedulingPolicy::Lifo;
    }
    if (value == "EXPLICIT") {
        return SchedulingPolicy::Explicit;
    }
    reader.refuse(key, value, "FIFO, LIFO or EXPLICIT");
}

double slowdown(const Reader& reader) {
    constexpr const char* key = "comm-compute-slowdown";
    if (!reader.contains(key)) {
        return 1;
    }
    const json& value = reader[key];
    if (!value.is_number() || !(value.get<double>() >= 1 && value.get<double>() <= 1000)) {
        reader.refuse(key, value, "a factor from 1 to 1000");
    }
    return value.get<double>();
}

/// Keys whose effect depends on others.
void warn_of_no_effect(const Reader& reader, const Dialect& dialect, const SystemConfig& config,
                       std::vector<std::string>& warnings) {
    const auto warn = [&](const char* key, const std::string& why) {
        warnings.push_back(reader.file() + ": " + key + " has no effect" + why);
    };
    if (reader.contains("data-type-bytes")) {
        static_cast<void>(reader.integer("data-type-bytes", 1, 1, 1024));
        if (config.library == nullptr) {
            warn("data-type-bytes",
                 " without collectives: traces give sizes in bytes, not in elements");
        }
    }
    for (const char* const key : {"L", "o", "g", "G"}) {
        if (reader.contains(key) && reader[key] != 0) {
            warn(key, " without model-shared-bus 1, as in ASTRA-sim");
        }
    }
    if (reader.flag("replay-only")) {
        warn("replay-only", ": communication is simulated; recorded compute is roofline-enabled 0");
    }
    if (config.comm_compute_slowdown > 1 && !dialect.scheduling_keys_count) {
        warn("comm-compute-slowdown", " with --dialect " + dialect.name);
    }
    // The others stand in every file of the reference.
    if (config.scheduling_policy == SchedulingPolicy::Explicit && dialect.scheduling_keys_count &&
        config.max_concurrent_comms == 0) {
        warn("scheduling-policy", " without max-concurrent-comms: nothing waits");
    }
    if (config.active_chunks_per_dimension > 1 && config.preferred_dataset_splits == 1) {
        warn("active-chunks-per-dimension", " with one chunk (preferred-dataset-splits 1)");
    }
    const bool capacity =
        (config.memory_capacity > Bytes(0) && reader.contains("memory-capacity")) ||
        std::any_of(config.capacity_overrides.begin(), config.capacity_overrides.end(),
                    [](const auto& entry) { return entry.second > Bytes(0); });
    if (capacity && !config.track_memory) {
        warn("memory-capacity",
             " without track-local-mem 1: sweeps and generated models alone count what is used");
    }
}

void read_overrides(const std::string& path, const json& document, SystemConfig& config) {
    if (!document.contains("npus")) {
        return;
    }
    const auto refuse = [&path](const json& found) {
        throw InputError({path, "npus", describe_json(found),
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
            if (key != "ranks" && key != "peak-perf" && key != "local-mem-bw" &&
                key != "memory-capacity") {
                throw InputError({path, "npus", "the key '" + key + "'",
                                  "ranks, peak-perf, local-mem-bw or memory-capacity",
                                  "Remove it"});
            }
        }
        const Reader reader(path, entry);
        const ComputeRate rate = compute_rate(reader, config.compute);
        const Bytes capacity = memory_capacity(reader, config.memory_capacity);
        check_roofline(path, "npus", config.roofline, rate);
        for (const json& rank : entry["ranks"]) {
            if (!rank.is_number_integer() || rank.get<double>() < 0 ||
                rank.get<double>() > std::numeric_limits<std::int32_t>::max()) {
                throw InputError({path, "npus, ranks", describe_json(rank),
                                  "ranks: whole numbers from 0", "Correct the list of ranks"});
            }
            config.overrides.emplace_back(rank.get<std::int32_t>(), rate);
            config.capacity_overrides.emplace_back(rank.get<std::int32_t>(), capacity);
        }
    }
}

}  // namespace

ComputeRate roofline_rate(const DeviceProfile& device) {
    const auto bf16 = device.peak_tflops.find(DataType::Bf16);
    return {bf16 == device.peak_tflops.end() ? 0 : bf16->second, device.memory_bandwidth};
}

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

std::vector<Bytes> SystemConfig::memory_capacities(std::size_t ranks) const {
    std::vector<Bytes> capacities(ranks, memory_capacity);
    for (const auto& [rank, capacity] : capacity_overrides) {
        if (static_cast<std::size_t>(rank) < ranks) {
            capacities[static_cast<std::size_t>(rank)] = capacity;
        }
    }
    return capacities;
}

SystemConfig default_system_config(const Dialect& dialect) {
    SystemConfig config;
    config.endpoint_delay = default_endpoint_delay(dialect);
    if (dialect.chooses_algorithms) {
        config.active_chunks_per_dimension = config.preferred_dataset_splits = 0;
        const std::vector<Implementation> barrier = config.implementations(CollectiveKind::Barrier);
        config.implementation_lists.fill({});
        config.implementations(CollectiveKind::Barrier) = barrier;
    }
    return config;
}

SystemConfig read_system_config(const std::string& path, const Dialect& dialect,
                                std::vector<std::string>& warnings) {
    const json document = read_machine_file(path, "a system.json", "Check --system");
    refuse_what_is_missing(path, document);
    const Reader reader(path, document, dialect.tolerant_input);
    std::vector<std::string> known = system_keys;
    for (const auto& [key, value] : document.items()) {
        if (names_custom_traces(key)) {
            known.push_back(key);
        }
    }
    reader.check_keys(known, ignored_keys, dialect.tolerant_input, warnings);
    SystemConfig config = default_system_config(dialect);
    config.file = path;
    config.endpoint_delay = endpoint_delay(reader, dialect);
    config.active_chunks_per_dimension = static_cast<std::int32_t>(
        reader.integer("active-chunks-per-dimension", config.active_chunks_per_dimension, 1));
    config.preferred_dataset_splits = static_cast<std::int32_t>(reader.integer(
        "preferred-dataset-splits", config.preferred_dataset_splits, 1, most_splits));
    for (const CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
          CollectiveKind::AllToAll, CollectiveKind::Broadcast, CollectiveKind::Reduce,
          CollectiveKind::Gather, CollectiveKind::Scatter}) {
        reader.implementations(kind, config, warnings);
    }
    read_custom_traces(path, document, dialect, config.file_lists, warnings);
    config.library = named_library(reader, dialect, warnings);
    config.device = named_device(reader, dialect);
    config.recorded_on = named_recorded_on(reader, dialect);
    config.stack = named_stack(reader, dialect);
    config.compute =
        compute_rate(reader, config.device ? roofline_rate(*config.device) : ComputeRate());
    config.roofline = config.device && !reader.contains("roofline-enabled")
                          ? true
                          : reader.flag("roofline-enabled");
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
    config.scheduling_policy = scheduling_policy(reader);
    config.memory_capacity = memory_capacity(reader, capacity_of(config.device.get()));
    config.comm_compute_slowdown = slowdown(reader);
    check_roofline(path, "roofline-enabled", config.roofline, config.compute);
    read_overrides(path, document, config);
    warn_of_no_effect(reader, dialect, config, warnings);
    return config;
}

}  // namespace npunet::engine
