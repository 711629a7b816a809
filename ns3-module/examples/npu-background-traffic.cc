// SPDX-License-Identifier: GPL-2.0-only

// A UDP client and a server of ns-3 on two NPUs of a fabric, beside an all-reduce of the NPUs:
// their packets share a link, packet by packet.
//
//     npu-background-traffic --bytes=16777216 --share=0.3
//
// In an all-reduce of two NPUs each sends two messages of half of its bytes, which last t each.
// Alone, the second follows when the other's first is in: 2 t and two delays. Where datagrams take
// the share r of the link from NPU 0 to NPU 1, the first message lasts longer than that, and the
// link has no pause: 2 t / (1 - r) and one delay, but for a packet.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/npunet-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr double SERIALIZATION = 83.2; ///< of a full packet, 4096 + 64 bytes at 400 Gb/s, in ns
constexpr uint32_t DELAY = 500;        ///< of a link, in ns
constexpr uint32_t DATAGRAM = 4096 - 20 - 8; ///< fills a packet, with the headers of IP and UDP

/// The trace of every NPU: one all-reduce.
std::vector<npunet::chakra::Node>
Sum(int64_t bytes)
{
    namespace chakra = npunet::chakra;
    chakra::Node sum;
    sum.id = 1;
    sum.name = "sum";
    sum.type = chakra::NodeType::CommCollective;
    sum.attributes = {{"comm_type", static_cast<int64_t>(chakra::CollectiveType::AllReduce)},
                      {"comm_size", bytes}};
    return {sum};
}

/// The duration of an all-reduce in nanoseconds, beside datagrams that take a share of the link.
double
Run(int64_t bytes, double share)
{
    NodeContainer npus(2);
    NpuFabricHelper helper;
    helper.SetTopology("Mesh1D", {2});
    helper.SetLinkAttribute("DataRate", StringValue("400Gbps"));
    helper.SetLinkAttribute("Delay", TimeValue(NanoSeconds(DELAY)));
    NetDeviceContainer devices = helper.Install(npus);
    InternetStackHelper().Install(npus);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);

    UdpServerHelper server(9);
    ApplicationContainer servers = server.Install(npus.Get(1));
    UdpClientHelper client(interfaces.GetAddress(1), 9);
    client.SetAttribute("PacketSize", UintegerValue(DATAGRAM));
    client.SetAttribute("MaxPackets", UintegerValue(0xffffffff)); // until it is stopped
    ApplicationContainer clients;
    if (share > 0)
    {
        const auto interval = static_cast<uint64_t>(1000 * SERIALIZATION / share);
        client.SetAttribute("Interval", TimeValue(PicoSeconds(interval)));
        clients = client.Install(npus.Get(0));
        clients.Stop(MilliSeconds(1));
    }

    const Time start = MicroSeconds(10); // ARP has found the address
    NpuChakraHelper training;
    training.SetStartTime(start);
    Ptr<NpuChakraWorkload> work =
        training.Install(helper.GetFabric(), [&](npunet::Rank) { return Sum(bytes); });
    Simulator::Run();
    const double duration = double(work->GetResults().finish.ps() - start.GetPicoSeconds()) / 1000;
    std::cout << "the all-reduce takes " << duration << " ns";
    if (share > 0)
    {
        std::cout << "; " << servers.Get(0)->GetObject<UdpServer>()->GetReceived()
                  << " datagrams arrived, " << servers.Get(0)->GetObject<UdpServer>()->GetLost()
                  << " were lost";
    }
    std::cout << "\n";
    Simulator::Destroy();
    return duration;
}

} // namespace

int
main(int argc, char* argv[])
{
    NpuFabricHelper::UseRecommendedSettings();
    Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    Config::SetDefault("ns3::ArpCache::PendingQueueSize", UintegerValue(100));
    int64_t bytes = 8 << 20;
    double share = 0.25;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "of the all-reduce", bytes);
    cmd.AddValue("share", "of the link that the datagrams take, at most a third", share);
    cmd.Parse(argc, argv);

    std::cout << std::fixed << std::setprecision(2);
    const double alone = Run(bytes, 0);
    const double beside = Run(bytes, share);
    const double message = SERIALIZATION * double(bytes) / 2 / 4096;
    const double expected = 2 * message / (1 - share) + DELAY;
    std::cout << "alone, 2 t and two delays are " << 2 * message + 2 * DELAY << " ns\n"
              << "beside datagrams, 2 t / (1 - r) and a delay are " << expected << " ns: off by "
              << (beside - expected) / SERIALIZATION << " packets\n"
              << "factor " << beside / alone << "\n";
    return 0;
}
