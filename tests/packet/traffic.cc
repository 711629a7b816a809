#include "traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/support/draw.h"

namespace npunet::packet_test {

Traffic::Traffic(const Plan& plan, engine::EventQueue& queue, engine::Network& network)
    : Traffic(
          plan, queue, network, [](NodeId) { return true; }, of_whole_) {
    outcomes_.resize(plan.size());
}

Traffic::Traffic(const Plan& plan, engine::EventQueue& queue, engine::Network& network,
                 const std::function<bool(NodeId)>& owns, std::vector<Outcome>& outcomes)
    : plan_(plan), queue_(queue), network_(network), outcomes_(outcomes), followers_(plan.size()) {
    network.set_listener(*this);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (plan[i].after >= 0) {
            followers_[static_cast<std::size_t>(plan[i].after)].push_back(i);
        } else if (owns(plan[i].source)) {
            queue.schedule(plan[i].start,
                           engine::EventKey::of(engine::Phase::Issue, engine::event_kind::issue, i),
                           *this, i);
        }
    }
}

Time latest_delivery(const std::vector<Outcome>& outcomes) {
    Time latest;
    for (const Outcome& outcome : outcomes) {
        latest = std::max(latest, outcome.delivered);
    }
    return latest;
}

bool all_came_once(const std::vector<Outcome>& outcomes) {
    return std::all_of(outcomes.begin(), outcomes.end(),
                       [](const Outcome& outcome) { return outcome.deliveries == 1; });
}

bool is_stalled(const std::vector<Outcome>& outcomes) {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [](const Outcome& outcome) { return outcome.deliveries == 0; });
}

engine::Message message_of(const Plan& plan, std::size_t index) {
    const PlannedMessage& planned = plan[index];
    engine::Message message;
    message.id = engine::MessageId(planned.source, index);
    message.source = planned.source;
    message.destination = planned.destination;
    message.bytes = planned.bytes;
    message.handle = static_cast<std::uint32_t>(index);
    message.wants_sent = planned.wants_sent;
    message.traffic_class = planned.traffic_class;
    message.kind = planned.kind;
    return message;
}

void Traffic::send(std::size_t index) {
    network_.send(message_of(plan_, index));
}

void Traffic::on_sent(std::uint32_t handle) {
    outcomes_[handle].sent = queue_.now();
    send_followers(handle, true);
}

void Traffic::on_delivered(std::uint32_t handle, Time first_byte_left) {
    Outcome& outcome = outcomes_[handle];
    outcome.delivered = queue_.now();
    outcome.first_byte_left = first_byte_left;
    ++outcome.deliveries;
    send_followers(handle, false);
}

void Traffic::on_delivered_from_afar(const engine::MessageLabel& label, Bytes bytes,
                                     Time first_byte_left) {
    const std::uint32_t handle = label.words[0];
    EXPECT_EQ(handle, ~label.words[1]);
    EXPECT_EQ(bytes, plan_[handle].bytes);
    on_delivered(handle, first_byte_left);
}

void Traffic::send_followers(std::size_t index, bool after_sent) {
    for (const std::size_t follower : followers_[index]) {
        if (plan_[follower].after_sent == after_sent) {
            send(follower);
        }
    }
}

namespace {

class Planner : public test::DrawFrom {
public:
    Planner(int npus, std::int64_t largest, std::int64_t mtu, std::mt19937_64& random)
        : DrawFrom(random), npus_(npus), largest_(largest), mtu_(mtu) {}

    [[nodiscard]] int other_than(int npu) {
        return static_cast<int>((npu + 1 + below(npus_ - 1)) % npus_);
    }
    [[nodiscard]] Bytes size() {
        const std::int64_t bytes = below(8) == 0 ? 0 : below(largest_ + 1);
        return Bytes(below(3) == 0 ? bytes / mtu_ * mtu_ : bytes);
    }
    int add(int source, int destination, Bytes bytes, Time start, int after = -1) {
        const bool wants_sent = one_in(3);
        plan.push_back({NodeId(source), NodeId(destination), bytes, start, after, wants_sent});
        return static_cast<int>(plan.size()) - 1;
    }

    Plan plan;

private:
    int npus_;
    std::int64_t largest_;
    std::int64_t mtu_;
};

}  // namespace

