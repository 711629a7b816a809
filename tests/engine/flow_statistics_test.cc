// What is told of messages: percentiles, means and slowdowns against plain arithmetic, whatever the
// order in which messages arrive; and who notes when they do.

#include "engine/results/flow_statistics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/results/message_recorder.h"

namespace npunet::engine::flow_statistics_test {
namespace {

CompletedMessage message(std::int32_t from, std::int32_t to, std::int64_t bytes, Time start,
                         Time completion) {
    CompletedMessage result;
    result.flow = {NodeId(from), NodeId(to), 0};
    result.bytes = Bytes(bytes);
    result.start = start;
    result.end = start + completion;
    return result;
}

/// A byte takes a nanosecond.
Time idle(const FlowKey& /*flow*/, Bytes bytes) {
    return Time::ns(bytes.value());
}

// n messages of k x 3 ns, k = 1 .. n: the mean is 1.5 (n + 1) ns, the p-th percentile that of
// k = ceil(n p / 100). With 2 bytes each they are slower than idle by 1.5 k. A message starts at
// -k + n ns, so that the first start is 0 and the last end n - 1 + 3 ns for n = 1, 3 n ns in
// general.
TEST(FlowStatistics, PercentilesAreNearestRanks) {
    std::mt19937_64 random(1);
    for (const std::int64_t n : {1, 2, 3, 99, 100, 101, 250}) {
        std::vector<CompletedMessage> all;
        for (std::int64_t k = 1; k <= n; ++k) {
            all.push_back(message(0, 1, 2, Time::ns(n - k), Time::ns(3 * k)));
        }
        std::shuffle(all.begin(), all.end(), random);
        FlowStatistics statistics(&idle);
        for (const CompletedMessage& each : all) {
            EXPECT_EQ(statistics.add(each), static_cast<double>(each.completion().ps()) / 2000.0);
        }
        const FlowResults results = statistics.results({});
        ASSERT_EQ(results.flows.size(), 1u);
        const std::int64_t median = (n + 1) / 2;
        const std::int64_t high = (n * 99 + 99) / 100;
        for (const FlowResult* flow : {&results.flows.front(), &results.all}) {
            EXPECT_EQ(flow->messages, static_cast<std::uint64_t>(n));
            EXPECT_EQ(flow->bytes, Bytes(2 * n));
            EXPECT_EQ(flow->first_start, Time());
            EXPECT_EQ(flow->last_end, Time::ns(n - n + 3 * n));
            EXPECT_EQ(flow->completion.total, Time::ps(1500 * n * (n + 1)));
            EXPECT_EQ(flow->completion.least, Time::ns(3));
            EXPECT_EQ(flow->completion.mean, Time::ps(1500 * (n + 1)));
            EXPECT_EQ(flow->completion.median, Time::ns(3 * median));
            EXPECT_EQ(flow->completion.p99, Time::ns(3 * high));
            EXPECT_EQ(flow->completion.most, Time::ns(3 * n));
            EXPECT_EQ(flow->slowdown.median, 1.5 * static_cast<double>(median));
            EXPECT_EQ(flow->slowdown.p99, 1.5 * static_cast<double>(high));
            EXPECT_EQ(flow->slowdown.most, 1.5 * static_cast<double>(n));
            EXPECT_DOUBLE_EQ(flow->slowdown.mean, 0.75 * static_cast<double>(n + 1));
        }
    }
}

// Sizes of 1 KiB times a power of 4: 1024 and 4096 bytes belong below, 1025 and 4097 above.
TEST(FlowStatistics, MessagesOfLikeSizesAreSummedUp) {
    FlowStatistics statistics(&idle);
    for (const std::int64_t bytes : {4097, 1, 1025, 1024, 4096, 1 << 20, 1025}) {
        statistics.add(message(bytes % 3 == 0 ? 2 : 0, 1, bytes, Time(), Time::ns(2 * bytes)));
    }
    statistics.add(message(0, 1, 1, Time(), Time::ns(7)));
    const FlowResults results = statistics.results({});
    std::vector<std::pair<std::int64_t, std::uint64_t>> counts;
    for (const SizeResult& size : results.sizes) {
        counts.emplace_back(size.up_to.value(), size.result.messages);
    }
    EXPECT_EQ(counts, (std::vector<std::pair<std::int64_t, std::uint64_t>>{
                          {1024, 3}, {4096, 3}, {16384, 1}, {1 << 20, 1}}));
    const FlowResult& least = results.sizes.front().result;
    EXPECT_EQ(least.bytes, Bytes(1026));
    EXPECT_EQ(least.completion.median, Time::ns(7));
    EXPECT_EQ(least.completion.most, Time::ns(2048));
    EXPECT_EQ(least.slowdown.most, 7);
    EXPECT_EQ(least.slowdown.median, 2);
    EXPECT_EQ(results.all.messages, 8U);
    FlowStatistics blind;
    blind.add(message(0, 1, 1, Time(), Time::ns(1)));
    EXPECT_TRUE(blind.results({}).sizes.empty());
}

// Slowdowns do not follow completion times where sizes differ: 1 byte in 4 ns is slower than 100 in
// 200 ns. Of flows 2 -> 0, 0 -> 2 and 0 -> 1 the last comes first.
TEST(FlowStatistics, FlowsAreOrderedPairs) {
    FlowStatistics statistics(&idle);
    statistics.add(message(2, 0, 100, Time::ns(7), Time::ns(200)));
    statistics.add(message(0, 2, 5, Time::ns(1), Time::ns(5)));
    statistics.add(message(2, 0, 1, Time::ns(9), Time::ns(4)));
    statistics.add(message(0, 1, 5, Time::ns(2), Time::ns(10)));
    const FlowUse other{{NodeId(1), NodeId(0), 0}, {9, 9, 9, 9, 9}};
    const FlowUse known{{NodeId(0), NodeId(2), 0}, {5, 4, 3, 2, 1}};
    const FlowResults results = statistics.results({known, other});
    ASSERT_EQ(results.flows.size(), 3u);
    EXPECT_EQ(results.flows[0].flow.destination, NodeId(1));
    EXPECT_EQ(results.flows[1].flow.destination, NodeId(2));
    const FlowResult& back = results.flows[2];
    EXPECT_EQ(back.flow.source, NodeId(2));
    EXPECT_EQ(back.slowdown.most, 4);
    EXPECT_EQ(back.slowdown.mean, 3);
    EXPECT_EQ(back.completion.least, Time::ns(4));
    EXPECT_EQ(back.first_start, Time::ns(7));
    EXPECT_EQ(back.last_end, Time::ns(207));
    EXPECT_EQ(results.flows[1].counts.packets, 5u);
    EXPECT_EQ(results.flows[1].counts.notifications, 1u);
    EXPECT_EQ(results.flows[0].counts.packets, 0u);
    EXPECT_EQ(results.all.counts.timeouts, 3u) << "what has not arrived is left out";
    EXPECT_EQ(results.all.messages, 4u);
    EXPECT_EQ(results.all.bytes, Bytes(111));
}

// Nothing in no time is not slower than it need be. What would take no time and takes some has no
// slowdown: it counts with its time, and the others' slowdowns are as they are without it.
TEST(FlowStatistics, WhatTakesNoTime) {
    FlowStatistics statistics(&idle);
    EXPECT_EQ(statistics.add(message(0, 1, 0, Time(), Time())), 1);
    EXPECT_TRUE(std::isnan(statistics.add(message(0, 1, 0, Time(), Time::ps(1)))));
    EXPECT_EQ(statistics.add(message(0, 1, 1, Time(), Time::ns(6))), 6);
    EXPECT_TRUE(std::isnan(statistics.add(message(1, 0, 0, Time(), Time::ns(1)))));
    const FlowResults results = statistics.results({});
    EXPECT_EQ(results.all.messages, 4u);
    EXPECT_EQ(results.all.completion.total, Time::ps(7001));
    for (const FlowResult* flow : {&results.all, &results.flows[0]}) {
        EXPECT_EQ(flow->slowdown.mean, 3.5);
        EXPECT_EQ(flow->slowdown.median, 1);
        EXPECT_EQ(flow->slowdown.p99, 6);
        EXPECT_EQ(flow->slowdown.most, 6);
    }
    EXPECT_EQ(results.flows[1].completion.most, Time::ns(1));
    EXPECT_TRUE(std::isnan(results.flows[1].slowdown.mean));
    EXPECT_TRUE(std::isnan(results.flows[1].slowdown.most));
    FlowStatistics blind;
    EXPECT_TRUE(std::isnan(blind.add(message(0, 1, 5, Time(), Time::ns(5)))));
    EXPECT_TRUE(std::isnan(blind.results({}).all.slowdown.mean));
    EXPECT_TRUE(FlowStatistics().results({}).flows.empty());
}

// Four times 80 days are more than the clock has; their mean is not.
TEST(FlowStatistics, SumsDoNotWrap) {
    const Time long_one = Time::ps(6'912'000'000'000'000'001);
    FlowStatistics statistics;
    for (int i = 0; i < 4; ++i) {
        statistics.add(message(0, 1, 1, Time(), long_one));
    }
    const CompletionTimes times = statistics.results({}).all.completion;
    EXPECT_EQ(times.total, Time::max());
    EXPECT_EQ(times.mean, long_one);
}

/// A network in which the test says what arrives.
struct ManualNetwork final : Network {
    void send(const Message& message) override { last = message.handle; }
    [[nodiscard]] std::vector<LinkUse> link_use() const override { return {LinkUse(), LinkUse()}; }
    [[nodiscard]] std::vector<FlowUse> flow_use() const override { return {FlowUse()}; }
    [[nodiscard]] std::uint64_t packet_hops() const override { return 7; }
    [[nodiscard]] std::string explain_stall() const override { return "why"; }
    void arrive(std::uint32_t handle, Time left) { listener_->on_delivered(handle, left); }
    void sent(std::uint32_t handle) { listener_->on_sent(handle); }

