#include "report/comparison/gap_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/units.h"
#include "report/results/npu_summary.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

/// "header 1 ns, latency 2 ns": what is not 0.
std::string list_of(const Gap& gap, Time slack = Time()) {
    std::vector<std::string> items;
    for (const auto& [name, part] : gap_parts) {
        if (gap.*part != Time()) {
            items.push_back(fmt::format("{} {}", in_words(name), signed_time(gap.*part)));
        }
    }
    if (slack != Time()) {
        items.push_back("slack " + signed_time(slack));
    }
    return items.empty() ? "" : fmt::format(": {}", fmt::join(items, ", "));
}

std::vector<const CommunicationGap*> most_delayed(const GapExplanation& why, std::size_t most) {
    std::vector<const CommunicationGap*> list;
    for (const CommunicationGap& communication : why.communications) {
        if (own_delay(communication) != Time()) {
            list.push_back(&communication);
        }
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto* a, const auto* b) { return own_delay(*a) > own_delay(*b); });
    if (list.size() > most) {
        list.resize(most);
    }
    return list;
}

std::string delay_table(const std::vector<const CommunicationGap*>& shown) {
    std::vector<Time Gap::*> parts;
    std::vector<std::string> heading{"delayed most", "type", "critical", "later"};
    for (const auto& [name, part] : gap_parts) {
        const Time Gap::*wanted = part;
        if (std::any_of(shown.begin(), shown.end(),
                        [wanted](const auto* c) { return c->gap.*wanted != Time(); })) {
            parts.push_back(part);
            heading.push_back(in_words(name));
        }
    }
    TextTable table(std::move(heading), 3);
    for (const CommunicationGap* communication : shown) {
        std::vector<std::string> row{label_of(*communication), communication->type,
                                     communication->critical ? "yes" : "",
                                     signed_time(communication->gap.total())};
        for (Time Gap::*part : parts) {
            row.push_back(signed_time(communication->gap.*part));
        }
        table.add(std::move(row));
    }
    return table.text();
}

std::string link_table(const GapExplanation& why) {
    constexpr std::size_t most_named = 3;
    TextTable table({"contention on", "between", "together"}, 2);
    for (const ContentionLink& link : why.links) {
        std::vector<std::string> names;
        for (const std::size_t place : link.between) {
            if (names.size() == most_named) {
                names.push_back(fmt::format("{} more", link.between.size() - most_named));
                break;
            }
            names.push_back(label_of(why.communications[place]));
        }
        table.add({link.from + " -> " + link.to,
                   names.size() == 1 ? names[0] + " with itself"
                                     : fmt::format("{}", fmt::join(names, ", ")),
                   format_time(link.together)});
    }
    return table.text();
}

void write_communication(JsonWriter& json, const CommunicationGap& communication) {
    json.begin_object().key("id");
    if (communication.id < 0) {
        json.null();
    } else {
        json.value(communication.id);
    }
    json.member("name", communication.name).member("type", communication.type);
    json.key("ranks").begin_array();
    for (const Rank rank : communication.ranks) {
        json.value(rank.value());
    }
    json.end_array().member("start_ns", communication.start).member("end_ns", communication.end);
    json.member("later_ns", communication.gap.total());
    write_parts(json, communication.gap, "_ns");
    json.key("others_ns");
    if (communication.measured) {
        json.begin_object();
        for (const auto& [name, part] : gap_parts) {
            if (part != &Gap::dependency) {
                json.member(name, communication.others.*part);
            }
        }
        json.end_object();
    } else {
        json.null();
    }
    json.key("meetings").begin_array();
    for (const LinkContention& contention : communication.link_contention) {
        json.begin_object().member("from", contention.from).member("to", contention.to);
        json.member("with", static_cast<std::uint64_t>(contention.other));
        json.member("together_ns", contention.together).end_object();
    }
    json.end_array().end_object();
}

}  // namespace

std::string sum_and_parts(const Gap& gap) {
    return signed_time(gap.total()) + list_of(gap);
}

void write_parts(JsonWriter& json, const Gap& gap, const std::string& unit) {
    for (const auto& [name, part] : gap_parts) {
        json.member(name + unit, gap.*part);
    }
}

void write_effect_levels(JsonWriter& json, const std::vector<EffectLevelResult>& effect_levels) {
    json.key("ladder").begin_array(JsonWriter::Layout::Lines);
    for (const EffectLevelResult& level : effect_levels) {
        json.begin_object().key("step");
        if (level.step.empty()) {
            json.null();
        } else {
            json.value(level.step);
        }
        json.member("finish_ns", level.finish)
            .member("direct_ns", level.direct)
            .member("dependency_ns", level.dependency)
            .end_object();
    }
    json.end_array();
}

std::string gap_lines(const GapExplanation& why) {
    std::string text = fmt::format("the difference, {}\n", sum_and_parts(why.total));
    if (why.total.dependency != Time()) {
        text += fmt::format("the same along the critical path{}\n", list_of(why.path, why.slack));
    }
    for (const std::string& note : why.notes) {
        text += fmt::format("note: {}\n", printable(note));
    }
    return text;
}

std::string gap_tables(const GapExplanation& why, std::size_t most) {
    const std::vector<const CommunicationGap*> shown = most_delayed(why, most);
    std::string text = shown.empty() ? "" : delay_table(shown);
    if (!why.links.empty()) {
        text += '\n' + link_table(why);
    }
    return text;
}

void write_gap(JsonWriter& json, const GapExplanation& why) {
    json.key("gap_ns").begin_object();
    write_parts(json, why.total);
    json.end_object().key("path_gap_ns").begin_object();
    write_parts(json, why.path);
    json.member("slack", why.slack).end_object().key("critical_path").begin_array();
    for (std::size_t place = 0; place < why.communications.size(); ++place) {
        if (why.communications[place].critical) {
            json.value(static_cast<std::uint64_t>(place));
        }
    }
    json.end_array();
    write_effect_levels(json, why.effect_levels);
    json.key("collectives").begin_array(JsonWriter::Layout::Lines);
    for (const CommunicationGap& communication : why.communications) {
        write_communication(json, communication);
    }
    json.end_array().key("contention_links").begin_array(JsonWriter::Layout::Lines);
    for (const ContentionLink& link : why.links) {
        json.begin_object().member("from", link.from).member("to", link.to);
        json.member("together_ns", link.together).key("between").begin_array();
        for (const std::size_t place : link.between) {
            json.value(static_cast<std::uint64_t>(place));
        }
        json.end_array().end_object();
    }
    json.end_array().key("gap_notes").begin_array();
    for (const std::string& note : why.notes) {
        json.value(note);
    }
    json.end_array();
}

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
