#include "engine/collective/tiered_amounts.h"

#include <utility>

namespace npunet::engine {

namespace {

/// The members of each line, by place.
std::vector<std::vector<std::size_t>> members_of_lines(const LayoutFactor& factor) {
    std::vector<std::vector<std::size_t>> lines(factor.lines.size());
    for (std::vector<std::size_t>& line : lines) {
        line.resize(static_cast<std::size_t>(factor.size));
    }
    for (std::size_t member = 0; member < factor.line_of_member.size(); ++member) {
        lines[static_cast<std::size_t>(factor.line_of_member[member])]
             [static_cast<std::size_t>(factor.place_of_member[member])] = member;
    }
    return lines;
}

}  // namespace

TieredAmounts::TieredAmounts(const CommunicatorLayout& layout,
                             const std::vector<const std::vector<std::int64_t>*>& rows) {
    const std::size_t members = rows.size();
    // By holder and destination.
    std::vector<std::vector<std::int64_t>> held;
    for (const std::vector<std::int64_t>* row : rows) {
        held.push_back(*row);
    }
    for (const LayoutFactor& factor : layout.factors()) {
        const std::vector<std::vector<std::size_t>> lines = members_of_lines(factor);
        std::vector<std::vector<std::int64_t>> passed_on(members,
                                                         std::vector<std::int64_t>(members));
        std::vector<std::vector<std::int64_t>> amounts(
            members, std::vector<std::int64_t>(static_cast<std::size_t>(factor.size)));
        for (std::size_t holder = 0; holder < members; ++holder) {
            const std::vector<std::size_t>& line =
                lines[static_cast<std::size_t>(factor.line_of_member[holder])];
            for (std::size_t to = 0; to < members; ++to) {
                const auto place = static_cast<std::size_t>(factor.place_of_member[to]);
                amounts[holder][place] += held[holder][to];
                passed_on[line[place]][to] += held[holder][to];
            }
        }
        amounts_.push_back(std::move(amounts));
        numbers_ += members * static_cast<std::size_t>(factor.size);
        held = std::move(passed_on);
    }
}

}  // namespace npunet::engine
