// Ctrl-C, kill and a terminal that goes: they end the program, but leave nothing half-written.
//
//     int main() {
//         const CleanEnding ending;
//         ...
//     }
//
// What is unfinished (base/unfinished.h) is removed, and the signal then ends the process as it
// would without this: shells see 128 + its number. Commands that have something to keep ask by
// StopRequest (stop_request.h), which takes the signals over while it lives.
#pragma once

#include <thread>

namespace npunet::cli {

class CleanEnding {
public:
    /// One in a process. Signals that are ignored, as under nohup, stay so.
    CleanEnding();
    ~CleanEnding();
    CleanEnding(const CleanEnding&) = delete;
    CleanEnding& operator=(const CleanEnding&) = delete;

private:
    static void end_on_signal(int inquiries);

    int inquiries_[2] = {-1, -1};  ///< a pipe: handlers of signals write, the thread reads
    std::thread thread_;
};

}  // namespace npunet::cli
