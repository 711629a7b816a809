#include "report/html/gap_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/units.h"
#include "report/comparison/comparison.h"
#include "report/comparison/gap_table.h"
#include "report/html/data_table.h"
#include "report/html/drawings.h"
#include "report/results/npu_summary.h"

namespace npunet::report {

namespace {

using engine::Results;
using Kind = DataTable::Kind;

/// What a part means (docs/results.md), for the fidelity that the effect levels lead to.
const char* meaning_of(Time Gap::*part, const std::string& fidelity) {
    const bool fluid = fidelity == "fluid";
    const bool packets = fluid || fidelity == "packet";
    if (part == &Gap::header) {
        return packets ? "messages carry the headers of their packets" : "no headers here";
    }
    if (part == &Gap::latency) {
        return packets ? "switches store packets, or cut them through, as on an idle network"
                       : "every link receives a whole message before the next one sends it";
    }
    if (part == &Gap::contention) {
        return fluid     ? "streams of packets share links, with unlimited buffers"
               : packets ? "packets share links, with unlimited buffers"
                         : "messages queue";
    }
    if (part == &Gap::flow_control) {
        return fluid     ? "full buffers hold messages back, windows limit senders"
               : packets ? "packets wait for buffer space, or are dropped and retransmitted"
                         : "no packets here";
    }
    if (part == &Gap::congestion_control) {
        return fluid     ? "not modelled here"
               : packets ? "senders are slowed by congestion control"
                         : "no packets here";
    }
    return "operations start at other times, as those that they depend on are delayed";
}

/// In percent of a whole; "" where that is 0.
std::string share(Time part, Time whole) {
    return whole == Time()
               ? ""
               : shortest(100.0 * static_cast<double>(part.ps()) / static_cast<double>(whole.ps()));
}

std::string finish_table(const std::vector<Results>& runs, const Comparison& comparison) {
    const Time least = runs[comparison.least_detailed].finish;
    DataTable table("finish-table", "Finish times",
                    {{"fidelity"},
                     {"finish", "", Kind::Time},
                     {"more than " + runs[comparison.least_detailed].fidelity, "", Kind::Time},
                     {"ratio to it", "", Kind::Real}});
    for (const Results& results : runs) {
        table.add({results.fidelity, format_ns(results.finish), format_ns(results.finish - least),
                   least == Time() ? ""
                                   : shortest(static_cast<double>(results.finish.ps()) /
                                              static_cast<double>(least.ps()))});
    }
    return table.html();
}

std::string parts_table(const GapExplanation& why, const std::string& fidelity) {
    const Time whole = why.total.total();
    DataTable table("parts-table", "The parts of the difference",
                    {{"part"},
                     {"what it says"},
                     {"difference", "", Kind::Time},
                     {"share", "%", Kind::Real},
                     {"along the critical path", "", Kind::Time}});
    for (const auto& [name, part] : gap_parts) {
        table.add({in_words(name), meaning_of(part, fidelity), format_ns(why.total.*part),
                   share(why.total.*part, whole), format_ns(why.path.*part)});
    }
    table.add({"slack", "along the path, the estimate waits for other operations", "", "",
               format_ns(why.slack)});
    table.set_foot({"sum", "", format_ns(whole), share(whole, whole),
                    format_ns(why.path.total() + why.slack)});
    return table.html();
}

std::string effect_level_table(const GapExplanation& why, const std::string& fidelity) {
    DataTable table("effect-levels-table",
                    fmt::format("The sequence of effect levels from the estimate to {}, each with "
                                "one more effect",
                                fidelity),
                    {{"effect level"},
                     {"finish", "", Kind::Time},
                     {"increase over the level below", "", Kind::Time},
                     {"by the effect", "", Kind::Time},
                     {"by dependency", "", Kind::Time}});
    for (const EffectLevelResult& level : why.effect_levels) {
        const std::string name = level.step.empty() ? "the estimate" : "+ " + in_words(level.step);
        table.add({name, format_ns(level.finish), format_ns(level.direct + level.dependency),
                   format_ns(level.direct), format_ns(level.dependency)});
    }
    return table.html();
}

/// What each fidelity adds to the one below; "" where there are two.
std::string neighbour_table(const std::vector<Results>& runs, const Comparison& comparison,
                            const GapExplanation& why) {
    if (why.neighbours.empty()) {
        return "";
    }
    std::vector<DataTable::Column> columns{
        {"from"}, {"to"}, {"ratio", "", Kind::Real}, {"difference", "", Kind::Time}};
    for (const auto& [name, part] : gap_parts) {
        columns.push_back({in_words(name), "", Kind::Time});
    }
    DataTable table("neighbours-table", "The differences between neighbouring fidelities", columns);
    for (std::size_t i = 0; i < why.neighbours.size(); ++i) {
        const NeighbourGap& pair = why.neighbours[i];
        const double ratio =
            finish_ratio(runs[comparison.by_detail[i + 1]], runs[comparison.by_detail[i]]);
        std::vector<std::string> row{pair.from, pair.to,
                                     std::isfinite(ratio) ? shortest(ratio) : "",
                                     format_ns(pair.gap.total())};
        for (const auto& [name, part] : gap_parts) {
            row.push_back(format_ns(pair.gap.*part));
        }
        table.add(row);
    }
    return table.html();
}

Time by_others(const CommunicationGap& communication) {
    return communication.others.total() - communication.others.dependency;
}

/// Those that are not 0 for all of them, in their order.
std::vector<std::size_t> parts_that_occur(const GapExplanation& why) {
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < gap_parts.size(); ++i) {
        const Time Gap::*const part = gap_parts[i].second;
        if (std::any_of(why.communications.begin(), why.communications.end(),
                        [part](const CommunicationGap& c) { return c.gap.*part != Time(); })) {
            parts.push_back(i);
        }
    }
    return parts;
}

std::vector<DataTable::Column> delay_columns(const std::vector<std::size_t>& parts,
                                             bool contention) {
    std::vector<DataTable::Column> columns{{"name"},
                                           {"type"},
                                           {"ranks"},
                                           {"critical path"},
                                           {"ends later", "", Kind::Time},
                                           {"own delay", "", Kind::Time}};
    for (const std::size_t part : parts) {
        columns.push_back({in_words(gap_parts[part].first), "", Kind::Time});
    }
    columns.push_back({"cost by others", "", Kind::Time});
    columns.push_back({"start", "", Kind::Time});
    columns.push_back({"end", "", Kind::Time});
    if (contention) {
        columns.push_back({"longest contention on"});
        columns.push_back({"contending with"});
        columns.push_back({"together", "", Kind::Time});
    }
    return columns;
}

std::string ranks_of(const CommunicationGap& communication) {
    const std::vector<Rank>& ranks = communication.ranks;
    if (communication.id < 0 && ranks.size() == 2) {
        return fmt::format("{} -> {}", ranks[0].value(), ranks[1].value());
    }
    std::vector<Rank> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    return format_ranks(sorted);
}

std::vector<std::string> delay_row(const CommunicationGap& communication,
                                   const std::vector<std::size_t>& parts) {
    std::vector<std::string> row{communication.name,
                                 communication.type,
                                 ranks_of(communication),
                                 communication.critical ? "yes" : "",
                                 format_ns(communication.gap.total()),
                                 format_ns(own_delay(communication))};
    for (const std::size_t part : parts) {
        row.push_back(format_ns(communication.gap.*gap_parts[part].second));
    }
    row.push_back(communication.measured ? format_ns(by_others(communication)) : "");
    row.push_back(format_ns(communication.start));
    row.push_back(format_ns(communication.end));
    return row;
}

/// Of its link contention the longest.
std::vector<std::string> contention_cells(const GapExplanation& why, std::size_t place) {
    const CommunicationGap& communication = why.communications[place];
    if (communication.link_contention.empty()) {
        return {"", "", ""};
    }
    const LinkContention& longest = communication.link_contention.front();
    return {longest.from + " -> " + longest.to,
            longest.other == place ? "messages of its own"
                                   : label_of(why.communications[longest.other]),
            format_ns(longest.together)};
}

/// The positions of communications, largest own delay first.
std::vector<std::size_t> by_own_delay(const GapExplanation& why) {
    std::vector<std::size_t> order(why.communications.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return own_delay(why.communications[a]) > own_delay(why.communications[b]);
    });
    return order;
}

