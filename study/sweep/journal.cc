#include "study/sweep/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/input_text.h"
#include "study/sweep/fingerprint.h"

namespace npunet::study {

namespace {

constexpr std::chrono::milliseconds sync_period{500};
constexpr std::size_t checksum_width = 16;

[[noreturn]] void fail(const std::filesystem::path& path, const char* doing, int error) {
    throw MachineError(path.string() + ": cannot " + doing + ": " + std::strerror(error) +
                       ". Check the free space and the permissions of the folder");
}

std::filesystem::path made(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        fail(folder, "make the folder", error.value());
    }
    return folder;
}

std::string header_of(std::uint64_t fingerprint) {
    return fmt::format("npunet sweep journal 2 {:016x}", fingerprint);
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        fail(path, "write", errno);
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        ::close(descriptor_);
        if (error == EWOULDBLOCK) {
            throw InputError({path.parent_path().string(), "", "another sweep at work there",
                              "one sweep a folder",
                              "Wait until it is done, or give another --output-dir"});
        }
        fail(path, "lock", error);
    }
}

FileLock::~FileLock() {
    ::close(descriptor_);
}

std::string journal_record(std::size_t number, const Outcome& outcome) {
    const std::string content = fmt::format("{} {}", number, outcome_line(outcome));
    return fmt::format("{:016x} {}\n", fnv1a(content), content);
}

bool read_journal_record(std::string_view line, std::size_t& number, Outcome& outcome) {
    if (line.size() < checksum_width + 2) {
        return false;
    }
    const std::string_view content = line.substr(checksum_width + 1);
    if (line.substr(0, checksum_width + 1) != fmt::format("{:016x} ", fnv1a(content))) {
        return false;
    }
    const char* const end = content.data() + content.size();
    const auto [after, error] = std::from_chars(content.data(), end, number);
    if (error != std::errc{} || after == end) {
        return false;
    }
    auto read = read_outcome({after + 1, static_cast<std::size_t>(end - after - 1)});
    if (!read) {
        return false;
    }
    outcome = *std::move(read);
    return true;
}

Journal::Journal(const std::filesystem::path& folder, std::uint64_t fingerprint, Existing existing)
    : folder_(made(folder)), path_(folder / "sweep.journal"), lock_(folder / "sweep.lock") {
    std::error_code unreadable;
    if (std::filesystem::is_symlink(path_, unreadable)) {
        fail(path_, "write through a link", ELOOP);
    }
    if (existing == Existing::Continue && std::filesystem::exists(path_, unreadable)) {
        load(fingerprint);
    } else {
        rewrite(fingerprint);
    }
    open_for_append();
}

Journal::~Journal() {
    if (descriptor_ >= 0) {
        ::fdatasync(descriptor_);
        ::close(descriptor_);
    }
}

void Journal::load(std::uint64_t fingerprint) {
    const std::string text =
        read_input_text(path_, "the journal of a sweep", "Give another --output-dir",
                        std::numeric_limits<std::size_t>::max());
    const std::size_t end_of_header = text.find('\n');
    if (end_of_header == std::string::npos) {
        // Not even the first line was whole, so nothing was done.
        rewrite(fingerprint);
        return;
    }
    if (text.substr(0, end_of_header) != header_of(fingerprint)) {
        throw InputError({folder_.string(), "", "the results of another sweep",
                          "those of this one: its spec and its input files, unchanged",
                          "Give another --output-dir, or --restart to start over and drop them"});
    }
    bool damaged = false;
    for (std::size_t at = end_of_header + 1; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        std::size_t number = 0;
        Outcome outcome;
        const bool whole =
            end != std::string::npos &&
            read_journal_record(std::string_view(text).substr(at, end - at), number, outcome);
        if (whole) {
            done_.emplace(number, std::move(outcome));
        }
        damaged = damaged || !whole;
        at = end == std::string::npos ? text.size() : end + 1;
    }
    if (damaged) {
        rewrite(fingerprint);
    }
}

void Journal::rewrite(std::uint64_t fingerprint) const {
    AtomicFile file(path_);
    file.stream() << header_of(fingerprint) << '\n';
    for (const auto& [number, outcome] : done_) {
        file.stream() << journal_record(number, outcome);
    }
    file.commit();
}

void Journal::open_for_append() {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ < 0) {
        fail(path_, "write", errno);
    }
    synced_at_ = std::chrono::steady_clock::now();
}

void Journal::append(std::size_t number, const Outcome& outcome) {
    const std::string record = journal_record(number, outcome);
    for (std::size_t written = 0; written < record.size();) {
        const ssize_t part = ::write(descriptor_, record.data() + written, record.size() - written);
        if (part < 0 && errno != EINTR) {
            fail(path_, "write", errno);
        }
        written += part > 0 ? static_cast<std::size_t>(part) : 0;
    }
    done_.emplace(number, outcome);
    unsynced_ = true;
    if (std::chrono::steady_clock::now() - synced_at_ > sync_period) {
        sync();
    }
}

void Journal::sync() {
    if (unsynced_ && ::fdatasync(descriptor_) != 0) {
        fail(path_, "write", errno);
    }
    unsynced_ = false;
    synced_at_ = std::chrono::steady_clock::now();
}

}  // namespace npunet::study
