// Which switches of a network reduce and multicast.
//
//     let_switches_of_dimension_reduce(0, {}, network);   // NVLink switches inside of every server
#pragma once

#include <cstdint>
#include <functional>

#include "topology/network/network_description.h"
#include "topology/network/reducing_switch.h"

namespace npunet::topology {

/// Switches for which `which` is true; `limits.node` is ignored.
void let_switches_reduce(const std::function<bool(NodeId)>& which, const ReducingSwitch& limits,
                         NetworkDescription& network);

/// Those of a dimension, from 0, of a product network.
void let_switches_of_dimension_reduce(std::int32_t dimension, const ReducingSwitch& limits,
                                      NetworkDescription& network);

}  // namespace npunet::topology
