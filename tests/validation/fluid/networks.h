// The networks on which the fluid model is validated against packets.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace npunet::validation {

struct NetworkCase {
    std::string name;
    std::string text;  ///< of its network.yml, without the section packet
    std::size_t npus = 0;
    bool switched = false;  ///< some nodes are switches, so that congestion control is at home
};

/// Throws InputError for a text that describes no network.
[[nodiscard]] NetworkCase network_case(std::string name, std::string text);

/// Every network of configs/networks with at most 128 NPUs, by name, and smaller ones of the kinds
/// that the shipped ones have once or not at all: trees of two levels 2:1 and 3:1, of three levels
/// 1:1 and 3:1, a rail whose servers are cliques, a dragonfly of three rates.
[[nodiscard]] const std::vector<NetworkCase>& product_networks();

/// Networks on which no rule of the model was made, by a fixed seed: rails of 3 to 5 servers, trees
/// of odd radix, tori of three unequal dimensions, hypercubes, graphs of unequal rates, meshes of
/// cliques, small dragonflies, rings of switches; 8 to 64 NPUs. `number`: which one.
[[nodiscard]] NetworkCase hold_out_network(std::size_t number);

}  // namespace npunet::validation
