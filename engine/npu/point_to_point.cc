#include "engine/npu/point_to_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/errors.h"

namespace npunet::engine {

PointToPoint::Pair& PointToPoint::Channel::pair(std::uint64_t number) {
    const std::uint64_t place = number - first;
    while (pairs.size() <= place) {
        pairs.emplace_back();
    }
    return pairs[place];
}

PointToPoint::PointToPoint(const Workload& workload, Transport& transport,
                           OperationListener& listener, bool send_ends_at_delivery,
                           const Fold& fold, const RankShare& share)
    : workload_(workload),
      transport_(transport),
      listener_(listener),
      send_ends_at_delivery_(send_ends_at_delivery),
      fold_(fold),
      share_(share) {
    transport_.add_owner(*this);
}

PointToPoint::Key PointToPoint::channel_of(Rank source, const ProgramOperation& send) const {
    const Rank receiver = workload_.peer_of(source, send);
    const Fold::Channel like = fold_.receive_channel_like(source, receiver, send.tag);
    return {like.peer.value(), fold_.representative(receiver).value(), like.tag};
}

void PointToPoint::check_sizes(const Key& key, const Pair& pair) const {
    const auto& [source, destination, tag] = key;
    const RankProgram& from = workload_.program(Rank(source));
    const RankProgram& to = workload_.program(Rank(destination));
    const ProgramOperation& send = from.operations[pair.send];
    const ProgramOperation& receive = to.operations[pair.receive];
    if (send.bytes == receive.bytes) {
        return;
    }
    throw InputError(
        {"the workload",
         fmt::format("send from rank {} to rank {} with tag {}", source, destination, tag),
         fmt::format("{} bytes sent by node {} ('{}'), {} bytes awaited by node {} ('{}')",
                     send.bytes.value(), workload_.node_of(Rank(source), send),
                     from.names[pair.send], receive.bytes.value(),
                     workload_.node_of(Rank(destination), receive), to.names[pair.receive]),
         "equal sizes", "Sends and receives match in order for each source, destination and tag"});
}

void PointToPoint::send(Rank rank, std::uint32_t number) {
    const ProgramOperation& operation = workload_.program(rank).operations[number];
    const Key key = channel_of(rank, operation);
    Channel& channel = channels_[key];
    const std::uint64_t count = channel.sends++;
    if (share_.has(workload_.peer_of(rank, operation))) {
        meet(key, channel.pair(count), number);
    }
    const Rank receiver = workload_.peer_of(rank, operation);
    transport_.send(
        rank, receiver, operation.bytes, *this,
        {static_cast<std::uint32_t>(rank.value()), number, static_cast<std::uint32_t>(count >> 32),
         static_cast<std::uint32_t>(count)},
        !send_ends_at_delivery_, Communication::SendReceive,
        {(std::uint64_t{1} << 32) | number, first_receive(rank, receiver, operation.tag)});
}

std::uint64_t PointToPoint::first_receive(Rank source, Rank receiver, std::int64_t tag) {
    const std::uint32_t number = workload_.program_of[receiver.index()];
    first_receives_.resize(workload_.programs.size());
    ReceiveOfChannel& known = first_receives_[number];
    if (known.empty()) {
        const std::vector<ProgramOperation>& operations = workload_.programs[number].operations;
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            if (operations[i].kind == OperationKind::Receive && !operations[i].nothing) {
                known.try_emplace({operations[i].peer, operations[i].tag}, i);
            }
        }
    }
    const std::vector<Rank>& peers = workload_.bindings[receiver.index()].peers;
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t slot = 0; slot < peers.size(); ++slot) {
        if (peers[slot] == source) {
            const auto found = known.find({static_cast<std::int32_t>(slot), tag});
            first = found == known.end() ? first : std::min<std::uint64_t>(first, found->second);
        }
    }
    return first;
}

void PointToPoint::meet(const Key& key, Pair& pair, std::uint32_t send) const {
    pair.send = send;
    pair.sent = true;
    if (pair.posted) {
        check_sizes(key, pair);
    }
}

