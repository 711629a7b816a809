// Values that are expensive to make, made once and shared by threads.
//
//     SharedCache<Workload> cache(4);
//     std::shared_ptr<const Workload> workload = cache.get(key, [&] { return load(key); });
//
// The value of a key is made by whoever asks first; others wait for it. What was asked for least
// recently is let go when there are more than `most` values; those in use live on with their users.
// When making a value fails, everybody who waited gets the exception, and the next one tries anew.
#pragma once

#include <cstddef>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace npunet::study {

template <class T>
class SharedCache {
public:
    explicit SharedCache(std::size_t most) : most_(most) {}

    template <class Make>
    [[nodiscard]] std::shared_ptr<const T> get(const std::string& key, const Make& make) {
        std::promise<std::shared_ptr<const T>> promise;
        std::unique_lock<std::mutex> lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            if (entry->first == key) {
                entries_.splice(entries_.begin(), entries_, entry);
                const Future future = entry->second;
                lock.unlock();
                return future.get();
            }
        }
        entries_.emplace_front(key, promise.get_future().share());
        if (entries_.size() > most_) {
            entries_.pop_back();
        }
        lock.unlock();
        try {
            auto value = std::make_shared<const T>(make());
            promise.set_value(value);
            return value;
        } catch (...) {
            promise.set_exception(std::current_exception());
            lock.lock();
            entries_.remove_if([&](const auto& entry) { return entry.first == key; });
            throw;
        }
    }

private:
    using Future = std::shared_future<std::shared_ptr<const T>>;

    std::mutex mutex_;
    std::list<std::pair<std::string, Future>> entries_;  ///< most recently used first
    std::size_t most_;
};

}  // namespace npunet::study
