// The network model of a fidelity, for whoever runs simulations on it.
//
//     const std::unique_lock<std::mutex> turn = turn_for(fidelity);
//     engine::EventQueue queue(machine.dialect.event_order);
//     const std::unique_ptr<engine::Network> network = make_network(machine, fidelity, queue, {});
#pragma once

#include <memory>
#include <mutex>

#include "engine/fold.h"
#include "engine/network.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// The references must outlive the network; the machine must have passed check_fidelity().
[[nodiscard]] std::unique_ptr<engine::Network> make_network(
    const Machine& machine, Fidelity fidelity, engine::EventQueue& queue, const RunOptions& options,
    const engine::Fold& fold = engine::Fold::everyone_for_itself());

/// To be held while such a network is there: ns-3 has one simulator a process.
[[nodiscard]] std::unique_lock<std::mutex> turn_for(Fidelity fidelity);

}  // namespace npunet::study
