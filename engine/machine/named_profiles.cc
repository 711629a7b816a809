#include "engine/machine/named_profiles.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/shipped_files.h"
#include "engine/collective_library/library_profile.h"
#include "engine/machine/machine_file.h"

namespace npunet::engine {

namespace {

/// A shipped profile's name, or the path of a file; empty where the key is not there.
std::string profile_named(const SystemFields& fields, const char* key, const Dialect& dialect) {
    if (!fields.contains(key)) {
        return "";
    }
    if (dialect.whole_nanoseconds || !fields[key].is_string()) {
        fields.refuse(key, fields[key],
                      dialect.whole_nanoseconds
                          ? "no such key with --dialect " + dialect.name
                          : fmt::format("the name or the file of a {} profile", key));
    }
    const std::string name = fields.text(key);
    const std::filesystem::path path = name;
    if (!is_file_name(name, {".json"}) || path.is_absolute()) {
        return name;
    }
    const std::filesystem::path folder = std::filesystem::path(fields.file()).parent_path();
    return ((folder.empty() ? "." : folder) / path).string();
}

}  // namespace

std::shared_ptr<const DeviceProfile> named_device(const SystemFields& fields,
                                                  const Dialect& dialect) {
    const std::string name = profile_named(fields, "device", dialect);
    return name.empty() ? nullptr
                        : std::make_shared<const DeviceProfile>(
                              load_device_profile(name, fields.file() + ", device"));
}

std::shared_ptr<const StackProfile> named_stack(const SystemFields& fields,
                                                const Dialect& dialect) {
    const std::string name = profile_named(fields, "stack", dialect);
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
        if (fields.contains("gpu")) {
            warnings.push_back(fields.file() + ": gpu has no effect without collectives");
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
    return std::make_shared<const LibraryInUse>(std::move(library));
}

std::vector<std::string> profile_files(const std::string& system_file) {
    const nlohmann::json document =
        read_machine_file(system_file, "a system.json", "Check --system");
    const SystemFields fields(system_file, document);
    const Dialect dialect = Dialect::named("npunet");
    std::vector<std::string> files;
    if (const auto device = named_device(fields, dialect)) {
        files.push_back(device->file);
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
