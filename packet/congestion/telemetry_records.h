#pragma once

#include "packet/base/voq.h"
#include "packet/congestion/congestion_control.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Bytes by which a packet grows at each port that writes HopTelemetry into it, that of its source
/// not being one (HPCC, section 3.2).
inline constexpr std::uint32_t telemetry_bytes = 8;

/// What ports have written into the packets under way.
class TelemetryRecords {
public:
    /// @return a place with an empty record
    std::uint32_t take() {
        if (free_.empty()) {
            records_.emplace_back();
            return static_cast<std::uint32_t>(records_.size() - 1);
        }
        const std::uint32_t place = free_.back();
        free_.pop_back();
        return place;
    }

    /// @param place of a record that is not needed any more; none: nothing happens
    void free(std::uint32_t place) {
        if (place != none) {
            records_[place].clear();
            free_.push_back(place);
        }
    }

    /// @param place as take() gave it
    /// @return what was written, hop by hop
    std::vector<HopTelemetry>& operator[](std::uint32_t place) { return records_[place]; }

private:
    std::vector<std::vector<HopTelemetry>> records_;  ///< places, used and free
    std::vector<std::uint32_t> free_;                 ///< free places
};

}  // namespace npunet::packet
