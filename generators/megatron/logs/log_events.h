// Writes events into the template of a log, in the text of a dialect.
//
//     LogTemplate text;
//     LogEvents events(text, run, 0);              // the first event has call_id 0
//     events.init_process_group();
//     for (const ProgramItem& item : program.items) ... events.call(item);
//     events.end();
//
// What stands in an event is in docs/megatron.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/logs/log_template.h"
#include "generators/megatron/program/program.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

class LogEvents {
public:
    /// Longer lists of ranks stand in the npunet dialect's new_group alone.
    static constexpr std::int64_t longest_list = 1024;

    /// `text` and `run` have to outlive this. The text begins a log where call_id is 0.
    LogEvents(LogTemplate& text, const TrainingRun& run, std::int64_t call_id);

    [[nodiscard]] static LogLayout layout(Dialect dialect);

    void init_process_group();
    /// A group with the same ranks in every log.
    void new_group(const std::vector<Rank>& ranks, bool gloo);
    /// The rank's own group.
    void new_group(GroupRole role);
    /// `item` is a call; the rank's group of its role has `members`.
    void call(const ProgramItem& item, std::int64_t members);
    /// The end of the log.
    void end();

    /// That of the next event.
    [[nodiscard]] std::int64_t call_id() const { return call_id_; }

private:
    [[nodiscard]] bool genstack() const { return run_.dialect == Dialect::Genstack; }

    void begin_event(Operation operation);
    void end_event();
    void key(std::string_view name);
    void word(std::string_view name, std::string_view value);
    void number(std::string_view name, std::int64_t value);
    void shape(std::string_view name, const Shape& sizes);
    void shapes(std::string_view name, const Shape& sizes, std::int64_t count);
    void append_shape(const Shape& sizes, std::size_t indent);
    void peer(std::string_view name, PeerRole role);

    void group_of(const ProgramItem& item, std::int64_t members);
    void tensors(const Call& call);
    void operation(const ProgramItem& item);
    void place_in_step(const ProgramItem& item);

    LogTemplate& text_;
    const TrainingRun& run_;
    LogLayout layout_;
    std::int64_t call_id_;
};

}  // namespace npunet::generators::megatron
