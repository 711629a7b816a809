// A machine that grants only a few threads.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NPUNET_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NPUNET_TEST_SANITIZED 1
#endif
#endif

namespace npunet::test {

/// While it lives, a thread has a stack of a GiB, and the process may have so many GiB more, and a
/// half for everything else.
class FewThreads {
public:
    explicit FewThreads(std::size_t threads) {
#ifdef NPUNET_TEST_SANITIZED
        possible_ = false;  // sanitizers need address space of their own
#endif
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        possible_ = possible_ && pages > 0 && ::getrlimit(RLIMIT_AS, &before_) == 0;
        if (!possible_) {
            return;
        }
        pthread_getattr_default_np(&usual_);
        pthread_attr_t large;
        pthread_attr_init(&large);
        pthread_attr_setstacksize(&large, stack);
        pthread_setattr_default_np(&large);
        pthread_attr_destroy(&large);
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const rlimit small{pages * page + threads * stack + stack / 2, before_.rlim_max};
        possible_ = ::setrlimit(RLIMIT_AS, &small) == 0;
    }
    ~FewThreads() {
        if (possible_) {
            ::setrlimit(RLIMIT_AS, &before_);
            pthread_setattr_default_np(&usual_);
        }
    }
    FewThreads(const FewThreads&) = delete;
    FewThreads& operator=(const FewThreads&) = delete;

    [[nodiscard]] bool possible() const {
        return possible_;
    }

private:
    static constexpr std::size_t stack = std::size_t{1} << 30;

    bool possible_ = true;
    rlimit before_{};
    pthread_attr_t usual_{};
};

}  // namespace npunet::test
