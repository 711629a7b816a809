#include "study/run_stopper.h"

#include <algorithm>
#include <utility>

#include "base/units.h"

namespace npunet::study {

namespace {

/// Amortized number of ranks counted per call of the watch.
constexpr std::size_t ranks_counted_a_question = 1024;

}  // namespace

RunStopper::RunStopper(engine::EventQueue& queue,
                       std::vector<const engine::Simulation*> simulations,
                       const RunOptions& options)
    : queue_(queue), simulations_(std::move(simulations)), options_(options) {
    if (options.max_time) {
        queue.schedule(*options.max_time,
                       engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::routes, 0),
                       *this);
    }
    if (options.watch) {
        for (const engine::Simulation* const simulation : simulations_) {
            bytes_to_send_ += simulation->bytes_to_send();
        }
        queue.set_watch(this);
    }
}

RunStopper::~RunStopper() {
    queue_.set_watch(nullptr);
}

void RunStopper::handle(std::uint64_t seen_empty) {
    // The event alone is no reason.
    if (std::all_of(
            simulations_.begin(), simulations_.end(),
            [](const engine::Simulation* simulation) { return simulation->is_finished(); })) {
        return;
    }
    if (queue_.empty() && seen_empty == 0) {
        // Turns of this instant may still plan something.
        queue_.schedule(
            queue_.now(),
            engine::EventKey::of(engine::Phase::Arbitration, engine::event_kind::port_again, 0),
            *this, 1);
        return;
    }
    stalled_ = queue_.empty();
    reason_ = "the simulated time has come to " + format_time(*options_.max_time);
    queue_.stop();
}

bool RunStopper::goes_on() {
    // Counting takes a while on large machines, and the watch is called often.
    if (counted_for_ == 0) {
        counted_ = progress();
        counted_for_ = 1;
        for (const engine::Simulation* const simulation : simulations_) {
            counted_for_ += simulation->records().size() / ranks_counted_a_question;
        }
    }
    --counted_for_;
    reason_ = options_.watch({queue_.now(), counted_.done, counted_.nodes, share()});
    return reason_.empty();
}

double RunStopper::share() const {
    if (bytes_to_send_ <= 0) {
        return counted_.nodes == 0
                   ? 0
                   : static_cast<double>(counted_.done) / static_cast<double>(counted_.nodes);
    }
    double sent = 0;
    for (const engine::Simulation* const simulation : simulations_) {
        sent += simulation->bytes_sent();
    }
    return std::min(1.0, sent / bytes_to_send_);
}

engine::Simulation::Progress RunStopper::progress() const {
    engine::Simulation::Progress all;
    for (const engine::Simulation* const simulation : simulations_) {
        const engine::Simulation::Progress one = simulation->progress();
        all.done += one.done;
        all.nodes += one.nodes;
    }
    return all;
}

}  // namespace npunet::study
