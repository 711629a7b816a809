// Goes through the state of something that is simulated, always in the same order: to describe it,
// to compare it with an earlier description, or, when both are equal but for their times, to move
// it on by whole periods. What has state has one function for all three, so that what is
// described is what is moved.
//
//     void Port::scan(StateScan& scan) {
//         scan.same(in_flight_);
//         scan.ahead(busy_until_);
//         scan.count(packets_);
//     }
//
// Two equal descriptions promise the same future, as much later as the second was taken later:
// times are relative to the instant, sequence numbers to the progress of their flow, and what
// cannot make a difference any more counts as 0. Counts are no part of it; they grow in each period
// by as much as in the one before.
//
// C++17-clean: reached from the ns-3 module. Times in picoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace npunet::engine {

/// A state at one instant, as StateScan describes it.
struct StateSample {
    std::int64_t at = 0;                  ///< when it was taken
    std::vector<std::int64_t> words;      ///< what decides; equal where states are
    std::vector<std::int64_t> lasting;    ///< times that stay where they are or move along
    std::vector<std::uint64_t> progress;  ///< of each flow
    std::vector<std::int64_t> counts;     ///< what has been counted, where that is wanted
};

/// How far a flow has come: its sequence numbers are meant relative to it.
struct FlowProgress {
    std::uint64_t base = 0;  ///< describing: number that others are relative to
    std::uint64_t step = 0;  ///< moving: by how much all of them grow
};

class StateScan {
public:
    /// A time that never comes.
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    /// Describes the state at `now` in `sample`, which is overwritten; `counts`: whether these are
    /// wanted.
    StateScan(StateSample& sample, std::int64_t now, bool counts) : StateScan(sample, now) {
        counts_ = counts;
        sample_->words.clear();
    }
    /// Compares the state at `now` with an earlier one; `sample` is overwritten, but for its words.
    StateScan(const StateSample& earlier, StateSample& sample, std::int64_t now, bool counts)
        : StateScan(sample, now) {
        counts_ = counts;
        earlier_ = &earlier;
    }
    /// Moves the state on: `earlier` has counts, `present` equals it and is of the state as it
    /// still is. What is between them happens so many times more.
    StateScan(const StateSample& earlier, StateSample& present, std::int64_t periods)
        : at_(present.at),
          earlier_(&earlier),
          sample_(&present),
          counts_(true),
          moves_(true),
          periods_(periods),
          by_(periods * (present.at - earlier.at)) {}

    /// When the state is.
    [[nodiscard]] std::int64_t at() const { return at_; }
    /// Whether the state is moved on.
    [[nodiscard]] bool moves() const { return moves_; }
    /// Moving: by how much.
    [[nodiscard]] std::int64_t by() const { return by_; }
    /// The state is known to be another one, or one that no other equals.
    [[nodiscard]] bool differs() const { return differs_; }
    /// Comparing, when all was gone through: the state is the same.
    [[nodiscard]] bool equals() const {
        return !differs_ && word_ == earlier_->words.size() && lasting_ == earlier_->lasting.size();
    }
    /// Words that were looked at.
    [[nodiscard]] std::size_t size() const { return word_ + count_; }

    /// There is something that cannot be compared.
    void refuse() { differs_ = true; }

    /// Decides, and stays as it is.
    void same(std::int64_t value) {
        if (moves_) {
            return;
        }
        if (earlier_ == nullptr) {
            sample_->words.push_back(value);
        } else if (word_ >= earlier_->words.size() || earlier_->words[word_] != value) {
            differs_ = true;
        }
        ++word_;
    }

    /// Decides, bit by bit.
    void same(double value) {
        std::int64_t bits = 0;
        static_assert(sizeof(bits) == sizeof(value));
        std::memcpy(&bits, &value, sizeof(bits));
        same(bits);
    }

    /// A value that is not looked at before there is another cause; it must be moved on by its
    /// owner where there has been none. `causes`: how many there were, counted besides.
    void fading(double value, std::int64_t causes) {
        const bool differed = differs_;
        same(value);
        const bool differs = differs_;
        differs_ = false;
        same(causes);
        differs_ = differed || (differs && differs_);
    }

    /// A time, past or not, or never.
    void instant(std::int64_t& time) {
        if (moves_) {
            time += time == never ? 0 : by_;
            return;
        }
        same(time == never ? never : time - at_);
    }

    /// A time that makes no difference any more when it is past.
    void ahead(std::int64_t& time) {
        const bool ahead = time > at_;
        if (moves_) {
            time += ahead ? by_ : 0;
            return;
        }
        same(ahead ? time - at_ : 0);
    }

    /// A past time that stays where it is throughout a period, or moves along.
    void lasting(std::int64_t& time) {
        const std::size_t place = lasting_++;
        if (moves_) {
            time += periods_ * (sample_->lasting[place] - earlier_->lasting[place]);
            return;
        }
        sample_->lasting.push_back(time);
        if (earlier_ != nullptr) {
            differs_ = differs_ || place >= earlier_->lasting.size() ||
                       (time != earlier_->lasting[place] &&
                        time - earlier_->lasting[place] != at_ - earlier_->at);
        }
    }

    /// A sequence number of a flow.
    template <class Number>
    void sequence(Number& number, const FlowProgress& progress) {
        if (moves_) {
            number += static_cast<Number>(progress.step);
            return;
        }
        same(static_cast<std::int64_t>(static_cast<std::uint64_t>(number) - progress.base));
    }

    /// A sequence number that makes no difference below a limit: another number of the flow, before
    /// it is moved on.
    void sequence_from(std::uint64_t& number, std::uint64_t limit, const FlowProgress& progress) {
        if (moves_) {
            number += number > limit ? progress.step : 0;
            return;
        }
        same(static_cast<std::int64_t>((number > limit ? number : limit) - progress.base));
    }

    /// Grows from period to period by the same.
    template <class Number>
    void count(Number& count) {
        if (!counts_) {
            return;
        }
        const std::size_t place = count_++;
        if (moves_) {
            count +=
                static_cast<Number>(periods_ * (sample_->counts[place] - earlier_->counts[place]));
            return;
        }
        sample_->counts.push_back(static_cast<std::int64_t>(count));
    }

    /// Once for each flow, in the same order: how far it has come, a number that never decreases
    /// and is not moved on. Moving: by how much it grows.
    std::uint64_t progress(std::uint64_t progress) {
        const std::size_t place = flow_++;
        if (moves_) {
            return static_cast<std::uint64_t>(periods_) *
                   (sample_->progress[place] - earlier_->progress[place]);
        }
        sample_->progress.push_back(progress);
        return 0;
    }

private:
    StateScan(StateSample& sample, std::int64_t now) : at_(now), sample_(&sample) {
        sample.at = now;
        sample.lasting.clear();
        sample.progress.clear();
        sample.counts.clear();
    }

    std::int64_t at_;
    const StateSample* earlier_ = nullptr;  ///< to compare with
    StateSample* sample_;                   ///< of this state
    bool counts_ = false;                   ///< counts are wanted
    bool moves_ = false;
    bool differs_ = false;
    std::int64_t periods_ = 0;  ///< by which the state is moved on
    std::int64_t by_ = 0;       ///< the same, in picoseconds
    std::size_t word_ = 0;      ///< place of the next one
    std::size_t lasting_ = 0;   ///< place of the next one
    std::size_t flow_ = 0;      ///< place of the next one
    std::size_t count_ = 0;     ///< place of the next one
};

}  // namespace npunet::engine
