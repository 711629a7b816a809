#include "engine/device/device_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors.h"
#include "base/json_object.h"
#include "base/json_writer.h"
#include "base/shipped_files.h"
#include "base/suggest.h"
#include "engine/device/kernel_table.h"

namespace npunet::engine {

namespace {

using DeviceJson = nlohmann::ordered_json;
using DeviceFields = JsonObject<DeviceJson>;

constexpr NumberRange share_range{1e-3, 1};
constexpr NumberRange time_range{0, 1e6};
constexpr NumberRange factor_range{1e-3, 1e4};
constexpr NumberRange amount_range{0, 1e6};

struct MatmulField {
    const char* key;
    double MatmulRates::*value;
    NumberRange range;
};
const std::vector<MatmulField> matmul_fields{
    {"efficiency", &MatmulRates::efficiency, share_range},
    {"tile-ramp", &MatmulRates::tile_ramp, amount_range},
    {"k-ramp", &MatmulRates::k_ramp, amount_range},
    {"memory-efficiency", &MatmulRates::memory_efficiency, share_range},
    {"wave-rounding", &MatmulRates::wave_rounding, {0, 1}},
    {"split-us", &MatmulRates::split_us, time_range},
    {"cache-bandwidth", &MatmulRates::cache_bandwidth, factor_range},
    {"exposed-share", &MatmulRates::exposed_share, {0, 1}},
    {"launch-us", &MatmulRates::launch_us, time_range}};

struct AttentionField {
    const char* key;
    double AttentionRates::*value;
    NumberRange range;
};
const std::vector<AttentionField> attention_fields{
    {"efficiency", &AttentionRates::efficiency, share_range},
    {"narrow-heads", &AttentionRates::narrow_heads, factor_range},
    {"block-us", &AttentionRates::block_us, time_range},
    {"passes", &AttentionRates::passes, {0, 100}},
    {"tail", &AttentionRates::tail, {0, 100}},
    {"launch-us", &AttentionRates::launch_us, time_range}};

/// Keys of a complete object, in the order of the file.
template <class List>
std::vector<std::string> keys_of(const List& fields) {
    std::vector<std::string> keys;
    for (const auto& field : fields) {
        keys.emplace_back(field.key);
    }
    return keys;
}

void check_device_keys(const DeviceFields& fields, const std::vector<std::string>& known) {
    std::vector<std::string> warnings;
    fields.check_keys(known, {}, false, warnings);
}

std::int64_t device_count(const DeviceFields& fields, const char* key, std::int64_t most) {
    static_cast<void>(fields.at(key, "a whole number"));
    return fields.integer(key, 0, 1, most);
}

DataType type_of(const DeviceFields& fields, const std::string& key) {
    const auto type = chakra::data_type_named(key);
    if (!type) {
        throw InputError({fields.file(), key, "not a data type",
                          "one of " + chakra::data_type_names(), "Correct the key"});
    }
    return *type;
}

[[noreturn]] void refuse_list(const DeviceFields& fields, const char* key, const DeviceJson& found,
                              const char* expected) {
    fields.refuse(key, found, expected);
}

MatmulRates matmul_of(const DeviceFields& fields) {
    std::vector<std::string> known = keys_of(matmul_fields);
    known.insert(known.end(), {"tiles", "split-k", "loaded-rate"});
    check_device_keys(fields, known);
    MatmulRates rates;
    for (const MatmulField& field : matmul_fields) {
        rates.*field.value = fields.number(field.key, field.range);
    }
    if (fields.contains("loaded-rate")) {
        rates.loaded_rate = fields.number("loaded-rate", share_range);
    }
    const auto side_of = [](const DeviceJson& side) {
        return side.is_number_integer() && side.get<double>() >= 1 && side.get<double>() <= 65536;
    };
    const DeviceJson& tiles = fields.at("tiles", "a list of [rows, columns]");
    if (!tiles.is_array() || tiles.empty() || tiles.size() > 100) {
        refuse_list(fields, "tiles", tiles, "a list of 1 to 100 tiles [rows, columns]");
    }
    for (const DeviceJson& tile : tiles) {
        if (!tile.is_array() || tile.size() != 2 || !side_of(tile[0]) || !side_of(tile[1])) {
            refuse_list(fields, "tiles", tile, "[rows, columns], each from 1 to 65536");
        }
        rates.tiles.push_back({tile[0].get<std::int64_t>(), tile[1].get<std::int64_t>()});
    }
    const DeviceJson& splits = fields.at("split-k", "a list of counts, such as [1, 2, 4]");
    if (!splits.is_array() || splits.empty() || splits.size() > 100 || splits.front() != 1) {
        refuse_list(fields, "split-k", splits, "a list of counts that begins with 1");
    }
    for (const DeviceJson& split : splits) {
        if (!side_of(split)) {
            refuse_list(fields, "split-k", split, "a count from 1 to 65536");
        }
        rates.split_k.push_back(split.get<std::int64_t>());
    }
    return rates;
}

AttentionRates attention_of(const DeviceFields& fields) {
    check_device_keys(fields, keys_of(attention_fields));
    AttentionRates rates;
    for (const AttentionField& field : attention_fields) {
        rates.*field.value = fields.number(field.key, field.range);
    }
    return rates;
}

/// With `derived`, kernels may be those of the base.
void read_memory(const DeviceFields& fields, bool derived, DeviceProfile& profile) {
    check_device_keys(fields, {"bandwidth-gb-s", "capacity-gb", "kernels"});
    profile.memory_bandwidth = fields.number("bandwidth-gb-s", {1, 1e6});
    profile.memory_capacity = fields.number("capacity-gb", {1e-3, 1e6});
    if (derived && !fields.contains("kernels")) {
        return;
    }
    const DeviceFields kernels = fields.object("kernels");
    std::vector<std::string> known;
    for (std::size_t i = 1; i < chakra::kernel_kinds; ++i) {
        const auto kernel = static_cast<Kernel>(i);
        if (!is_memory_bound(kernel)) {
            continue;
        }
        known.emplace_back(name_of(kernel));
        const DeviceFields one = kernels.object(name_of(kernel));
        check_device_keys(one, {"efficiency", "launch-us"});
        profile.memory[i] = {one.number("efficiency", share_range),
                             one.number("launch-us", time_range)};
    }
    check_device_keys(kernels, known);
}

/// Tables of kernel times by the type of their inputs, beside the profile where their path is
/// relative.
void read_times(const DeviceFields& fields, const DeviceJson& lists, DeviceProfile& profile) {
    const auto folder = std::filesystem::path(fields.file()).parent_path();
    for (const auto& [key, list] : lists.items()) {
        const auto is_text = [](const DeviceJson& one) { return one.is_string(); };
        if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_text)) {
            refuse_list(fields, key.c_str(), list, "a list of CSV files");
        }
        KernelTableOptions options;
        options.device = profile.name;
        options.type = name_of(type_of(fields, key));
        for (const DeviceJson& file : list) {
            const std::string path = (folder / file.get<std::string>()).string();
            profile.times.merge(times_by_shape(read_kernel_table(path, options)));
            profile.time_files.push_back(path);
        }
    }
}

