// SPDX-License-Identifier: GPL-2.0-only

// A congestion control of a script's own: additive increase and multiplicative decrease (AIMD) of a
// window, on ECN marks. Two long flows to one NPU, the second of which starts later, come to equal
// shares (D. Chiu and R. Jain, Computer Networks and ISDN Systems 17, 1989).
//
//     npu-own-congestion-control --ns3::Aimd::Factor=0.75 --plot=aimd.plt
//
// The fabric takes the algorithm by the name of its type, and makes a sender for each queue pair.

#include "npu-scenario-flow.h"
#include "npu-scenario-plot.h"
#include "npu-scenario-star.h"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>

namespace ns3
{

/// The window of one queue pair.
class AimdSender final : public npunet::packet::CongestionControl
{
  public:
    AimdSender(const npunet::packet::FlowPath& path, double step, double factor)
        : m_packet(double(path.packet)), m_step(step), m_factor(factor),
          m_window(path.bandwidth_delay())
    {
    }

    /// Once in a window of data: a packet more, or a factor less where one was marked.
    void
    acknowledged(const npunet::packet::Acknowledgement& ack) override
    {
        m_marked += ack.marked;
        if (ack.next > m_windowEnd)
        {
            m_window = m_marked > 0 ? m_window * m_factor : m_window + m_step * m_packet;
            m_window = std::max(m_window, m_packet);
            m_windowEnd = ack.sent;
            m_marked = 0;
        }
    }

    int64_t
    window() const override
    {
        return static_cast<int64_t>(m_window);
    }

    /// What window() depends on from now on; without this function no traffic is fast-forwarded.
    void
    scan(npunet::engine::StateScan& scan, const npunet::engine::FlowProgress& progress) override
    {
        scan.same(m_window);
        scan.same(m_marked);
        scan.sequence(m_windowEnd, progress);
    }

  private:
    double m_packet;         //!< bytes
    double m_step;           //!< packets
    double m_factor;         //!< below 1
    double m_window;         //!< bytes
    int64_t m_marked{0};     //!< bytes in this window of data
    uint64_t m_windowEnd{0}; //!< acknowledging it ends this window of data
};

/// The algorithm: its attributes, its needs, its senders.
class Aimd final : public NpuCongestionControl
{
  public:
    static TypeId
    GetTypeId()
    {
        static TypeId tid = TypeId("ns3::Aimd")
                                .SetParent<NpuCongestionControl>()
                                .AddConstructor<Aimd>()
                                .AddAttribute("Step",
                                              "Packets that a window grows by.",
                                              DoubleValue(1),
                                              MakeDoubleAccessor(&Aimd::m_step),
                                              MakeDoubleChecker<double>(0))
                                .AddAttribute("Factor",
                                              "What a window shrinks to.",
                                              DoubleValue(0.5),
                                              MakeDoubleAccessor(&Aimd::m_factor),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    npunet::topology::CongestionNeeds
    Needs() const override
    {
        npunet::topology::CongestionNeeds needs;
        needs.echo = true; // acknowledgements tell of marks
        return needs;
    }

    std::unique_ptr<npunet::packet::CongestionControl>
    MakeSender(const npunet::packet::FlowPath& path) const override
    {
        return std::make_unique<AimdSender>(path, m_step, m_factor);
    }

  private:
    double m_step;   //!< attribute Step
    double m_factor; //!< attribute Factor
};

NS_OBJECT_ENSURE_REGISTERED(Aimd);

} // namespace ns3

using namespace ns3;

int
main(int argc, char* argv[])
{
    constexpr std::size_t INTERVALS = 200;
    constexpr uint64_t GIGABITS = 100;
    constexpr double GOODPUT = GIGABITS / 8e3 * 4096 / (4096 + 64); // bytes of messages a ps
    NpuFabricHelper::UseRecommendedSettings();
    Config::SetDefault("ns3::NpuFabric::FlowControl", StringValue("Pfc"));
    Config::SetDefault("ns3::NpuFabric::Transport", StringValue("GoBackN"));
    Config::SetDefault("ns3::NpuFabric::TransportWindow", UintegerValue(1 << 30));
    Config::SetDefault("ns3::NpuFabric::CongestionControl", StringValue("ns3::Aimd"));
    Time duration = MilliSeconds(20);
    Time second = MilliSeconds(5);
    std::string plot;
    CommandLine cmd(__FILE__);
    cmd.AddValue("duration", "of the run", duration);
    cmd.AddValue("second", "when the second flow starts", second);
    cmd.AddValue("plot", "FILE.plt for gnuplot: goodput over time", plot);
    cmd.Parse(argc, argv);

    NodeContainer npus(3);
    NpuFabricHelper helper;
    helper.SetTopology(NpuScenarioStar(3, GIGABITS, MicroSeconds(2)));
    helper.Install(npus);
    const auto flows = RunNpuScenarioFlows(helper.GetFabric(), second, duration, INTERVALS);

    NpuScenarioPlot curves("Two flows to one NPU: AIMD", "goodput in %", "set yrange [0:105]\n");
    std::cout << "goodput / link by quarters of the run\n" << std::fixed << std::setprecision(2);
    for (const NpuScenarioFlow& flow : flows)
    {
        const char* const name = flow.source == 1 ? "first" : "second";
        std::cout << std::setw(6) << name;
        for (std::size_t from = 0; from < INTERVALS; from += INTERVALS / 4)
        {
            std::cout << std::setw(6) << flow.Rate(from, from + INTERVALS / 4) / GOODPUT;
        }
        std::cout << "\n";
        const std::size_t curve = curves.AddCurve(name);
        for (std::size_t i = 0; i < INTERVALS; ++i)
        {
            const double milliseconds = duration.GetSeconds() * 1e3 * (double(i) + 0.5) / INTERVALS;
            curves.AddPoint(curve, milliseconds, flow.Rate(i, i + 1) / GOODPUT * 100);
        }
    }
    Simulator::Destroy();
    return plot.empty() || curves.Write(plot) ? 0 : 1;
}
