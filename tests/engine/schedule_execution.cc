#include "tests/engine/schedule_execution.h"

#include <gtest/gtest.h>

#include <utility>

namespace npunet::test {

using engine::Exchange;

ScheduleExecution::ScheduleExecution(const SharedPhase& phase, std::uint32_t seed)
    : phase_(phase), follows_contents_(!phase.rules.equal_parts), random_(seed) {
    for (std::int32_t me = 0; me < phase.members; ++me) {
        Member member;
        member.shape = phase.shape(me);
        member.count = exchange_count(member.shape);
        member.holding = holding_at_first(phase, me);
        members_.push_back(std::move(member));
    }
}

void ScheduleExecution::run() {
    for (Member& member : members_) {
        advance(member);
    }
    while (!in_progress_.empty()) {
        std::swap(in_progress_[random_() % in_progress_.size()], in_progress_.back());
        Message message = std::move(in_progress_.back());
        in_progress_.pop_back();
        happen(std::move(message));
    }
    expect_the_end();
}

void ScheduleExecution::advance(Member& member) {
    while (member.started < member.count) {
        const engine::Gate gate = exchange_gate(member.shape, member.started);
        if (member.completed < gate.completed || member.received < gate.received) {
            break;
        }
        start_exchange(member);
    }
    for (std::size_t i = member.early.size(); i-- > 0;) {
        if (member.early[i].exchange < member.started) {
            in_progress_.push_back(std::move(member.early[i]));
            member.early.erase(member.early.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}

void ScheduleExecution::start_exchange(Member& member) {
    const std::int32_t e = member.started++;
    const Exchange next = exchange(member.shape, e);
    if (next.receive_from == Exchange::no_rank) {
        ++member.received;
        ++member.completed;
    }
    if (next.send_to == Exchange::no_rank) {
        return;
    }
    Message message;
    message.to = next.send_to;
    message.exchange = next.arrives_in;
    if (follows_contents_) {
        load(member, e, next, message);
    }
    in_progress_.push_back(std::move(message));
}

void ScheduleExecution::load(Member& member, std::int32_t e, const Exchange& next,
                             Message& message) {
    Bytes size;
    for (const std::int32_t segment :
         segments_sent(phase_, member.shape.me, e, member.holding, next.send_to)) {
        const auto found = member.holding.find(segment);
        ASSERT_NE(found, member.holding.end())
            << phase_.text() << ": " << member.shape.me << " sends what it does not have, " << e;
        message.content.insert(*found);
        size += segment_size(phase_, segment);
        if (segments_move(phase_)) {
            member.holding.erase(found);
        }
    }
    ASSERT_EQ(next.bytes, size) << phase_.text() << ": member " << member.shape.me << ", " << e;
}

void ScheduleExecution::happen(Message message) {
    Member& member = members_[static_cast<std::size_t>(message.to)];
    if (message.exchange >= member.started) {
        member.early.push_back(std::move(message));
        return;
    }
    if (!message.in) {
        ++member.received;
        message.in = true;
        in_progress_.push_back(std::move(message));
    } else {
        take_in(member, message);
        ++member.completed;
    }
    advance(member);
}

void ScheduleExecution::take_in(Member& member, const Message& message) {
    const bool adds = message.exchange < exchange_reductions(member.shape);
    for (const auto& [segment, from] : message.content) {
        Members& own = member.holding[segment];
        if (adds) {
            ASSERT_TRUE((own & from).none()) << phase_.text() << ": added twice";
            own |= from;
        } else {
            ASSERT_EQ(own & from, own) << phase_.text() << ": a contribution is lost";
            own = from;
        }
    }
}

void ScheduleExecution::expect_the_end() {
    for (const Member& member : members_) {
        ASSERT_EQ(member.started, member.count) << phase_.text() << ": stuck";
        ASSERT_EQ(member.completed, member.count) << phase_.text() << ": stuck";
        ASSERT_TRUE(member.early.empty()) << phase_.text();
        if (!follows_contents_) {
            continue;
        }
        for (const auto& [segment, members] : holding_at_last(phase_, member.shape.me)) {
            const auto found = member.holding.find(segment);
            ASSERT_NE(found, member.holding.end()) << phase_.text();
            ASSERT_EQ(found->second, members)
                << phase_.text() << ": member " << member.shape.me << ", segment " << segment;
        }
    }
}

}  // namespace npunet::test
