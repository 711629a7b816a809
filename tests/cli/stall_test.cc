// Runs that cannot go on end at every fidelity with exit code 3, and say who waits for what; what
// no run could carry out is bad input, and is refused in the same words by all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "packet/make_packet_network.h"
#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using test::collective_node;
using test::compute_node;
using test::receive_node;
using test::send_node;
using testing::HasSubstr;
using Nodes = std::vector<Node>;

struct Case {
    const char* name;
    std::vector<Nodes> ranks;
    std::vector<std::string> said;
    int code = 3;
    std::string network = "Ring";  ///< a kind of dimension, or a whole network.yml
    std::string groups = {};
    std::string system = {};
    std::vector<std::string> fidelities = {"analytical", "congestion-aware", "packet"};
};

class Stalls : public BadInput {
protected:
    void expect(const Case& one) {
        for (int rank = 0; rank < 8; ++rank) {
            std::filesystem::remove(path("w." + std::to_string(rank) + ".et"));
        }
        for (std::size_t rank = 0; rank < one.ranks.size(); ++rank) {
            trace(static_cast<std::int32_t>(rank), one.ranks[rank]);
        }
        const bool whole = one.network.find(':') != std::string::npos;
        write("net.yml", whole ? one.network
                               : "topology: [" + one.network + "]\nnpus_count: [" +
                                     std::to_string(one.ranks.size()) +
                                     "]\nbandwidth: [50]\nlatency: [500]\n");
        std::vector<std::string> more;
        if (!one.groups.empty()) {
            write("groups.json", one.groups);
            more.insert(more.end(), {"--comm-group", path("groups.json")});
        }
        if (!one.system.empty()) {
            write("system.json", one.system);
            more.insert(more.end(), {"--system", path("system.json")});
        }
        for (const std::string& fidelity : one.fidelities) {
            SCOPED_TRACE(std::string(one.name) + ", " + fidelity);
            std::vector<std::string> arguments{"--fidelity", fidelity};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Outcome outcome = simulate("net.yml", arguments);
            expect_refused(outcome, one.code);
            for (const std::string& part : one.said) {
                EXPECT_THAT(outcome.log, HasSubstr(part));
            }
        }
    }
};

Node all_reduce(std::uint64_t id, std::int64_t bytes, const std::string& group = "") {
    return collective_node(id, CollectiveType::AllReduce, bytes, group);
}

TEST_F(Stalls, SendsAndReceives) {
    const Case cases[] = {
        {"no sender",
         {{send_node(4, 1, 2048, 8)}, {receive_node(1, 0, 1024, 7)}},
         {"1 of 2 ranks have work left", "rank 1 (1 of 1 nodes left)", "node 1 'receive_1'",
          "1024 bytes with tag 7 from rank 0",
          "nearest miss: its node 4 sends 2048 bytes with tag 8"}},
        {"sizes differ",
         {{send_node(4, 1, 2048)}, {receive_node(1, 0, 1024)}},
         {"2048 bytes sent by node 4", "1024 bytes awaited by node 1"},
         2},
        {"each receives first",
         {{receive_node(1, 1, 64), send_node(2, 1, 64, 0, {1})},
          {receive_node(1, 0, 64), send_node(2, 0, 64, 0, {1})}},
         {"2 of 2 ranks have work left", "rank 0 (2 of 2 nodes left): node 1 'receive_1' waits",
          "rank 1 (2 of 2 nodes left): node 1 'receive_1' waits"}},
    };
    for (const Case& one : cases) {
        expect(one);
    }
}

