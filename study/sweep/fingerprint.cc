#include "study/sweep/fingerprint.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/errors.h"
#include "engine/machine/named_profiles.h"
#include "generators/transformer/model_library.h"
#include "topology/network/network_description.h"
#include "topology/yaml/machine.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study {

namespace {

std::uint64_t fnv1a_of_file(const std::string& path, std::uint64_t hash) {
    if (topology::names_machine(path)) {
        const topology::ReadyMachine machine = topology::read_machine(path, "machines");
        return fnv1a(machine.system, fnv1a(machine.network, hash));
    }
    std::ifstream stream(path, std::ios::binary);
    std::vector<char> block(std::size_t{1} << 20);
    while (stream) {
        stream.read(block.data(), static_cast<std::streamsize>(block.size()));
        hash = fnv1a({block.data(), static_cast<std::size_t>(stream.gcount())}, hash);
    }
    if (!stream.eof()) {
        throw InputError({path, "", "no file that can be read", "an input of the sweep", ""});
    }
    return hash;
}

std::uint64_t fnv1a_of_links(const topology::Graph& graph, std::uint64_t hash) {
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        hash = fnv1a(graph.name(NodeId(node)) + ' ', hash);
    }
    for (std::size_t number = 0; number < graph.links(); ++number) {
        const topology::Link& link = graph.link(LinkId(number));
        hash = fnv1a(fmt::format("{} {} {} {} ", link.from.value(), link.to.value(),
                                 link.rate.bytes_per_second(), link.latency.ps()),
                     hash);
    }
    return hash;
}

/// Networks may name files of their own: the placement, and the links of a graph.
std::uint64_t fnv1a_of_network(const std::string& network, std::uint64_t hash) {
    const auto read = topology::read_network(network, topology::GigaByte::Decimal, true, nullptr);
    for (const NodeId npu : read.npu_of_rank) {
        hash = fnv1a(std::to_string(npu.value()) + ' ', hash);
    }
    return read.dimensions.empty() ? fnv1a_of_links(read.graph, hash) : hash;
}

std::uint64_t fnv1a_of_traces(const std::string& prefix, std::uint64_t hash) {
    for (std::size_t rank = 0;; ++rank) {
        const std::string path = fmt::format("{}.{}.et", prefix, rank);
        std::error_code unreadable;
        if (!std::filesystem::exists(path, unreadable)) {
            return hash;
        }
        hash = fnv1a_of_file(path, hash);
    }
}

/// Model files may name one too, of where tokens go.
std::uint64_t fnv1a_of_routing(const std::string& model, std::uint64_t hash) {
    const generators::Routing routing = generators::load_model(model).moe.routing;
    return routing.kind == generators::Routing::Kind::File ? fnv1a_of_file(routing.file, hash)
                                                           : hash;
}

/// Profiles of devices, stacks and collectives. What cannot be read is refused where it is used.
std::uint64_t fnv1a_of_profiles(const std::string& system, std::uint64_t hash) {
    std::vector<std::string> files;
    try {
        files = engine::profile_files(system);
    } catch (const InputError&) {
        return hash;
    }
    for (const std::string& file : files) {
        hash = fnv1a_of_file(file, hash);
    }
    return hash;
}

std::uint64_t fnv1a_of_input(const Parameter& parameter, const Value& value) {
    std::uint64_t hash = fnv1a(value.path.empty() ? "shipped" : "file");
    if (parameter.kind == ValueKind::Prefix) {
        return fnv1a_of_traces(value.path, hash);
    }
    if (!value.path.empty()) {
        hash = fnv1a_of_file(value.path, hash);
    }
    if (parameter.kind == ValueKind::Model && !value.path.empty()) {
        return fnv1a_of_routing(value.path, hash);
    }
    if (parameter.name == "system") {
        return fnv1a_of_profiles(value.path, hash);
    }
    return parameter.name == "network" ? fnv1a_of_network(value.path, hash) : hash;
}

}  // namespace

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash) {
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    }
    return hash;
}

std::uint64_t fingerprint_of(const DesignSpace& space, const std::vector<Parameter>& parameters) {
    std::string text = fmt::format("sweep 1\nkind {}\n", static_cast<int>(space.kind));
    std::map<std::string, std::uint64_t> inputs;
    for (const Axis& axis : space.axes) {
        text += axis.listed ? "list\n" : "value\n";
        for (const auto& row : axis.rows) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                const Source nowhere;
                const Parameter& parameter = find_parameter(parameters, axis.names[i], nowhere);
                const std::string key = parameter.name + ' ' + row[i].path;
                if (inputs.count(key) == 0) {
                    inputs[key] = fnv1a_of_input(parameter, row[i]);
                }
                text += fmt::format("{}={} {:x}\n", axis.names[i], row[i].text, inputs[key]);
            }
        }
    }
    for (const Point& point : space.points) {
        text += fmt::format("{}\n", fmt::join(point.rows, " "));
    }
    if (space.memory_limit) {
        text += fmt::format("memory {}\n", space.memory_limit->value());
    }
    if (space.replay) {
        text += fmt::format("then {} {}\n", space.replay->fidelity.text, space.replay->top);
    }
    return fnv1a(text);
}

}  // namespace npunet::study
