#include "sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace npunet::planner::metis {

namespace {

using Word = std::uint32_t;

/// The first 32 bits of the fractions of a root of the first primes.
template <std::size_t count>
std::array<Word, count> fractions(long double (*root)(long double)) {
    std::array<Word, count> words{};
    std::size_t found = 0;
    for (int number = 2; found < count; ++number) {
        bool prime = true;
        for (int divisor = 2; divisor * divisor <= number; ++divisor) {
            prime = prime && number % divisor != 0;
        }
        if (prime) {
            const long double value = root(static_cast<long double>(number));
            words[found++] = static_cast<Word>((value - std::floor(value)) * 4294967296.0L);
        }
    }
    return words;
}

void compress(std::array<Word, 8>& hash, const unsigned char* block) {
    static const auto constants = fractions<64>(std::cbrt);
    std::array<Word, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t byte = 0; byte < 4; ++byte) {
            w[i] = w[i] << 8 | block[4 * i + byte];
        }
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const Word a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        const Word b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    auto [a, b, c, d, e, f, g, h] = hash;
    for (std::size_t i = 0; i < 64; ++i) {
        const Word s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const Word t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        const Word s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const Word t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<Word, 8> added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) {
        hash[i] += added[i];
    }
}

}  // namespace

std::string sha256(std::string_view text) {
    auto hash = fractions<8>(std::sqrt);
    std::string padded(text);
    padded += '\x80';
    padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8, '\0');
    for (int shift = 56; shift >= 0; shift -= 8) {
        padded += static_cast<char>(text.size() * 8 >> shift & 0xFFU);
    }
    for (std::size_t block = 0; block < padded.size(); block += 64) {
        compress(hash, reinterpret_cast<const unsigned char*>(padded.data()) + block);
    }
    std::string digits;
    for (const Word word : hash) {
        digits += fmt::format("{:08x}", word);
    }
    return digits;
}

}  // namespace npunet::planner::metis
