#include "fast_forward_run.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/support/draw.h"

namespace npunet::packet_test {

namespace {

/// Looks at a network at given times.
class Watcher final : private engine::EventHandler {
public:
    Watcher(engine::EventQueue& queue, packet::PacketNetwork& network,
            const std::vector<Time>& times)
        : network_(network) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            const engine::Phase phase = i % 2 == 0 ? engine::Phase::Issue : engine::Phase::Arrival;
            queue.schedule(times[i], engine::EventKey::of(phase, i % 2 == 0 ? 15 : 6, i), *this);
        }
    }

    [[nodiscard]] const std::string& seen() const { return seen_; }

private:
    void handle(std::uint64_t) override {
        network_.settle();
        seen_ += transcript({}, network_.link_use(), network_.packet_hops());
    }

    packet::PacketNetwork& network_;
    std::string seen_;
};

std::string flows(const engine::Network& network) {
    std::string text;
    for (const engine::FlowUse& use : network.flow_use()) {
        for (const std::uint64_t count :
             {use.counts.packets, use.counts.retransmissions, use.counts.timeouts,
              use.counts.marked, use.counts.notifications}) {
            text += ' ' + std::to_string(count);
        }
        text += '\n';
    }
    return text;
}

}  // namespace

Told run_and_look(const Plan& plan, const std::vector<Time>& looks, engine::EventQueue& queue,
                  packet::PacketNetwork& machine) {
    const Traffic traffic(plan, queue, machine);
    const Watcher watcher(queue, machine, looks);
    std::string end;
    try {
        queue.run();
    } catch (const StallError& error) {
        end = error.what();
    }
    return {transcript(traffic, machine) + flows(machine) + watcher.seen() + end, queue.handled(),
            machine.packet_hops()};
}

double events_per_packet_hop(const Told& without, const Told& with) {
    EXPECT_EQ(with.transcript, without.transcript);
    EXPECT_GE(without.events, without.packet_hops);
    return static_cast<double>(with.events) / static_cast<double>(with.packet_hops);
}

void LongMessages::add_to(Plan& plan, std::pair<int, int> pair, std::int64_t mtu,
                          std::mt19937_64& random) const {
    test::DrawFrom draw(random);
    const bool brief = draw.one_in(brief_one_in);
    const std::int64_t packets = brief ? draw.below(8) : least + draw.below(longest);
    const std::int64_t more = draw.one_in(2) ? 0 : draw.below(mtu + 1);
    PlannedMessage one = message(pair.first, pair.second, packets * mtu + more);
    one.start = Time::ps(draw.below(spread));
    const auto before = static_cast<std::int64_t>(plan.size());
    one.after =
        before > 0 && draw.one_in(following_one_in) ? static_cast<int>(draw.below(before)) : -1;
    one.wants_sent = draw.one_in(3);
    plan.push_back(one);
}

std::vector<Time> draw_looks(unsigned most, std::mt19937_64& random) {
    std::vector<Time> looks;
    for (std::uint64_t i = random() % (most + 1); i > 0; --i) {
        looks.push_back(Time::ps(static_cast<std::int64_t>(random() % 200'000'000)));
    }
    return looks;
}

}  // namespace npunet::packet_test
