// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_FLOW_STATISTICS_H
#define NPU_FLOW_STATISTICS_H

#include "engine/results/flow_results.h"

#include <ns3/nstime.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * What became of the messages of a flow: of all from one NPU to another in one traffic class. A
 * message takes from its sending to the arrival of its last byte. Percentiles are the least value
 * that so many percent of the messages do not exceed. The slowdown of a message is the time that it
 * takes over that which it takes alone on an idle network, as a closed form says; not a number
 * where there is none, over sockets.
 */
struct NpuFlowStatistics
{
    uint32_t source{0};          //!< ns-3 id of the node that sends
    uint32_t destination{0};     //!< ns-3 id of the node that receives
    uint32_t from{0};            //!< number of the node that sends in the network
    uint32_t to{0};              //!< number of the node that receives in the network
    uint8_t trafficClass{0};     //!< of the messages
    uint64_t messages{0};        //!< that have arrived
    uint64_t bytes{0};           //!< payload of them
    Time firstStart;             //!< when the first one was sent
    Time lastEnd;                //!< when the last one had arrived
    Time total;                  //!< sum of the times that messages took
    Time min;                    //!< least of them
    Time mean;                   //!< to the nearest picosecond
    Time p50;                    //!< 50th percentile
    Time p99;                    //!< 99th percentile
    Time max;                    //!< longest of them
    double meanSlowdown{0};      //!< mean of the slowdowns
    double p50Slowdown{0};       //!< 50th percentile
    double p99Slowdown{0};       //!< 99th percentile
    double maxSlowdown{0};       //!< largest of them
    uint64_t packets{0};         //!< of data, each time that one was sent; this and the rest only
                                 //!< with a transport
    uint64_t retransmissions{0}; //!< of them those that had been sent before
    uint64_t timeouts{0};        //!< retransmission timers that ran out
    uint64_t marked{0};          //!< packets that came in marked (ECN)
    uint64_t notifications{0};   //!< of congestion (CNPs), sent to the source
};

/**
 * @ingroup npunet
 * The flows of all processes: messages are known where they arrive, what a transport does where it
 * does it. Every process must call it.
 * @param results of this process; without messages where it knows FlowResult::counts only
 * @return of all processes, by source, destination and class; those with messages
 */
std::vector<npunet::engine::FlowResult> GatherNpuFlows(
    std::vector<npunet::engine::FlowResult> results);

} // namespace ns3

#endif /* NPU_FLOW_STATISTICS_H */
