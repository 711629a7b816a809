#include "memory_watch.h"

#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

#include "fuzz_target.h"

#ifdef NPUNET_LIBFUZZER
#include <sanitizer/allocator_interface.h>
#endif

namespace npunet::fuzz {

namespace {

std::atomic<bool> watching{false};
std::atomic<long long> live{0};  // since the watch began: what was there before may be freed
std::atomic<long long> peak{0};
std::atomic<long long> most{std::numeric_limits<long long>::max()};

void note_allocated(std::size_t bytes) {
    if (!watching) {
        return;
    }
    const long long now = live += static_cast<long long>(bytes);
    if (now > peak) {
        peak = now;
#ifdef NPUNET_LIBFUZZER
        if (now > most) {
            watching = false;
            std::fprintf(stderr, "memory: %lld bytes allocated, at most %lld expected\n", now,
                         most.load());
            std::abort();
        }
#endif
    }
}

void note_freed(std::size_t bytes) {
    if (watching) {
        live -= static_cast<long long>(bytes);
    }
}

#ifdef NPUNET_LIBFUZZER
const bool hooked = [] {
    return __sanitizer_install_malloc_and_free_hooks(
               [](const volatile void*, std::size_t bytes) { note_allocated(bytes); },
               [](const volatile void* at) {
                   if (at != nullptr) {
                       note_freed(__sanitizer_get_allocated_size(const_cast<const void*>(at)));
                   }
               }) != 0;
}();
#endif

}  // namespace

MemoryWatch::MemoryWatch(std::size_t limit) {
    live = 0;
    peak = 0;
    most = static_cast<long long>(limit);
    watching = true;
}

MemoryWatch::~MemoryWatch() {
    watching = false;
}

void MemoryWatch::check() const {
    if (peak > most) {
        throw FuzzFailure("memory: " + std::to_string(peak) + " bytes allocated, at most " +
                          std::to_string(most) + " expected");
    }
}

}  // namespace npunet::fuzz

#ifndef NPUNET_LIBFUZZER
// The program's own operators, for the count; those for aligned types are not used by readers, and
// those for arrays call these.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    void* const at = std::malloc(bytes == 0 ? 1 : bytes);
    if (at != nullptr) {
        npunet::fuzz::note_allocated(malloc_usable_size(at));
    }
    return at;
}

void* operator new(std::size_t bytes) {
    void* const at = operator new(bytes, std::nothrow);
    if (at == nullptr) {
        throw std::bad_alloc();
    }
    return at;
}

void operator delete(void* at) noexcept {
    if (at != nullptr) {
        npunet::fuzz::note_freed(malloc_usable_size(at));
        std::free(at);
    }
}

void operator delete(void* at, std::size_t) noexcept {
    operator delete(at);
}
#endif
