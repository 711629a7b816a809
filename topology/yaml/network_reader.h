// Reads a network.yml, a topology file of an ns-3 simulator (topology/yaml/physical_file.h), the
// network of a ready machine (topology/yaml/machine.h), or a network.yml from memory.
//
//     NetworkDescription network = read_network("net.yml", GigaByte::Decimal);
//     NetworkDescription ring = parse_network(
//         "{topology: [Ring], npus_count: [8], bandwidth: [50], latency: [500]}", "my ring");
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/network/network_description.h"

namespace npunet::topology {

/// What stands instead of what the file says, because a command line says so for instance.
struct NetworkChanges {
    /// linear, snake, NPUs with commas between them, or a file with such a list, relative to the
    /// working directory; empty: as the file says. `placement_from` names the place in errors.
    std::string placement;
    std::string placement_from = "--placement";
    std::optional<std::uint64_t> seed;  ///< packet.seed, at most 2^53
};

/// Reads a network.yml and builds what it describes, in time and memory proportional to its links
/// (at most 2^21 NPUs, 2^22 nodes, 2^25 links). Throws InputError (file, line, field) for anything
/// that is not understood. Unknown keys are errors, or, with `tolerant` (the astra-sim dialects),
/// go to `warnings`.
[[nodiscard]] NetworkDescription read_network(const std::string& path, GigaByte gigabyte,
                                              bool tolerant = false,
                                              std::vector<std::string>* warnings = nullptr,
                                              const NetworkChanges& changes = {});

/// What read_network() says of a file with this text; `name` stands for the file in messages. GB/s
/// are 10^9 bytes per second, and unknown keys are errors.
[[nodiscard]] NetworkDescription parse_network(const std::string& text, const std::string& name,
                                               std::vector<std::string>* warnings = nullptr);

}  // namespace npunet::topology
