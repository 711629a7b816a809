#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <memory>

#include "topology/builders/builder.h"
#include "topology/builders/dragonfly.h"
#include "topology/network/reducing_switches.h"
#include "topology/yaml/link_fields.h"

namespace npunet::topology {

StandaloneNetwork read_dragonfly(const YamlField& section, GigaByte gigabyte,
                                 const UnknownKeys& unknown) {
    check_keys(section, {"a", "p", "h", "groups", "bandwidth", "latency", "reduces"}, unknown);
    constexpr std::int64_t most = 65536;
    DragonflyShape shape;
    shape.a = section.at("a").whole(1, most, "the routers of a group");
    shape.p = section.at("p").whole(1, most, "the NPUs of a router");
    shape.h = section.at("h").whole(0, most, "the global links of a router");
    const YamlField groups = section.at("groups");
    shape.groups = groups.whole(1, most_npus, "a number of groups");
    const std::int64_t ports = shape.a * shape.h;
    if (shape.groups > ports + 1) {
        groups.refuse(
            groups.found(),
            fmt::format("at most {}: a x h = {} x {} = {} global links a group, one to each other",
                        ports + 1, shape.a, shape.h, ports),
            "Raise a or h");
    }
    check_standalone_size(section, shape.npus(), shape.groups * shape.a, shape.links());
    const auto speeds = link_speeds_at(section, gigabyte, {"npu", "local", "global"});
    StandaloneNetwork own;
    own.network = make_dragonfly(shape, speeds);
    if (const auto reduces = section.find("reduces")) {
        if (const auto limits = reduces_at(*reduces, unknown)) {
            let_switches_reduce([](NodeId) { return true; }, *limits, own.network);
        }
    }
    own.routing.offered = {"auto", "minimal", "ugal"};
    own.routing.make = [shape, router = own.network.router](const std::string& word, std::uint64_t,
                                                            const YamlField&, const Graph&) {
        Routes routes{router};
        if (word == "ugal") {
            routes.multipath = std::make_shared<DragonflyNextHops>(shape);
        }
        return routes;
    };
    return own;
}

}  // namespace npunet::topology
