// Pool of the telemetry of packets in flight (HPCC): what ports have written into each, hop by hop.
//
//     packet.telemetry = records.take();
//     records[packet.telemetry].push_back({now, sent, queued, rate});
//     records.free(packet.telemetry);
#pragma once

#include "packet/base/constants.h"
#include "packet/congestion/congestion_control.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Bytes by which a packet grows at each port that writes HopTelemetry into it, which its source's
/// does not (HPCC, section 3.2).
inline constexpr std::uint32_t telemetry_bytes = 8;

class TelemetryRecords {
public:
    /// The place of an empty record.
    std::uint32_t take() {
        if (free_.empty()) {
            records_.emplace_back();
            return static_cast<std::uint32_t>(records_.size() - 1);
        }
        const std::uint32_t place = free_.back();
        free_.pop_back();
        return place;
    }

    /// Does nothing for none.
    void free(std::uint32_t place) {
        if (place != none) {
            records_[place].clear();
            free_.push_back(place);
        }
    }

    std::vector<HopTelemetry>& operator[](std::uint32_t place) { return records_[place]; }

private:
    std::vector<std::vector<HopTelemetry>> records_;  ///< used and free places
    std::vector<std::uint32_t> free_;
};

}  // namespace npunet::packet
