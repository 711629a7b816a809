// Ready machines: the files of configs/machines, templates of a network.yml and a system.json for a
// number of servers, or for the shape of a pod.
//
//     const ReadyMachine machine = read_machine("dgx-h100:32", "--machine");
//     parse_network(machine.network, machine.name);      // of 32 servers
//
// A template says what a count is, and has the texts of both files:
//
//     count: servers of 8 GPUs   # what the count counts, for messages
//     networks:                  # the first entry whose `to` is not exceeded
//         - to: 32               # servers
//           network: |           # $COUNT is replaced by the count
//               ...
//     system: |
//         {...}
//
// `step: 72`: the count is of GPUs, a multiple of 72; `to` and $COUNT are in units of 72 GPUs.
// `multiple: 4`: the count is a shape, AxBxC, whose sides are multiples of 4; `to` is in chips, and
// $X, $Y and $Z are replaced by the sides.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <string>
#include <vector>

namespace npunet::topology {

struct ReadyMachine {
    std::string name;     ///< "dgx-h100:32"
    std::string network;  ///< a network.yml
    std::string system;   ///< a system.json
};

/// Names of the shipped machines, sorted.
[[nodiscard]] std::vector<std::string> known_machines();

/// Whether a text is NAME:COUNT or NAME:AxBxC of a machine that there is, and no file of that name.
/// So is NAME alone, which read_machine() refuses with a word on the count.
[[nodiscard]] bool names_machine(const std::string& text);

/// The machine of NAME:COUNT. `option` stands in errors. Throws InputError for an unknown name,
/// which lists those that there are, and for a count that does not fit, which says what fits.
[[nodiscard]] ReadyMachine read_machine(const std::string& text, const std::string& option);

}  // namespace npunet::topology