/// A sentence on the parts that have no column; empty where all have one.
std::string absent_parts(const std::vector<std::size_t>& present) {
    std::string names;
    for (std::size_t i = 0; i < gap_parts.size(); ++i) {
        if (std::find(present.begin(), present.end(), i) == present.end()) {
            names += (names.empty() ? "" : ", ") + in_words(gap_parts[i].first);
        }
    }
    return names.empty() ? "" : "Parts that are 0 for all of them have no column: " + names + ".";
}

std::string effect_levels(const GapExplanation& why, const std::string& fidelity) {
    if (why.effect_levels.empty()) {
        return "";
    }
    std::vector<NamedTime> steps;
    for (auto level = why.effect_levels.begin() + 1; level != why.effect_levels.end(); ++level) {
        steps.push_back({"+ " + in_words(level->step), level->direct + level->dependency});
    }
    return "<h3>Effect levels</h3>\n" +
           waterfall({"the estimate", why.effect_levels.front().finish}, steps, fidelity,
                     fmt::format("How simulations with one more effect each lead from the estimate "
                                 "to {}.",
                                 fidelity)) +
           effect_level_table(why, fidelity);
}

}  // namespace

Section gap_section(const std::vector<Results>& runs, const GapExplanation& why) {
    const Comparison comparison = compare(runs, 0);
    const Results& least = runs[comparison.least_detailed];
    const Results& most = runs[comparison.most_detailed];
    std::vector<NamedTime> changes;
    for (const auto& [name, part] : gap_parts) {
        changes.push_back({in_words(name), why.total.*part});
    }
    std::string body = paragraph(fmt::format(
        "The {} run finishes after {} ns, the {} run after {} ns: {}{} ns{}. The parts of the "
        "difference add up to it exactly.",
        least.fidelity, format_ns(least.finish), most.fidelity, format_ns(most.finish),
        why.total.total() > Time() ? "+" : "", format_ns(why.total.total()),
        std::isfinite(comparison.ratio) ? fmt::format(" (ratio {:.4f})", comparison.ratio) : ""));
    body += waterfall({least.fidelity, least.finish}, changes, most.fidelity,
                      fmt::format("How the parts of the difference lead from {} to {}.",
                                  least.fidelity, most.fidelity));
    body += parts_table(why, most.fidelity) + finish_table(runs, comparison) +
            neighbour_table(runs, comparison, why) + effect_levels(why, most.fidelity);
    if (!why.notes.empty()) {
        body += "<h3>Notes</h3>\n" + bullet_list(why.notes);
    }
    return {"gap", "Why they differ", std::move(body)};
}

