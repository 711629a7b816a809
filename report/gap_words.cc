#include "report/gap_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units.h"
#include "report/npu_classes.h"

namespace npunet::report {

std::string in_words(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

std::string signed_time(Time time, bool with_plus) {
    const bool negative = time < Time();
    return fmt::format("{}{}",
                       negative                     ? "-"
                       : with_plus && time > Time() ? "+"
                                                    : "",
                       format_time(negative ? Time() - time : time));
}

std::string label_of(const CommunicationGap& communication) {
    if (communication.id < 0 && communication.ranks.size() == 2) {
        return fmt::format("{} ({} -> {})", communication.name, communication.ranks[0].value(),
                           communication.ranks[1].value());
    }
    std::vector<Rank> ranks = communication.ranks;
    std::sort(ranks.begin(), ranks.end());
    return fmt::format("{} ({})", communication.name, format_ranks(ranks));
}

Time own_delay(const CommunicationGap& communication) {
    return communication.gap.total() - communication.gap.dependency;
}

}  // namespace npunet::report
