#include "engine/network/switch_operations.h"

#include <algorithm>
#include <tuple>

#include "engine/clock/clock_limit.h"

namespace npunet::engine {

namespace {

/// Send queues of a port (Transport::send_in_turn): answers, sums and copies follow each other in
/// the order in which they became ready, and requests do not wait for them.
constexpr std::int32_t data = -1;
constexpr std::int32_t requests = -2;

/// Links of switches that have no transport, and lose nothing.
bool have_credits(const topology::NetworkDescription& network) {
    const auto has_credits = [&](const topology::ReducingSwitch& reducing) {
        const std::vector<LinkId>& links = network.graph.links_from(reducing.node);
        const topology::PacketParameters& packet =
            links.empty() ? network.packet : network.packet_of(links.front());
        return packet.flow_control == topology::FlowControl::Credit &&
               packet.transport.kind == topology::TransportKind::None;
    };
    return std::all_of(network.reducing_switches.begin(), network.reducing_switches.end(),
                       has_credits);
}

}  // namespace

bool can_address_switches(const topology::NetworkDescription& network) {
    return !network.reducing_switches.empty() && network.multipath == nullptr &&
           !network.faults.take_links_down() && !(Rate() < network.packet.injection) &&
           have_credits(network);
}

SwitchOperations::SwitchOperations(const topology::NetworkDescription& description,
                                   EventQueue& queue, Transport& transport,
                                   SwitchOperationListener& listener)
    : description_(description),
      queue_(queue),
      transport_(transport),
      listener_(listener),
      entries_(description.reducing_switches.size()) {}

bool SwitchOperations::Arrival::before(const Arrival& other) const {
    return std::tie(part, order.major, order.minor, asker) <
           std::tie(other.part, other.order.major, other.order.minor, other.asker);
}

std::uint32_t SwitchOperations::open(const SwitchOperation& operation) {
    const std::uint32_t number = operations_.take();
    operations_[number].what = operation;
    operations_[number].missing = operation.members->size();
    return number;
}

void SwitchOperations::read_sum(const SwitchOperation& operation) {
    send(npu_of(operation.asker), switch_of(operation), open(operation), asked, 0, Bytes());
}

void SwitchOperations::write_to_all(const SwitchOperation& operation) {
    send(npu_of(operation.asker), switch_of(operation), open(operation), written, 0,
         operation.bytes);
}

void SwitchOperations::answer(std::uint32_t number, std::size_t member) {
    const SwitchOperation& what = operations_[number].what;
    send(npu_of((*what.members)[member]), switch_of(what), number, given_answer, member,
         what.bytes);
}

void SwitchOperations::send(NodeId from, NodeId to, std::uint32_t number, Part part,
                            std::size_t member, Bytes bytes) {
    const SwitchOperation& what = operations_[number].what;
    MessageOrder order = what.order;
    if (part == given_answer || part == request || part == copy) {
        order.major = listener_.operation_of(what, member);
    }
    transport_.send_in_turn(from, to, bytes, *this,
                            {number, part, static_cast<std::uint32_t>(member), 0}, part == sum,
                            what.kind, order, part == asked || part == request ? requests : data);
}

void SwitchOperations::send_to_members(std::uint32_t number, Part part, Bytes bytes) {
    const SwitchOperation what = operations_[number].what;
    for (std::size_t member = 0; member < what.members->size(); ++member) {
        send(switch_of(what), npu_of((*what.members)[member]), number, part, member, bytes);
    }
}

void SwitchOperations::on_delivered(const MessageNote& note, Bytes /*bytes*/,
                                    Time /*first_byte_left*/) {
    const std::uint32_t number = note[0];
    const auto part = static_cast<Part>(note[1]);
    Operation& operation = operations_[number];
    switch (part) {
        case request:
            listener_.on_request(number, operation.what, note[2]);
            return;
        case sum:
            listener_.on_sum(operation.what);
            break;
        case copy:
            listener_.on_copy(operation.what, note[2]);
            break;
        default:
            arrive(number, part);
            return;
    }
    if (is_last(number)) {
        operations_.free(number);
    }
}

void SwitchOperations::arrive(std::uint32_t number, Part part) {
    if (arrivals_.empty()) {
        queue_.request_turn(*this);
    }
    const SwitchOperation& what = operations_[number].what;
    arrivals_.push_back({what.order, what.asker, number, part});
}

void SwitchOperations::handle(std::uint64_t payload) {
    if (payload > 0) {
        arrive(static_cast<std::uint32_t>(payload - 1), reduced);
        return;
    }
    acting_.swap(arrivals_);
    std::sort(acting_.begin(), acting_.end(),
              [](const Arrival& a, const Arrival& b) { return a.before(b); });
    for (const Arrival& arrival : acting_) {
        act(arrival);
    }
    acting_.clear();
}

void SwitchOperations::act(const Arrival& arrival) {
    const std::uint32_t number = arrival.operation;
    const std::uint32_t place = operations_[number].what.of_switch;
    switch (arrival.part) {
        case left:
            free_entry(place);
            if (is_last(number)) {
                operations_.free(number);
            }
            return;
        case reduced:
            end_reduction(number);
            return;
        case asked:
            if (entries_[place].used < description_.reducing_switches[place].entries) {
                start_reduction(number);
            } else {
                entries_[place].waiting.push_back(number);
            }
            return;
        case given_answer:
            if (is_last(number)) {
                const Time ready =
                    entries_[place].adder.add(description_.reducing_switches[place],
                                              operations_[number].what.bytes, queue_.now());
                if (ready > queue_.now()) {
                    queue_.schedule(ready, EventKey::of(Phase::Arrival, event_kind::delay, 1),
                                    *this, std::uint64_t{number} + 1);
                } else {
                    end_reduction(number);
                }
            }
            return;
        default:
            send_to_members(number, copy, operations_[number].what.bytes);
            return;
    }
}

void SwitchOperations::start_reduction(std::uint32_t number) {
    ++entries_[operations_[number].what.of_switch].used;
    send_to_members(number, request, Bytes());
}

void SwitchOperations::end_reduction(std::uint32_t number) {
    const SwitchOperation what = operations_[number].what;
    operations_[number].missing = 2;
    send(switch_of(what), npu_of(what.asker), number, sum, 0, what.bytes);
}

void SwitchOperations::free_entry(std::uint32_t of_switch) {
    Entries& entries = entries_[of_switch];
    --entries.used;
    if (!entries.waiting.empty()) {
        const std::uint32_t next = entries.waiting.front();
        entries.waiting.pop_front();
        start_reduction(next);
    }
}

}  // namespace npunet::engine
