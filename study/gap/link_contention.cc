#include "study/gap/link_tap.h"

#include <algorithm>
#include <set>

namespace npunet::study {

namespace {

using report::ContentionLink;
using report::LinkContention;

/// Keeps the longest `most` items, longest first; ties keep their order.
template <class Item>
void keep_longest(std::vector<Item>& items, std::size_t most) {
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.together > b.together; });
    if (items.size() > most) {
        items.resize(most);
    }
}

class ContentionFinder {
public:
    ContentionFinder(const topology::Graph& graph, report::GapExplanation& explanation,
                     std::size_t most)
        : graph_(graph), explanation_(explanation), most_(most) {}

    /// The occupancies on one link, ascending by start.
    void look_at(const LinkOccupancy* first, const LinkOccupancy* last) {
        const topology::Link& link = graph_.link(first->link);
        const std::string from = graph_.name(link.from);
        const std::string to = graph_.name(link.to);
        Time together;
        std::set<std::size_t> between;
        const auto meet = [&](const LinkOccupancy& a, const LinkOccupancy& b, Time span) {
            if (span <= Time() || !(delayed(a) || delayed(b))) {
                return;
            }
            together += span;
            between.insert({a.communication, b.communication});
            note(a, {from, to, b.communication, span});
            if (a.communication != b.communication) {
                note(b, {from, to, a.communication, span});
            }
        };
        for (const LinkOccupancy* a = first; a != last; ++a) {
            meet(*a, *a, a->crowded);
            for (const LinkOccupancy* b = a + 1; b != last && b->from < a->to; ++b) {
                meet(*a, *b, std::min(a->to, b->to) - b->from);
            }
        }
        if (together > Time()) {
            explanation_.links.push_back({from, to, together, {between.begin(), between.end()}});
        }
    }

private:
    [[nodiscard]] bool delayed(const LinkOccupancy& occupancy) const {
        return explanation_.communications[occupancy.communication].gap.contention != Time();
    }
    void note(const LinkOccupancy& occupancy, LinkContention contention) {
        std::vector<LinkContention>& list =
            explanation_.communications[occupancy.communication].link_contention;
        if (!delayed(occupancy)) {
            return;
        }
        list.push_back(std::move(contention));
        if (list.size() >= 20 * most_) {
            keep_longest(list, most_);
        }
    }

    const topology::Graph& graph_;
    report::GapExplanation& explanation_;
    std::size_t most_;
};

}  // namespace

void add_link_contention(const std::vector<LinkOccupancy>& occupancies,
                         const topology::Graph& graph, report::GapExplanation& explanation,
                         std::size_t most) {
    ContentionFinder finder(graph, explanation, most);
    for (std::size_t first = 0; first < occupancies.size();) {
        std::size_t last = first + 1;
        while (last < occupancies.size() && occupancies[last].link == occupancies[first].link) {
            ++last;
        }
        finder.look_at(&occupancies[first], &occupancies[first] + (last - first));
        first = last;
    }
    constexpr std::size_t most_links = 10;
    keep_longest(explanation.links, most_links);
    for (report::CommunicationGap& communication : explanation.communications) {
        keep_longest(communication.link_contention, most);
    }
}

}  // namespace npunet::study
