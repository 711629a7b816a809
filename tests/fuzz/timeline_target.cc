// timeline.pb: what is read can be written, and reads as the same.
#include "report/timeline_file.h"

#include <sstream>

#include "memory_watch.h"
#include "targets.h"
#include "tests/report/sample_timeline.h"

namespace npunet::fuzz {

namespace {

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
        const MemoryWatch watch(memory_limit(40 * input.size(), std::size_t{256} << 10));
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

}  // namespace npunet::fuzz
