// The network model of a fidelity.
//
//     engine::EventQueue queue(machine.dialect.event_order);
//     const std::unique_ptr<engine::Network> network = make_network(machine, fidelity, queue, {});
#pragma once

#include <memory>

#include "analytical/fluid/link_fold.h"
#include "engine/network/network.h"
#include "engine/program/fold.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// The references must outlive the network, `links` where the fluid network is folded; the machine
/// must have passed check_fidelity().
[[nodiscard]] std::unique_ptr<engine::Network> make_network(
    const Machine& machine, Fidelity fidelity, engine::EventQueue& queue, const RunOptions& options,
    const engine::Fold& fold = engine::Fold::everyone_for_itself(),
    const analytical::LinkFold* links = nullptr);

}  // namespace npunet::study
