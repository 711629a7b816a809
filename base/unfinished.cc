#include "base/unfinished.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace npunet {

namespace fs = std::filesystem;

namespace {

const std::string prefix = ".npunet-";
constexpr std::size_t digits = 32;
/// In the folder of an unfinished folder: the lock file, and the folder to write into.
constexpr const char* lock_name = "lock";
constexpr const char* files_name = "files";
constexpr const char* doomed_name = "doomed";  ///< files_name after remove_unfinished()
/// Retries: a name that is taken, or removed by another process right after creation, is rare.
constexpr int most_attempts = 100;

struct Registry {
    std::mutex mutex;
    std::set<const Unfinished*> all;
    std::set<fs::path> swept;
};

/// Never destroyed: threads may still be running when the process exits.
Registry& registry() {
    static auto* const one = new Registry;
    return *one;
}

std::string unguessable_name() {
    std::random_device random;
    std::string name = prefix;
    while (name.size() < prefix.size() + digits) {
        name += fmt::format("{:08x}", random() & 0xffffffffU);
    }
    return name;
}

bool is_such_a_name(const std::string& name) {
    return name.size() == prefix.size() + digits && name.compare(0, prefix.size(), prefix) == 0 &&
           name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string::npos;
}

/// False if another process has taken the file for a leftover and is removing it.
bool lock(int descriptor) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return false;
    }
    struct stat state {};
    return ::fstat(descriptor, &state) == 0 && state.st_nlink > 0;
}

void remove_folder(const fs::path& own) {
    // Threads that are still running may create files or folders meanwhile.
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        std::error_code ignored;
        fs::remove_all(own / files_name, ignored);
        fs::remove_all(own / doomed_name, ignored);
        if (!fs::exists(own / files_name, ignored) && !fs::exists(own / doomed_name, ignored)) {
            // Last, since the lock file marks whose folder it is.
            ::unlink((own / lock_name).c_str());
            ::rmdir(own.c_str());
            return;
        }
    }
}

void sweep_one(const fs::path& own) {
    struct stat state {};
    if (::lstat(own.c_str(), &state) != 0 || state.st_uid != ::geteuid() ||
        (!S_ISDIR(state.st_mode) && !S_ISREG(state.st_mode))) {
        return;
    }
    const bool folder = S_ISDIR(state.st_mode);
    const fs::path locked = folder ? own / lock_name : own;
    const int descriptor = ::open(locked.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        if (folder && errno == ENOENT) {
            ::rmdir(own.c_str());  // the owner died before it made the lock, or it will retry
        }
        return;
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        if (folder) {
            remove_folder(own);
        } else {
            ::unlink(own.c_str());
        }
    }
    ::close(descriptor);
}

/// Removes leftovers of killed processes.
void sweep(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> left;
    const fs::directory_iterator end;
    for (fs::directory_iterator entry(folder, error); !error && entry != end;
         entry.increment(error)) {
        if (is_such_a_name(entry->path().filename().string())) {
            left.push_back(entry->path());
        }
    }
    for (const fs::path& own : left) {
        sweep_one(own);
    }
}

bool is_within_another(const fs::path& folder) {
    return std::any_of(folder.begin(), folder.end(),
                       [](const fs::path& part) { return is_such_a_name(part.string()); });
}

[[noreturn]] void fail() {
    throw std::system_error(errno, std::generic_category());
}

}  // namespace

Unfinished::Unfinished(fs::path folder, Kind kind)
    : folder_(folder.empty() ? fs::path(".") : std::move(folder)), kind_(kind) {
    const std::lock_guard guard(registry().mutex);
    // A dangling symbolic link counts as existing.
    std::error_code ignored;
    for (fs::path missing = folder_;
         !missing.empty() && !fs::exists(fs::symlink_status(missing, ignored));
         missing = missing.parent_path()) {
        first_made_ = missing;
    }
    try {
        make();
    } catch (const std::system_error&) {
        remove_made_folders();
        throw;
    }
    registry().all.insert(this);
    const fs::path absolute = fs::absolute(folder_, ignored);
    if (!is_within_another(folder_) &&
        registry().swept.insert(absolute.empty() ? folder_ : absolute).second) {
        sweep(folder_);
    }
}

void Unfinished::make() {
    int reason = EEXIST;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        // Another process that created the folder may have removed it again.
        std::error_code error;
        fs::create_directories(folder_, error);
        if (error) {
            throw std::system_error(error);
        }
        own_ = folder_ / unguessable_name();
        if (kind_ == Kind::File ? make_file() : make_folder()) {
            return;
        }
        reason = errno;
    }
    errno = reason;
    fail();
}

bool Unfinished::make_file() {
    descriptor_ = ::open(own_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        if (errno == EEXIST || errno == ENOENT) {
            return false;
        }
        fail();
    }
    if (!lock(descriptor_)) {
        ::close(descriptor_);
        errno = EEXIST;
        return false;
    }
    path_ = own_;
    return true;
}

bool Unfinished::make_folder() {
    if (::mkdir(own_.c_str(), 0700) != 0) {
        if (errno == EEXIST || errno == ENOENT) {
            return false;
        }
        fail();
    }
    path_ = own_ / files_name;
    descriptor_ = ::open((own_ / lock_name).c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor_ < 0 && errno == ENOENT) {
        return false;
    }
    if (descriptor_ >= 0 && !lock(descriptor_)) {
        ::close(descriptor_);
        errno = EEXIST;
        return false;
    }
    if (descriptor_ < 0 || ::mkdir(path_.c_str(), 0777) != 0) {
        const int reason = errno;
        remove_folder(own_);
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        errno = reason;
        fail();
    }
    return true;
}

Unfinished::~Unfinished() {
    const std::lock_guard guard(registry().mutex);
    registry().all.erase(this);
    remove();
    ::close(descriptor_);
}

void Unfinished::remove() const {
    if (kind_ == Kind::Folder) {
        remove_folder(own_);
    } else if (!finished_) {
        ::unlink(own_.c_str());
    }
    if (!finished_) {
        remove_made_folders();
    }
}

void Unfinished::remove_made_folders() const {
    if (first_made_.empty()) {
        return;
    }
    fs::path made = folder_;
    while (::rmdir(made.c_str()) == 0 && made != first_made_) {
        made = made.parent_path();
    }
}

void Unfinished::finish(const std::function<void()>& rename) {
    const std::lock_guard guard(registry().mutex);
    rename();
    finished_ = true;
}

void remove_unfinished() {
    registry().mutex.lock();
    for (const Unfinished* const one : registry().all) {
        if (one->kind_ == Unfinished::Kind::Folder) {
            // After the rename, threads that are still writing get an error.
            std::error_code ignored;
            fs::rename(one->path_, one->own_ / doomed_name, ignored);
        }
        one->remove();
    }
}

}  // namespace npunet