// Sends do not wait for anybody, so that the run ends without the receive; it says that it is not
// there.
TEST_F(Stalls, ASendWithoutAReceiveIsNoted) {
    trace(0, {send_node(4, 1, 2048, 8), send_node(5, 1, 64, 7), send_node(6, 1, 64, 7)});
    trace(1, {receive_node(1, 0, 64, 7)});
    for (const char* const fidelity : {"analytical", "congestion-aware", "packet"}) {
        const Outcome outcome = simulate("ring2.yml", {"--fidelity", fidelity});
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        EXPECT_THAT(outcome.out,
                    HasSubstr("note: no rank receives what rank 0 sends to rank 1 in node 6 "
                              "'send_6' (64 bytes with tag 7), nor what 1 further send sends"));
    }
    trace(1, {receive_node(1, 0, 64, 7), receive_node(2, 0, 64, 7), receive_node(3, 0, 2048, 8)});
    EXPECT_THAT(simulate("ring2.yml").out, testing::Not(HasSubstr("no rank receives")));
}

TEST_F(Stalls, Collectives) {
    const Case cases[] = {
        {"a member is missing",
         {{all_reduce(1, 4096)}, {all_reduce(1, 4096)}, {compute_node(1, 1)}},
         {"2 of 3 ranks have work left", "rank 0 (1 of 1 nodes left): node 1 'collective_1'",
          "rank 2 of communicator 'world'"}},
        {"sizes differ",
         {{all_reduce(1, 4096)}, {all_reduce(1, 8192)}},
         {"disagree about their next collective", "rank 1", "rank 0", "8192", "4096"}},
        {"orders differ",
         {{all_reduce(1, 4096), collective_node(2, CollectiveType::AllGather, 512, "", {1})},
          {collective_node(1, CollectiveType::AllGather, 512),
           collective_node(2, CollectiveType::AllReduce, 4096, "", {1})}},
         {"disagree", "all_reduce of 4096 bytes", "all_gather of 512 bytes"}},
        {"one runs more of them",
         {{all_reduce(1, 64), all_reduce(2, 64)}, {all_reduce(1, 64)}},
         {"1 of 2 ranks have work left", "rank 0 (1 of 2 nodes left)", "rank 1 of communicator"}},
        {"other communicators",
         {{all_reduce(1, 64, "a")}, {all_reduce(1, 64, "b")}, {all_reduce(1, 64, "b")}},
         {"rank 0 (1 of 1 nodes left)", "rank 1 of communicator 'a'"},
         3,
         "Ring",
         R"({"a": [0, 1], "b": [1, 2]})"},
        {"not a member",
         {{all_reduce(1, 64, "a")}, {all_reduce(1, 64, "a")}, {all_reduce(1, 64, "a")}},
         {"w.2.et", "'a'"},
         2,
         "Ring",
         R"({"a": [0, 1]})"},
        {"two communicators in a cycle",
         {{all_reduce(1, 64, "a"), collective_node(2, CollectiveType::AllReduce, 64, "b", {1})},
          {all_reduce(1, 64, "b"), collective_node(2, CollectiveType::AllReduce, 64, "a", {1})}},
         {"2 of 2 ranks have work left", "rank 1 of communicator 'a'",
          "rank 0 of communicator 'b'"},
         3,
         "Ring",
         R"({"a": [0, 1], "b": [1, 0]})"},
    };
    for (const Case& one : cases) {
        expect(one);
    }
}

// Rank 0 works for 5 us; then nothing is left to happen, long before the limit, which therefore is
// not what ends the run.
TEST_F(Stalls, ALimitIsNoExplanation) {
    trace(0, {compute_node(1, 5), receive_node(2, 1, 1024, 7, {1})});
    trace(1, {});
    for (const std::string fidelity : {"analytical", "congestion-aware", "packet"}) {
        SCOPED_TRACE(fidelity);
        const Outcome plain = simulate("ring2.yml", {"--fidelity", fidelity});
        const Outcome limited = simulate("ring2.yml", {"--fidelity", fidelity, "--max-sim-time",
                                                       "1s", "--max-wall-time", "3600s"});
        expect_refused(limited, 3);
        EXPECT_THAT(limited.log, HasSubstr("at 5.000 us nothing is left to happen"));
        EXPECT_EQ(limited.log, plain.log);
        EXPECT_THAT(simulate("ring2.yml", {"--fidelity", fidelity, "--max-sim-time", "4us"}).log,
                    HasSubstr("the simulated time has come to 4.000 us"));
        std::filesystem::remove_all(path("out"));
    }
}

