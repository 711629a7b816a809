#include "planner/metis/group_arrangements.h"

#include <algorithm>
#include <utility>

namespace npunet::planner::metis {

namespace {

std::int64_t size_of(const Tied& tied) {
    std::int64_t size = 0;
    for (const int log : tied) {
        size += std::int64_t{1} << log;
    }
    return size;
}

/// As Metis counts the smallest groups: one more than there are, unless all are alike.
std::int64_t leading(const std::vector<Tied>& groups) {
    const auto other = std::find_if(groups.begin(), groups.end(),
                                    [&](const Tied& tied) { return tied != groups.front(); });
    return other == groups.end() ? static_cast<std::int64_t>(groups.size())
                                 : other - groups.begin() + 1;
}

/// One pass over the pairs; the first `pairs` of them may be tied.
std::vector<Tied> pass(const std::vector<Tied>& groups, std::int64_t pairs) {
    const std::int64_t smallest = size_of(groups.front());
    std::vector<Tied> result;
    for (std::size_t i = 0; i < groups.size(); i += 2) {
        if (pairs <= static_cast<std::int64_t>(i / 2)) {
            result.insert(result.end(), groups.begin() + static_cast<std::ptrdiff_t>(i),
                          groups.end());
            break;
        }
        result.push_back(groups[i]);
        if (i + 1 == groups.size()) {
            break;
        }
        if (size_of(groups[i]) == smallest && size_of(groups[i + 1]) == smallest) {
            result.back().insert(result.back().end(), groups[i + 1].begin(), groups[i + 1].end());
        } else {
            result.push_back(groups[i + 1]);
        }
    }
    return result;
}

}  // namespace

std::vector<Tied> tied_groups(const std::vector<std::uint8_t>& logs, std::int64_t longest) {
    std::vector<Tied> groups;
    for (const std::uint8_t log : logs) {
        groups.push_back({log});
    }
    const auto too_many = [&] { return static_cast<std::int64_t>(groups.size()) - longest; };
    for (std::int64_t left = too_many(); left > 0;) {
        const std::int64_t pairs = std::max(left, leading(groups) / 2);
        groups = pass(groups, pairs);
        left = pairs == too_many() ? 0 : too_many();
    }
    return groups;
}

GroupArrangements::GroupArrangements(std::int64_t devices, std::int64_t stages,
                                     const Arguments& arguments)
    : sequences_(devices, stages, least_group(devices, stages, arguments.min_group_scale_variance)),
      longest_(arguments.max_permute_len) {}

bool GroupArrangements::start_sequence() {
    if (!sequences_.next()) {
        return false;
    }
    const std::vector<Tied> groups = tied_groups(sequences_.logs(), longest_);
    kinds_ = groups;
    std::sort(kinds_.begin(), kinds_.end());
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
    std::vector<int> items;
    for (const Tied& tied : groups) {
        const auto kind = std::lower_bound(kinds_.begin(), kinds_.end(), tied);
        items.push_back(static_cast<int>(kind - kinds_.begin()));
    }
    shifts_.emplace(std::move(items));
    return true;
}

bool GroupArrangements::next(std::vector<std::uint8_t>& logs) {
    if (!(shifts_ && shifts_->next()) && !start_sequence()) {
        return false;
    }
    logs.clear();
    shifts_->for_each([&](int kind) {
        const Tied& tied = kinds_[static_cast<std::size_t>(kind)];
        for (const int log : tied) {
            logs.push_back(static_cast<std::uint8_t>(log));
        }
    });
    return true;
}

std::uint64_t arrangement_count(std::int64_t devices, std::int64_t stages,
                                const Arguments& arguments, std::uint64_t most) {
    constexpr int most_sequences = 100'000;
    GroupSequences sequences(devices, stages,
                             least_group(devices, stages, arguments.min_group_scale_variance));
    double total = 0;
    for (int number = 0; sequences.next(); ++number) {
        std::vector<Tied> groups = tied_groups(sequences.logs(), arguments.max_permute_len);
        std::sort(groups.begin(), groups.end());
        // A multinomial coefficient, one item after the other: every quotient is whole.
        double splits = 1;
        std::size_t alike = 0;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            alike = i > 0 && groups[i] == groups[i - 1] ? alike + 1 : 1;
            splits = splits * static_cast<double>(i + 1) / static_cast<double>(alike);
        }
        total += splits;
        if (total > static_cast<double>(most) || number == most_sequences) {
            return most + 1;
        }
    }
    return static_cast<std::uint64_t>(total);
}

}  // namespace npunet::planner::metis
