#include "generators/megatron/traffic/python_set_order.h"

#include <algorithm>
#include <iterator>

namespace npunet::generators::megatron {

namespace {

/// Combines the hashes of a tuple's items.
class TupleHash {
public:
    void add(std::uint64_t lane) {
        sum_ += lane * 14029467366897019727U;
        sum_ = (sum_ << 31U) | (sum_ >> 33U);
        sum_ *= 11400714785074694791U;
        ++items_;
    }

    [[nodiscard]] std::uint64_t value() const {
        const std::uint64_t hash = sum_ + (items_ ^ (start ^ 3527539U));
        return hash == ~std::uint64_t{0} ? 1546275796U : hash;
    }

private:
    static constexpr std::uint64_t start = 2870177450012600261U;
    std::uint64_t sum_ = start;
    std::uint64_t items_ = 0;
};

std::uint64_t hash_of_pair(Rank from, Rank to) {
    TupleHash hash;
    hash.add(static_cast<std::uint64_t>(from.value()));
    hash.add(static_cast<std::uint64_t>(to.value()));
    return hash.value();
}

/// The slots of a set without removals.
class SetTable {
public:
    explicit SetTable(const std::vector<std::uint64_t>& hashes) : hashes_(hashes) {
        for (std::size_t item = 0; item < hashes.size(); ++item) {
            place(item);
            ++used_;
            if (used_ * 5 >= (slots_.size() - 1) * 3) {
                grow();
            }
        }
    }

    [[nodiscard]] std::vector<std::size_t> items() const {
        std::vector<std::size_t> all;
        std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(all),
                     [](std::size_t item) { return item != none; });
        return all;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    static constexpr std::size_t neighbours = 9;  ///< looked at before jumping on
    static constexpr std::size_t large = 50000;   ///< from here on the table grows more slowly

    void place(std::size_t item) {
        const std::size_t mask = slots_.size() - 1;
        std::uint64_t perturbation = hashes_[item];
        std::size_t slot = perturbation & mask;
        while (true) {
            const std::size_t last = slot + neighbours <= mask ? slot + neighbours : slot;
            for (std::size_t i = slot; i <= last; ++i) {
                if (slots_[i] == none) {
                    slots_[i] = item;
                    return;
                }
            }
            perturbation >>= 5U;
            slot = (slot * 5 + 1 + perturbation) & mask;
        }
    }

    /// To the smallest power of two above four times what is in use.
    void grow() {
        const std::size_t least = used_ > large ? used_ * 2 : used_ * 4;
        std::size_t size = 8;
        while (size <= least) {
            size *= 2;
        }
        const std::vector<std::size_t> old = items();
        slots_.assign(size, none);
        for (const std::size_t item : old) {
            place(item);
        }
    }

    const std::vector<std::uint64_t>& hashes_;
    std::vector<std::size_t> slots_ = std::vector<std::size_t>(8, none);
    std::size_t used_ = 0;
};

}  // namespace

std::uint64_t python_hash(const Permutation& permutation) {
    TupleHash hash;
    for (const auto& [from, to] : permutation) {
        hash.add(hash_of_pair(from, to));
    }
    return hash.value();
}

std::vector<std::size_t> python_set_order(const std::vector<Permutation>& permutations) {
    std::vector<std::uint64_t> hashes(permutations.size());
    std::transform(permutations.begin(), permutations.end(), hashes.begin(), python_hash);
    return python_set_order_of_hashes(hashes);
}

std::vector<std::size_t> python_set_order_of_hashes(const std::vector<std::uint64_t>& hashes) {
    return SetTable(hashes).items();
}

}  // namespace npunet::generators::megatron