Plan make_plan(Pattern pattern, int npus, std::int64_t largest, std::int64_t mtu,
               std::mt19937_64& random) {
    Planner planner(npus, largest, mtu, random);
    std::vector<int> order(static_cast<std::size_t>(npus));
    std::iota(order.begin(), order.end(), 0);
    switch (pattern) {
        case Pattern::AllToAll:
            for (int a = 0; a < npus; ++a) {
                for (int i = 1; i < npus; ++i) {
                    planner.add(a, (a + i) % npus, planner.size(), Time());
                }
            }
            break;
        case Pattern::Permutation:
            for (int round = 0; round < 3; ++round) {
                std::shuffle(order.begin(), order.end(), random);
                for (int a = 0; a < npus; ++a) {
                    const int b = order[static_cast<std::size_t>(a)];
                    if (a != b) {
                        planner.add(a, b, planner.size(), Time::ns(round * planner.below(5000)));
                    }
                }
            }
            break;
        case Pattern::Random:
            for (int i = 0; i < 8 * npus; ++i) {
                const int a = static_cast<int>(planner.below(npus));
                planner.add(a, planner.other_than(a), planner.size(),
                            Time::ps(planner.below(20'000'000)));
            }
            break;
        case Pattern::Streams:
            // Short messages back to back from few sources, with cross traffic while credits are
            // still on their way.
            for (int stream = 0; stream < 3; ++stream) {
                const int a = static_cast<int>(planner.below(npus));
                const int b = planner.other_than(a);
                const Bytes bytes = planner.size();
                for (int i = 0; i < 25; ++i) {
                    planner.add(a, b, i % 5 == 4 ? Bytes(0) : bytes,
                                Time::ps(i * planner.below(100'000)));
                }
                for (int i = 0; i < 10; ++i) {
                    planner.add(planner.other_than(a), a, planner.size(),
                                Time::ps(planner.below(5'000'000)));
                }
            }
            break;
        case Pattern::Chains:
            for (int a = 0; a < npus; ++a) {
                int before = -1;
                int at = a;
                for (int step = 0; step < 6; ++step) {
                    const int to = planner.other_than(at);
                    before = planner.add(at, to, planner.size(), Time(), before);
                    at = to;
                }
            }
            break;
    }
    return planner.plan;
}

std::vector<int> random_cycle(int npus, std::mt19937_64& random) {
    std::vector<int> target(static_cast<std::size_t>(npus));
    std::iota(target.begin(), target.end(), 0);
    for (std::size_t last = target.size() - 1; last > 0; --last) {
        std::swap(target[last], target[random() % last]);
    }
    return target;
}

void draw_followers_of_ends(Plan& plan, std::mt19937_64& random) {
    for (PlannedMessage& message : plan) {
        message.after_sent = message.after >= 0 &&
                             plan[static_cast<std::size_t>(message.after)].wants_sent &&
                             random() % 2 == 0;
    }
}

void draw_classes(Plan& plan, std::uint8_t classes, std::mt19937_64& random) {
    for (PlannedMessage& message : plan) {
        message.kind = static_cast<Communication>(random() % communications);
        if (random() % 2 == 0) {
            message.traffic_class = static_cast<std::uint8_t>(random() % classes);
        }
    }
}

topology::TrafficClasses random_classes(std::mt19937_64& random) {
    topology::TrafficClasses classes;
    test::DrawFrom draw(random);
    classes.count = draw.any_of<std::uint8_t>({2, 2, 3, 8});
    if (!draw.one_in(3)) {
        for (int i = 0; i < classes.count; ++i) {
            classes.weights.push_back(draw.any_of<std::uint8_t>({1, 1, 3, 7, 100}));
        }
    }
    for (std::uint8_t& own : classes.class_of) {
        own = static_cast<std::uint8_t>(random() % classes.count);
    }
    return classes;
}

std::string transcript(const Traffic& traffic, const engine::Network& network) {
    return transcript(traffic.outcomes(), network.link_use(), network.packet_hops());
}

std::string transcript(const std::vector<Outcome>& outcomes,
                       const std::vector<engine::LinkUse>& uses, std::uint64_t packet_hops) {
    std::string text;
    const auto number = [&text](std::int64_t value) { text += ' ' + std::to_string(value); };
    for (const Outcome& outcome : outcomes) {
        text += "message";
        number(outcome.sent.ps());
        number(outcome.delivered.ps());
        number(outcome.first_byte_left.ps());
        number(outcome.deliveries);
        text += '\n';
    }
    for (const engine::LinkUse& use : uses) {
        text += "link";
        number(use.payload.value());
        number(use.wire.value());
        number(use.busy.ps());
        number(use.max_queue.value());
        number(static_cast<std::int64_t>(use.packets));
        number(static_cast<std::int64_t>(use.retransmissions));
        number(use.credit_stall.ps());
        number(static_cast<std::int64_t>(use.pauses));
        number(static_cast<std::int64_t>(use.marked));
        number(static_cast<std::int64_t>(use.drops));
        text += " classes";
        for (const Bytes bytes : use.classes_wire) {
            number(bytes.value());
        }
        text += " queue";
        for (const Time time : use.queue_times) {
            number(time.ps());
        }
        text += '\n';
    }
    text += "packet hops " + std::to_string(packet_hops) + '\n';
    return text;
}

std::string transcript_with_stalls(const std::vector<Outcome>& outcomes,
                                   const std::vector<engine::LinkUse>& uses,
                                   std::uint64_t packet_hops, const std::string& more) {
    const std::string text = transcript(outcomes, uses, packet_hops);
    return is_stalled(outcomes) ? text.substr(0, text.find("link")) : text + more;
}

}  // namespace npunet::packet_test
