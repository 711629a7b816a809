// Random numbers and choices for tests, from a seed.
//
//     test::Draw draw(seed);
//     const std::int64_t ranks = draw.from_to(2, 16);
//     if (draw.one_in(3)) {
//         packet.buffer = Bytes(draw.any_of<std::int64_t>({4096, 65'536}));
//     }
//
// Of two draws in one expression a compiler may do either first: each that is an argument of a call
// beside another one gets a name before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace npunet::test {

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] std::int64_t from_to(std::int64_t least, std::int64_t most) {
        return least +
               static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }
    [[nodiscard]] bool one_in(std::int64_t n) { return from_to(1, n) == 1; }
    template <class Item>
    [[nodiscard]] Item any_of(std::initializer_list<Item> items) {
        return items.begin()[from_to(0, static_cast<std::int64_t>(items.size()) - 1)];
    }
    template <class Item>
    void shuffle(std::vector<Item>& items) {
        std::shuffle(items.begin(), items.end(), random_);
    }

private:
    std::mt19937_64 random_;
};

}  // namespace npunet::test
