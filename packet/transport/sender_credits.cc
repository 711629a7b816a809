#include "packet/transport/sender_credits.h"

#include <algorithm>

namespace npunet::packet {

void SenderCredits::begin_burst(QueuePair& pair) const {
    CreditState& credit = *pair.credit;
    const std::int64_t flying = (pair.in_flight + sizes_.full() - 1) / sizes_.full();
    credit.balance = std::max(std::min(credit.balance, credit.initial), credit.initial - flying);
}

void SenderCredits::spend(QueuePair& pair, EthernetPacket& packet) {
    --pair.credit->balance;
    const std::int64_t need = pair.grants_needed();
    pair.credit->tell(need);
    packet.backlog = static_cast<std::uint32_t>(std::min<std::int64_t>(need, none));
    packet.subject = pair.credit->had;
}

void SenderCredits::ask(std::uint32_t number, bool afresh) {
    QueuePair& pair = pairs_[number];
    const std::int64_t need = pair.grants_needed();
    if (!afresh && pair.credit->expected() >= need) {
        return;
    }
    pair.credit->tell(need);
    if (pair.deadline == never) {
        timers_.restart(pair, number);
    }
    packets_.request(number, need, afresh);
}

void SenderCredits::get(const EthernetPacket& packet) {
    QueuePair& pair = pairs_[packet.pair];
    pair.credit->get(packet.subject);
    if (pair.in_flight == 0) {
        timers_.restart(pair, packet.pair);
    }
}

}  // namespace npunet::packet
