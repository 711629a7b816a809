// The kinds of communication that messages carry.

#include "base/communication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/collectives.h"

namespace npunet::test {
namespace {

using chakra::CollectiveType;
using ::testing::ElementsAre;

/// The estimate, with an ear for what is sent.
class KindRecorder final : public engine::Network {
public:
    KindRecorder(const topology::NetworkDescription& description, engine::EventQueue& queue,
                 const engine::Dialect& dialect)
        : inner_(description, queue, dialect) {
        kinds.clear();
    }
    void send(const engine::Message& message) override {
        inner_.set_listener(*listener_);
        kinds.insert(message.kind);
        EXPECT_EQ(message.traffic_class, engine::Message::by_kind);
        inner_.send(message);
    }
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override {
        return inner_.link_use();
    }

    static inline std::set<Communication> kinds;

private:
    analytical::CongestionUnaware inner_;
};

std::set<Communication> kinds_of(const std::function<std::vector<chakra::Node>(Rank)>& nodes) {
    run<KindRecorder>(workload_of(4, nodes), line_machine(topology::DimensionKind::FullyConnected,
                                                          4, Rate(50'000'000'000), Time::ns(5)));
    return KindRecorder::kinds;
}

// Every message of a collective is of its kind, every other one of a send.
TEST(Communication, MessagesSayWhatTheyArePartOf) {
    const std::vector<std::pair<CollectiveType, Communication>> kinds{
        {CollectiveType::AllReduce, Communication::AllReduce},
        {CollectiveType::AllGather, Communication::AllGather},
        {CollectiveType::ReduceScatter, Communication::ReduceScatter},
        {CollectiveType::ReduceScatterBlock, Communication::ReduceScatter},
        {CollectiveType::AllToAll, Communication::AllToAll},
        {CollectiveType::Broadcast, Communication::Broadcast},
        {CollectiveType::Reduce, Communication::Reduce},
        {CollectiveType::Gather, Communication::Gather},
        {CollectiveType::Scatter, Communication::Scatter},
        {CollectiveType::Barrier, Communication::Barrier}};
    for (const auto& [type, kind] : kinds) {
        const auto nodes = [type = type](Rank) {
            chakra::Node node = collective_node(1, type, 4096);
            node.set_integer("comm_root", 0);
            return std::vector{node};
        };
        EXPECT_THAT(kinds_of(nodes), ElementsAre(kind)) << name_of(kind);
    }
    EXPECT_THAT(kinds_of([](Rank rank) -> std::vector<chakra::Node> {
                    if (rank == Rank(0)) {
                        return {send_node(1, 1, 100)};
                    }
                    if (rank == Rank(1)) {
                        return {receive_node(1, 0, 100)};
                    }
                    return {};
                }),
                ElementsAre(Communication::SendReceive));
}

TEST(Communication, HasNames) {
    EXPECT_EQ(communication_names().size(), communications);
    for (std::size_t i = 0; i < communications; ++i) {
        const auto kind = static_cast<Communication>(i);
        EXPECT_EQ(communication_named(name_of(kind)), kind);
    }
    EXPECT_EQ(name_of(Communication::AllToAll), "all_to_all");
    EXPECT_EQ(name_of(Communication::SendReceive), "send_recv");
    EXPECT_FALSE(communication_named("ALL_TO_ALL"));
    for (std::size_t i = 0; i + 1 < communications; ++i) {
        const auto collective = static_cast<engine::CollectiveKind>(i);
        EXPECT_EQ(name_of(engine::communication_of(collective)), name_of(collective));
    }
}

}  // namespace
}  // namespace npunet::test
