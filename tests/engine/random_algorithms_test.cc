// Random thread blocks: what the check of a file admits runs to its end, at every size and in every
// order of the events of an instant, and what it refuses is a cycle of waits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/errors.h"
#include "tests/engine/algorithm_files.h"
#include "tests/support/refusals.h"

namespace npunet {
namespace {

using chakra::CollectiveType;
using test::AlgorithmFolder;
using test::message_of;
using test::TestMachine;
using test::XmlAlgorithm;
using test::XmlBlock;
using test::XmlStep;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class RandomAlgorithm {
public:
    explicit RandomAlgorithm(std::uint32_t seed) : random_(seed) {}

    /// Each GPU has a thread block for each other one, that sends to it and receives from it in a
    /// random order, with random waits, and one that adds.
    XmlAlgorithm make() {
        XmlAlgorithm made;
        const char* const protocols[] = {"Simple", "LL", "LL128"};
        made.protocol = protocols[below(3)];
        const std::int32_t gpus = 2 + below(3);
        made.chunks = 1 + below(4);
        std::vector<std::vector<std::vector<std::int32_t>>> sent(
            static_cast<std::size_t>(gpus),
            std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(gpus)));
        for (auto& from : sent) {
            for (auto& to : from) {
                for (std::int32_t count = below(12); count > 0; --count) {
                    to.push_back(1 + below(made.chunks));
                }
            }
        }
        for (std::int32_t g = 0; g < gpus; ++g) {
            test::XmlGpu gpu{made.chunks, 0, made.chunks, {}};
            for (std::int32_t other = 0; other < gpus; ++other) {
                if (other != g) {
                    const auto own = static_cast<std::size_t>(g);
                    const auto peer = static_cast<std::size_t>(other);
                    gpu.blocks.push_back(block(other, sent[own][peer], sent[peer][own]));
                }
            }
            gpu.blocks.push_back({-1, -1, 0, {{"re", 's', 0, 'i', 0, 1, -1, -1, true}}});
            add_waits(gpu);
            made.gpus.push_back(gpu);
        }
        return made;
    }

    std::int32_t below(std::int32_t n) {
        return static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(n));
    }

private:
    XmlBlock block(std::int32_t peer, const std::vector<std::int32_t>& sends,
                   const std::vector<std::int32_t>& receives) {
        XmlBlock made{peer, peer, 0, {}};
        std::size_t s = 0;
        std::size_t r = 0;
        while (s < sends.size() || r < receives.size()) {
            const bool fits = s < sends.size() && r < receives.size() && sends[s] == receives[r];
            if (fits && below(3) == 0) {
                const char* const fused[] = {"rcs", "rrs", "rrcs"};
                made.steps.push_back({fused[below(3)], 'i', 0, 'i', 0, sends[s]});
                ++s;
                ++r;
            } else if (r == receives.size() || (s < sends.size() && below(3) > 0)) {
                made.steps.push_back({"s", 'i', 0, 'i', 0, sends[s++]});
            } else {
                made.steps.push_back({below(2) == 0 ? "r" : "rrc", 'i', 0, 's', 0, receives[r++]});
                if (made.steps.back().type == "rrc") {
                    made.steps.back().destination = 'i';
                }
            }
        }
        return made;
    }

    void add_waits(test::XmlGpu& gpu) {
        for (std::int32_t count = below(3); count > 0; --count) {
            XmlBlock& waiting = gpu.blocks[pick(gpu.blocks.size())];
            const std::size_t other = pick(gpu.blocks.size());
            if (waiting.steps.empty() || gpu.blocks[other].steps.empty()) {
                continue;
            }
            const std::size_t awaited = pick(gpu.blocks[other].steps.size());
            gpu.blocks[other].steps[awaited].publishes = true;
            XmlStep& step = waiting.steps[pick(waiting.steps.size())];
            step.wait_block = static_cast<std::int32_t>(other);
            step.wait_step = static_cast<std::int32_t>(awaited);
        }
    }

    std::size_t pick(std::size_t n) {
        return static_cast<std::size_t>(below(static_cast<std::int32_t>(n)));
    }

    std::mt19937 random_;
};

TEST(RandomAlgorithms, WhatIsAdmittedEnds) {
    int ended = 0;
    int refused = 0;
    for (std::uint32_t seed = 0; seed < 600; ++seed) {
        RandomAlgorithm random(seed);
        const XmlAlgorithm made = random.make();
        const AlgorithmFolder folder;
        TestMachine machine = test::line_machine(topology::DimensionKind::Switch,
                                                 static_cast<std::int64_t>(made.gpus.size()),
                                                 Rate(50'000'000'000), Time::ns(500));
        machine.system.endpoint_delay = Time::ns(seed % 3 * 20);
        machine.system.compute.memory_bandwidth = seed % 2 * 100;
        SCOPED_TRACE(seed);
        const std::string refusal = message_of<InputError>([&] { folder.use(machine, made); });
        if (refusal != "no error") {
            EXPECT_THAT(refusal, HasSubstr("wait for each other"));
            ++refused;
            continue;
        }
        for (const std::int64_t size : {7, 100'003, 9'000'001}) {
            std::vector<test::SentMessage> sent;
            const std::string at_size = message_of<InputError>(
                [&] { sent = test::file_run(CollectiveType::AllReduce, size, machine).messages; });
            if (at_size != "no error") {
                EXPECT_THAT(at_size, HasSubstr("8 slots"));
                continue;
            }
            ++ended;
            EXPECT_THAT(
                test::file_run(CollectiveType::AllReduce, size, machine, -1, seed + 1).messages,
                ElementsAreArray(sent));
        }
    }
    EXPECT_GT(ended, 150);
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace npunet
