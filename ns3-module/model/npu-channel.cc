// SPDX-License-Identifier: GPL-2.0-only

#include "npu-channel.h"

#include "npu-net-device.h"
#include "npu-quantities.h"

#include <ns3/assert.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpuChannel);

TypeId
NpuChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NpuChannel")
                            .SetParent<Channel>()
                            .SetGroupName("Npunet")
                            .AddConstructor<NpuChannel>()
                            .AddAttribute("DataRate",
                                          "The rate of the cable in each direction (read only).",
                                          TypeId::ATTR_GET,
                                          DataRateValue(DataRate(8)),
                                          MakeDataRateAccessor(&NpuChannel::GetDataRate),
                                          MakeDataRateChecker())
                            .AddAttribute("Delay",
                                          "The latency of the signal on the cable (read only).",
                                          TypeId::ATTR_GET,
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&NpuChannel::GetDelay),
                                          MakeTimeChecker());
    return tid;
}

void
NpuChannel::Connect(Ptr<NpuNetDevice> from,
                    Ptr<NpuNetDevice> to,
                    npunet::Rate rate,
                    npunet::Time latency)
{
    m_devices[0] = from;
    m_devices[1] = to;
    m_rate = rate;
    m_latency = latency;
}

std::size_t
NpuChannel::GetNDevices() const
{
    return m_devices[0] ? 2 : 0;
}

Ptr<NetDevice>
NpuChannel::GetDevice(std::size_t i) const
{
    NS_ASSERT_MSG(i < 2, "a cable has two ends");
    return m_devices[i];
}

DataRate
NpuChannel::GetDataRate() const
{
    return DataRateOf(m_rate);
}

Time
NpuChannel::GetDelay() const
{
    return TimeOf(m_latency);
}

void
NpuChannel::DoDispose()
{
    m_devices[0] = nullptr;
    m_devices[1] = nullptr;
    Channel::DoDispose();
}

} // namespace ns3
