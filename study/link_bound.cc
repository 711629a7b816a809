#include "study/link_bound.h"

#include <fmt/format.h>

#include <utility>

#include "base/units.h"
#include "study/simulation_run.h"

namespace npunet::study {

bool beats_link_bound(const engine::Results& results) {
    return results.fidelity == name_of(Fidelity::Analytical) && !results.partial &&
           results.finish < results.link_bound.time;
}

std::string link_bound_note(const engine::Results& results) {
    if (!beats_link_bound(results)) {
        return {};
    }
    const engine::LinkResult& busiest = results.links[results.link_bound.link];
    const std::string bound = results.link_bound.time == Time::max()
                                  ? "which it never could, as it goes down"
                                  : "which takes " + format_time(results.link_bound.time);
    return fmt::format(
        "the estimate finishes after {}, before its busiest link {} -> {} could carry its bytes, "
        "{}: the analytical fidelity lets messages cross a link at the same time, each at its full "
        "rate; use congestion-aware or packet{}",
        format_time(results.finish), busiest.from, busiest.to, bound,
        results.whole_nanoseconds ? ", with --dialect npunet where this one has none" : "");
}

void note_link_bound(engine::Results& results) {
    if (std::string note = link_bound_note(results); !note.empty()) {
        results.notes.push_back(std::move(note));
    }
}

}  // namespace npunet::study
