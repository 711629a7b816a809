#include "split_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "packet_notes.h"

namespace npunet::packet_test {

namespace {

/// What crosses from one part to another.
struct Frame {
    Time at;
    std::vector<std::uint8_t> content;
};

}  // namespace

/// Frames on their way, by the part that receives.
struct SplitNetwork::Mail {
    std::vector<std::vector<Frame>> boxes;
};

/// One part: its machine, its queue, and what it has been sent.
class SplitNetwork::Part final : public engine::Network,
                                 private engine::MessageListener,
                                 private packet::PartitionLink {
public:
    Part(const topology::NetworkDescription& description, const Parts& parts, std::uint32_t number,
         Mail& mail, std::uint64_t seed)
        : graph_(description.graph),
          parts_(parts),
          mail_(mail),
          random_(seed),
          machine_(packet::make_network(description, shuffled(queue_, seed))) {
        std::vector<bool> owned(parts.size());
        for (std::size_t node = 0; node < parts.size(); ++node) {
            owned[node] = parts[node] == number;
        }
        machine_->set_listener(*this);
        machine_->split(owned, *this);
        for (std::size_t i = 0; i < graph_.links(); ++i) {
            if (machine_->is_cut(LinkId(i))) {
                lookahead_ = std::min(lookahead_, graph_.link(LinkId(i)).latency);
            }
        }
    }
    ~Part() override {
        if (!stalls_) {
            EXPECT_EQ(std::count(in_progress_.begin(), in_progress_.end(), true), 0)
                << "no part has said that a handle is free";
        }
    }

    void send(const engine::Message& message) override {
        if (message.handle >= in_progress_.size()) {
            in_progress_.resize(message.handle + 1);
        }
        EXPECT_FALSE(in_progress_[message.handle]) << "the handle is in use";
        in_progress_[message.handle] = true;
        machine_->send(message);
    }
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override {
        return machine_->link_use();
    }
    [[nodiscard]] std::uint64_t packet_hops() const override { return machine_->packet_hops(); }
    [[nodiscard]] bool sends_in_order(NodeId from, NodeId to) const override {
        return machine_->sends_in_order(from, to);
    }

    void let_stall() { stalls_ = true; }
    [[nodiscard]] engine::EventQueue& queue() { return queue_; }
    [[nodiscard]] packet::PacketNetwork& machine() { return *machine_; }
    [[nodiscard]] std::uint64_t crossings() const { return crossings_; }
    [[nodiscard]] std::uint64_t crossings(std::uint8_t kind) const { return kinds_[kind]; }

    void receive(std::vector<Frame> frames) {
        for (Frame& frame : frames) {
            EXPECT_GT(frame.at, granted_) << "told too late";
            inbox_.push_back(std::move(frame));
        }
        std::shuffle(inbox_.begin(), inbox_.end(), random_);
        std::stable_sort(inbox_.begin(), inbox_.end(),
                         [](const Frame& a, const Frame& b) { return a.at < b.at; });
    }
    [[nodiscard]] Time next() const {
        return inbox_.empty() ? queue_.next_time()
                              : std::min(queue_.next_time(), inbox_.front().at);
    }
    /// Everything up to one lookahead behind `smallest`, that instant included.
    void run_window(Time smallest) {
        granted_ = lookahead_ == Time::max() ? Time::max() : smallest + lookahead_;
        std::size_t entered = 0;
        while (true) {
            const bool more = entered < inbox_.size() && inbox_[entered].at <= granted_;
            if (more && inbox_[entered].at <= queue_.next_time()) {
                enter(inbox_[entered++]);
            } else if (!queue_.empty() && queue_.next_time() <= granted_) {
                queue_.run_instant();
            } else {
                break;
            }
        }
        inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(entered));
    }

private:
    static engine::EventQueue& shuffled(engine::EventQueue& queue, std::uint64_t seed) {
        if (seed % 2 == 1) {
            queue.shuffle_insertions(seed);
        }
        return queue;
    }
    void enter(const Frame& frame) {
        queue_.advance(frame.at);
        machine_->enter(frame.content.data(), frame.content.size());
    }
    void end_use(std::uint32_t handle) {
        EXPECT_TRUE(in_progress_[handle]);
        in_progress_[handle] = false;
    }

