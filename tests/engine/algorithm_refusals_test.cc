// Files of algorithms that cannot run: each ends in one error that says where and what to do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/errors.h"
#include "tests/engine/algorithm_files.h"
#include "tests/support/refusals.h"

namespace npunet::algorithm_refusals_test {
namespace {

using chakra::CollectiveType;
using engine::CollectiveKind;
using test::AlgorithmFolder;
using test::message_of;
using test::TestMachine;
using test::XmlAlgorithm;
using ::testing::AllOf;
using ::testing::HasSubstr;
using topology::DimensionKind;

class AlgorithmRefusals : public ::testing::Test {
protected:
    [[nodiscard]] std::string of(const std::string& text) const {
        return message_of<InputError>([&] { static_cast<void>(folder_.read(text)); });
    }
    [[nodiscard]] std::string of(const XmlAlgorithm& algorithm) const {
        return of(algorithm.text());
    }
    /// Of a ring of 3 with this in place of that, which stands there.
    [[nodiscard]] std::string of_ring_with(const std::string& that, const std::string& with) const {
        std::string text = test::ring_all_reduce(3).text();
        const std::size_t at = text.find(that);
        EXPECT_NE(at, std::string::npos) << that;
        return of(text.replace(at, that.size(), with));
    }
    [[nodiscard]] std::string of_system(const std::string& json, std::int64_t npus = 4,
                                        std::int64_t bytes = 1000) const {
        return message_of<InputError>([&] {
            TestMachine machine = test::line_machine(DimensionKind::FullyConnected, npus,
                                                     Rate(50'000'000'000), Time::ns(500));
            std::vector<std::string> warnings;
            machine.system = engine::read_system_config(
                folder_.folder().write("system.json", json).string(), machine.dialect, warnings);
            algorithm_ = test::file_run(CollectiveType::AllReduce, bytes, machine)
                             .results.collectives.at(0)
                             .algorithm;
        });
    }

    AlgorithmFolder folder_;
    mutable std::string algorithm_;  ///< of the last run
};

TEST_F(AlgorithmRefusals, SendsAndReceivesThatDoNotMeet) {
    // GPU 1 sends one more chunk than GPU 2 receives.
    XmlAlgorithm ring = test::ring_all_reduce(3);
    ring.gpus[1].blocks[0].steps.push_back({"s", 'i', 0, 'i', 0});
    EXPECT_THAT(of(ring),
                AllOf(HasSubstr("made.xml: gpu 1, thread block 0, step 5"),
                      HasSubstr("send number 5 to 2 over channel 0, of which 2 receives 4")));
    ring = test::ring_all_reduce(3);
    ring.gpus[1].blocks[0].steps.push_back({"r", 'i', 0, 'i', 0});
    EXPECT_THAT(of(ring), AllOf(HasSubstr("gpu 1, thread block 0, step 5"),
                                HasSubstr("receive number 5 from 0 over channel 0")));
    // On another channel.
    ring = test::ring_all_reduce(3);
    ring.gpus[0].blocks[0].channel = 1;
    EXPECT_THAT(of(ring), HasSubstr("over channel"));
    // As many, of other sizes.
    ring = test::ring_all_reduce(3);
    ring.gpus[2].blocks[0].steps[4].count = 2;
    ring.gpus[2].blocks[0].steps[4].destination_offset = 0;
    EXPECT_THAT(
        of(ring),
        AllOf(HasSubstr("gpu 2, thread block 0, step 4"),
              HasSubstr("a receive of 2 chunks, to which gpu 1, thread block 0, step 3 sends 1")));
}

TEST_F(AlgorithmRefusals, CyclicWaits) {
    // Both receive before they send.
    XmlAlgorithm made;
    made.chunks = 2;
    for (std::int32_t g = 0; g < 2; ++g) {
        made.gpus.push_back(
            {2, 0, 0, {{1 - g, 1 - g, 0, {{"r", 'i', 0, 'i', 0}, {"s", 'i', 1, 'i', 1}}}}});
    }
    EXPECT_THAT(of(made),
                AllOf(HasSubstr("gpu 0, thread block 0, step 0 waits for gpu 1, thread block 0, "
                                "step 0 waits for gpu 0, thread block 0, step 0"),
                      HasSubstr("made in some order")));
    // Two thread blocks of a GPU wait for each other's second step.
    made = test::ring_all_reduce(2);
    for (std::int32_t other : {2, 1}) {
        made.gpus[0].blocks.push_back({-1,
                                       -1,
                                       0,
                                       {{"nop", 'i', -1, 'i', -1, 0, other, 1, true},
                                        {"nop", 'i', -1, 'i', -1, 0, -1, -1, true}}});
    }
    EXPECT_THAT(of(made),
                HasSubstr("gpu 0, thread block 1, step 0 waits for gpu 0, thread block 2"));
    // A thread block that waits for itself.
    made = test::ring_all_reduce(2);
    made.gpus[1].blocks[0].steps[1].wait_block = 0;
    made.gpus[1].blocks[0].steps[1].wait_step = 2;
    made.gpus[1].blocks[0].steps[2].publishes = true;
    EXPECT_THAT(of(made),
                HasSubstr("gpu 1, thread block 0, step 1 waits for gpu 1, thread block 0, step 1"));
    // Nine sends of LL before the first receive on both sides.
    made = XmlAlgorithm();
    made.protocol = "LL";
    made.chunks = 1;
    for (std::int32_t g = 0; g < 2; ++g) {
        made.gpus.push_back({1, 0, 0, {{1 - g, 1 - g, 0, {}}}});
        made.gpus.back().blocks[0].steps.assign(9, {"s", 'i', 0, 'i', 0});
        made.gpus.back().blocks[0].steps.insert(made.gpus.back().blocks[0].steps.end(), 9,
                                                {"r", 'i', 0, 'i', 0});
    }
    EXPECT_THAT(of(made), AllOf(HasSubstr("gpu 0, thread block 0, step 8"),
                                HasSubstr("8 slots, or 8 calls, ahead of its receiver with LL")));
    for (test::XmlGpu& gpu : made.gpus) {
        gpu.blocks[0].steps.erase(gpu.blocks[0].steps.begin());
        gpu.blocks[0].steps.pop_back();
    }
    EXPECT_EQ(of(made), "no error");
}

TEST_F(AlgorithmRefusals, OffsetsAndDependencies) {
    XmlAlgorithm ring = test::ring_all_reduce(3);
    ring.gpus[2].blocks[0].steps[3].destination_offset = 3;
    EXPECT_THAT(of(ring), AllOf(HasSubstr("gpu 2, thread block 0, step 3"),
                                HasSubstr("1 chunk from offset 3 of the input (i) buffer"),
                                HasSubstr("below 3")));
    ring.gpus[2].blocks[0].steps[3].destination_offset = -1;
    EXPECT_THAT(of(ring), HasSubstr("from offset -1"));
    XmlAlgorithm pairs = test::all_pairs_all_reduce(3);
    pairs.gpus[0].scratch = 2;
    EXPECT_THAT(of(pairs), AllOf(HasSubstr("scratch (s)"), HasSubstr("below 2")));
    ring = test::ring_all_reduce(3);
    ring.gpus[1].blocks[0].steps[2].wait_block = 4;
    ring.gpus[1].blocks[0].steps[2].wait_step = 0;
    EXPECT_THAT(of(ring), AllOf(HasSubstr("gpu 1, thread block 0, step 2"),
                                HasSubstr("step 0 of thread block 4, which does not exist")));
    pairs = test::all_pairs_all_reduce(3);
    pairs.gpus[2].blocks[0].steps.back().publishes = false;
    EXPECT_THAT(of(pairs),
                AllOf(HasSubstr("gpu 2, thread block 1, step 2"), HasSubstr("hasdep 0")));
    ring = test::ring_all_reduce(3);
    ring.gpus[0].blocks.push_back({1, -1, 0, {{"s", 'i', 0, 'i', 0}}});
    EXPECT_THAT(of(ring), AllOf(HasSubstr("gpu 0, thread block 1, step 0"),
                                HasSubstr("the same peer and channel as thread block 0")));
}

TEST_F(AlgorithmRefusals, WhatIsNoAlgorithm) {
    EXPECT_THAT(of(""), AllOf(HasSubstr("made.xml"), HasSubstr("line 1")));
    EXPECT_THAT(of("<algo"), HasSubstr("an XML document"));
    EXPECT_THAT(of("<algorithm/>"), HasSubstr("'algo'"));
    EXPECT_THAT(of("{\"name\": 1}"), HasSubstr("an XML document"));
    EXPECT_THAT(of_ring_with("proto=\"LL128\"", "proto=\"Fast\""),
                HasSubstr("Simple, LL or LL128"));
    EXPECT_THAT(of_ring_with(" proto=\"LL128\"", ""), HasSubstr("no attribute 'proto'"));
    EXPECT_THAT(of_ring_with("coll=\"allreduce\"", "coll=\"alltoallv\""), HasSubstr("alltoallv"));
    EXPECT_THAT(of_ring_with("coll=\"allreduce\"", "coll=\"allgather\""),
                AllOf(HasSubstr("all_gather"), HasSubstr("all_reduce, the collective")));
    EXPECT_EQ(of_ring_with("coll=\"allreduce\"", "coll=\"custom\""), "no error");
    EXPECT_THAT(of_ring_with("ngpus=\"3\"", "ngpus=\"4\""), HasSubstr("ngpus 4 and 3 gpus"));
    EXPECT_THAT(of_ring_with("ngpus=\"3\"", "ngpus=\"1000000000\""), HasSubstr("65536"));
    EXPECT_THAT(of_ring_with("nchunksperloop=\"3\"", "nchunksperloop=\"0\""), HasSubstr("from 1"));
    EXPECT_THAT(of_ring_with("i_chunks=\"3\"", "i_chunks=\"2147483647\""),
                AllOf(HasSubstr("line 2"), HasSubstr("gpu 0"), HasSubstr("i_chunks")));
    EXPECT_THAT(of_ring_with("gpu id=\"1\"", "gpu id=\"0\""), HasSubstr("gpu 0 twice"));
    EXPECT_THAT(of_ring_with("tb id=\"0\"", "tb id=\"1\""),
                AllOf(HasSubstr("gpu 0"), HasSubstr("without gaps")));
    EXPECT_THAT(of_ring_with("send=\"1\"", "send=\"0\""), HasSubstr("the gpu itself"));
    EXPECT_THAT(of_ring_with("send=\"1\"", "send=\"3\""), HasSubstr("from -1 to 2"));
    EXPECT_THAT(of_ring_with("send=\"1\"", "send=\"-1\""),
                AllOf(HasSubstr("gpu 0, thread block 0, step 0"), HasSubstr("send \"-1\"")));
    EXPECT_THAT(of_ring_with("s=\"2\"", "s=\"7\""),
                AllOf(HasSubstr("step 2"), HasSubstr("in order")));
    EXPECT_THAT(of_ring_with("type=\"rrs\"", "type=\"rr\""),
                AllOf(HasSubstr("type \"rr\""), HasSubstr("rrcs")));
    EXPECT_THAT(of_ring_with("srcbuf=\"i\"", "srcbuf=\"x\""), HasSubstr("i, o, s"));
    EXPECT_THAT(of_ring_with("cnt=\"1\"", "cnt=\"1x\""), HasSubstr("cnt \"1x\""));
    EXPECT_THAT(of_ring_with("hasdep=\"0\"", "hasdep=\"2\""), HasSubstr("hasdep"));
    EXPECT_THAT(of_ring_with("depid=\"-1\"", "depid=\"0\""), HasSubstr("depid 0 with deps -1"));
    EXPECT_THAT(of_ring_with("<step", "<stop"),
                AllOf(HasSubstr("'stop'"), HasSubstr("'step' in 'tb'")));
}

// Entities are not expanded, and lists in lists are no danger.
TEST_F(AlgorithmRefusals, HostileXml) {
    EXPECT_THAT(
        of("<!DOCTYPE a [<!ENTITY b \"" + std::string(1000, 'x') + "\">]><algo name=\"&b;&b;\"/>"),
        HasSubstr("no attribute 'proto'"));
    std::string deep;
    for (int i = 0; i < 200'000; ++i) {
        deep += "<algo>";
    }
    EXPECT_THAT(of(deep), HasSubstr("an XML document"));
    for (int i = 0; i < 200'000; ++i) {
        deep += "</algo>";
    }
    EXPECT_THAT(of(deep), HasSubstr("proto"));
    const std::string ring = test::ring_all_reduce(3).text();
    for (std::size_t length = 0; length < ring.size() - 1; length += 7) {
        EXPECT_NE(of(ring.substr(0, length)), "no error") << length;
    }
}

TEST_F(AlgorithmRefusals, Traces) {
    const auto write = [&](std::size_t rank, const std::vector<chakra::Node>& nodes) {
        chakra::write_trace(folder_.folder() / ("t." + std::to_string(rank) + ".et"), nodes);
    };
    const auto refusal = [&] {
        return message_of<InputError>([&] {
            static_cast<void>(engine::read_algorithm((folder_.folder() / "t").string(),
                                                     CollectiveKind::AllReduce));
        });
    };
    write(0, {test::send_node(7, 1, 100)});
    EXPECT_THAT(refusal(), HasSubstr("1 traces"));
    write(1, {test::receive_node(3, 0, 100)});
    EXPECT_EQ(refusal(), "no error");
    write(1, {test::receive_node(3, 0, 99)});
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("rank 1, node 3"), HasSubstr("99 bytes"), HasSubstr("sends 100")));
    write(1, {test::receive_node(3, 0, 100, 5)});
    EXPECT_THAT(refusal(), HasSubstr("with tag"));
    write(1, {test::receive_node(3, 1, 100)});
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("t.1.et"), HasSubstr("node 3"), HasSubstr("the rank itself")));
    write(1, {test::receive_node(3, 9, 100)});
    EXPECT_THAT(refusal(), HasSubstr("comm_src 9"));
    write(1, {test::collective_node(3, CollectiveType::AllReduce, 100)});
    EXPECT_THAT(refusal(), HasSubstr("COMM_COLL_NODE"));
    // Each receives before it sends.
    write(0, {test::receive_node(1, 1, 100), test::send_node(2, 1, 100, 0, {1})});
    write(1, {test::receive_node(1, 0, 100), test::send_node(2, 0, 100, 0, {1})});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("wait for each other"), HasSubstr("rank 0, node 1")));
}

