// Several processes that run one sweep: process 0 hands out the points and keeps the journal, the
// others run them.
//
//     process 0                                   the others
//     ProcessWorkers workers(*port, fingerprint);    serve(*port, fingerprint, runner, threads);
//     workers.run(tasks, done, stop);             // returns when process 0's workers are gone
//
// The processes tell each other, in text: "hello SLOTS FINGERPRINT" (ready for so many points at a
// time), "run NUMBER BASE", "done NUMBER OUTCOME", "bad MESSAGE" (this process cannot work, by its
// input), "failed MESSAGE" (by its machine), "end".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/sweep/message_port.h"
#include "study/sweep/workers.h"

namespace npunet::study {

/// Of process 0, where there are others.
class ProcessWorkers final : public Workers {
public:
    /// Waits for the others. Throws InputError when one of them cannot read its input, or reads
    /// another one than this process; MachineError when its machine fails.
    ProcessWorkers(MessagePort& port, std::uint64_t fingerprint);
    /// Sends the others home.
    ~ProcessWorkers() override;
    ProcessWorkers(const ProcessWorkers&) = delete;
    ProcessWorkers& operator=(const ProcessWorkers&) = delete;

    void run(const std::vector<Task>& tasks, const std::function<void(const Finished&)>& done,
             const std::function<bool()>& stop) override;

private:
    void greet(const MessagePort::Message& message, std::uint64_t fingerprint);
    [[nodiscard]] static bool finished_of(const MessagePort::Message& message, Finished& finished);

    MessagePort& port_;
    /// Free threads, by process; none of process 0. Below 0: points that wait there.
    std::vector<int> slots_;
};

/// The work of the others, until process 0 says that it is over.
void serve(MessagePort& port, std::uint64_t fingerprint, PointRunner& runner, std::size_t threads);
/// In place of serve() when a process cannot work: says why, and waits for the end.
void report_unable(MessagePort& port, const std::string& message, bool machine_failed);
/// In place of ProcessWorkers when process 0 cannot work.
void dismiss(MessagePort& port);

}  // namespace npunet::study
