// A set of numbers that is walked in the order in which GNU's standard library walks its unordered
// containers of integers, whatever library this program is built with.
//
// Simulators that walk such a container give results that depend on its order: the dialect
// astra-sim-2025-03 reproduces one of them. Nothing else should use this.
//
// The rule: an element belongs to the bucket key mod B. All elements stand in one list in which
// those of a bucket are neighbours. An insertion into an empty bucket goes to the front of the
// list, into another one to the front of that bucket's elements. When the size would pass B, B
// grows (bucket_counts()) and all elements are inserted again in the order of the list. An erasure
// leaves the order and B as they are, and a copy has the same order.
//
//     HashWalk walk;
//     walk.insert(7, 0);
//     for (auto i = walk.first(); i != HashWalk::end; i = walk.next(i)) { use(walk.key(i)); }
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::engine {

class HashWalk {
public:
    /// Position of an element; stays valid until the element is erased.
    using Position = std::uint32_t;
    static constexpr Position end = 0xffffffff;

    HashWalk();

    /// Adds a key with a value of the caller's; false when the key is there already, whose value
    /// then stays.
    bool insert(std::uint64_t key, std::uint32_t value);
    /// Removes a key that must be there and returns its value.
    std::uint32_t erase(std::uint64_t key);
    [[nodiscard]] bool contains(std::uint64_t key) const { return find(key) != end; }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t buckets() const { return first_of_bucket_.size(); }

    /// The numbers of buckets that a set goes through as it grows, ascending.
    [[nodiscard]] static const std::vector<std::uint32_t>& bucket_counts();

    [[nodiscard]] Position first() const { return front_; }
    [[nodiscard]] Position next(Position at) const { return elements_[at].next; }
    [[nodiscard]] std::uint64_t key(Position at) const { return elements_[at].key; }
    [[nodiscard]] std::uint32_t value(Position at) const { return elements_[at].value; }

private:
    struct Element {
        std::uint64_t key;
        std::uint32_t value;
        Position previous;
        Position next;
    };

    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const { return key % buckets(); }
    [[nodiscard]] Position find(std::uint64_t key) const;
    void link(Position at);
    void unlink(Position at);
    void grow();

    std::vector<Element> elements_;
    std::vector<Position> free_;
    std::vector<Position> first_of_bucket_;
    Position front_ = end;
    std::size_t size_ = 0;
};

}  // namespace npunet::engine
