// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_CHANNEL_H
#define NPU_CHANNEL_H

#include "base/quantities.h"

#include <ns3/channel.h>
#include <ns3/data-rate.h>
#include <ns3/nstime.h>

namespace ns3
{

class NpuNetDevice;

/**
 * @ingroup npunet
 * One cable of an NPU fabric, with a link in each direction. It tells ns-3 who is connected with
 * whom and how; the packets themselves are moved by the NpuFabric. Its attributes are those of the
 * fabric's network and can be read, not set.
 */
class NpuChannel : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuChannel() = default;

    /**
     * @param from device of one node
     * @param to device of the other node
     * @param rate bytes per second in each direction
     * @param latency of the signal
     */
    void Connect(Ptr<NpuNetDevice> from,
                 Ptr<NpuNetDevice> to,
                 npunet::Rate rate,
                 npunet::Time latency);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /**
     * @return the rate, in each direction
     */
    DataRate GetDataRate() const;

    /**
     * @return the latency of the signal
     */
    Time GetDelay() const;

  protected:
    void DoDispose() override;

  private:
    Ptr<NpuNetDevice> m_devices[2]; //!< the two ends
    npunet::Rate m_rate;            //!< bytes per second
    npunet::Time m_latency;         //!< of the signal
};

} // namespace ns3

#endif /* NPU_CHANNEL_H */