TEST_F(Stalls, WorkThatCannotBegin) {
    const Case cases[] = {
        {"a cycle of dependencies",
         {{compute_node(1, 5, {2}), compute_node(2, 5, {1})}, {compute_node(1, 5)}},
         {"w.0.et"},
         2},
        {"one collective at a time, and each rank begins with another one",
         {{all_reduce(1, 64, "a"), all_reduce(2, 64, "b")},
          {all_reduce(1, 64, "b"), all_reduce(2, 64, "a")}},
         {"2 of 2 ranks have work left", "rank 1 of communicator 'a'", "rank 0 of communicator 'b'",
          "; node 2 'collective_2' is ready and waits for a place (max-concurrent-comms: 1)"},
         3,
         "Ring",
         R"({"a": [0, 1], "b": [1, 0]})",
         R"({"max-concurrent-comms": 1})"},
    };
    for (const Case& one : cases) {
        expect(one);
    }
}

// On a line, where nothing leads round.
TEST_F(Stalls, Links) {
    const std::string line =
        "topology: [Mesh1D]\nnpus_count: [3]\nbandwidth: [50]\nlatency: [500]\n";
    const std::vector<Nodes> message{{send_node(1, 2, 100'000)}, {}, {receive_node(1, 0, 100'000)}};
    const Case cases[] = {
        {"down from the beginning",
         message,
         {"the link npu1 -> npu2 is down from 0", "never comes back"},
         3,
         line + "faults: [{link: [1, 2], bandwidth_factor: 0}]\n"},
        {"down in the middle",
         message,
         {"the link npu0 -> npu1 is down from 600 ns on and never comes back"},
         3,
         line + "faults: [{link: [0, 1], at: 600, bandwidth_factor: 0}]\n"},
        {"no rate",
         message,
         {"bandwidth"},
         2,
         "topology: [Mesh1D]\nnpus_count: [3]\nbandwidth: [0]\nlatency: [500]\n"},
        {"beyond the end of the clock",
         {{send_node(1, 1, std::int64_t{1} << 56)}, {receive_node(1, 0, std::int64_t{1} << 56)}},
         {"the end of the clock"},
         3,
         "topology: [Mesh1D]\nnpus_count: [2]\nbandwidth: [0.000001]\nlatency: [500]\n"},
    };
    for (const Case& one : cases) {
        expect(one);
    }
}

// Eight NPUs in a ring send to each other. With credits and one virtual channel for all they could
// wait in a cycle, so that is refused; switches that pause each other do wait, and without the
// room for what comes after a pause they lose packets.
TEST_F(Stalls, CyclesOfBuffers) {
    const std::vector<Nodes> exchange(8, {collective_node(1, CollectiveType::AllToAll, 2'000'000)});
    const std::string ring =
        "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\npacket: ";
    const std::string direct = R"({"all-to-all-implementation": ["direct"]})";
    const Case cases[] = {
        {"credits",
         exchange,
         {"packet.virtual_channels", "free of deadlock"},
         2,
         ring + "{virtual_channels: 1}\n",
         "",
         direct,
         {"packet"}},
        {"pauses",
         exchange,
         {"8 of 8 ranks have work left", "node 1 'collective_1' (all_to_all) waits for",
          "deadlock: these links are paused", "npu0 -> npu1 -> npu2 -> npu3 -> npu4 -> npu5"},
         3,
         ring + "{flow_control: pfc, buffer: 20000}\n",
         "",
         direct,
         {"packet"}},
        {"lost packets",
         exchange,
         {"a packet for the link npu", "was lost", "packet.transport"},
         3,
         ring + "{flow_control: pfc, buffer: 20000, pfc: {headroom: 5000}}\n",
         "",
         direct,
         {"packet"}},
    };
    for (const Case& one : cases) {
        expect(one);
    }
}

}  // namespace
}  // namespace npunet::cli
