// Runs of pairs, and the file that keeps what they found, so that an interrupted validation goes on
// where it was and packets are simulated once.
//
//     RunFile file("pairs.csv");
//     if (!file.has(pair.name, "packet")) {
//         file.add(run_pair(pair, packet_run(), limit));
//     }
//
// The file is CSV with one line for each run of a pair, in the order in which they ended; of
// several for the same run the last counts.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/quantities.h"
#include "engine/results/results.h"
#include "pairs.h"

namespace npunet::validation {

/// How a pair is run.
struct RunKind {
    std::string name;  ///< of the fidelity, or "packet-256MiB"
    study::Fidelity fidelity = study::Fidelity::Packet;
    Buffers buffers = Buffers::AsTheyAre;
};

/// A fidelity by its name; InputError for others.
[[nodiscard]] RunKind run_at(const std::string& fidelity);
/// Packets with buffers that are hardly ever full.
[[nodiscard]] RunKind deep_packet_run();

struct RunRecord {
    std::string pair;
    std::string run;  ///< RunKind::name
    Time finish;
    double seconds = 0;  ///< of the processor, with making network and workload
    std::uint64_t events = 0;
    std::uint64_t packet_hops = 0;
    std::uint64_t marked = 0;  ///< of packet_hops
    std::uint64_t pauses = 0;
    std::uint64_t drops = 0;
    bool says_buffers = false;  ///< says_buffers_decided()
    std::string failure;        ///< why there is no finish; empty: there is
};

/// Whether the results themselves say that finite buffers may have decided the finish (not merely
/// that one was full). THE place to name the note of the fluid fidelity.
[[nodiscard]] bool says_buffers_decided(const engine::Results& results);

/// Runs it, for at most that many seconds of the processor. Whatever keeps it from its end is its
/// failure.
[[nodiscard]] RunRecord run_pair(const Pair& pair, const RunKind& run, double limit);

[[nodiscard]] std::string csv_line(const RunRecord& record);
/// False, and nothing changed, for a line that is cut off or is the heading.
[[nodiscard]] bool read_csv_line(const std::string& line, RunRecord& record);

/// May be used by several threads.
class RunFile {
public:
    /// Reads what is there; an empty name keeps runs in memory only.
    explicit RunFile(std::string file);

    [[nodiscard]] bool has(const std::string& pair, const std::string& run) const;
    /// Null where there is none.
    [[nodiscard]] const RunRecord* find(const std::string& pair, const std::string& run) const;
    /// On disk when it returns. Throws std::runtime_error for a file that cannot be written.
    void add(RunRecord record);

private:
    void open();

    std::string file_;
    bool empty_ = true;  ///< the file has no line yet
    bool ended_ = true;  ///< its last line has
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, RunRecord> records_;
    std::ofstream stream_;
};

}  // namespace npunet::validation
