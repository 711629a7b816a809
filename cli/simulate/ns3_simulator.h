// ns-3 as the simulator of a run at packet level: --simulator ns3.
//
// npunet itself does not load ns-3, whose libraries make every start slower and read their
// environment. It becomes the program npunet-with-ns3, which is npunet with the ns-3 module.
#pragma once

#include "study/simulation_run.h"

namespace npunet::cli {

/// Set by npunet-with-ns3 before anything else: runs through the public helpers of the ns-3 module.
void set_ns3_simulator(study::PacketSimulator simulator);

/// The simulator, in npunet-with-ns3; npunet becomes that program, with the same arguments, and
/// does not return. Throws InputError where it is not there.
[[nodiscard]] const study::PacketSimulator& ns3_simulator();

}  // namespace npunet::cli
