// SPDX-License-Identifier: GPL-2.0-only

#include "npu-ascii-trace.h"

#include <ns3/simulator.h>

#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

/// Where the lines of one device go.
struct Sink
{
    Ptr<OutputStreamWrapper> stream; //!< to be written to
    std::string path;                //!< of the device; may be empty
};

/**
 * @param sink of the device
 * @param what happens
 * @param source of the trace
 * @return the stream, after the columns that all lines have
 */
std::ostream&
Begin(const Sink& sink, char what, const char* source)
{
    constexpr int64_t second = 1'000'000'000'000;
    const int64_t now = Simulator::Now().GetPicoSeconds();
    std::ostringstream time;
    time << now / second << "." << std::setw(12) << std::setfill('0') << now % second;
    std::ostream& out = *sink.stream->GetStream();
    out << what << " " << time.str() << " ";
    if (!sink.path.empty())
    {
        out << sink.path << source << " ";
    }
    return out;
}

/**
 * Trace sink.
 * @param sink of the device
 * @param farNode node id
 * @param wireBytes size
 */
void
Sent(const Sink& sink, uint32_t farNode, uint32_t wireBytes)
{
    Begin(sink, '-', "PacketSent") << "to " << farNode << " " << wireBytes << "\n";
}

/**
 * Trace sink.
 * @param sink of the device
 * @param node node id
 * @param link number
 * @param wireBytes size
 * @param time when
 */
void
Received(const Sink& sink, uint32_t /* node */, uint32_t link, uint32_t wireBytes, Time /* time */)
{
    Begin(sink, 'r', "PacketReceived") << "link " << link << " " << wireBytes << "\n";
}

/**
 * Trace sink.
 * @param sink of the device
 * @param link number
 * @param before bytes
 * @param after bytes
 */
void
Queued(const Sink& sink, uint32_t link, uint64_t before, uint64_t after)
{
    if (after > before)
    {
        Begin(sink, '+', "QueueLength") << "link " << link << " " << after - before << "\n";
    }
}

} // namespace

void
HookNpuAsciiTrace(Ptr<OutputStreamWrapper> stream,
                  Ptr<NpuNetDevice> device,
                  const std::string& path)
{
    const Sink sink{stream, path};
    device->TraceConnectWithoutContext(
        "PacketSent",
        Callback<void, uint32_t, uint32_t>(
            [sink](uint32_t farNode, uint32_t wireBytes) { Sent(sink, farNode, wireBytes); }));
    device->TraceConnectWithoutContext(
        "PacketReceived",
        Callback<void, uint32_t, uint32_t, uint32_t, Time>(
            [sink](uint32_t node, uint32_t link, uint32_t wireBytes, Time time) {
                Received(sink, node, link, wireBytes, time);
            }));
    device->TraceConnectWithoutContext("QueueLength",
                                       Callback<void, uint32_t, uint64_t, uint64_t>(
                                           [sink](uint32_t link, uint64_t before, uint64_t after) {
                                               Queued(sink, link, before, after);
                                           }));
}

} // namespace ns3
