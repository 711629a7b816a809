// timeline.pb: what is read can be written, and reads as the same; and two of them, compared.
#include "report/timeline/timeline_file.h"

#include <optional>
#include <sstream>

#include "memory_watch.h"
#include "report/comparison/side_by_side.h"
#include "targets.h"
#include "tests/report/sample_timeline.h"

namespace npunet::fuzz {

namespace {

/// What Protobuf reserves for a text at most before it looks whether so many bytes follow.
constexpr std::size_t reserved_by_protobuf = 50'000'000;

std::string bytes_of(const report::SavedTimeline& saved) {
    std::ostringstream stream;
    report::write_timeline(saved.timeline, saved.inputs, saved.results ? &*saved.results : nullptr,
                           stream);
    return stream.str();
}

}  // namespace

void run_timeline(std::string_view input) {
    report::SavedTimeline saved;
    const bool read = accepts([&] {
        // Two bytes may be a link, which is a message, and then two strings.
        const MemoryWatch watch(
            memory_limit(40 * input.size(), reserved_by_protobuf + (std::size_t{256} << 10)));
        saved = report::read_timeline(input, "timeline.pb");
        watch.check();
    });
    if (!read) {
        return;
    }
    const analysis::Intervals& rows = saved.timeline.intervals;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        expect(Time() <= rows.start(row) && rows.start(row) <= rows.end(row) &&
                   rows.end(row) <= saved.timeline.length,
               "an interval outside the run");
        expect(rows.name(row) < saved.timeline.names.size(), "an interval without a name");
    }
    const std::string bytes = bytes_of(saved);
    expect(bytes_of(report::read_timeline(bytes, "again.pb")) == bytes,
           "a timeline that reads as another");
}

std::vector<std::string> timeline_seeds() {
    engine::Results results;
    results.fidelity = "packet";
    results.npus.resize(2);
    results.npus[0].rank = Rank(0);
    results.npus[1].rank = Rank(1);
    results.collectives.resize(1);
    results.collectives[0].group = {Rank(0), Rank(1)};
    results.links.resize(1);
    results.links[0].queue_times = {Time::ps(5)};
    return {bytes_of({report::sample_timeline(), {{"--network", "ring.yml"}}, results}),
            bytes_of({report::step_timeline({2, 1, 1, 1, 1, 2}), {}}), bytes_of({})};
}

// What `npunet report A B` does.
void run_timeline_comparison(std::string_view input) {
    const std::vector<std::string_view> files = files_of(input, 2);
    std::optional<report::SavedTimeline> first;
    std::optional<report::SavedTimeline> second;
    const bool read = accepts([&] {
        first = report::read_timeline(files.front(), "first.pb");
        second = report::read_timeline(files.back(), "second.pb");
    });
    if (!read) {
        return;
    }
    const report::SideBySide both(std::move(first->timeline), std::move(second->timeline));
    for (const analysis::RunTotals& run : both.comparison.totals) {
        expect(run.idle >= Time() && run.idle <= run.length, "more idle than there is time");
    }
    expect(!report::side_by_side_table(both).empty() && !report::side_by_side_json(both).empty(),
           "a comparison that says nothing");
}

std::vector<std::string> timeline_comparison_seeds() {
    const std::string mark(file_mark);
    const std::vector<std::string> runs = timeline_seeds();
    return {runs[0] + mark + runs[0], runs[1] + mark + runs[0], runs[2] + mark + runs[1],
            bytes_of({report::step_timeline({1, 2, 1, 1, 1, 0}), {}}) + mark +
                bytes_of({report::step_timeline({1, 2, 1, 2, 1, 0}), {}})};
}

}  // namespace npunet::fuzz
