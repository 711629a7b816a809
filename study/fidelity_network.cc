#include "study/fidelity_network.h"

#include "analytical/congestion_aware.h"
#include "analytical/congestion_unaware.h"
#include "analytical/fluid/fluid_network.h"
#include "packet/make_packet_network.h"

namespace npunet::study {

std::unique_ptr<engine::Network> make_network(const Machine& machine, Fidelity fidelity,
                                              engine::EventQueue& queue, const RunOptions& options,
                                              const engine::Fold& fold,
                                              const analytical::LinkFold* links) {
    switch (fidelity) {
        case Fidelity::Analytical:
            return std::make_unique<analytical::CongestionUnaware>(machine.network, queue,
                                                                   machine.dialect, fold);
        case Fidelity::CongestionAware:
            return std::make_unique<analytical::CongestionAware>(machine.network, queue,
                                                                 machine.dialect);
        case Fidelity::Fluid:
            return std::make_unique<analytical::FluidNetwork>(machine.network, queue, links);
        case Fidelity::Packet:
            break;
    }
    return make_packet_network(machine.network, queue, options.packet);
}

}  // namespace npunet::study
