#include "base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/ascii.h"

namespace npunet {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted =
                diagonal + (ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(std::string_view text, const std::vector<std::string>& known) {
    std::size_t best = std::max<std::size_t>(1, text.size() / 2) + 1;
    std::string found;
    for (const std::string& candidate : known) {
        const auto [shorter, longer] = std::minmax({text.size(), candidate.size()});
        if (longer - shorter >= best) {
            continue;  // as many edits at least
        }
        const std::size_t distance = edit_distance(text, candidate);
        if (distance < best) {
            best = distance;
            found = candidate;
        }
    }
    return found;
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& known,
                         std::string_view quote) {
    const std::string name = nearest(text, known);
    return name.empty() ? "" : fmt::format("Did you mean {0}{1}{0}?", quote, name);
}

}  // namespace npunet
