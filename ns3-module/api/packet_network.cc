#include "api/packet_network.h"

#include "model/npu-event-bridge.h"
#include "model/npu-packet-machine.h"

#include "topology/injection.h"

#include <ns3/simulator.h>

#include <utility>
#include <vector>

namespace npunet
{

namespace
{

/// Brings ns-3's simulator back to its start however the run ends.
class SimulatorReset
{
  public:
    SimulatorReset() = default;

    ~SimulatorReset()
    {
        ns3::Simulator::Destroy();
    }

    SimulatorReset(const SimulatorReset&) = delete;
    SimulatorReset& operator=(const SimulatorReset&) = delete;
};

/// The packet machine with ns-3's simulator as its motor.
class SimulatedPacketNetwork : public packet::PacketMachine
{
  public:
    using PacketMachine::PacketMachine;

    void
    run(engine::EventQueue& queue) final
    {
        const SimulatorReset reset;
        // The engine knows no ns-3, so nobody looks at ns-3's clock while the queue runs.
        const ns3::NpuEventBridge bridge(queue, ns3::NpuEventBridge::Stride::UNTIL_OTHERS);
        ns3::Simulator::Run();
    }
};

/// A network with ports for injection, before the machine that refers to it.
struct SplitNetwork
{
    topology::NetworkDescription network; ///< with NPUs and routers
    std::size_t links;                    ///< those that it had before, which come first
};

/// The packet machine of such a network. Its own links are nobody's business.
class InjectedPacketNetwork final : private SplitNetwork, public SimulatedPacketNetwork
{
  public:
    InjectedPacketNetwork(const topology::NetworkDescription& description,
                          engine::EventQueue& queue)
        : SplitNetwork{topology::with_injection(description, description.packet.injection),
                       description.graph.links()},
          SimulatedPacketNetwork(network, queue)
    {
    }

    std::vector<engine::LinkUse>
    link_use() const override
    {
        std::vector<engine::LinkUse> uses = SimulatedPacketNetwork::link_use();
        uses.resize(links);
        return uses;
    }

    std::uint64_t
    packet_hops() const override
    {
        std::uint64_t hops = 0;
        for (const engine::LinkUse& use : link_use())
        {
            hops += use.packets;
        }
        return hops;
    }
};

} // namespace

bool
packet_fidelity_available()
{
    return true;
}

std::unique_ptr<engine::Network>
make_packet_network(const topology::NetworkDescription& description, engine::EventQueue& queue)
{
    ns3::NpuEventBridge::UsePicoseconds();
    if (Rate() < description.packet.injection)
    {
        return std::make_unique<InjectedPacketNetwork>(description, queue);
    }
    return std::make_unique<SimulatedPacketNetwork>(description, queue);
}

} // namespace npunet
