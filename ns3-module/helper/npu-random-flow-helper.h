// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_RANDOM_FLOW_HELPER_H
#define NPU_RANDOM_FLOW_HELPER_H

#include "base/flows/random_flows.h"
#include "engine/results/flow_results.h"
#include "engine/results/flow_statistics.h"
#include "ns3/npu-fabric.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/simple-ref-count.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Flows that begin at random on a fabric, and how long they take. NpuRandomFlowHelper makes them.
 */
class NpuRandomFlows : public SimpleRefCount<NpuRandomFlows>
{
  public:
    /// A flow: a message of the fabric.
    struct Flow
    {
        Time start;                //!< when it is sent
        uint32_t source{0};        //!< an NPU
        uint32_t destination{0};   //!< another
        uint64_t bytes{0};         //!< payload
        Time completion{Time(-1)}; //!< from start to the arrival of its last byte; -1: not yet
        double slowdown{0};        //!< completion over that alone on an idle network
    };

    /**
     * @return all flows, by start
     */
    const std::vector<Flow>&
    GetFlows() const
    {
        return m_flows;
    }

    /**
     * @return how many of them are complete
     */
    std::size_t
    GetCompleted() const
    {
        return m_completed;
    }

    /**
     * @return completion times and slowdowns of the complete ones, of all and by size
     */
    npunet::engine::FlowResults GetResults() const;

    /**
     * Writes the complete flows as CSV, in the order of their start:
     *
     *     start_ns,from,to,bytes,completion_ns,slowdown
     *
     * @param path of the file, which is written whole or not at all
     *
     * Throws npunet::MachineError where the file cannot be written.
     */
    void Write(const std::string& path) const;

    /**
     * Writes completion times and slowdowns by size as CSV, the figure of studies of congestion
     * control:
     *
     *     up_to_bytes,flows,mean_ns,p50_ns,p99_ns,max_ns,mean_slowdown,p50_slowdown,p99_slowdown,
     *     max_slowdown
     *
     * A line has the flows of at most `up_to_bytes` and more than a quarter of that; the first has
     * all of at most 1 KiB. Where there are none there is no line.
     *
     * @param path of the file, which is written whole or not at all
     *
     * Throws npunet::MachineError where the file cannot be written.
     */
    void WriteBySize(const std::string& path) const;

  private:
    friend class NpuRandomFlowHelper;

    /**
     * @param fabric that carries them
     * @param flows to be sent, by source and start
     * @param trafficClass of their messages, or NpuFabric::CLASS_OF_KIND
     */
    NpuRandomFlows(Ptr<NpuFabric> fabric,
                   const std::vector<npunet::RandomFlow>& flows,
                   uint8_t trafficClass);

    /// Sends the flows that begin now, and awaits the next one.
    void StartDue();

    /// Lets go of the fabric, which keeps this while flows are under way.
    void Release();

    /**
     * @param number of a flow whose last byte has arrived
     */
    void Complete(std::size_t number);

    Ptr<NpuFabric> m_fabric;                             //!< that carries them
    uint8_t m_class;                                     //!< of their messages
    std::vector<Flow> m_flows;                           //!< by start
    std::size_t m_next{0};                               //!< to be sent
    std::size_t m_completed{0};                          //!< flows
    mutable npunet::engine::FlowStatistics m_statistics; //!< of the complete ones
};

/**
 * @ingroup npunet
 * Makes flows by a distribution of sizes and a load, those of `npunet generate flows`: each NPU of
 * a fabric begins flows by a Poisson process.
 *
 *     NpuRandomFlowHelper helper("web-search");
 *     helper.SetLoad(0.5);
 *     helper.SetDuration(MilliSeconds(10));
 *     Ptr<NpuRandomFlows> flows = helper.Install(fabric);
 *     Simulator::Run();
 *     flows->WriteBySize("slowdown.csv");
 *
 * Flows of one NPU to another in one class go in the order in which they begin. Not on fabrics that
 * several processes share.
 */
class NpuRandomFlowHelper
{
  public:
    /**
     * @param sizes web-search, hadoop, storage, or a file (.txt) with lines of bytes and the
     *              percentage of flows of at most as many
     *
     * Throws npunet::InputError for a name or a file that is not a distribution.
     */
    explicit NpuRandomFlowHelper(const std::string& sizes);

    /**
     * @param load bytes that an NPU offers, without headers, over what its links carry; 0.5 unless
     *             it is set
     */
    void
    SetLoad(double load)
    {
        m_traffic.load = load;
    }

    /**
     * @param rate of the links of an NPU together; unless it is set, that of all links that leave
     *             NPUs, over the number of NPUs, or, where links within servers have credits
     *             (ScaleUpTiers), of the other links
     *
     * Throws npunet::InputError for 1 to 7 bps, as does Install() for 0.
     */
    void SetRate(DataRate rate);

    /**
     * @param duration flows begin before, from now on; 10 ms unless it is set
     */
    void SetDuration(Time duration);

    /**
     * @param pattern where flows go: uniform, each to another NPU at random (unless it is set), or
     *                permutation, all of an NPU to one other
     *
     * Throws npunet::InputError for another word.
     */
    void SetPattern(const std::string& pattern);

    /**
     * @param trafficClass of the flows; unless it is set, that of sends
     */
    void
    SetTrafficClass(uint8_t trafficClass)
    {
        m_class = trafficClass;
    }

    /**
     * Fixes the stream of ns-3's random numbers from which flows are drawn, so that they follow
     * RngSeed and RngRun and no other model of the script. Before Install().
     * @param stream its number; unless it is set, one of its own, the same for all helpers
     * @return how many streams are used: 1
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param fabric to be loaded, from now on
     * @return the flows
     *
     * Throws npunet::InputError for numbers out of range, and where too many flows begin, or none.
     */
    Ptr<NpuRandomFlows> Install(Ptr<NpuFabric> fabric) const;

  private:
    npunet::FlowTraffic m_traffic;             //!< without NPUs, seed and rate
    std::optional<npunet::Rate> m_rate;        //!< of the links of an NPU, if it is set
    uint8_t m_class{NpuFabric::CLASS_OF_KIND}; //!< of the flows
    int64_t m_stream{-1};                      //!< negative: one of its own
};

} // namespace ns3

#endif /* NPU_RANDOM_FLOW_HELPER_H */
