// Whether an algorithm from a file can run: every send has its receive, offsets are in range, no
// thread blocks wait for each other. Whether its result is right is not looked at.
//
//     check_algorithm(algorithm);     // fills in what the readers leave open
//
// C++17-clean.
#pragma once

#include "engine/collective_files/file_algorithm.h"

namespace npunet::engine {

/// Finds the connections, and which chunks of the whole buffer every step moves. Throws InputError
/// with the file and gpu, thread block and step (of a trace rank and node).
void check_algorithm(FileAlgorithm& algorithm);

/// Whether all steps can be made with this number of chunks a call (chunks_per_call()):
/// the more calls, the sooner a sender runs out of slots. Throws InputError where they cannot.
void check_slots(const FileAlgorithm& algorithm, std::int32_t per_call);

}  // namespace npunet::engine
