#include "report/results/collective_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/units.h"
#include "report/text_table.h"

namespace npunet::report {

namespace {

using engine::CollectiveChoice;
using engine::TimedAlgorithm;
using Layout = JsonWriter::Layout;

/// Below zero for one that is faster. Times of choices are positive.
double slower_percent(const TimedAlgorithm& other, const TimedAlgorithm& chosen) {
    return 100 * static_cast<double>((other.time - chosen.time).ps()) /
           static_cast<double>(chosen.time.ps());
}

void write_timed(JsonWriter& json, const TimedAlgorithm& timed) {
    json.member("algorithm", timed.name)
        .member("chunks", timed.chunks)
        .member("active_chunks", timed.active)
        .member("estimate_ns", timed.time);
}

std::string others_of(const CollectiveChoice& choice) {
    constexpr std::size_t named = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(named, choice.others.size()); ++i) {
        text += fmt::format("{}{} {:+.1f}%", text.empty() ? "" : ", ", choice.others[i].name,
                            slower_percent(choice.others[i], choice.chosen));
    }
    if (choice.others.size() > named) {
        text += fmt::format(", {} more", choice.others.size() - named);
    }
    return text;
}

std::string with_chunks(const TimedAlgorithm& timed) {
    return timed.chunks == 1
               ? timed.name
               : fmt::format("{}, {} chunks, {} at a time", timed.name, timed.chunks, timed.active);
}

}  // namespace

void write_collective_choices(JsonWriter& json, const std::vector<CollectiveChoice>& choices) {
    json.begin_array(Layout::Lines);
    for (const CollectiveChoice& choice : choices) {
        json.begin_object(Layout::Lines)
            .member("type", engine::name_of(choice.kind))
            .member("bytes", choice.bytes)
            .member("groups", static_cast<std::int64_t>(choice.groups));
        json.key("group").begin_array();
        for (const Rank rank : choice.group) {
            json.value(rank.value());
        }
        json.end_array();
        write_timed(json, choice.chosen);
        json.key("others").begin_array(Layout::Lines);
        for (const TimedAlgorithm& other : choice.others) {
            json.begin_object();
            write_timed(json, other);
            json.member("slower_percent", slower_percent(other, choice.chosen)).end_object();
        }
        json.end_array().end_object();
    }
    json.end_array();
}

std::string collective_choices_table(const std::vector<CollectiveChoice>& choices,
                                     std::size_t most) {
    if (choices.empty()) {
        return "";
    }
    TextTable table({"type", "size", "NPUs", "groups", "chosen", "estimate", "others"}, 7);
    for (std::size_t i = 0; i < std::min(most, choices.size()); ++i) {
        const CollectiveChoice& choice = choices[i];
        table.add({engine::name_of(choice.kind), format_bytes(choice.bytes),
                   fmt::format("{}", choice.group.size()), fmt::format("{}", choice.groups),
                   with_chunks(choice.chosen), format_time(choice.chosen.time), others_of(choice)});
    }
    std::string text = "algorithms chosen for collectives\n\n" + table.text();
    if (choices.size() > most) {
        text += fmt::format("and {} more in results.json\n", choices.size() - most);
    }
    return text;
}

}  // namespace npunet::report
