// SPDX-License-Identifier: GPL-2.0-only

#include "npu-trace-log.h"

#include "ns3/npu-net-device.h"
#include "ns3/npu-trace-records.h"

#include "base/csv_field.h"
#include "base/csv_table.h"
#include "base/units.h"
#include "model/npu-quantities.h"
#include "packet/base/packet_kind.h"

#include <fmt/format.h>

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace ns3
{

namespace
{

/// A file that sinks of all devices write to, until the simulation is destroyed.
class Log
{
  public:
    /**
     * @param path of the file
     * @param fabric whose nodes have names
     * @param columns the first line
     */
    Log(const std::string& path, const Ptr<NpuFabric>& fabric, const char* columns)
        : m_path(path), m_out(path), m_fabric(fabric)
    {
        NS_ABORT_MSG_UNLESS(m_out << columns << std::endl, path << " cannot be written");
    }

    /**
     * @param node number of a node
     * @return its name, for CSV
     */
    std::string
    NameOf(uint32_t node) const
    {
        return npunet::csv_field(
            m_fabric->GetDescription().graph.name(npunet::NodeId(std::size_t{node})));
    }

    /// No more lines. Lets go of the fabric, whose devices have sinks that keep this.
    void
    Close()
    {
        m_fabric = nullptr;
        m_out.close();
        NS_ABORT_MSG_UNLESS(m_out, m_path << " cannot be written whole");
    }

    /**
     * Writes the line of a packet.
     * @param packet what the trace source tells
     */
    void
    Write(const NpuPacketRecord& packet)
    {
        static constexpr const char* EVENTS[] = {"sent", "dropped", "marked"};
        m_out << npunet::format_ns(TimeOf(packet.time)) << "," << EVENTS[packet.event] << ","
              << npunet::csv_field(m_fabric->GetLinkName(packet.link)) << ","
              << npunet::packet::name_of(static_cast<npunet::packet::PacketKind>(packet.kind))
              << "," << NameOf(packet.source) << "," << NameOf(packet.destination) << ","
              << uint32_t{packet.trafficClass} << ",";
        if (packet.sequence != NpuPacketRecord::NO_SEQUENCE)
        {
            m_out << packet.sequence;
        }
        m_out << "," << packet.wireBytes << "," << packet.marked << "," << packet.repeated << "\n";
    }

    /**
     * Writes the line of a sender.
     * @param sender what the trace source tells
     */
    void
    Write(const NpuSenderRecord& sender)
    {
        static constexpr const char* EVENTS[] = {"acknowledged", "notified", "lost", "timed-out"};
        m_out << npunet::format_ns(TimeOf(sender.time)) << "," << EVENTS[sender.event] << ","
              << NameOf(sender.source) << "," << NameOf(sender.destination) << ","
              << uint32_t{sender.trafficClass} << "," << sender.acknowledged << ",";
        if (sender.event == NpuSenderRecord::ACKNOWLEDGED)
        {
            m_out << npunet::format_ns(TimeOf(sender.roundTrip));
        }
        m_out << "," << sender.inFlight << "," << sender.window << ",";
        if (sender.rate.GetBitRate() > 0)
        {
            m_out << sender.rate.GetBitRate();
        }
        m_out << ",";
        if (sender.congestion >= 0)
        {
            m_out << fmt::format("{}", sender.congestion);
        }
        m_out << "\n";
    }

  private:
    std::string m_path;      //!< of the file
    std::ofstream m_out;     //!< the file
    Ptr<NpuFabric> m_fabric; //!< whose nodes have names
};

/**
 * Lets all devices write to a file.
 * @tparam Record what the trace source tells
 * @param log the file
 * @param fabric with the devices
 * @param source name of the trace source
 */
template <class Record>
void
Connect(const std::shared_ptr<Log>& log, const Ptr<NpuFabric>& fabric, const std::string& source)
{
    for (std::size_t i = 0; i < fabric->GetNDevices(); ++i)
    {
        const bool connected = fabric->GetDevice(i)->TraceConnectWithoutContext(
            source,
            Callback<void, const Record&>([log](const Record& record) { log->Write(record); }));
        NS_ABORT_MSG_UNLESS(connected, "NpuNetDevice has no trace source " << source);
    }
    Simulator::ScheduleDestroy([log]() { log->Close(); });
}

} // namespace

void
StartNpuPacketLog(const std::string& path, Ptr<NpuFabric> fabric)
{
    const auto log = std::make_shared<Log>(
        path, fabric, "time_ns,event,link,kind,from,to,class,sequence,bytes,marked,repeated");
    Connect<NpuPacketRecord>(log, fabric, "Packet");
}

void
StartNpuSenderLog(const std::string& path, Ptr<NpuFabric> fabric, const std::string& plot)
{
    const auto log = std::make_shared<Log>(
        path,
        fabric,
        "time_ns,event,from,to,class,acknowledged,round_trip_ns,in_flight,window,rate_bps,alpha");
    Connect<NpuSenderRecord>(log, fabric, "Sender");
    if (!plot.empty())
    {
        Simulator::ScheduleDestroy([path, plot]() { WriteNpuSenderPlot(plot, path); });
    }
}

void
WriteNpuSenderPlot(const std::string& path, const std::string& log)
{
    /// What is drawn: one column of the file over time.
    struct Panel
    {
        const char* label;  //!< with its unit
        const char* column; //!< in the file
        double factor;      //!< of its values
    };
    constexpr std::array<Panel, 4> PANELS{{{"rate in Gb/s", "rate_bps", 1e-9},
                                           {"window in KiB", "window", 1.0 / 1024},
                                           {"round trip in us", "round_trip_ns", 1e-3},
                                           {"alpha", "alpha", 1}}};
    const npunet::CsvTable table =
        npunet::read_csv_table(log, {"records of senders", "StartNpuSenderLog() writes them"});
    std::map<std::string, std::string> flows; // lines of numbers, by name
    for (std::size_t row = 0; row < table.rows(); ++row)
    {
        std::string& points = flows[table.text(row, "from") + " to " + table.text(row, "to") +
                                    ", class " + table.text(row, "class")];
        points.append(fmt::format("{}", std::stod(table.text(row, "time_ns")) / 1e3));
        for (const Panel& panel : PANELS)
        {
            const std::string& field = table.text(row, panel.column);
            points.append(field.empty() ? " ?"
                                        : fmt::format(" {}", std::stod(field) * panel.factor));
        }
        points.append("\n");
    }
    std::ofstream out(path);
    out << "set terminal svg size 900,1000 font 'Helvetica,14' background 'white'\n"
        << "set output '" << path.substr(0, path.rfind(".plt")) << ".svg'\n"
        << "set datafile missing '?'\nset grid\nset key outside right top noenhanced\n"
        << "set lmargin at screen 0.1\nset xlabel 'time in us'\nset yrange [0:*]\n";
    std::size_t number = 0;
    for (const auto& [name, points] : flows)
    {
        out << "$flow" << number++ << " << EOD\n" << points << "EOD\n";
    }
    out << "set multiplot layout " << PANELS.size() << ",1\n";
    for (std::size_t panel = 0; panel < PANELS.size() && !flows.empty(); ++panel)
    {
        out << "set ylabel '" << PANELS[panel].label << "'\nplot ";
        number = 0;
        for (const auto& [name, points] : flows)
        {
            out << (number == 0 ? "" : ", ") << "$flow" << number << " using 1:" << panel + 2
                << " with lines title '" << name << "'";
            ++number;
        }
        out << "\n";
    }
    out << "unset multiplot\n";
    NS_ABORT_MSG_UNLESS(out.flush(), path << " cannot be written");
}

} // namespace ns3