Section delays_section(const GapExplanation& why) {
    const std::vector<std::size_t> parts = parts_that_occur(why);
    const bool contention =
        std::any_of(why.communications.begin(), why.communications.end(),
                    [](const CommunicationGap& entry) { return !entry.link_contention.empty(); });
    DataTable table("delays-table", "Collectives and messages, sorted by own delay",
                    delay_columns(parts, contention));
    for (const std::size_t place : by_own_delay(why)) {
        std::vector<std::string> row = delay_row(why.communications[place], parts);
        if (contention) {
            const std::vector<std::string> cells = contention_cells(why, place);
            row.insert(row.end(), cells.begin(), cells.end());
        }
        table.add(row);
    }
    const std::string absent = absent_parts(parts);
    return {"delays", "Collectives and messages",
            (absent.empty() ? "" : paragraph(absent)) + table.html()};
}

Section contention_section(const GapExplanation& why) {
    constexpr std::size_t most_named = 8;
    DataTable table("contention-table",
                    "Links with the longest contention of collectives and messages",
                    {{"from"}, {"to"}, {"together", "", Kind::Time}, {"between"}});
    for (const ContentionLink& link : why.links) {
        std::string names;
        for (std::size_t i = 0; i < std::min(link.between.size(), most_named); ++i) {
            names += (i == 0 ? "" : ", ") + label_of(why.communications[link.between[i]]);
        }
        if (link.between.size() == 1) {
            names += " with itself";
        } else if (link.between.size() > most_named) {
            names += fmt::format(" and {} more", link.between.size() - most_named);
        }
        table.add({link.from, link.to, format_ns(link.together), names});
    }
    return {"contention", "Where contention arose",
            why.links.empty()
                ? paragraph("No link: no collective or message is delayed by contention.")
                : table.html()};
}

}  // namespace npunet::report