TEST_F(AlgorithmRefusals, InSystemJson) {
    static_cast<void>(folder_.folder().write("four.xml", test::ring_all_reduce(4).text()));
    XmlAlgorithm banded = test::ring_all_reduce(4, "LL");
    banded.name = "banded";
    banded.more = " minBytes=\"100\" maxBytes=\"2000\"";
    static_cast<void>(folder_.folder().write("banded.xml", banded.text()));
    static_cast<void>(folder_.folder().write("plan.json", "{}"));
    const auto list = [](const std::string& value) {
        return "{\"preferred-dataset-splits\": 1, \"all-reduce-implementation\": " + value + "}";
    };
    EXPECT_EQ(of_system(list(R"({"file": "four.xml"})")), "no error");
    EXPECT_EQ(algorithm_, "ring_all_reduce");
    EXPECT_THAT(
        of_system(list(R"({"file": "four.xml"})"), 5),
        AllOf(HasSubstr("all-reduce-implementation"),
              HasSubstr("for 4 members, and a communicator of 5"), HasSubstr("\"members\": 4")));
    EXPECT_EQ(of_system(list(R"([{"file": "four.xml", "members": 4}, "direct"])"), 5), "no error");
    EXPECT_EQ(algorithm_, "direct");
    EXPECT_THAT(of_system(list(R"({"file": "four.xml", "members": 4})"), 5),
                HasSubstr("no file for 1000 bytes among 5 members"));
    EXPECT_THAT(of_system(list(R"({"file": "four.xml", "members": 5})")),
                HasSubstr("4, as many as four.xml is for"));
    // Bands: those given, else those of the file.
    const std::string bands =
        list(R"([{"file": "banded.xml"}, {"file": "four.xml", "max-bytes": "1MiB"}, "direct"])");
    for (const auto& [bytes, algorithm] :
         std::vector<std::pair<std::int64_t, std::string>>{{99, "ring_all_reduce"},
                                                           {100, "banded"},
                                                           {2000, "banded"},
                                                           {2001, "ring_all_reduce"},
                                                           {1 << 20, "ring_all_reduce"},
                                                           {(1 << 20) + 1, "direct"}}) {
        EXPECT_EQ(of_system(bands, 4, bytes), "no error");
        EXPECT_EQ(algorithm_, algorithm) << bytes;
    }
    EXPECT_EQ(
        of_system(list(R"({"file": "banded.xml", "min-bytes": 1, "max-bytes": 9000})"), 4, 5000),
        "no error");
    EXPECT_THAT(of_system(list(R"({"file": "banded.xml", "min-bytes": 3000})")),
                HasSubstr("sizes from 3000 to 2000"));
    EXPECT_THAT(of_system(list(R"({"file": "banded.xml", "max-bytes": "1 MB a day"})")),
                HasSubstr("max-bytes"));
    EXPECT_THAT(of_system(list(R"(["ring", {"file": "four.xml"}])")), HasSubstr("files first"));
    EXPECT_THAT(of_system(list(R"([{"file": "four.xml"}, "rign"])")), HasSubstr("rign"));
    EXPECT_THAT(of_system(list(R"({"files": "four.xml"})")), HasSubstr("file"));
    EXPECT_THAT(of_system(list(R"({"file": 3})")), HasSubstr("file"));
    EXPECT_THAT(of_system(list(R"({"file": "four.xml", "made-for": 4})")),
                HasSubstr("in chunks, for any size"));
    EXPECT_THAT(of_system(list(R"({"file": "missing.xml"})")), HasSubstr("missing.xml"));
    EXPECT_THAT(of_system(list(R"({"file": "plan.json"})")),
                AllOf(HasSubstr("plan.json"), HasSubstr("MSCCL++")));
    EXPECT_THAT(of_system(R"({"all-gather-implementation": {"file": "four.xml"}})"),
                HasSubstr("all_gather, the collective"));
}

}  // namespace
}  // namespace npunet::algorithm_refusals_test
