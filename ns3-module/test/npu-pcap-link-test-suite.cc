// SPDX-License-Identifier: GPL-2.0-only

#include "npu-test-compat.h"
#include "npu-test-networks.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/pcap-file.h>

#include <array>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A packet in a file.
struct Frame
{
    uint64_t time{0};                 //!< in ns
    uint32_t size{0};                 //!< on the wire
    std::array<uint8_t, 100> bytes{}; //!< that were captured

    /**
     * @param place of the first byte
     * @param count of bytes
     * @return the number that they are
     */
    uint64_t
    At(std::size_t place, std::size_t count) const
    {
        uint64_t value = 0;
        for (std::size_t i = place; i < place + count; ++i)
        {
            value = value << 8 | bytes[i];
        }
        return value;
    }
};

/**
 * @param path of a file of nanoseconds
 * @return what is in it
 */
std::vector<Frame>
FramesOf(const std::string& path)
{
    PcapFile file;
    file.Open(path, std::ios::in);
    std::vector<Frame> frames;
    while (!file.Fail())
    {
        Frame frame;
        uint32_t seconds = 0;
        uint32_t fraction = 0;
        uint32_t included = 0;
        uint32_t read = 0;
        file.Read(frame.bytes.data(),
                  static_cast<uint32_t>(frame.bytes.size()),
                  seconds,
                  fraction,
                  included,
                  frame.size,
                  read);
        if (!file.Eof() && !file.Fail())
        {
            frame.time = uint64_t{seconds} * 1'000'000'000 + fraction;
            frames.push_back(frame);
        }
    }
    return frames;
}

/**
 * @ingroup npunet-test
 * The frames of links: data and its acknowledgements one by one, then a pause.
 */
class NpuPcapLinkTestCase : public TestCase
{
  public:
    NpuPcapLinkTestCase() : TestCase("pcap files of links")
    {
    }

  private:
    /**
     * @param frame of RoCEv2
     * @param source number of the packet's source
     * @param destination number of its destination
     * @param opcode of BTH
     * @param number of the packet
     */
    void
    ExpectRoce(
        const Frame& frame, uint64_t source, uint64_t destination, uint64_t opcode, uint64_t number)
    {
        NS_TEST_EXPECT_MSG_EQ(frame.At(12, 2), 0x0800, "IPv4");
        NS_TEST_EXPECT_MSG_EQ(frame.At(16, 2), frame.size - 14, "bytes of the IP packet");
        NS_TEST_EXPECT_MSG_EQ(frame.At(26, 4), 0x0a000001 + source, "source");
        NS_TEST_EXPECT_MSG_EQ(frame.At(30, 4), 0x0a000001 + destination, "destination");
        NS_TEST_EXPECT_MSG_EQ(frame.At(36, 2), 4791, "RoCEv2");
        NS_TEST_EXPECT_MSG_EQ(frame.At(42, 1), opcode, "opcode");
        NS_TEST_EXPECT_MSG_EQ(frame.At(50, 4), number, "number");
        // One's complement sum of the header, its checksum included.
        uint64_t sum = 0;
        for (std::size_t word = 14; word < 34; word += 2)
        {
            sum += frame.At(word, 2);
        }
        NS_TEST_EXPECT_MSG_EQ((sum & 0xffff) + (sum >> 16), 0xffff, "checksum");
    }

