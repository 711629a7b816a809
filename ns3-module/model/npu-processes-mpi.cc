// SPDX-License-Identifier: GPL-2.0-only

// With ns-3's module mpi.

#include "npu-mpi-channel.h"
#include "npu-processes.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/global-value.h>
#include <ns3/mac48-address.h>
#include <ns3/mpi-interface.h>
#include <ns3/mpi-receiver.h>
#include <ns3/packet.h>
#include <ns3/simple-channel.h>
#include <ns3/simple-net-device.h>
#include <ns3/string.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <map>
#include <mpi.h>
#include <utility>

namespace ns3
{

namespace
{
/// NpuProcesses::Enable() has begun to use MPI.
bool g_begun = false;
} // namespace

void
NpuProcesses::Enable(int* argc, char*** argv)
{
    NS_ABORT_MSG_IF(g_begun, "NpuProcesses::Enable() is called once");
    MPI_Init(argc, argv);
    g_begun = true;
    int count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count > 1)
    {
        GlobalValue::Bind("SimulatorImplementationType",
                          StringValue("ns3::DistributedSimulatorImpl"));
        MpiInterface::Enable(MPI_COMM_WORLD);
    }
}

void
NpuProcesses::Disable()
{
    if (!g_begun)
    {
        return;
    }
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Disable();
    }
    MPI_Finalize();
    g_begun = false;
}

uint32_t
NpuProcesses::GetId()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSystemId() : 0;
}

uint32_t
NpuProcesses::GetCount()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSize() : 1;
}

std::vector<int64_t>
NpuProcesses::Max(std::vector<int64_t> values)
{
    if (GetCount() > 1)
    {
        MPI_Allreduce(MPI_IN_PLACE,
                      values.data(),
                      static_cast<int>(values.size()),
                      MPI_INT64_T,
                      MPI_MAX,
                      MpiInterface::GetCommunicator());
    }
    return values;
}

namespace
{

/// ns-3 passes on 2000 bytes at most, of which some are its own.
constexpr std::size_t MOST_BYTES = 1400;

/// What each piece of a frame begins with. The pieces of one frame come at the same time, but in
/// any order.
struct PieceHeader
{
    uint32_t frame;  //!< number of the frame, of its sender
    uint16_t number; //!< of the piece, from 0
    uint16_t count;  //!< how many the frame has
};

/// The near end of a gate: puts together what the process at the other end has sent.
class NearEnd
{
  public:
    /**
     * @param reader reads whole frames; must outlive this
     */
    explicit NearEnd(const NpuMpiChannel::Reader& reader) : m_reader(reader)
    {
    }

    /**
     * @param packet a piece of a frame
     */
    void
    Receive(Ptr<Packet> packet)
    {
        m_piece.resize(packet->GetSize());
        packet->CopyData(m_piece.data(), packet->GetSize());
        PieceHeader header;
        std::memcpy(&header, m_piece.data(), sizeof(header));
        const std::size_t bytes = m_piece.size() - sizeof(header);
        if (header.count == 1)
        {
            m_reader(m_piece.data() + sizeof(header), bytes);
            return;
        }
        Frame& frame = m_frames[header.frame];
        frame.bytes.resize(std::max(frame.bytes.size(), header.number * MOST_BYTES + bytes));
        std::memcpy(frame.bytes.data() + header.number * MOST_BYTES,
                    m_piece.data() + sizeof(header),
                    bytes);
        if (++frame.pieces == header.count)
        {
            const std::vector<uint8_t> whole = std::move(frame.bytes);
            m_frames.erase(header.frame);
            m_reader(whole.data(), whole.size());
        }
    }

  private:
    /// A frame of which not all pieces are in.
    struct Frame
    {
        std::vector<uint8_t> bytes; //!< of the pieces that are
        uint16_t pieces{0};         //!< how many are
    };

    const NpuMpiChannel::Reader& m_reader; //!< reads whole frames
    std::vector<uint8_t> m_piece;          //!< the one being read
    std::map<uint32_t, Frame> m_frames;    //!< by number
};

} // namespace

/// The ends of the gates of this process, and the other ends of these.
struct NpuMpiChannel::Ends
{
    Reader reader;                                //!< reads what comes in
    std::map<uint32_t, Ptr<SimpleNetDevice>> far; //!< by process
    uint32_t frames{0};                           //!< sent so far
    std::list<NearEnd> near;                      //!< where pieces come in
    std::vector<Ptr<MpiReceiver>> receivers;      //!< at the near ends
};

NpuMpiChannel::NpuMpiChannel(const std::vector<Gate>& gates, Reader reader)
    : m_ends(std::make_unique<Ends>())
{
    StringValue simulator;
    GlobalValue::GetValueByName("SimulatorImplementationType", simulator);
    NS_ABORT_MSG_IF(simulator.Get() != "ns3::DistributedSimulatorImpl",
                    "a fabric is split over processes by ns3::DistributedSimulatorImpl, not by "
                        << simulator.Get());
    m_ends->reader = std::move(reader);
    for (const Gate& gate : gates)
    {
        Ptr<SimpleChannel> channel = CreateObject<SimpleChannel>();
        channel->SetAttribute("Delay", TimeValue(gate.delay));
        // Every process makes all of them, so that a device has one number everywhere.
        Ptr<SimpleNetDevice> devices[2];
        for (const std::size_t end : {0, 1})
        {
            devices[end] = CreateObject<SimpleNetDevice>();
            devices[end]->SetAttribute("PointToPointMode", BooleanValue(true));
            devices[end]->SetAddress(Mac48Address::Allocate());
            devices[end]->SetChannel(channel);
            gate.nodes[end]->AddDevice(devices[end]);
        }
        for (const std::size_t end : {0, 1})
        {
            if (gate.processes[end] == NpuProcesses::GetId())
            {
                Ptr<MpiReceiver> receiver = CreateObject<MpiReceiver>();
                m_ends->near.emplace_back(m_ends->reader);
                receiver->SetReceiveCallback(MakeCallback(&NearEnd::Receive, &m_ends->near.back()));
                devices[end]->AggregateObject(receiver);
                m_ends->receivers.push_back(receiver);
                m_ends->far[gate.processes[1 - end]] = devices[1 - end];
            }
        }
    }
}

NpuMpiChannel::~NpuMpiChannel()
{
    for (const Ptr<MpiReceiver>& receiver : m_ends->receivers)
    {
        receiver->SetReceiveCallback(MakeNullCallback<void, Ptr<Packet>>());
    }
}

void
NpuMpiChannel::Send(uint32_t process, Time at, const std::vector<uint8_t>& data)
{
    const Ptr<SimpleNetDevice>& far = m_ends->far.at(process);
    PieceHeader header{m_ends->frames++, 0, 0};
    header.count = static_cast<uint16_t>((data.size() + MOST_BYTES - 1) / MOST_BYTES);
    std::array<uint8_t, sizeof(header) + MOST_BYTES> piece;
    for (std::size_t begin = 0; begin < data.size(); begin += MOST_BYTES, ++header.number)
    {
        const std::size_t bytes = std::min(MOST_BYTES, data.size() - begin);
        std::memcpy(piece.data(), &header, sizeof(header));
        std::memcpy(piece.data() + sizeof(header), data.data() + begin, bytes);
        MpiInterface::SendPacket(
            Create<Packet>(piece.data(), static_cast<uint32_t>(sizeof(header) + bytes)),
            at,
            far->GetNode()->GetId(),
            far->GetIfIndex());
    }
}

} // namespace ns3