/// The shipped profile that "based-on" names. Its sources count for what is not replaced.
DeviceProfile base_profile(const DeviceFields& fields) {
    const std::string name = fields.text("based-on");
    if (name == std::filesystem::path(fields.file()).stem().string() ||
        name.find('/') != std::string::npos) {
        fields.refuse("based-on", fields["based-on"], "the name of another shipped profile");
    }
    DeviceProfile base = load_device_profile(name, fields.file() + ", based-on");
    for (auto& [key, source] : base.sources) {
        source += fmt::format(" ({})", base.name);
    }
    return base;
}

/// A name that begins like the text, "h100-sxm5-80gb" for "h100", before the most similar one.
std::string suggestion(const std::string& text, const std::vector<std::string>& names) {
    const auto begins = [&text](const std::string& name) {
        return !text.empty() && name.compare(0, text.size(), text) == 0;
    };
    const auto found = std::find_if(names.begin(), names.end(), begins);
    return found == names.end() ? did_you_mean(text, names)
                                : fmt::format("Did you mean {}?", *found);
}

template <class List, class Rates>
void write_fields(JsonWriter& out, const List& fields, const Rates& rates) {
    for (const auto& field : fields) {
        out.member(field.key, rates.*field.value);
    }
}

}  // namespace

std::vector<std::string> known_devices() {
    return names_of_files(shipped_path("configs/devices"), {".json"});
}

DeviceProfile load_device_profile(const std::string& name_or_file, const std::string& where) {
    if (is_file_name(name_or_file, {".json"})) {
        return read_device_profile(name_or_file);
    }
    const std::vector<std::string> names = known_devices();
    if (std::find(names.begin(), names.end(), name_or_file) == names.end()) {
        throw InputError(
            {where, "", fmt::format("'{}'", name_or_file),
             fmt::format("a device profile (.json) or one of {}", fmt::join(names, ", ")),
             suggestion(name_or_file, names)});
    }
    return read_device_profile(shipped_path("configs/devices/" + name_or_file + ".json").string());
}

