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

/// Draws from a generator that others draw from, too.
class DrawFrom {
public:
    explicit DrawFrom(std::mt19937_64& random) : random_(random) {}

    [[nodiscard]] std::int64_t from_to(std::int64_t least, std::int64_t most) {
        return least +
               static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }
    [[nodiscard]] std::int64_t below(std::int64_t bound) { return from_to(0, bound - 1); }
    [[nodiscard]] bool one_in(std::int64_t n) { return below(n) == 0; }
    template <class Item>
    [[nodiscard]] Item any_of(std::initializer_list<Item> items) {
        return items.begin()[below(static_cast<std::int64_t>(items.size()))];
    }
    template <class Item>
    void shuffle(std::vector<Item>& items) {
        std::shuffle(items.begin(), items.end(), random_);
    }

private:
    std::mt19937_64& random_;
};

/// Draws from a generator of its own.
class Draw : private std::mt19937_64, public DrawFrom {
public:
    explicit Draw(std::uint64_t seed)
        : std::mt19937_64(seed), DrawFrom(static_cast<std::mt19937_64&>(*this)) {}
    Draw(const Draw&) = delete;
    Draw& operator=(const Draw&) = delete;
};

}  // namespace npunet::test
