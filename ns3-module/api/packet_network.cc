#include "api/packet_network.h"

#include "model/npu-event-bridge.h"
#include "model/npu-packet-machine.h"

#include <ns3/simulator.h>

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
class SimulatedPacketNetwork final : public packet::PacketMachine
{
  public:
    using PacketMachine::PacketMachine;

    void
    run(engine::EventQueue& queue) override
    {
        const SimulatorReset reset;
        // The engine knows no ns-3, so nobody looks at ns-3's clock while the queue runs.
        const ns3::NpuEventBridge bridge(queue, ns3::NpuEventBridge::Stride::UNTIL_OTHERS);
        ns3::Simulator::Run();
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
    return std::make_unique<SimulatedPacketNetwork>(description, queue);
}

} // namespace npunet
