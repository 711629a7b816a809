#include "topology/unknown_keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace npunet::topology {

void check_keys(const YamlField& map, const std::vector<std::string>& known,
                const UnknownKeys& unknown, const std::vector<std::string>& planned) {
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const YamlField& key : map.keys()) {
        const std::string& name = key.text("a key");
        if (has(known, name)) {
            continue;
        }
        if (has(planned, name)) {
            key.refuse(
                fmt::format("'{}', not offered by this version; offered: {}", name, joined(known)),
                "");
        }
        if (!unknown.tolerated) {
            key.refuse(fmt::format("the unknown key '{}'", name), "one of " + joined(known),
                       did_you_mean(name, known));
        }
        if (unknown.warnings != nullptr) {
            unknown.warnings->push_back(
                fmt::format("{}: {}: the unknown key '{}' is left out of account", key.file(),
                            key.place(), name));
        }
    }
}

}  // namespace npunet::topology
