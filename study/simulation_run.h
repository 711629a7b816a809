// One simulation from start to end: a workload on a machine at a fidelity.
//
//     const Machine machine = load_machine("net.yml", "system.json", "npunet");
//     const engine::Workload workload = load_workload_for(machine, "traces/step", "groups.json");
//     const engine::Results results = simulate(workload, machine, Fidelity::Packet);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/collective/planner.h"
#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "engine/network/link_load.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "engine/simulation/simulator_run.h"
#include "packet/make_packet_network.h"
#include "topology/network/network_description.h"
#include "topology/yaml/network_reader.h"

namespace npunet::study {

/// In the order of detail.
enum class Fidelity : std::uint8_t { Analytical, CongestionAware, Fluid, Packet };

/// "analytical", "fluid", "packet" or "congestion-aware"; InputError with the known names
/// otherwise.
[[nodiscard]] Fidelity fidelity_named(const std::string& name,
                                      const std::string& option = "--fidelity");
[[nodiscard]] const char* name_of(Fidelity fidelity);

struct Machine;

/// Throws InputError when the machine's dialect, its network or its faults do not go
/// with the fidelity.
void check_fidelity(const Machine& machine, Fidelity fidelity);

/// What a workload runs on.
struct Machine {
    engine::Dialect dialect;
    topology::NetworkDescription network;
    engine::SystemConfig system;
    std::vector<std::string> warnings;  ///< from reading the files
};

/// Reads the files; `system_file` may be empty (defaults of docs/inputs.md), and so may
/// `memory_file` (no remote memory). `changes` stand instead of what the network file says. Throws
/// InputError.
[[nodiscard]] Machine load_machine(const std::string& network_file, const std::string& system_file,
                                   const std::string& dialect, const std::string& memory_file = "",
                                   const topology::NetworkChanges& changes = {});

/// How a workload must be laid out for this machine.
[[nodiscard]] engine::WorkloadOptions workload_options(const Machine& machine);

/// Reads traces and groups for this machine's NPUs. Throws InputError.
[[nodiscard]] engine::Workload load_workload_for(
    const Machine& machine, const std::string& prefix, const std::string& group_file,
    engine::EmptyTraces empty = engine::EmptyTraces::Refused);

/// Runs workloads on a packet-level network in another simulator, to the end. `fast_forward` as in
/// PacketOptions; `load` is told when links are busy, and may be null.
using PacketSimulator = std::function<engine::SimulatorRun(
    const std::vector<engine::SimulatorJob>& jobs, const topology::NetworkDescription& network,
    bool fast_forward, engine::LinkLoadRecorder* load)>;

/// How far a simulation is.
struct RunProgress {
    Time now;                 ///< in the simulation
    std::uint64_t done = 0;   ///< nodes of the traces
    std::uint64_t nodes = 0;  ///< in all
    /// 0 to 1: of what the run sends, about, where it sends anything; else of the nodes. A run that
    /// has to be made again begins at 0 again.
    double share = 0;
};

/// How a simulation is carried out, and what it notes; none of it changes other results.
struct RunOptions {
    /// NPUs that provably behave alike are simulated once (engine/program/fold.h); analytical only.
    bool fold = true;
    PacketOptions packet;
    /// Runs at packet level are done by it, without flows, max_time and watch; null: on the
    /// engine's clock.
    PacketSimulator packet_simulator;
    /// Plans the collectives of one run after the other of one workload on one machine, and keeps
    /// its choices for them; null: every run has one.
    engine::CollectivePlanner* planner = nullptr;
    /// The results hold what every NPU did when (Results::operations).
    bool timeline = true;
    /// The results list every collective (Results::collectives).
    bool collectives = true;
    /// The results hold how busy the links were when (Results::load), where links are shared: not
    /// in the quick estimate.
    bool link_load = false;
    /// The results hold what became of messages (Results::flows). Every NPU is simulated then.
    bool flows = false;
    /// With `flows`: hears of every message when it has arrived, in the order of arrival, of one
    /// instant in that of their ids.
    std::function<void(const engine::CompletedMessage&)> each_message;
    /// Breaks the run off at this time; one that has stalled before is a stall.
    std::optional<Time> max_time;
    /// Asked now and then. What it returns broke the run off; empty to go on.
    std::function<std::string(const RunProgress&)> watch;
    /// For tests, see EventQueue::shuffle_insertions().
    std::optional<std::uint64_t> shuffle_seed;
};

/// Runs to the end. Throws StallError when the workload cannot finish, InputError as
/// check_fidelity() does. May be called from several threads at once.
[[nodiscard]] engine::Results simulate(const engine::Workload& workload, const Machine& machine,
                                       Fidelity fidelity, const RunOptions& options = {});

}  // namespace npunet::study
