#include "packet/credit/lone/port_bookings.h"

namespace npunet::packet {

PortBookings::Gap PortBookings::gap(std::uint32_t port, std::int64_t from, std::int64_t end) const {
    const List& list = lists_[port];
    if (list.last == none || bookings_[list.last].end <= from) {
        return {true, list.last};
    }
    std::uint32_t before = none;
    std::uint32_t next = list.first;
    while (bookings_[next].end <= from) {
        before = next;
        next = bookings_[next].next;
    }
    return {end <= bookings_[next].from, before};
}

void PortBookings::insert(std::uint32_t port, std::uint32_t before, const Booking& booking) {
    const std::uint32_t place = bookings_.take();
    bookings_[place] = booking;
    List& list = lists_[port];
    std::uint32_t& link = before == none ? list.first : bookings_[before].next;
    bookings_[place].next = link;
    link = place;
    if (bookings_[place].next == none) {
        list.last = place;
    }
    ports_[port].booked = 1;
    ++count_;
}

std::uint32_t PortBookings::find(std::uint32_t port, std::uint32_t lone) const {
    std::uint32_t place = lists_[port].first;
    while (place != none && bookings_[place].lone != lone) {
        place = bookings_[place].next;
    }
    return place;
}

void PortBookings::remove_first(std::uint32_t port) {
    remove_behind(port, none);
}

bool PortBookings::remove(std::uint32_t port, std::uint32_t lone) {
    std::uint32_t before = none;
    std::uint32_t place = lists_[port].first;
    while (place != none && bookings_[place].lone != lone) {
        before = place;
        place = bookings_[place].next;
    }
    if (place == none) {
        return false;
    }
    remove_behind(port, before);
    return true;
}

void PortBookings::remove_behind(std::uint32_t port, std::uint32_t before) {
    List& list = lists_[port];
    std::uint32_t& link = before == none ? list.first : bookings_[before].next;
    const std::uint32_t place = link;
    link = bookings_[place].next;
    if (link == none) {
        list.last = before;
    }
    ports_[port].booked = list.first == none ? 0 : 1;
    bookings_.free(place);
    --count_;
}

}  // namespace npunet::packet
