#include "base/threads.h"

#include <new>
#include <system_error>

namespace npunet {

std::vector<std::thread> start_threads(std::size_t wanted, const std::function<void()>& work) {
    std::vector<std::thread> threads;
    threads.reserve(wanted);
    try {
        while (threads.size() < wanted) {
            threads.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // The limit of threads, or no room for a stack.
        return threads;
    } catch (const std::bad_alloc&) {
        return threads;
    }
    return threads;
}

}  // namespace npunet
