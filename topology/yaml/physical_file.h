// Topology files of ns-3 simulators: nodes by numbers, which of them are switches, and one line for
// each link.
//
//     9 1 8                          nodes, switches, links (HPCC, ASTRA-sim's ns-3 backend)
//     8                              the switches
//     8 0 400Gbps 0.0005ms 0         node, node, rate, delay, error rate
//     ...
//
// SimAI's has six words in the first line, nodes, GPUs of a server, NVSwitches, other switches,
// links and the type of the GPU, and the NVSwitches before the other switches in the second line.
// Words may be spread over lines; a line that begins with no number ends what is read.
//
// All other nodes are NPUs, in the order of their numbers. Each link has two directions.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <string>
#include <vector>

#include "topology/network/network_description.h"

namespace npunet::topology {

struct PhysicalLink {
    std::string place;  ///< "line 3, column 1"
    std::string from;
    std::string to;
    LinkSpeed speed;
};

struct PhysicalFile {
    std::vector<std::string> npus;      ///< "npu0", ...: by their place among the NPUs
    std::vector<std::string> switches;  ///< "switch8", "nvswitch9": by their number in the file
    std::vector<PhysicalLink> links;
};

/// Whether a text begins as such a file: three whole numbers and nothing else, or five and a word.
[[nodiscard]] bool is_physical_text(const std::string& text);
/// Whether there is a file that does.
[[nodiscard]] bool is_physical_file(const std::string& path);

/// Throws InputError with line and column for whatever is missing, out of range or given twice, for
/// rates and delays without a unit, and for error rates other than 0.
[[nodiscard]] PhysicalFile read_physical_text(const std::string& file, const std::string& text);

}  // namespace npunet::topology