    void on_sent(std::uint32_t handle) override { listener_->on_sent(handle); }
    void on_delivered(std::uint32_t handle, Time first_byte_left) override {
        end_use(handle);
        listener_->on_delivered(handle, first_byte_left);
    }

    engine::MessageLabel label_of(std::uint32_t handle) override {
        return listener_->label_of(handle);
    }
    void frame_leaves(const packet::BoundaryFrame& frame, NodeId to, Time at) override {
        ++crossings_;
        ++kinds_[frame.bytes().front()];
        mail_.boxes[parts_[to.index()]].push_back({at, frame.bytes()});
    }
    void message_has_left(std::uint32_t handle) override {
        end_use(handle);
        listener_->on_left(handle);
    }
    void message_arrives(const packet::BoundaryMessage& message) override {
        listener_->on_delivered_from_afar(message.label, Bytes(message.bytes),
                                          Time::ps(message.first_byte_left));
    }

    const topology::Graph& graph_;
    const Parts& parts_;
    Mail& mail_;
    std::mt19937_64 random_;
    engine::EventQueue queue_;
    std::unique_ptr<packet::PacketNetwork> machine_;
    Time lookahead_ = Time::max();
    Time granted_ = Time::ps(-1);
    std::vector<Frame> inbox_;       ///< by time
    std::vector<bool> in_progress_;  ///< by handle: it is in use
    bool stalls_ = false;
    std::uint64_t crossings_ = 0;
    std::array<std::uint64_t, 256> kinds_{};  ///< of them, by kind of frame
};

SplitNetwork::SplitNetwork(const topology::NetworkDescription& description, Parts parts,
                           std::uint64_t seed)
    : graph_(description.graph), of_node_(std::move(parts)), mail_(std::make_unique<Mail>()) {
    const std::uint32_t count = *std::max_element(of_node_.begin(), of_node_.end()) + 1;
    mail_->boxes.resize(count);
    for (std::uint32_t number = 0; number < count; ++number) {
        parts_.push_back(
            std::make_unique<Part>(description, of_node_, number, *mail_, seed + number));
    }
}

SplitNetwork::~SplitNetwork() = default;

std::uint32_t SplitNetwork::parts() const {
    return static_cast<std::uint32_t>(parts_.size());
}

bool SplitNetwork::owns(std::uint32_t part, NodeId node) const {
    return of_node_[node.index()] == part;
}

engine::EventQueue& SplitNetwork::queue(std::uint32_t part) {
    return parts_[part]->queue();
}

engine::Network& SplitNetwork::network(std::uint32_t part) {
    return *parts_[part];
}

packet::PacketNetwork& SplitNetwork::machine(std::uint32_t part) {
    return parts_[part]->machine();
}

void SplitNetwork::let_stall() {
    for (const std::unique_ptr<Part>& part : parts_) {
        part->let_stall();
    }
}

void SplitNetwork::run() {
    while (true) {
        Time smallest = Time::max();
        for (std::size_t number = 0; number < parts_.size(); ++number) {
            parts_[number]->receive(std::exchange(mail_->boxes[number], {}));
            smallest = std::min(smallest, parts_[number]->next());
        }
        if (smallest == Time::max()) {
            return;
        }
        for (const std::unique_ptr<Part>& part : parts_) {
            part->run_window(smallest);
        }
    }
}

std::vector<engine::LinkUse> SplitNetwork::link_use() const {
    std::vector<engine::LinkUse> result(graph_.links());
    for (std::uint32_t number = 0; number < parts(); ++number) {
        const std::vector<engine::LinkUse> uses = parts_[number]->link_use();
        for (std::size_t i = 0; i < uses.size(); ++i) {
            if (owns(number, graph_.link(LinkId(i)).from)) {
                result[i] = uses[i];
            } else {
                EXPECT_EQ(uses[i].wire, Bytes(0)) << "of another part";
            }
        }
    }
    return result;
}

