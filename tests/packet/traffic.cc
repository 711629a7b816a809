#include "traffic.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace npunet::packet_test {

Traffic::Traffic(const Plan& plan, engine::EventQueue& queue, engine::Network& network)
    : plan_(plan),
      queue_(queue),
      network_(network),
      outcomes_(plan.size()),
      followers_(plan.size()) {
    network.set_listener(*this);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (plan[i].after >= 0) {
            followers_[static_cast<std::size_t>(plan[i].after)].push_back(i);
            continue;
        }
        queue.schedule(plan[i].start,
                       engine::EventKey::of(engine::Phase::Issue, engine::event_kind::issue, i),
                       *this, i);
    }
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

void Traffic::send_followers(std::size_t index, bool after_sent) {
    for (const std::size_t follower : followers_[index]) {
        if (plan_[follower].after_sent == after_sent) {
            send(follower);
        }
    }
}

namespace {

class Planner {
public:
    Planner(int npus, std::int64_t largest, std::int64_t mtu, std::mt19937_64& random)
        : npus_(npus), largest_(largest), mtu_(mtu), random_(random) {}

    [[nodiscard]] std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }
    [[nodiscard]] int other_than(int npu) {
        return static_cast<int>((npu + 1 + below(npus_ - 1)) % npus_);
    }
    [[nodiscard]] Bytes size() {
        const std::int64_t bytes = below(8) == 0 ? 0 : below(largest_ + 1);
        return Bytes(below(3) == 0 ? bytes / mtu_ * mtu_ : bytes);
    }
    int add(int source, int destination, Bytes bytes, Time start, int after = -1) {
        PlannedMessage message;
        message.source = NodeId(source);
        message.destination = NodeId(destination);
        message.bytes = bytes;
        message.start = start;
        message.after = after;
        message.wants_sent = below(3) == 0;
        plan.push_back(message);
        return static_cast<int>(plan.size()) - 1;
    }

    Plan plan;

private:
    int npus_;
    std::int64_t largest_;
    std::int64_t mtu_;
    std::mt19937_64& random_;
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
    classes.count = static_cast<std::uint8_t>(std::array<int, 4>{2, 2, 3, 8}[random() % 4]);
    if (random() % 3 != 0) {
        for (int i = 0; i < classes.count; ++i) {
            classes.weights.push_back(
                static_cast<std::uint8_t>(std::array<int, 5>{1, 1, 3, 7, 100}[random() % 5]));
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

}  // namespace npunet::packet_test
