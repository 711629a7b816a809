// The hostfile of a cluster: its nodes, one a line, in the order in which ranks are given.
//
//     0.0.0.1 slots=4
//     0.0.0.4 slots=8
//
// An address may stand on several lines: as many nodes of that kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace npunet::planner {

/// That a cluster may have.
constexpr std::int64_t most_devices = 65536;

struct Host {
    std::string address;
    std::int64_t slots = 0;  ///< its devices, 1 to 4096
    int line = 0;            ///< where it stands, from 1
};

enum class HostfileRules {
    Npunet,  ///< any blanks, blank lines and lines from '#' are skipped
    Metis    ///< one blank, no blank line, and of the number the first digit alone
};

/// Throws InputError with file and line for a line of another form, no host, or more than
/// most_devices.
[[nodiscard]] std::vector<Host> read_hostfile(const std::filesystem::path& file,
                                              HostfileRules rules);

}  // namespace npunet::planner
