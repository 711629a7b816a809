// Takes the repetitions of the genstack tracer together: it logs one init_process_group three times
// and one new_group four times, since its patches call each other.
//
//     RepeatedEvents once(Dialect::Genstack, [&](const LoggedCall& event) { ... });
//     read_call_log(path, rank, groups, [&](const LoggedCall& event) { once.add(event); });
//     once.finish();
//
// A run of events that differ in call_id only is passed on a third or a quarter as often, with
// the first call_ids: different groups of the same ranks may follow each other, so that runs of
// eight are two groups. A run that does not divide is no such repetition and is passed on as it
// stands, as is everything in the npunet dialect.
#pragma once

#include <cstdint>

#include "generators/megatron/logs/call_log_reader.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

class RepeatedEvents {
public:
    RepeatedEvents(Dialect dialect, CallVisitor visitor);

    void add(const LoggedCall& event);
    /// Passes on what is held back at the end of the log.
    void finish();

private:
    Dialect dialect_;
    CallVisitor visitor_;
    LoggedCall first_;         ///< of the run; the others have the call_ids behind it
    std::int64_t length_ = 0;  ///< of the run
};

}  // namespace npunet::generators::megatron
