// The messages of one collective over time: a row for each rank that sends, a bar for each message
// in the colour of its phase, a tint of it for each of four chunks in turn, with the chunk's
// number.
//
//     const Figure figure = draw_figure(collective_steps_sheet(steps));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "report/figures/canvas.h"

namespace npunet::report {

/// A message of a collective.
struct CollectiveStep {
    Rank sender;
    Rank receiver;
    std::uint32_t chunk = 0;     ///< with lanes (two rings, two trees): a lane of a chunk
    std::uint32_t phase = 0;     ///< one a dimension or tier, and direction
    std::uint32_t exchange = 0;  ///< of its phase
    Bytes bytes;
    Time start;  ///< its first byte leaves
    Time end;    ///< its last byte is in
};

struct CollectiveSteps {
    static constexpr std::size_t most_rows = 8;  ///< ranks that are drawn, the lowest ones

    std::string title;
    std::string subtitle;
    Time length;
    std::vector<CollectiveStep> steps;  ///< by sender, then start
};

[[nodiscard]] Sheet collective_steps_sheet(const CollectiveSteps& steps);

}  // namespace npunet::report
