// SPDX-License-Identifier: GPL-2.0-only

#include "npu-segment.h"

#include "npu-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuSegment);

TypeId
NpuSegment::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NpuSegment")
                            .SetParent<Channel>()
                            .SetGroupName("Npunet")
                            .AddConstructor<NpuSegment>();
    return tid;
}

void
NpuSegment::Attach(Ptr<NpuNetDevice> device)
{
    m_devices.push_back(device);
    device->SetSegment(this);
}

std::size_t
NpuSegment::GetNDevices() const
{
    return m_devices.size();
}

Ptr<NetDevice>
NpuSegment::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

void
NpuSegment::DoDispose()
{
    m_devices.clear();
    Channel::DoDispose();
}

} // namespace ns3
