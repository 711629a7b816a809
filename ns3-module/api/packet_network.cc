#include "api/packet_network.h"

#include "model/npu-event-bridge.h"
#include "model/npu-packet-level.h"

#include "topology/injection.h"

#include <ns3/simulator.h>

#include <memory>
#include <string>
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

/// A packet level with ns-3's simulator as its motor.
class SimulatedPacketNetwork final : public engine::Network
{
  public:
    SimulatedPacketNetwork(const topology::NetworkDescription& description,
                           engine::EventQueue& queue)
        : m_level(packet::MakePacketLevel(description, queue)), m_links(description.graph.links())
    {
    }

    /// A network with routers of which only the first `links` links are its user's business.
    SimulatedPacketNetwork(std::unique_ptr<topology::NetworkDescription> split,
                           std::size_t links,
                           engine::EventQueue& queue)
        : m_split(std::move(split)), m_level(packet::MakePacketLevel(*m_split, queue)),
          m_links(links)
    {
    }

    /**
     * Before the first message.
     * @param options how packets are simulated
     */
    void
    Set(const PacketOptions& options)
    {
        m_level->SetTrains(options.trains);
        m_level->SetThreads(options.threads);
    }

    void
    record_load(engine::LinkLoadRecorder* load) override
    {
        m_level->record_load(load);
    }

    void
    send(const engine::Message& message) override
    {
        m_level->set_listener(*listener_);
        m_level->send(message);
    }

    std::vector<engine::LinkUse>
    link_use() const override
    {
        m_level->Settle();
        std::vector<engine::LinkUse> uses = m_level->link_use();
        uses.resize(m_links);
        return uses;
    }

    std::vector<engine::FlowUse>
    flow_use() const override
    {
        m_level->Settle();
        return m_level->flow_use();
    }

    engine::QueuePairLimits
    queue_pair_limits() const override
    {
        return m_level->queue_pair_limits();
    }

    std::uint64_t
    packet_hops() const override
    {
        if (m_split == nullptr)
        {
            m_level->Settle();
            return m_level->packet_hops();
        }
        std::uint64_t hops = 0;
        for (const engine::LinkUse& use : link_use())
        {
            hops += use.packets;
        }
        return hops;
    }

    std::string
    explain_stall() const override
    {
        return m_level->explain_stall();
    }

    bool
    prepare_scan() override
    {
        return m_level->prepare_scan();
    }

    void
    scan(engine::StateScan& scan,
         engine::MessageScanner& messages,
         engine::PendingEvents& events) override
    {
        m_level->scan(scan, messages, events);
    }

    void
    run(engine::EventQueue& queue) override
    {
        const SimulatorReset reset;
        // The engine knows no ns-3, so nobody looks at ns-3's clock while the queue runs.
        const ns3::NpuEventBridge bridge(queue, ns3::NpuEventBridge::Stride::UNTIL_OTHERS);
        ns3::Simulator::Run();
    }

  private:
    std::unique_ptr<topology::NetworkDescription> m_split; ///< with routers; null: as given
    std::unique_ptr<packet::PacketLevel> m_level;          ///< moves the packets
    std::size_t m_links;                                   ///< those of the user's network
};

} // namespace

bool
packet_fidelity_available()
{
    return true;
}

std::unique_ptr<engine::Network>
make_packet_network(const topology::NetworkDescription& description,
                    engine::EventQueue& queue,
                    const PacketOptions& options)
{
    ns3::NpuEventBridge::UsePicoseconds();
    std::unique_ptr<SimulatedPacketNetwork> network;
    if (Rate() < description.packet.injection)
    {
        network = std::make_unique<SimulatedPacketNetwork>(
            std::make_unique<topology::NetworkDescription>(
                topology::with_injection(description, description.packet.injection)),
            description.graph.links(),
            queue);
    }
    else
    {
        network = std::make_unique<SimulatedPacketNetwork>(description, queue);
    }
    network->Set(options);
    return network;
}

} // namespace npunet
