#include "engine/collective_library/library_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"
#include "base/json_document.h"
#include "base/json_object.h"
#include "base/shipped_files.h"

namespace npunet::engine {

namespace {

using nlohmann::json;
using Fields = JsonObject<json>;

struct NamedVersion {
    std::string library;
    LibraryVersion version;
};

/// "nccl-2.29"
std::optional<NamedVersion> named_version(const std::string& text) {
    const std::size_t dash = text.rfind('-');
    if (dash == std::string::npos || dash == 0) {
        return std::nullopt;
    }
    const auto version = LibraryVersion::named(std::string_view(text).substr(dash + 1));
    return version ? std::optional(NamedVersion{text.substr(0, dash), *version}) : std::nullopt;
}

std::vector<std::string> texts(const Fields& fields, const std::string& key) {
    std::vector<std::string> list;
    if (!fields.contains(key)) {
        return list;
    }
    const json& value = fields[key];
    const bool good =
        value.is_array() && std::all_of(value.begin(), value.end(), [](const json& v) {
            return v.is_string() && !v.get_ref<const std::string&>().empty();
        });
    if (!good) {
        fields.refuse(key, value, "a list of names");
    }
    for (const json& one : value) {
        list.push_back(one.get<std::string>());
    }
    return list;
}

void check_keys(const Fields& fields, const std::vector<std::string>& known) {
    std::vector<std::string> warnings;
    fields.check_keys(known, {}, false, warnings);
}

const GpuArchitecture& architecture_of(const Fields& fields) {
    const std::string name = fields.text("architecture");
    const GpuArchitecture* const architecture = GpuArchitecture::named(name);
    if (architecture == nullptr) {
        fields.refuse("architecture", fields["architecture"], "ampere, hopper or blackwell");
    }
    return *architecture;
}

/// One number for each constant: no more, and no tables.
void read_constants(const Fields& fields, const LibraryProfile& profile, LibraryGpu& gpu) {
    std::vector<std::string> known;
    for (const LibraryConstant& constant : all_library_constants()) {
        known.emplace_back(constant.name);
    }
    check_keys(fields, known);
    std::size_t number = 0;
    for (const LibraryConstant& constant : all_library_constants()) {
        const Fields entry = fields.object(std::string(constant.name));
        check_keys(entry, {"value", "unit", "source"});
        constexpr NumberRange range{1e-6, 1e6};
        constant.set(gpu.constants, entry.number("value", range));
        if (entry.text("unit") != constant.unit) {
            entry.refuse("unit", entry["unit"], constant.unit);
        }
        gpu.sources[number] = entry.text("source");
        if (profile.sources.count(gpu.sources[number]) == 0) {
            entry.refuse("source", entry["source"], "a key of \"sources\"");
        }
        ++number;
    }
}

NamedVersion library_of(const Fields& root) {
    const auto named = named_version(root.text("library"));
    if (!named) {
        root.refuse("library", root["library"], "a library and its version, such as nccl-2.29.2");
    }
    return *named;
}

struct ShippedProfile {
    std::string path;
    NamedVersion named;
};

/// By version.
std::vector<ShippedProfile> shipped_profiles() {
    std::vector<ShippedProfile> list;
    const std::filesystem::path folder = shipped_path("configs/collectives");
    for (const std::string& name : names_of_files(folder, {".json"})) {
        if (const auto named = named_version(name)) {
            list.push_back({(folder / (name + ".json")).string(), *named});
        }
    }
    std::sort(list.begin(), list.end(), [](const ShippedProfile& a, const ShippedProfile& b) {
        return a.named.library != b.named.library ? a.named.library < b.named.library
                                                  : a.named.version < b.named.version;
    });
    return list;
}

[[noreturn]] void refuse_name(const std::string& name, const std::vector<ShippedProfile>& shipped) {
    std::string names;
    for (const ShippedProfile& one : shipped) {
        names += (names.empty() ? "" : ", ") + std::filesystem::path(one.path).stem().string();
    }
    throw InputError(
        {name, "collectives", "no communication library of that name",
         names.empty() ? "the path of a profile" : names + ", or the path of a profile",
         "Paths have a slash or end in .json"});
}

}  // namespace

bool LibraryGpu::is(std::string_view gpu) const {
    return gpu == name || std::find(also.begin(), also.end(), gpu) != also.end();
}

const LibraryGpu* LibraryProfile::find(std::string_view gpu) const {
    const auto found =
        std::find_if(gpus.begin(), gpus.end(), [&](const LibraryGpu& one) { return one.is(gpu); });
    return found == gpus.end() ? nullptr : &*found;
}

const LibraryGpu& LibraryProfile::gpu(const std::string& name, const std::string& file_of_name,
                                      const std::string& place) const {
    if (const LibraryGpu* const found = find(name); found != nullptr) {
        return *found;
    }
    std::string names;
    for (const LibraryGpu& one : gpus) {
        names += (names.empty() ? "" : ", ") + one.name;
        for (const std::string& other : one.also) {
            names += ", " + other;
        }
    }
    throw InputError({file_of_name, place, name, "a GPU of " + file + ": " + names,
                      "npunet collective fit makes a profile from your measurements"});
}

LibraryProfile read_library_profile(const std::string& path) {
    const auto document =
        read_json_object<json>(path, {"a profile of a communication library", "Check the path"});
    const Fields root(path, document);
    check_keys(root, {"library", "sources", "calibrated-on", "gpus"});
    LibraryProfile profile;
    profile.file = path;
    const NamedVersion named = library_of(root);
    profile.library = named.library;
    profile.version = named.version;
    profile.calibrated_on = texts(root, "calibrated-on");
    const Fields sources = root.object("sources");
    for (const auto& [key, value] : root["sources"].items()) {
        const Fields source = sources.object(key);
        check_keys(source, {"text", "calibrated"});
        profile.sources[key] = {source.text("text"), source.flag("calibrated")};
    }
    const Fields gpus = root.object("gpus");
    for (const auto& [key, value] : root["gpus"].items()) {
        const Fields fields = gpus.object(key);
        check_keys(fields, {"architecture", "also", "constants"});
        LibraryGpu gpu;
        gpu.name = key;
        gpu.also = texts(fields, "also");
        gpu.architecture = &architecture_of(fields);
        read_constants(fields.object("constants"), profile, gpu);
        profile.gpus.push_back(std::move(gpu));
    }
    if (profile.gpus.empty()) {
        root.refuse("gpus", root["gpus"], "at least one GPU type");
    }
    return profile;
}

LibraryProfile find_library_profile(const std::string& name, const std::string& beside,
                                    std::vector<std::string>& warnings) {
    const std::filesystem::path path(name);
    if (is_file_name(name, {".json"})) {
        return read_library_profile((std::filesystem::path(beside).parent_path() / path).string());
    }
    const std::vector<ShippedProfile> shipped = shipped_profiles();
    const auto wanted = named_version(name);
    const ShippedProfile* best = nullptr;
    const ShippedProfile* oldest = nullptr;
    for (const ShippedProfile& one : shipped) {
        if (!wanted || one.named.library != wanted->library) {
            continue;
        }
        oldest = oldest == nullptr ? &one : oldest;
        // 2.29 is any 2.29: a file of that minor version is its own.
        const bool same = one.named.version.major == wanted->version.major &&
                          one.named.version.minor == wanted->version.minor;
        best = same || one.named.version < wanted->version ? &one : best;
    }
    if (oldest == nullptr) {
        refuse_name(name, shipped);
    }
    const ShippedProfile& taken = best == nullptr ? *oldest : *best;
    LibraryProfile profile = read_library_profile(taken.path);
    const bool own = best != nullptr && taken.named.version.major == wanted->version.major &&
                     taken.named.version.minor == wanted->version.minor;
    if (!own) {
        warnings.push_back(
            fmt::format("{} has no profile of its own: it takes the constants of {}, {}", name,
                        std::filesystem::path(taken.path).stem().string(),
                        best == nullptr ? "the oldest that there is" : "the nearest older one"));
        profile.version = wanted->version;
    } else if (wanted->version.patch > 0) {
        profile.version = wanted->version;
    }
    return profile;
}

}  // namespace npunet::engine
