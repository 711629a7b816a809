/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// With ns-3's module mpi.

#include "npu-courier.h"
#include "npu-processes.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/global-value.h>
#include <ns3/mac48-address.h>
#include <ns3/mpi-interface.h>
#include <ns3/mpi-receiver.h>
#include <ns3/packet.h>
#include <ns3/simple-channel.h>
#include <ns3/simple-net-device.h>
#include <ns3/string.h>

#include <map>
#include <mpi.h>
#include <utility>

namespace ns3
{

namespace
{
/// NpuProcesses::Enable() has begun to use MPI.
bool g_begun = false;
} // namespace

void
NpuProcesses::Enable(int* argc, char*** argv)
{
    NS_ABORT_MSG_IF(g_begun, "NpuProcesses::Enable() is called once");
    MPI_Init(argc, argv);
    g_begun = true;
    int count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count > 1)
    {
        GlobalValue::Bind("SimulatorImplementationType",
                          StringValue("ns3::DistributedSimulatorImpl"));
        MpiInterface::Enable(MPI_COMM_WORLD);
    }
}

void
NpuProcesses::Disable()
{
    if (!g_begun)
    {
        return;
    }
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Disable();
    }
    MPI_Finalize();
    g_begun = false;
}

uint32_t
NpuProcesses::GetId()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSystemId() : 0;
}

uint32_t
NpuProcesses::GetCount()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSize() : 1;
}

std::vector<int64_t>
NpuProcesses::Max(std::vector<int64_t> values)
{
    if (GetCount() > 1)
    {
        MPI_Allreduce(MPI_IN_PLACE,
                      values.data(),
                      static_cast<int>(values.size()),
                      MPI_INT64_T,
                      MPI_MAX,
                      MpiInterface::GetCommunicator());
    }
    return values;
}

/// The ends of the gates of this process, and the other ends of these.
struct NpuCourier::Ends
{
    /**
     * @param packet that another process has sent
     */
    void
    Receive(Ptr<Packet> packet)
    {
        data.resize(packet->GetSize());
        packet->CopyData(data.data(), packet->GetSize());
        reader(data.data(), packet->GetSize());
    }

    Reader reader;                                //!< reads what comes in
    std::vector<uint8_t> data;                    //!< of the packet being read
    std::map<uint32_t, Ptr<SimpleNetDevice>> far; //!< by process
    std::vector<Ptr<MpiReceiver>> receivers;      //!< at the near ends
};

NpuCourier::NpuCourier(const std::vector<Gate>& gates, Reader reader)
    : m_ends(std::make_unique<Ends>())
{
    StringValue simulator;
    GlobalValue::GetValueByName("SimulatorImplementationType", simulator);
    NS_ABORT_MSG_IF(simulator.Get() != "ns3::DistributedSimulatorImpl",
                    "a fabric is split over processes by ns3::DistributedSimulatorImpl, not by "
                        << simulator.Get());
    m_ends->reader = std::move(reader);
    for (const Gate& gate : gates)
    {
        Ptr<SimpleChannel> channel = CreateObject<SimpleChannel>();
        channel->SetAttribute("Delay", TimeValue(gate.delay));
        // Every process makes all of them, so that a device has one number everywhere.
        Ptr<SimpleNetDevice> devices[2];
        for (const std::size_t end : {0, 1})
        {
            devices[end] = CreateObject<SimpleNetDevice>();
            devices[end]->SetAttribute("PointToPointMode", BooleanValue(true));
            devices[end]->SetAddress(Mac48Address::Allocate());
            devices[end]->SetChannel(channel);
            gate.nodes[end]->AddDevice(devices[end]);
        }
        for (const std::size_t end : {0, 1})
        {
            if (gate.processes[end] == NpuProcesses::GetId())
            {
                Ptr<MpiReceiver> receiver = CreateObject<MpiReceiver>();
                receiver->SetReceiveCallback(MakeCallback(&Ends::Receive, m_ends.get()));
                devices[end]->AggregateObject(receiver);
                m_ends->receivers.push_back(receiver);
                m_ends->far[gate.processes[1 - end]] = devices[1 - end];
            }
        }
    }
}

NpuCourier::~NpuCourier()
{
    for (const Ptr<MpiReceiver>& receiver : m_ends->receivers)
    {
        receiver->SetReceiveCallback(MakeNullCallback<void, Ptr<Packet>>());
    }
}

void
NpuCourier::Send(uint32_t process, Time at, const uint8_t* data, uint32_t size)
{
    const Ptr<SimpleNetDevice>& far = m_ends->far.at(process);
    MpiInterface::SendPacket(
        Create<Packet>(data, size), at, far->GetNode()->GetId(), far->GetIfIndex());
}

} // namespace ns3
