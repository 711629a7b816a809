// Damage for tests of readers: a few bytes changed, inserted, removed or cut off.
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace npunet::chakra {

/// `bytes` after one or two random changes.
template <class Random>
std::string mutated(std::string bytes, Random& random) {
    const auto below = [&](std::size_t limit) {
        return static_cast<std::size_t>(random() % limit);
    };
    for (std::size_t changes = 1 + below(2); changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = below(bytes.size());
        const char byte = static_cast<char>(below(256));
        switch (below(5)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes[at] = byte;
                break;
            case 2:
                bytes.insert(at, 1, byte);
                break;
            case 3:
                bytes.erase(at, 1 + below(8));
                break;
            default:
                bytes.resize(at);
        }
    }
    return bytes;
}

}  // namespace npunet::chakra