    void
    DoRun() override
    {
        Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
        const std::string prefix = CreateTempDirFilename("hop");
        const std::string pauses = CreateTempDirFilename("pauses.pcap");
        {
            NpuFabricHelper helper = TenNanosecondPackets(
                "Switch", {4}, {{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}});
            const Ptr<NpuFabric> fabric = Install(helper);
            helper.EnablePcapLink(prefix, "npu0", "switch0");
            helper.EnablePcapLink(prefix, "npu1", "switch0");
            NS_TEST_EXPECT_MSG_NE(RefusalOf([&]() {
                                      helper.EnablePcapLink(prefix, "npu0", "npu1");
                                  }).find("'npu0' -> 'npu1'"),
                                  std::string::npos,
                                  "no such link");
            DeliveryTime(fabric, 0, 1, 936 + 36);
            Simulator::Destroy();
        }
        const std::string brief = CreateTempDirFilename("brief");
        {
            NpuFabricHelper helper = TenNanosecondPackets(
                "Switch",
                {4},
                {{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}, {"HeaderSize", "41"}});
            const Ptr<NpuFabric> fabric = Install(helper);
            helper.EnablePcapLink(brief, "npu0", "switch0");
            helper.EnablePcapLink(brief, "npu1", "switch0");
            DeliveryTime(fabric, 0, 1, 1);
            Simulator::Destroy();
        }
        {
            NpuFabricHelper helper = TenNanosecondPackets(
                "Switch",
                {4},
                {{"FlowControl", "Pfc"}, {"Transport", "GoBackN"}, {"BufferSize", "8000"}});
            const Ptr<NpuFabric> fabric = Install(helper);
            helper.EnablePcapLink(pauses, "switch0", "npu1", true);
            for (const uint32_t npu : {1, 2, 3})
            {
                fabric->Send(npu, 0, 100 * 936);
            }
            Simulator::Run();
            Simulator::Destroy();
        }
        Config::Reset();

        const std::vector<Frame> data = FramesOf(prefix + "-npu0-switch0.pcap");
        NS_TEST_ASSERT_MSG_EQ(data.size(), 2, "packets");
        NS_TEST_EXPECT_MSG_EQ(data[0].time, 0, "first");
        NS_TEST_EXPECT_MSG_EQ(data[0].size, 1000, "a full packet");
        NS_TEST_EXPECT_MSG_EQ(data[1].time, 10, "second");
        NS_TEST_EXPECT_MSG_EQ(data[1].size, 100, "the rest");
        ExpectRoce(data[0], 0, 1, 0x07, 0);
        ExpectRoce(data[1], 0, 1, 0x07, 1);
        NS_TEST_EXPECT_MSG_EQ(data[0].At(15, 1), 2, "ECT(0)");

        const std::vector<Frame> answers = FramesOf(prefix + "-npu1-switch0.pcap");
        NS_TEST_ASSERT_MSG_EQ(answers.size(), 2, "answers");
        NS_TEST_EXPECT_MSG_EQ(answers[0].time, 30, "2 (10 + 5) ns");
        NS_TEST_EXPECT_MSG_EQ(answers[0].size, 64, "header only");
        ExpectRoce(answers[0], 1, 0, 0x11, 1);
        ExpectRoce(answers[1], 1, 0, 0x11, 2);

        // Packets of 42 and 41 bytes, where Ethernet, IP, UDP and BTH have 54, and AETH 4.
        const std::vector<Frame> small = FramesOf(brief + "-npu0-switch0.pcap");
        NS_TEST_ASSERT_MSG_EQ(small.size(), 1, "packets");
        NS_TEST_EXPECT_MSG_EQ(small[0].size, 42, "on the wire");
        NS_TEST_EXPECT_MSG_EQ(small[0].At(16, 2), 20 + 8 + 12, "bytes of the IP packet");
        NS_TEST_EXPECT_MSG_EQ(small[0].At(38, 2), 8 + 12, "bytes of the UDP packet");
        const std::vector<Frame> smallAnswers = FramesOf(brief + "-npu1-switch0.pcap");
        NS_TEST_ASSERT_MSG_EQ(smallAnswers.size(), 1, "answers");
        NS_TEST_EXPECT_MSG_EQ(smallAnswers[0].size, 41, "on the wire");
        NS_TEST_EXPECT_MSG_EQ(smallAnswers[0].At(16, 2), 20 + 8 + 16, "bytes of the IP packet");
        NS_TEST_EXPECT_MSG_EQ(smallAnswers[0].At(38, 2), 8 + 16, "bytes of the UDP packet");

        std::size_t paused = 0;
        std::size_t resumed = 0;
        for (const Frame& frame : FramesOf(pauses))
        {
            if (frame.At(12, 2) == 0x8808)
            {
                NS_TEST_EXPECT_MSG_EQ(frame.size, 64, "bytes");
                NS_TEST_EXPECT_MSG_EQ(frame.At(0, 6), 0x0180c2000001, "to the next port");
                NS_TEST_EXPECT_MSG_EQ(frame.At(14, 4), 0x01010001, "PFC of class 0");
                const uint64_t quanta = frame.At(18, 2);
                NS_TEST_EXPECT_MSG_EQ((quanta == 0 || quanta == 0xffff), true, "quanta");
                NS_TEST_EXPECT_MSG_EQ(frame.At(20, 8), 0, "of no other class");
                ++(quanta == 0 ? resumed : paused);
            }
        }
        NS_TEST_EXPECT_MSG_GT(paused, 0, "pauses");
        NS_TEST_EXPECT_MSG_EQ(resumed, paused, "all end");
    }
};

/// The suite.
NpuTestSuite g_npuPcapLinkTestSuite("npu-pcap-link", {new NpuPcapLinkTestCase});

} // namespace
