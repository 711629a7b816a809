// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TX_QUEUE_H
#define NPU_TX_QUEUE_H

#include <ns3/net-device-queue-interface.h>
#include <ns3/net-device.h>
#include <ns3/ptr.h>
#include <ns3/queue-size.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * How many ns3::Packets wait at an NPU to enter the fabric, by traffic class. Queue discs above the
 * device are stopped, by a NetDeviceQueueInterface with a queue for each class, while there is no
 * room for another one.
 */
class NpuTxQueue
{
  public:
    /**
     * @param size most packets, or bytes, that wait in one class
     */
    void
    SetSize(const QueueSize& size)
    {
        m_size = size;
    }

    /**
     * @return most packets, or bytes, that wait in one class
     */
    QueueSize
    GetSize() const
    {
        return m_size;
    }

    /**
     * Gives a device of an NPU its NetDeviceQueueInterface. Once.
     * @param device without one
     * @param classes traffic classes of the fabric
     * @param untagged class of packets without a SocketPriorityTag
     */
    void Open(const Ptr<NetDevice>& device, uint8_t classes, uint8_t untagged);

    /**
     * @param trafficClass of a packet
     * @param bytes of the packet
     * @return whether it may wait; a packet of any size in an empty queue
     */
    bool HasRoom(uint8_t trafficClass, uint32_t bytes) const;

    /**
     * A packet waits from now on.
     * @param trafficClass of the packet
     * @param bytes of the packet
     * @param most bytes that the next one may have
     */
    void Join(uint8_t trafficClass, uint32_t bytes, uint32_t most);

    /**
     * A packet waits no longer.
     * @param trafficClass of the packet
     * @param bytes of the packet
     * @return whether Wake() is to be called, in an event of the device's node
     */
    bool Leave(uint8_t trafficClass, uint32_t bytes);

    /**
     * Queue discs may go on, if there still is room.
     * @param trafficClass of the queue
     * @param most bytes that the next packet may have
     */
    void Wake(uint8_t trafficClass, uint32_t most);

    /// Ends the use of the NetDeviceQueueInterface.
    void
    Close()
    {
        m_interface = nullptr;
    }

  private:
    /// What waits in a class.
    struct Waiting
    {
        uint64_t packets{0};
        uint64_t bytes{0};
    };

    QueueSize m_size{"100p"};                 //!< limit of a class
    Ptr<NetDeviceQueueInterface> m_interface; //!< null before Open()
    std::vector<Waiting> m_waiting;           //!< by class
};

} // namespace ns3

#endif /* NPU_TX_QUEUE_H */
