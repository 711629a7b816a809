// Ready machines: the files of configs/machines, templates of a network.yml and a system.json for a
// number of servers, or for the shape of a pod.
//
//     const ReadyMachine machine = read_machine("dgx-h100:32", "--machine");
//     parse_network(machine.network, machine.name);      // of 32 servers
//
// A template:
//
//     count: servers of 8 GPUs       # what the number counts, for messages
//     step: 72                       # GPUs of a unit, where the number counts them; $COUNT is
//     units shape: {multiple: 4, most: [16, 20, 28]}  # instead of a number: AxBxC; $X, $Y and $Z
//     networks:                      # the first whose `to` is at least the units, or chips
//         - to: 32
//           network: |
//               ...
//     system: |
//         {...}
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
[[nodiscard]] bool names_machine(const std::string& text);

/// The machine of NAME:COUNT. `option` stands in errors. Throws InputError for an unknown name,
/// which lists those that there are, and for a count that does not fit, which says what fits.
[[nodiscard]] ReadyMachine read_machine(const std::string& text, const std::string& option);

}  // namespace npunet::topology