bool PointToPoint::receive(Rank rank, std::uint32_t number, Time& first_byte_left) {
    const ProgramOperation& operation = workload_.program(rank).operations[number];
    const Key key{workload_.peer_of(rank, operation).value(), rank.value(), operation.tag};
    Channel& channel = channels_[key];
    Pair& pair = channel.pair(channel.receives++);
    pair.receive = number;
    pair.posted = true;
    if (pair.sent) {
        check_sizes(key, pair);
    }
    if (!pair.delivered) {
        return false;
    }
    first_byte_left = pair.first_byte_left;
    forget_finished(channel);
    return true;
}

void PointToPoint::on_sent(const MessageNote& note) {
    listener_.on_operation_done(Rank(static_cast<std::int32_t>(note[0])), note[1]);
}

void PointToPoint::on_delivered(const MessageNote& note, Bytes, Time first_byte_left) {
    const Rank source(static_cast<std::int32_t>(note[0]));
    const ProgramOperation& send = workload_.program(source).operations[note[1]];
    const std::uint64_t count = (static_cast<std::uint64_t>(note[2]) << 32) | note[3];
    const Key key = channel_of(source, send);
    Channel& channel = channels_[key];
    Pair& pair = channel.pair(count);
    if (!pair.sent) {
        meet(key, pair, note[1]);
    }
    pair.delivered = true;
    pair.first_byte_left = first_byte_left;
    const bool posted = pair.posted;
    const std::uint32_t receive = pair.receive;
    forget_finished(channel);
    if (send_ends_at_delivery_) {
        listener_.on_operation_done(source, note[1]);
    }
    if (posted) {
        listener_.on_receive_done(fold_.representative(workload_.peer_of(source, send)), receive,
                                  first_byte_left);
    }
}

void PointToPoint::forget_finished(Channel& channel) {
    while (!channel.pairs.empty() && channel.pairs.front().delivered &&
           channel.pairs.front().posted) {
        channel.pairs.pop_front();
        ++channel.first;
    }
}

std::string PointToPoint::explain_receive(Rank rank, std::uint32_t number) const {
    const ProgramOperation& operation = workload_.program(rank).operations[number];
    const Rank peer = workload_.peer_of(rank, operation);
    std::string text = fmt::format("a message of {} bytes with tag {} from rank {}",
                                   operation.bytes.value(), operation.tag, peer.value());
    const RankProgram& other = workload_.program(peer);
    std::size_t same = 0;
    const ProgramOperation* near = nullptr;
    for (const ProgramOperation& candidate : other.operations) {
        if (candidate.kind != OperationKind::Send || candidate.nothing ||
            workload_.peer_of(peer, candidate) != rank) {
            continue;
        }
        if (candidate.tag == operation.tag) {
            ++same;
        } else if (near == nullptr || candidate.bytes == operation.bytes) {
            near = &candidate;
        }
    }
    if (same > 0) {
        return text + fmt::format("; rank {} has {} send{} to it with that tag", peer.value(), same,
                                  same == 1 ? "" : "s");
    }
    text += fmt::format("; rank {} never sends to it with that tag", peer.value());
    if (near != nullptr) {
        text += fmt::format("; nearest miss: its node {} sends {} bytes with tag {}",
                            workload_.node_of(peer, *near), near->bytes.value(), near->tag);
    }
    return text;
}

std::string PointToPoint::explain_unreceived() const {
    std::string text;
    std::size_t others = 0;
    for (const auto& [key, channel] : channels_) {
        const auto& [source, destination, tag] = key;
        for (const Pair& pair : channel.pairs) {
            if (!pair.sent || pair.posted) {
                continue;
            }
            if (!text.empty()) {
                ++others;
                continue;
            }
            const RankProgram& program = workload_.program(Rank(source));
            const ProgramOperation& send = program.operations[pair.send];
            text = fmt::format(
                "no rank receives what rank {} sends to rank {} in node {} '{}' ({} bytes with tag "
                "{})",
                source, destination, workload_.node_of(Rank(source), send),
                program.names[pair.send], send.bytes.value(), tag);
        }
    }
    if (others > 0) {
        text += fmt::format(", nor what {} further {}", others,
                            others == 1 ? "send sends" : "sends send");
    }
    return text;
}

}  // namespace npunet::engine
