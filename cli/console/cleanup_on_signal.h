// Signals that end the program (SIGINT, SIGTERM, SIGHUP) leave no half-written files.
//
//     int main() {
//         const CleanupOnSignal ending;
//         ...
//     }
//
// Unfinished files (base/unfinished.h) are removed; then the signal's default action ends the
// process, which shells report as 128 + its number. Commands that keep partial results use
// StopRequest (stop_request.h), which handles the signals while it lives.
#pragma once

#include <thread>

namespace npunet::cli {

class CleanupOnSignal {
public:
    /// At most one per process. Signals that are ignored, as under nohup, stay ignored.
    CleanupOnSignal();
    ~CleanupOnSignal();
    CleanupOnSignal(const CleanupOnSignal&) = delete;
    CleanupOnSignal& operator=(const CleanupOnSignal&) = delete;

private:
    static void end_on_signal(int inquiries);

    int inquiries_[2] = {-1, -1};  ///< a pipe from the signal handlers to the thread
    std::thread thread_;
};

}  // namespace npunet::cli
