#include "engine/machine/named_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/shipped_files.h"
#include "engine/collective_library/library_profile.h"
#include "engine/machine/machine_file.h"

namespace npunet::engine {

namespace {

/// A shipped profile's name, or the path of a file; empty where the key is not there.
std::string profile_named(const SystemFields& fields, const char* key, const char* kind,
                          const Dialect& dialect) {
    if (!fields.contains(key)) {
        return "";
    }
    if (dialect.whole_nanoseconds || !fields[key].is_string()) {
        fields.refuse(key, fields[key],
                      dialect.whole_nanoseconds
                          ? "no such key with --dialect " + dialect.name
                          : fmt::format("the name or the file of a {} profile", kind));
    }
    const std::string name = fields.text(key);
    const std::filesystem::path path = name;
    if (!is_file_name(name, {".json"}) || path.is_absolute()) {
        return name;
    }
    const std::filesystem::path folder = std::filesystem::path(fields.file()).parent_path();
    return ((folder.empty() ? "." : folder) / path).string();
}

bool same_name(std::string_view x, std::string_view y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    });
}

/// As the library reads NCCL_ALGO and NCCL_PROTO: names separated by commas, whatever their case;
/// ^ in front: all but these. Empty where the key is not there.
template <typename Choice>
std::vector<Choice> named_choices(const char* key, const std::vector<Choice>& all,
                                  const SystemFields& fields) {
    if (!fields.contains(key)) {
        return {};
    }
    const std::string text = fields.text(key);
    const bool others = !text.empty() && text.front() == '^';
    std::vector<bool> named(all.size());
    std::istringstream list(others ? text.substr(1) : text);
    for (std::string name; std::getline(list, name, ',');) {
        const auto found = std::find_if(all.begin(), all.end(), [&](Choice choice) {
            return same_name(name_of(choice), name);
        });
        if (found == all.end()) {
            std::string names;
            for (const Choice choice : all) {
                names += (names.empty() ? "" : ", ") + std::string(name_of(choice));
            }
            fields.refuse(key, fields[key],
                          names + "; several separated by commas; ^ in front: " + "all but these");
        }
        named[static_cast<std::size_t>(found - all.begin())] = true;
    }
    std::vector<Choice> chosen;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (named[i] != others) {
            chosen.push_back(all[i]);
        }
    }
    if (chosen.empty()) {
        fields.refuse(key, fields[key], "at least one that is left");
    }
    return chosen;
}

}  // namespace

std::shared_ptr<const DeviceProfile> named_device(const SystemFields& fields,
                                                  const Dialect& dialect) {
    const std::string name = profile_named(fields, "device", "device", dialect);
    return name.empty() ? nullptr
                        : std::make_shared<const DeviceProfile>(
                              load_device_profile(name, fields.file() + ", device"));
}

std::shared_ptr<const DeviceProfile> named_recorded_on(const SystemFields& fields,
                                                       const Dialect& dialect) {
    const std::string name = profile_named(fields, "recorded-on", "device", dialect);
    if (name.empty()) {
        return nullptr;
    }
    if (!fields.contains("device")) {
        fields.refuse("recorded-on", fields["recorded-on"],
                      "a device beside it, which the recorded durations are moved to",
                      "Add the key device");
    }
    return std::make_shared<const DeviceProfile>(
        load_device_profile(name, fields.file() + ", recorded-on"));
}

std::shared_ptr<const StackProfile> named_stack(const SystemFields& fields,
                                                const Dialect& dialect) {
    const std::string name = profile_named(fields, "stack", "stack", dialect);
    if (name.empty()) {
        return nullptr;
    }
    if (!fields.contains("device")) {
        fields.refuse("stack", fields["stack"], "a device beside it, whose times it changes",
                      "Add the key device");
    }
    return std::make_shared<const StackProfile>(
        load_stack_profile(name, fields.file() + ", stack"));
}

std::shared_ptr<const LibraryInUse> named_library(const SystemFields& fields,
                                                  const Dialect& dialect,
                                                  std::vector<std::string>& warnings) {
    if (!fields.contains("collectives")) {
        for (const char* const key : {"gpu", "nccl-algo", "nccl-proto", "nccl-collnet",
                                      "nccl-group", "gpus-per-node", "gpu-sms"}) {
            if (fields.contains(key)) {
                warnings.push_back(
                    fmt::format("{}: {} has no effect without collectives", fields.file(), key));
            }
        }
        return nullptr;
    }
    const std::string name = fields.text("collectives");
    if (!dialect.chooses_algorithms) {
        fields.refuse("collectives", fields["collectives"],
                      "no communication library with --dialect " + dialect.name,
                      "Remove it, or use --dialect npunet");
    }
    const LibraryProfile profile = find_library_profile(name, fields.file(), warnings);
    LibraryInUse library =
        library_in_use(profile, profile.gpu(fields.text("gpu"), fields.file(), "gpu"));
    for (std::size_t kind = 0; kind < library.kinds.size(); ++kind) {
        if (fields.contains(key_of(static_cast<CollectiveKind>(kind)))) {
            library.kinds[kind] = false;
        }
    }
    library.override = {named_choices("nccl-algo", library_algorithms(), fields),
                        named_choices("nccl-proto", library_protocols(), fields)};
    library.collnet = fields.flag("nccl-collnet");
    library.gpus_per_node = static_cast<std::int32_t>(
        fields.integer("gpus-per-node", library.gpus_per_node, 1, 1 << 20));
    library.launches_groups = fields.flag("nccl-group");
    if (library.launches_groups && fields.integer("max-concurrent-comms", 0, 0) > 0) {
        fields.refuse("nccl-group", fields["nccl-group"],
                      "no max-concurrent-comms beside it: collectives of a launch run together",
                      "Remove one of the two keys");
    }
    library.gpu_sms =
        static_cast<std::int32_t>(fields.integer("gpu-sms", library.gpu_sms, 2, 1 << 16));
    library.element_bytes = fields.integer("data-type-bytes", library.element_bytes, 1, 1024);
    return std::make_shared<const LibraryInUse>(std::move(library));
}

std::vector<std::string> profile_files(const std::string& system_file) {
    const nlohmann::json document =
        read_machine_file(system_file, "a system.json", "Check --system");
    const SystemFields fields(system_file, document);
    const Dialect dialect = Dialect::named("npunet");
    std::vector<std::string> files;
    for (const auto& device : {named_device(fields, dialect), named_recorded_on(fields, dialect)}) {
        if (device != nullptr) {
            files.push_back(device->file);
            files.insert(files.end(), device->time_files.begin(), device->time_files.end());
        }
    }
    if (const auto stack = named_stack(fields, dialect)) {
        files.push_back(stack->file);
    }
    if (fields.contains("collectives")) {
        std::vector<std::string> warnings;
        files.push_back(
            find_library_profile(fields.text("collectives"), system_file, warnings).file);
    }
    return files;
}

}  // namespace npunet::engine
