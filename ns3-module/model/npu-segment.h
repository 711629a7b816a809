// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SEGMENT_H
#define NPU_SEGMENT_H

#include <ns3/channel.h>

#include <cstddef>
#include <vector>

namespace ns3
{

class NpuNetDevice;

/**
 * @ingroup npunet
 * An NPU fabric as network protocols see it: one segment on which every NPU reaches every other one
 * directly, so that global routing knows who is whose neighbour. Its cables are NpuChannels.
 */
class NpuSegment : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuSegment() = default;

    /**
     * @param device of the next NPU
     */
    void Attach(Ptr<NpuNetDevice> device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    std::vector<Ptr<NpuNetDevice>> m_devices; //!< of the NPUs
};

} // namespace ns3

#endif /* NPU_SEGMENT_H */
