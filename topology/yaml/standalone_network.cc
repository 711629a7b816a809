#include "topology/yaml/standalone_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "topology/builders/builder.h"
#include "topology/yaml/network_sections.h"

namespace npunet::topology {

namespace {

struct Readers {
    std::vector<std::string> names{"FatTree", "Dragonfly", "Rail", "Custom"};
    std::vector<StandaloneNetworkReader> read{read_fat_tree, read_dragonfly, read_rail,
                                              read_custom};
};

Readers& readers() {
    static Readers all;
    return all;
}

std::size_t number_of(const std::string& name) {
    const std::vector<std::string>& names = readers().names;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Sections of that map that describe a network of its own.
std::vector<StandaloneSection> sections_in(const YamlField& map) {
    std::vector<StandaloneSection> sections;
    for (const std::string& name : standalone_network_names()) {
        if (const auto parameters = map.find(name)) {
            sections.push_back({name, *parameters});
        }
    }
    return sections;
}

}  // namespace

const std::vector<std::string>& standalone_network_names() {
    return readers().names;
}

void add_standalone_network(const std::string& name, StandaloneNetworkReader read) {
    if (number_of(name) < readers().names.size()) {
        throw std::invalid_argument("there is a network '" + name + "' already");
    }
    readers().names.push_back(name);
    readers().read.push_back(read);
}

std::optional<StandaloneSection> standalone_section(const YamlField& root) {
    std::vector<StandaloneSection> sections = sections_in(root);
    const auto topology = root.find("topology");
    if (!sections.empty() && topology) {
        topology->refuse("topology in addition to " + sections.front().name, "one of the two",
                         "A " + sections.front().name + " is a network on its own");
    }
    if (topology) {
        for (const YamlField& entry : topology->items()) {
            if (!entry.is_map()) {
                continue;
            }
            check_keys(entry, standalone_network_names(), {});
            const std::vector<StandaloneSection> more = sections_in(entry);
            sections.insert(sections.end(), more.begin(), more.end());
            if (!more.empty() && topology->items().size() > 1) {
                topology->refuse(fmt::format("{} as one of {} entries", more.front().name,
                                             topology->items().size()),
                                 "a network on its own", "Products have dimensions only");
            }
        }
    }
    if (sections.size() > 1) {
        sections[1].parameters.refuse(sections[1].name + " in addition to " + sections[0].name,
                                      "one network", "Remove one of them");
    }
    if (sections.empty()) {
        return std::nullopt;
    }
    if (!sections.front().parameters.is_map()) {
        sections.front().parameters.refuse(sections.front().parameters.found(),
                                           "a map of parameters",
                                           "For example: " + sections.front().name + ": {...}");
    }
    return sections.front();
}

StandaloneNetwork read_standalone_network(const StandaloneSection& section, GigaByte gigabyte,
                                          const UnknownKeys& unknown) {
    return readers().read[number_of(section.name)](section.parameters, gigabyte, unknown);
}

void check_standalone_size(const YamlField& field, std::int64_t npus, std::int64_t switches,
                           std::int64_t links) {
    if (npus > most_npus) {
        field.refuse(fmt::format("{} NPUs", npus), fmt::format("at most {}", most_npus));
    }
    if (npus + switches > most_nodes) {
        field.refuse(fmt::format("{} NPUs and switches", npus + switches),
                     fmt::format("at most {}", most_nodes));
    }
    if (links > most_links) {
        field.refuse(fmt::format("{} links", links), fmt::format("at most {}", most_links));
    }
}

}  // namespace npunet::topology
