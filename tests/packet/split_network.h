// A network split into parts in one process: a machine and a queue for each part, which go on in
// windows of the least latency between parts, as a conservative parallel simulator does. It checks
// that nothing reaches a part at a time which that part has left behind already, and that every
// handle comes back to who sends.
//
//     SplitNetwork split(description, random_parts(description.graph, 4, random), seed);
//     split.network(0).set_listener(listener);          // of part 0: label_of() and so on, too
//     split.run();
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "engine/network/network.h"
#include "packet/make_packet_network.h"
#include "topology/network/network_description.h"
#include "traffic.h"

namespace npunet::packet_test {

/// By node: its part, from 0 without gaps.
using Parts = std::vector<std::uint32_t>;

/// Parts drawn node by node, or slabs; nodes that a link without latency joins are together.
[[nodiscard]] Parts random_parts(const topology::Graph& graph, std::uint32_t most,
                                 std::mt19937_64& random);

class SplitNetwork {
public:
    /// What parts hand to one another comes in an order drawn from `seed`, and so are, where it is
    /// odd, simultaneous events inserted. The description must outlive the network.
    SplitNetwork(const topology::NetworkDescription& description, Parts parts, std::uint64_t seed);
    ~SplitNetwork();
    SplitNetwork(const SplitNetwork&) = delete;
    SplitNetwork& operator=(const SplitNetwork&) = delete;

    [[nodiscard]] std::uint32_t parts() const;
    [[nodiscard]] bool owns(std::uint32_t part, NodeId node) const;
    [[nodiscard]] engine::EventQueue& queue(std::uint32_t part);
    [[nodiscard]] engine::Network& network(std::uint32_t part);
    [[nodiscard]] packet::PacketNetwork& machine(std::uint32_t part);

    /// Messages are expected to stay under way for ever.
    void let_stall();

    /// Until no part has an event left.
    void run();

    /// What each link has carried; expects that the parts know of their own links only.
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const;
    [[nodiscard]] std::uint64_t packet_hops() const;
    /// Frames that went from part to part: packets, credits.
    [[nodiscard]] std::uint64_t crossings() const;
    [[nodiscard]] std::uint64_t crossings(std::uint8_t kind) const;

private:
    class Part;
    struct Mail;

    template <class Figure>
    [[nodiscard]] std::uint64_t sum_of(const Figure& figure) const;

    const topology::Graph& graph_;
    Parts of_node_;
    std::unique_ptr<Mail> mail_;
    std::vector<std::unique_ptr<Part>> parts_;
};

/// Runs a plan, and writes down what becomes of each message. Those that follow others must start
/// where these end.
void run_plan(SplitNetwork& split, const Plan& plan, std::vector<Outcome>& outcomes);

struct SplitResult {
    std::vector<Outcome> outcomes;
    std::vector<engine::LinkUse> uses;
    std::uint64_t packet_hops = 0;
    std::uint64_t crossings = 0;
};

/// run_plan() on a network of its own.
[[nodiscard]] SplitResult run_split(const topology::NetworkDescription& network, const Plan& plan,
                                    const Parts& parts, std::uint64_t seed);

/// Expects that the observers of a network's parts, split at random, are told together what an
/// observer of the whole is told, of every packet in the part that has the node. How much that is.
std::size_t compare_observers(const topology::NetworkDescription& network, const Plan& plan,
                              std::mt19937_64& random);

}  // namespace npunet::packet_test