template <class Figure>
std::uint64_t SplitNetwork::sum_of(const Figure& figure) const {
    std::uint64_t sum = 0;
    for (const std::unique_ptr<Part>& part : parts_) {
        sum += figure(*part);
    }
    return sum;
}

std::uint64_t SplitNetwork::packet_hops() const {
    return sum_of([](const Part& part) { return part.packet_hops(); });
}

std::uint64_t SplitNetwork::crossings() const {
    return sum_of([](const Part& part) { return part.crossings(); });
}

std::uint64_t SplitNetwork::crossings(std::uint8_t kind) const {
    return sum_of([kind](const Part& part) { return part.crossings(kind); });
}

Parts random_parts(const topology::Graph& graph, std::uint32_t most, std::mt19937_64& random) {
    // Every node points to one with which it is together, the lowest of them to itself.
    std::vector<std::size_t> together(graph.nodes());
    std::iota(together.begin(), together.end(), 0U);
    const auto lowest = [&together](std::size_t node) {
        while (together[node] != node) {
            node = together[node];
        }
        return node;
    };
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        if (link.latency == Time()) {
            const std::size_t a = lowest(link.from.index());
            const std::size_t b = lowest(link.to.index());
            together[std::max(a, b)] = std::min(a, b);
        }
    }
    const std::uint32_t count = 2 + static_cast<std::uint32_t>(random() % (most - 1));
    // Neighbouring numbers together, or each node by itself.
    const bool contiguous = random() % 2 == 0;
    Parts parts(graph.nodes());
    std::vector<std::uint32_t> renamed(count, count);
    std::uint32_t used = 0;
    for (std::size_t node = 0; node < parts.size(); ++node) {
        if (lowest(node) != node) {
            parts[node] = parts[lowest(node)];
            continue;
        }
        const std::size_t drawn =
            contiguous ? node * count / parts.size() : static_cast<std::size_t>(random() % count);
        if (renamed[drawn] == count) {
            renamed[drawn] = used++;
        }
        parts[node] = renamed[drawn];
    }
    return parts;
}

void run_plan(SplitNetwork& split, const Plan& plan, std::vector<Outcome>& outcomes) {
    std::vector<std::unique_ptr<Traffic>> traffic;
    for (std::uint32_t part = 0; part < split.parts(); ++part) {
        traffic.push_back(std::make_unique<Traffic>(
            plan, split.queue(part), split.network(part),
            [&](NodeId node) { return split.owns(part, node); }, outcomes));
    }
    split.run();
}

SplitResult run_split(const topology::NetworkDescription& network, const Plan& plan,
                      const Parts& parts, std::uint64_t seed) {
    SplitNetwork split(network, parts, seed);
    SplitResult result;
    result.outcomes.resize(plan.size());
    run_plan(split, plan, result.outcomes);
    result.uses = split.link_use();
    result.packet_hops = split.packet_hops();
    result.crossings = split.crossings();
    return result;
}

std::size_t compare_observers(const topology::NetworkDescription& network, const Plan& plan,
                              std::mt19937_64& random) {
    std::vector<std::string> expected;
    bool stalled = false;
    {
        engine::EventQueue queue;
        const std::unique_ptr<packet::PacketNetwork> machine = packet::make_network(network, queue);
        const Notes notes(*machine);
        const Traffic traffic(plan, queue, *machine);
        queue.run();
        stalled = is_stalled(traffic.outcomes());
        notes.add_to(expected);
    }
    SplitNetwork split(network, random_parts(network.graph, 4, random), random());
    if (stalled) {
        split.let_stall();
    }
    std::vector<std::unique_ptr<Notes>> notes;
    for (std::uint32_t part = 0; part < split.parts(); ++part) {
        notes.push_back(std::make_unique<Notes>(split.machine(part)));
    }
    std::vector<Outcome> outcomes(plan.size());
    run_plan(split, plan, outcomes);
    std::vector<std::string> found;
    for (const std::unique_ptr<Notes>& of_part : notes) {
        of_part->add_to(found);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    return found.size();
}

}  // namespace npunet::packet_test