    std::uint32_t last = 99;
};

struct Listener final : MessageListener {
    void on_sent(std::uint32_t handle) override { heard += fmt::format("s{} ", handle); }
    void on_delivered(std::uint32_t handle, Time left) override {
        heard += fmt::format("d{}@{} ", handle, left.ps());
    }

    std::string heard;
};

/// Runs a function at a time.
struct Call final : EventHandler {
    explicit Call(std::function<void()> what) : function(std::move(what)) {}
    void handle(std::uint64_t) override { function(); }

    std::function<void()> function;
};

// Messages 0 and 1 of NPU 1 and message 0 of NPU 0 are sent at 2 ns; at 5 ns they arrive in the
// wrong order, and are told in the order of their ids, when the next one arrives at 6 ns. Class 2
// is that of all-to-alls; a message may bring its own.
TEST(MessageRecorder, TellsMessagesOfAnInstantInTheOrderOfTheirIds) {
    EventQueue queue;
    ManualNetwork network;
    topology::TrafficClasses classes;
    classes.count = 3;
    classes.class_of[static_cast<std::size_t>(Communication::AllToAll)] = 2;
    std::vector<CompletedMessage> told;
    MessageRecorder recorder(network, queue, classes,
                             [&](const CompletedMessage& each) { told.push_back(each); });
    Listener listener;
    recorder.set_listener(listener);
    const auto send = [&](std::int32_t source, std::uint64_t count, std::uint32_t handle,
                          std::uint8_t own) {
        Message sent;
        sent.id = MessageId(NodeId(source), count);
        sent.source = NodeId(source);
        sent.destination = NodeId(5);
        sent.bytes = Bytes(static_cast<std::int64_t>(100 + handle));
        sent.handle = handle;
        sent.kind = Communication::AllToAll;
        sent.traffic_class = own;
        recorder.send(sent);
        EXPECT_EQ(network.last, handle);
    };
    Call sending([&] {
        send(1, 0, 0, Message::by_kind);
        send(1, 1, 1, 1);
        send(0, 0, 2, Message::by_kind);
    });
    Call arriving([&] {
        network.arrive(1, Time::ns(3));
        network.sent(2);
        network.arrive(0, Time::ns(4));
        network.arrive(2, Time::ns(2));
        EXPECT_TRUE(told.empty());
        send(1, 2, 0, Message::by_kind);
    });
    Call last([&] {
        network.arrive(0, Time::ns(5));
        EXPECT_EQ(told.size(), 3u);
    });
    queue.schedule(Time::ns(2), EventKey::of(Phase::Issue, 0, 0), sending, 0);
    queue.schedule(Time::ns(5), EventKey::of(Phase::Arrival, 0, 0), arriving, 0);
    queue.schedule(Time::ns(6), EventKey::of(Phase::Arrival, 0, 0), last, 0);
    queue.run();
    recorder.finish();
    EXPECT_EQ(listener.heard, "d1@3000 s2 d0@4000 d2@2000 d0@5000 ");
    ASSERT_EQ(told.size(), 4u);
    const std::int64_t bytes[] = {102, 100, 101, 100};
    const std::uint8_t of_class[] = {2, 2, 1, 2};
    for (std::size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(told[i].bytes, Bytes(bytes[i])) << i;
        EXPECT_EQ(told[i].flow.traffic_class, of_class[i]) << i;
        EXPECT_EQ(told[i].start, Time::ns(i < 3 ? 2 : 5)) << i;
        EXPECT_EQ(told[i].end, Time::ns(i < 3 ? 5 : 6)) << i;
    }
    EXPECT_EQ(told[0].first_byte_left, Time::ns(2));
    EXPECT_EQ(recorder.link_use().size(), 2u);
    EXPECT_EQ(recorder.flow_use().size(), 1u);
    EXPECT_EQ(recorder.packet_hops(), 7u);
    EXPECT_EQ(recorder.explain_stall(), "why");
}

}  // namespace
}  // namespace npunet::engine::flow_statistics_test
