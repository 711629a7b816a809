#include "packet/credit/message_table.h"

namespace npunet::packet {

void MessageTable::append(RoundRobinList& list, std::uint32_t place) {
    MessageRecord& message = messages_[place];
    std::uint32_t before = list.last;
    while (before != none &&
           (messages_[before].turn > message.turn ||
            (messages_[before].turn == message.turn && messages_[before].id > message.id))) {
        before = messages_[before].previous;
    }
    message.previous = before;
    message.next = before == none ? list.first : messages_[before].next;
    (before == none ? list.first : messages_[before].next) = place;
    (message.next == none ? list.last : messages_[message.next].previous) = place;
    // A message that returns right behind the one served last waits for the next round, unless it
    // started after that one.
    const bool started_after =
        message.turn > list.served_turn ||
        (message.turn == list.served_turn && message.id > list.served_id && !message.continues);
    if (message.previous == list.served && !started_after) {
        list.served = place;
    }
}

void MessageTable::serve(RoundRobinList& list, std::uint32_t place) {
    list.served = place;
    list.served_turn = messages_[place].turn;
    list.served_id = messages_[place].id;
}

void MessageTable::remove(RoundRobinList& list, std::uint32_t place) {
    serve(list, place);
    withdraw(list, place);
}

void MessageTable::withdraw(RoundRobinList& list, std::uint32_t place) {
    const MessageRecord& message = messages_[place];
    if (list.served == place) {
        list.served = message.previous;
    }
    (message.previous == none ? list.first : messages_[message.previous].next) = message.next;
    (message.next == none ? list.last : messages_[message.next].previous) = message.previous;
}

}  // namespace npunet::packet
