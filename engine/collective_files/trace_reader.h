// ASTRA-sim's custom collectives: an algorithm as execution traces, one for each member
// (PREFIX.0.et, PREFIX.1.et, ...), of sends, receives and computations that reduce.
//
// A node begins when the nodes that it depends on, by data or control, are done. Ranks in the file
// are places in the communicator. comm_size is absolute: the k-th send to a member with a tag is
// what that member receives with the k-th receive from there with that tag. ASTRA-sim: astra-sim/
// system/astraccl/custom_collectives/CustomAlgorithm.cc.
//
// C++17-clean.
#pragma once

#include <string>

#include "engine/collective_files/file_algorithm.h"

namespace npunet::engine {

/// Whether there is a first trace of this prefix.
[[nodiscard]] bool has_traces(const std::string& prefix);

/// The algorithm in the traces of a prefix, as it stands there: check_algorithm() is still to be
/// called. Throws InputError with file and node.
[[nodiscard]] FileAlgorithm read_trace_algorithm(const std::string& prefix);

}  // namespace npunet::engine
