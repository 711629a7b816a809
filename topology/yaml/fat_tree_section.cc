#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"
#include "topology/network/reducing_switches.h"
#include "topology/yaml/link_fields.h"

namespace npunet::topology {

namespace {

constexpr std::int64_t most_radix = 65536;

/// Ports of one level: radix = down + up, down / up = the ratio. Refuses what is not whole.
void set_ports(const YamlField& field, const YamlField& radix, std::size_t level,
               FatTreeShape& shape) {
    const std::optional<double> ratio = field.number();
    if (!ratio || !(*ratio > 0)) {
        field.refuse(field.found(),
                     "a number above 0: ports towards the NPUs for each port away from them");
    }
    const auto ports = static_cast<double>(shape.radix);
    const std::int64_t up = std::llround(ports / (1 + *ratio));
    const std::int64_t down = shape.radix - up;
    const bool whole =
        up >= 1 && down >= 1 &&
        std::abs(static_cast<double>(down) - *ratio * static_cast<double>(up)) <= 1e-9 * ports;
    if (!whole) {
        field.refuse(
            fmt::format("{} with radix: {}", field.text(""), radix.text("")),
            fmt::format("a ratio that splits the {} ports of a switch into whole numbers, such as "
                        "{}: {} down and {} up",
                        shape.radix, static_cast<double>(shape.radix - 1), shape.radix - 1, 1),
            *ratio == std::floor(*ratio) && *ratio < static_cast<double>(most_radix)
                ? fmt::format("Use a radix that is a multiple of {}",
                              static_cast<std::int64_t>(*ratio) + 1)
                : "");
    }
    shape.down[level] = down;
    shape.up[level] = up;
}

void read_ports(const YamlField& section, FatTreeShape& shape) {
    const YamlField radix = section.at("radix");
    shape.radix = radix.whole(2, most_radix, "the ports of a switch");
    const auto levels = static_cast<std::size_t>(shape.levels - 1);
    const auto ratios = section.find("oversubscription");
    if (!ratios) {
        if (shape.radix % 2 != 0) {
            radix.refuse(radix.found(), "an even number: half of the ports lead up",
                         "Or give oversubscription");
        }
        for (std::size_t level = 0; level < levels; ++level) {
            shape.down[level] = shape.up[level] = shape.radix / 2;
        }
        return;
    }
    std::vector<YamlField> entries = ratios->items();
    if (!ratios->is_list()) {
        entries.assign(levels, *ratios);
    }
    if (entries.size() != levels) {
        ratios->refuse(ratios->found(),
                       fmt::format("{} for {} levels: of the leaves{}", levels, shape.levels,
                                   levels == 2 ? ", of the aggregation switches" : ""));
    }
    for (std::size_t level = 0; level < levels; ++level) {
        set_ports(entries[level], radix, level, shape);
    }
}

}  // namespace

FatTreeParameters fat_tree_at(const YamlField& section, GigaByte gigabyte,
                              const UnknownKeys& unknown, std::optional<std::int64_t> npus) {
    check_keys(section,
               {"levels", "radix", "npus", "oversubscription", "bandwidth", "latency", "reduces"},
               unknown);
    FatTreeParameters result;
    FatTreeShape& shape = result.shape;
    shape.levels =
        static_cast<std::int32_t>(section.at("levels").whole(2, 3, "the levels of switches"));
    read_ports(section, shape);
    const YamlField place = npus && !section.find("npus") ? section : section.at("npus");
    if (section.find("npus")) {
        shape.npus = place.whole(1, most_npus, "a number of NPUs");
    }
    if (npus) {
        if (section.find("npus") && shape.npus != *npus) {
            place.refuse(place.found(),
                         fmt::format("{}, one for each server, as in servers", *npus),
                         "Leave it out");
        }
        shape.npus = *npus;
    }
    if (shape.npus > shape.most_npus()) {
        const std::string product =
            shape.levels == 3 ? fmt::format("{} pods x {} leaves x {} NPUs", shape.radix,
                                            shape.down[1], shape.down[0])
                              : fmt::format("{} leaves x {} NPUs", shape.radix, shape.down[0]);
        place.refuse(fmt::format("{} NPUs with radix: {}", shape.npus, shape.radix),
                     fmt::format("at most {}: {}", shape.most_npus(), product),
                     shape.levels == 2 ? "Use a larger radix or 3 levels" : "Use a larger radix");
    }
    std::vector<std::string> places{"host", "up1", "up2"};
    places.resize(static_cast<std::size_t>(shape.levels));
    result.speeds = link_speeds_at(section, gigabyte, places);
    if (const auto reduces = section.find("reduces")) {
        result.reduces = reduces_at(*reduces, unknown);
    }
    return result;
}

StandaloneNetwork read_fat_tree(const YamlField& section, GigaByte gigabyte,
                                const UnknownKeys& unknown) {
    const FatTreeParameters tree = fat_tree_at(section, gigabyte, unknown, std::nullopt);
    check_standalone_size(section, tree.shape.npus, tree.shape.switches(), tree.shape.links());
    StandaloneNetwork own;
    own.network = make_fat_tree(tree.shape, tree.speeds);
    if (tree.reduces) {
        let_switches_reduce([](NodeId) { return true; }, *tree.reduces, own.network);
    }
    own.routing.offered = {"auto", "up-down", "ecmp", "spray", "adaptive"};
    own.routing.make = [shape = tree.shape](const std::string& word, std::uint64_t seed,
                                            const YamlField&, const Graph&) {
        Routes routes{std::make_shared<FatTreeRouter>(
            shape, word == "ecmp" ? UpLinks::ByHash : UpLinks::ByDestination, seed)};
        if (const auto spread = spread_named(word)) {
            routes.multipath = std::make_shared<FatTreeNextHops>(shape, *spread);
        }
        return routes;
    };
    return own;
}

}  // namespace npunet::topology
