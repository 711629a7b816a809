// Sends and receives: the k-th send from one rank to another with a tag meets the k-th receive.
//
// Sends are eager: the message goes at once, whether or not a receive is posted. Sizes must agree.
//
// Of messages that reach a port at one instant the one whose send comes first in the program of its
// sender is first, of equals the one of the channel that its receiver's program comes to first.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/network/transport.h"
#include "engine/program/fold.h"
#include "engine/program/operation_listener.h"
#include "engine/program/rank_share.h"
#include "engine/program/workload.h"

namespace npunet::engine {

class PointToPoint final : private MessageOwner {
public:
    PointToPoint(const Workload& workload, Transport& transport, OperationListener& listener,
                 bool send_ends_at_delivery, const Fold& fold, const RankShare& share);

    void send(Rank rank, std::uint32_t operation);
    /// Returns true, and fills in first_byte_left, when the message is there already.
    [[nodiscard]] bool receive(Rank rank, std::uint32_t operation, Time& first_byte_left);

    /// What a posted receive waits for, and the nearest miss on the other side.
    [[nodiscard]] std::string explain_receive(Rank rank, std::uint32_t operation) const;

    /// At the end of a run: which sends met no receive; empty when there are none. Of ranks that
    /// stand for others, their own.
    [[nodiscard]] std::string explain_unreceived() const;

private:
    using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t>;  // source, destination, tag
    struct Pair {
        std::uint32_t send = 0;
        std::uint32_t receive = 0;
        bool sent = false;
        bool posted = false;
        bool delivered = false;
        Time first_byte_left;
    };
    struct Channel {
        std::deque<Pair> pairs;  ///< from number `first` on
        std::uint64_t first = 0;
        std::uint64_t sends = 0;
        std::uint64_t receives = 0;
        Pair& pair(std::uint64_t number);
    };

    void on_sent(const MessageNote& note) override;
    void on_delivered(const MessageNote& note, Bytes bytes, Time first_byte_left) override;
    /// Notes are content.
    [[nodiscard]] MessageLabel label_of(const MessageNote& note) const override {
        return {{note[0], note[1], note[2], note[3]}};
    }
    [[nodiscard]] MessageNote note_of(const MessageLabel& label) override {
        return {label.words[0], label.words[1], label.words[2], label.words[3]};
    }
    /// The number `send` of the sender's program is that of the pair.
    void meet(const Key& key, Pair& pair, std::uint32_t send) const;
    /// Where a send meets its receive: at the receiver, or who stands for it.
    [[nodiscard]] Key channel_of(Rank source, const ProgramOperation& send) const;
    void check_sizes(const Key& key, const Pair& pair) const;
    void forget_finished(Channel& channel);
    /// The first receive of a channel in the receiver's program; after all others where there is
    /// none.
    [[nodiscard]] std::uint64_t first_receive(Rank source, Rank receiver, std::int64_t tag);

    const Workload& workload_;
    Transport& transport_;
    OperationListener& listener_;
    bool send_ends_at_delivery_;
    const Fold& fold_;
    const RankShare& share_;
    std::map<Key, Channel> channels_;
    /// By program: slot of the sender and tag, and the first receive; empty until asked for.
    using ReceiveOfChannel = std::map<std::pair<std::int32_t, std::int64_t>, std::uint32_t>;
    std::vector<ReceiveOfChannel> first_receives_;
};

}  // namespace npunet::engine
