// The memory of a sweep: which points are done, kept on disk as they finish, so that a sweep that
// was killed at any moment goes on where it was.
//
//     Journal journal(folder, space.fingerprint, Journal::Existing::Continue);
//     if (journal.done().count(7) == 0) {
//         journal.append(7, outcome);
//     }
//
// sweep.journal is text: a first line with the fingerprint of the sweep, then one line for each
// point that is done: a checksum, the point's number, the outcome. A line that a kill or a crash
// left incomplete fails its checksum and is dropped, which costs that point only. While a journal
// is open, a lock on sweep.lock keeps other sweeps out; the lock goes with the process, however it
// ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "study/sweep/outcome.h"

namespace npunet::study {

/// An exclusive lock on a file, as long as the object lives.
class FileLock {
public:
    /// Throws InputError when another process holds it, MachineError when it cannot be made.
    explicit FileLock(const std::filesystem::path& path);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int descriptor_ = -1;
};

class Journal {
public:
    enum class Existing : std::uint8_t { Continue, Discard };

    /// Makes the folder when it is missing. Throws InputError when another sweep is at work there
    /// or has left its results there (`fingerprint` differs); MachineError.
    Journal(const std::filesystem::path& folder, std::uint64_t fingerprint, Existing existing);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    [[nodiscard]] const std::map<std::size_t, Outcome>& done() const { return done_; }

    /// Hands the record to the system at once, which survives the end of this process, and to the
    /// disk after half a second at most or with sync(), which survives the end of the machine.
    /// Throws MachineError.
    void append(std::size_t number, const Outcome& outcome);
    void sync();

private:
    void load(std::uint64_t fingerprint);
    /// Writes the header and the records that are known, whole or not at all.
    void rewrite(std::uint64_t fingerprint) const;
    void open_for_append();

    std::filesystem::path folder_;
    std::filesystem::path path_;
    FileLock lock_;
    std::map<std::size_t, Outcome> done_;
    int descriptor_ = -1;
    bool unsynced_ = false;
    std::chrono::steady_clock::time_point synced_at_;
};

/// A record with its checksum and line end; and back: false for a line that is not whole.
[[nodiscard]] std::string journal_record(std::size_t number, const Outcome& outcome);
[[nodiscard]] bool read_journal_record(std::string_view line, std::size_t& number,
                                       Outcome& outcome);

}  // namespace npunet::study
