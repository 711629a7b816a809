// When lone messages use the ports of their routes: by port, in the order of their times, which do
// not overlap.
//
//     const PortBookings::Gap gap = bookings.gap(port, from, end);
//     if (gap.fits) { bookings.insert(port, gap.before, booking); }
//
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"
#include "packet/credit/credit_port.h"

#include "base/pool.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The use of a port by a message.
struct Booking {
    std::int64_t from = 0;        ///< the first packet starts
    std::int64_t end = 0;         ///< the last packet has left
    std::int64_t credit_end = 0;  ///< the credit of the last packet is back
    std::uint32_t lone = none;    ///< number of the message
    std::uint32_t hop = 0;        ///< of the message's profile
    std::uint32_t next = none;    ///< of the port, or in the list of free places
    bool counted = false;
};

class PortBookings {
public:
    /// Sets CreditPort::booked; `ports` must outlive this.
    explicit PortBookings(std::vector<CreditPort>& ports) : ports_(ports), lists_(ports.size()) {}

    /// Where a booking fits into a port's list.
    struct Gap {
        bool fits = false;
        std::uint32_t before = none;  ///< booking in front of it
    };

    Gap gap(std::uint32_t port, std::int64_t from, std::int64_t end) const;

    void insert(std::uint32_t port, std::uint32_t before, const Booking& booking);

    /// The first booking of a port, or none; the others follow by Booking::next.
    std::uint32_t first(std::uint32_t port) const { return lists_[port].first; }

    /// A reference is valid until the next insert().
    Booking& operator[](std::uint32_t place) { return bookings_[place]; }
    const Booking& operator[](std::uint32_t place) const { return bookings_[place]; }

    /// The booking of a port by a message, or none.
    std::uint32_t find(std::uint32_t port, std::uint32_t lone) const;

    void remove_first(std::uint32_t port);

    /// Removes the booking of a port by a message; false where there is none.
    bool remove(std::uint32_t port, std::uint32_t lone);

    /// In all lists.
    std::size_t count() const { return count_; }

private:
    struct List {
        std::uint32_t first = none;
        std::uint32_t last = none;
    };

    void remove_behind(std::uint32_t port, std::uint32_t before);

    std::vector<CreditPort>& ports_;
    std::vector<List> lists_;  ///< by port
    Pool<Booking> bookings_;
    std::size_t count_ = 0;
};

}  // namespace npunet::packet
