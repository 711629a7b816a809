#include "report/results/link_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/link_classes.h"
#include "base/printable.h"
#include "base/units.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

using analysis::LinkClassUse;

/// What only some networks do.
struct Congestion {
    const char* heading;
    std::uint64_t LinkClassUse::*sum;
    std::uint64_t engine::LinkResult::*of_link;
};

/// Those that occur.
std::vector<Congestion> congestion_of(const LinkClassUse& all) {
    std::vector<Congestion> present;
    for (const Congestion& one :
         {Congestion{"pauses", &LinkClassUse::pauses, &engine::LinkResult::pauses},
          Congestion{"marked", &LinkClassUse::marked, &engine::LinkResult::marked},
          Congestion{"drops", &LinkClassUse::drops, &engine::LinkResult::drops},
          Congestion{"CNPs", &LinkClassUse::notifications, &engine::LinkResult::notifications}}) {
        if (all.*one.sum > 0) {
            present.push_back(one);
        }
    }
    return present;
}

std::vector<std::string> headings(std::vector<std::string> first,
                                  const std::vector<Congestion>& congestion) {
    for (const Congestion& one : congestion) {
        first.emplace_back(one.heading);
    }
    return first;
}

std::string format_percent(double percent) {
    return fmt::format("{:.1f}%", percent);
}

std::vector<std::string> row_of(const std::string& name, const LinkClassUse& use,
                                const std::vector<Congestion>& congestion) {
    std::vector<std::string> row{name,
                                 fmt::format("{}", use.links),
                                 format_percent(use.mean_percent),
                                 format_percent(use.max_percent),
                                 format_bytes(use.payload),
                                 format_bytes(use.wire),
                                 format_bytes(use.max_queue)};
    for (const Congestion& one : congestion) {
        row.push_back(fmt::format("{}", use.*one.sum));
    }
    return row;
}

std::string class_table(const engine::Results& results, const LinkClassUse& all,
                        const std::vector<Congestion>& congestion) {
    TextTable table(headings({"links by class", "count", "mean utilization", "maximum", "bytes",
                              "on the wire", "max queue"},
                             congestion));
    const std::vector<LinkClassUse> classes = analysis::use_by_class(results);
    for (const LinkClassUse& use : classes) {
        table.add(row_of(printable(use.name), use, congestion));
    }
    if (classes.size() > 1) {
        table.add(row_of("all", all, congestion));
    }
    return table.text();
}

std::vector<std::string> figures_of(const engine::LinkResult& link,
                                    const std::vector<Congestion>& congestion) {
    std::vector<std::string> row{format_bytes(link.payload), format_bytes(link.wire),
                                 format_percent(link.utilization_percent),
                                 format_bytes(link.max_queue)};
    for (const Congestion& one : congestion) {
        row.push_back(fmt::format("{}", link.*one.of_link));
    }
    return row;
}

/// Whether figures_of() are the same without a look at them.
bool plainly_equal(const engine::LinkResult& a, const engine::LinkResult& b) {
    const auto numbers = [](const engine::LinkResult& link) {
        return std::tie(link.link_class, link.payload, link.wire, link.busy, link.max_queue,
                        link.pauses, link.marked, link.drops, link.notifications);
    };
    return numbers(a) == numbers(b);
}

/// Links of a class whose figures look the same.
struct AlikeLinks {
    const engine::LinkResult* first = nullptr;
    const engine::LinkResult* latest = nullptr;
    std::vector<std::string> figures;
    std::size_t count = 1;
};

/// The first `count` kinds, busiest first.
std::vector<AlikeLinks> alike_links(const engine::Results& results, std::size_t count,
                                    const std::vector<Congestion>& congestion) {
    std::vector<AlikeLinks> kinds;
    for (const engine::LinkResult* const link : analysis::busiest_links(results)) {
        auto known = std::find_if(kinds.begin(), kinds.end(), [link](const AlikeLinks& kind) {
            return plainly_equal(*kind.latest, *link);
        });
        if (known == kinds.end()) {
            std::vector<std::string> figures = figures_of(*link, congestion);
            known = std::find_if(kinds.begin(), kinds.end(), [&](const AlikeLinks& kind) {
                return kind.first->link_class == link->link_class && kind.figures == figures;
            });
            if (known == kinds.end()) {
                if (kinds.size() < count) {
                    kinds.push_back({link, link, std::move(figures)});
                } else if (kinds.empty() ||
                           format_percent(link->utilization_percent) !=
                               format_percent(kinds.back().first->utilization_percent)) {
                    break;  // nothing that comes looks like one of them
                }
                continue;
            }
        }
        known->latest = link;
        ++known->count;
    }
    return kinds;
}

std::string busiest_table(const engine::Results& results, std::size_t count,
                          const std::vector<Congestion>& congestion) {
    TextTable table(headings(
        {"most loaded links", "bytes", "on the wire", "utilization", "max queue"}, congestion));
    for (AlikeLinks& alike : alike_links(results, count, congestion)) {
        std::vector<std::string> row{alike.first->from + " -> " + alike.first->to};
        if (alike.count > 1) {
            row.front() += fmt::format(", {} links like this", alike.count);
        }
        row.insert(row.end(), alike.figures.begin(), alike.figures.end());
        table.add(std::move(row));
    }
    return table.text();
}

}  // namespace

std::string link_tables(const engine::Results& results, std::size_t count) {
    const LinkClassUse all = analysis::use_of_all(results);
    const std::vector<Congestion> congestion = congestion_of(all);
    std::string text;
    if (!results.link_classes.empty()) {
        text = class_table(results, all, congestion) + '\n';
    }
    return text + busiest_table(results, count, congestion);
}

}  // namespace npunet::report
