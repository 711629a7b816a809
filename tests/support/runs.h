// Runs on the quick network or another one, for tests.
#pragma once

#include <gtest/gtest.h>

#include "analytical/congestion_unaware.h"
#include "engine/simulation/simulation.h"
#include "tests/support/machines.h"

namespace npunet::test {

/// Runs to the end; expects that whatever was sent was delivered once.
template <class Network = analytical::CongestionUnaware>
engine::Results run(const engine::Workload& workload, const TestMachine& machine) {
    engine::EventQueue queue(machine.dialect.event_order);
    Network network(machine.network, queue, machine.dialect);
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  network);
    engine::Results results = simulation.run();
    EXPECT_EQ(simulation.transport().messages_sent(), simulation.transport().messages_delivered());
    EXPECT_EQ(simulation.transport().bytes_sent(), simulation.transport().bytes_delivered());
    return results;
}

}  // namespace npunet::test
