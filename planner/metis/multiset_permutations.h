// All arrangements of a multiset in cool-lex order, each from the one before by one prefix shift
// (A. Williams, Loopless generation of multiset permutations using a constant number of variables
// by prefix shifts, SODA 2009).
//
//     MultisetPermutations shifts({1, 1, 2});   // 2 1 1, 1 2 1, 1 1 2
//     do { shifts.for_each(visit); } while (shifts.next());
#pragma once

#include <cstddef>
#include <vector>

namespace npunet::planner::metis {

class MultisetPermutations {
public:
    /// At least one item; the first arrangement is the non-increasing one.
    explicit MultisetPermutations(std::vector<int> items);

    /// Goes on to the next arrangement; false after the last.
    bool next();

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (int node = head_; node != none; node = next_[at(node)]) {
            visit(value_[at(node)]);
        }
    }

private:
    static constexpr int none = -1;
    [[nodiscard]] static std::size_t at(int node) { return static_cast<std::size_t>(node); }
    [[nodiscard]] int value(int node) const { return value_[at(node)]; }
    [[nodiscard]] int& after(int node) { return next_[at(node)]; }

    // A linked list; i and j are the paper's.
    std::vector<int> value_;
    std::vector<int> next_;
    int head_ = 0;
    int i_ = 0;
    int j_ = 0;
};

}  // namespace npunet::planner::metis
