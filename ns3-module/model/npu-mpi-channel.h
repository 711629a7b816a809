// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_MPI_CHANNEL_H
#define NPU_MPI_CHANNEL_H

#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Carries what leaves one process's part of a fabric to another process. Not installed.
 *
 * Where two processes are neighbours, a gate joins a node of each by a pair of point-to-point
 * devices whose channel has the least latency between the two. From these devices ns-3 learns how
 * far the processes may run ahead of one another, and to these it hands what has come in.
 */
class NpuMpiChannel
{
  public:
    /// Two processes that are neighbours.
    struct Gate
    {
        uint32_t processes[2]; //!< the lower one first
        Ptr<Node> nodes[2];    //!< one of each
        Time delay;            //!< least latency of the links between them
    };

    /// Reads what another process has sent, when its time has come.
    using Reader = std::function<void(const uint8_t* data, std::size_t size)>;

    /**
     * @param gates all of the fabric, the same in every process
     * @param reader reads what comes to this process
     *
     * Stops the program when ns-3's simulator is another one than DistributedSimulatorImpl.
     */
    NpuMpiChannel(const std::vector<Gate>& gates, Reader reader);
    ~NpuMpiChannel();
    NpuMpiChannel(const NpuMpiChannel&) = delete;
    NpuMpiChannel& operator=(const NpuMpiChannel&) = delete;

    /**
     * @param process a neighbour of this one
     * @param at when it is to read; later than the delay of the gate from now
     * @param data to be read
     */
    void Send(uint32_t process, Time at, const std::vector<uint8_t>& data);

  private:
    struct Ends;

    std::unique_ptr<Ends> m_ends; //!< of the gates of this process
};

} // namespace ns3

#endif /* NPU_MPI_CHANNEL_H */