DeviceProfile read_device_profile(const std::string& path) {
    const auto document =
        read_json_object<DeviceJson>(path, {"a device profile", "Check the path"});
    const DeviceFields fields(path, document);
    check_device_keys(fields, {"schema", "name", "based-on", "multiprocessors", "peak-tflops",
                               "memory", "matmul", "attention", "launch-us", "times", "sources"});
    if (fields.at("schema", "1") != 1) {
        fields.refuse("schema", fields["schema"], "1", "Use the profile of this version");
    }
    DeviceProfile profile;
    const bool derived = fields.contains("based-on");
    if (derived) {
        profile = base_profile(fields);
    }
    profile.file = path;
    profile.name = fields.text("name");
    profile.multiprocessors = device_count(fields, "multiprocessors", 100'000);
    const DeviceFields peaks = fields.object("peak-tflops");
    profile.peak_tflops.clear();
    for (const auto& [key, value] : document["peak-tflops"].items()) {
        profile.peak_tflops[type_of(peaks, key)] = peaks.number(key, {1e-3, 1e6});
    }
    read_memory(fields.object("memory"), derived, profile);
    if (!derived || fields.contains("matmul")) {
        const DeviceFields products = fields.object("matmul");
        for (const auto& [key, value] : document["matmul"].items()) {
            profile.matmul[type_of(products, key)] = matmul_of(products.object(key));
        }
    }
    if (!derived || fields.contains("attention")) {
        profile.attention.clear();
        const DeviceFields kernels = fields.object("attention");
        for (const auto& [key, value] : document["attention"].items()) {
            const DeviceFields kernel = kernels.object(key);
            check_device_keys(kernel, {"forward", "backward"});
            profile.attention.push_back({key, attention_of(kernel.object("forward")),
                                         attention_of(kernel.object("backward"))});
        }
    }
    if (!derived || fields.contains("launch-us")) {
        profile.launch_us = fields.number("launch-us", time_range);
    }
    if (fields.contains("times")) {
        read_times(fields.object("times"), document["times"], profile);
    }
    const DeviceFields sources = fields.object("sources");
    for (const auto& [key, value] : document["sources"].items()) {
        profile.sources[key] = sources.text(key);
    }
    return profile;
}

std::string device_profile_text(const DeviceProfile& profile) {
    constexpr auto lines = JsonWriter::Layout::Lines;
    JsonWriter out;
    out.begin_object(lines);
    out.member("schema", std::int64_t{1}).member("name", profile.name);
    out.member("multiprocessors", profile.multiprocessors);
    out.key("peak-tflops").begin_object();
    for (const auto& [type, peak] : profile.peak_tflops) {
        out.member(name_of(type), peak);
    }
    out.end_object();
    out.key("memory").begin_object(lines);
    out.member("bandwidth-gb-s", profile.memory_bandwidth);
    out.member("capacity-gb", profile.memory_capacity);
    out.key("kernels").begin_object(lines);
    for (std::size_t i = 1; i < chakra::kernel_kinds; ++i) {
        if (is_memory_bound(static_cast<Kernel>(i))) {
            out.key(name_of(static_cast<Kernel>(i))).begin_object();
            out.member("efficiency", profile.memory[i].efficiency);
            out.member("launch-us", profile.memory[i].launch_us).end_object();
        }
    }
    out.end_object().end_object();
    out.key("matmul").begin_object(lines);
    for (const auto& [type, rates] : profile.matmul) {
        out.key(name_of(type)).begin_object(lines);
        out.key("tiles").begin_array();
        for (const Tile& tile : rates.tiles) {
            out.begin_array().value(tile.rows).value(tile.columns).end_array();
        }
        out.end_array().key("split-k").begin_array();
        for (const std::int64_t split : rates.split_k) {
            out.value(split);
        }
        out.end_array();
        write_fields(out, matmul_fields, rates);
        if (rates.loaded_rate < 1) {
            out.member("loaded-rate", rates.loaded_rate);
        }
        out.end_object();
    }
    out.end_object();
    out.key("attention").begin_object(lines);
    for (const AttentionKernel& kernel : profile.attention) {
        out.key(kernel.name).begin_object(lines);
        out.key("forward").begin_object();
        write_fields(out, attention_fields, kernel.forward);
        out.end_object().key("backward").begin_object();
        write_fields(out, attention_fields, kernel.backward);
        out.end_object().end_object();
    }
    out.end_object();
    out.member("launch-us", profile.launch_us);
    out.key("sources").begin_object(lines);
    for (const auto& [key, text] : profile.sources) {
        out.member(key, text);
    }
    out.end_object();
    out.end_object();
    return out.text() + "\n";
}

}  // namespace npunet::engine
