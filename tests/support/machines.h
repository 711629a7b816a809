// Machines for tests, built without files.
#pragma once

#include <string>
#include <vector>

#include "engine/machine/dialect.h"
#include "engine/machine/system_config.h"
#include "topology/builders/builder.h"
#include "topology/network/network_description.h"

namespace npunet::test {

struct TestMachine {
    topology::NetworkDescription network;
    engine::SystemConfig system;
    engine::Dialect dialect = engine::Dialect::named("npunet");

    void use(engine::Algorithm algorithm) {
        engine::Implementation implementation;
        implementation.algorithm = algorithm;
        use(implementation);
    }
    /// For every kind of collective that it does.
    void use(const engine::Implementation& implementation) {
        for (std::size_t kind = 0; kind < system.implementation_lists.size(); ++kind) {
            if (implementation.does(static_cast<engine::CollectiveKind>(kind))) {
                system.implementation_lists[kind] = {implementation};
            }
        }
    }
};

inline TestMachine line_machine(topology::DimensionKind kind, std::int64_t npus, Rate rate,
                                Time latency) {
    TestMachine machine;
    machine.network = topology::make_network(
        {topology::make_dimension(kind, static_cast<std::int32_t>(npus), rate, latency)});
    return machine;
}

inline TestMachine ring_machine(std::int64_t npus, Rate rate, Time latency) {
    return line_machine(topology::DimensionKind::Ring, npus, rate, latency);
}

inline TestMachine grid_machine(topology::DimensionKind kind, std::int64_t width,
                                std::int64_t height, Rate rate, Time latency) {
    TestMachine machine;
    machine.network = topology::make_network(
        {topology::make_dimension(kind, static_cast<std::int32_t>(width), rate, latency),
         topology::make_dimension(kind, static_cast<std::int32_t>(height), rate, latency)});
    return machine;
}

inline TestMachine torus_machine(std::int64_t width, std::int64_t height, Rate rate, Time latency) {
    return grid_machine(topology::DimensionKind::Ring, width, height, rate, latency);
}

inline TestMachine mesh_machine(std::int64_t width, std::int64_t height, Rate rate, Time latency) {
    return grid_machine(topology::DimensionKind::Mesh1D, width, height, rate, latency);
}

}  // namespace npunet::test
