#include "chakra/feeder/sorted_runs.h"

#include <algorithm>
#include <utility>

namespace npunet::chakra {

namespace {

constexpr std::uint64_t records_of_a_block = 512;
/// So many runs of a level become one of the next.
constexpr std::size_t runs_of_a_level = 16;

}  // namespace

void SortedRuns::Run::append(const SpilledRecord& record) {
    if (count_ % records_of_a_block == 0) {
        firsts_.emplace_back(record.key, record.id);
    }
    ++count_;
    last_key_ = record.key;
    block_.push_back(record);
    if (block_.size() == records_of_a_block) {
        finish();
    }
}

void SortedRuns::Run::finish() {
    file_.append(block_.data(), block_.size() * sizeof(SpilledRecord));
    block_.clear();
}

void SortedRuns::Run::load(std::uint64_t block) {
    if (block == block_number_) {
        return;
    }
    const std::uint64_t begin = block * records_of_a_block;
    block_.resize(static_cast<std::size_t>(std::min(records_of_a_block, count_ - begin)));
    file_.read(begin * sizeof(SpilledRecord), block_.data(), block_.size() * sizeof(SpilledRecord));
    block_number_ = block;
}

const SpilledRecord& SortedRuns::Run::record(std::uint64_t number) {
    load(number / records_of_a_block);
    return block_[static_cast<std::size_t>(number % records_of_a_block)];
}

const SpilledRecord& SortedRuns::Run::current() {
    return record(next_);
}

bool SortedRuns::Run::may_have(std::uint64_t key) const {
    return count_ != 0 && firsts_.front().first <= key && key <= last_key_;
}

std::uint64_t SortedRuns::Run::find(std::uint64_t key, std::uint64_t id) {
    // The last block that begins below may end with it; later ones begin at it or above.
    const auto block = std::lower_bound(firsts_.begin(), firsts_.end(), std::pair(key, id));
    if (block == firsts_.begin()) {
        return 0;
    }
    const auto before = static_cast<std::uint64_t>(block - firsts_.begin()) - 1;
    load(before);
    const auto found = std::lower_bound(block_.begin(), block_.end(), SpilledRecord{key, id, 0});
    return before * records_of_a_block + static_cast<std::uint64_t>(found - block_.begin());
}

void SortedRuns::add(std::vector<SpilledRecord> records) {
    if (records.empty()) {
        return;
    }
    std::sort(records.begin(), records.end());
    Run run(folder_, 0);
    for (const SpilledRecord& record : records) {
        run.append(record);
    }
    run.finish();
    size_ += records.size();
    runs_.push_back(std::move(run));
    merge_full_levels();
}

void SortedRuns::merge_full_levels() {
    while (true) {
        const unsigned level = runs_.back().level();
        const auto begin = std::find_if(runs_.begin(), runs_.end(),
                                        [&](const Run& run) { return run.level() == level; });
        if (static_cast<std::size_t>(runs_.end() - begin) < runs_of_a_level) {
            return;
        }
        const auto place = static_cast<std::size_t>(begin - runs_.begin());
        Run one = merged(place, level + 1);
        runs_.erase(begin, runs_.end());
        runs_.push_back(std::move(one));
    }
}

SortedRuns::Run SortedRuns::merged(std::size_t begin, unsigned level) {
    Run result(folder_, level);
    while (true) {
        Run* lowest = nullptr;
        for (std::size_t i = begin; i < runs_.size(); ++i) {
            Run& run = runs_[i];
            if (!run.at_end() && (lowest == nullptr || run.current() < lowest->current())) {
                lowest = &run;
            }
        }
        if (lowest == nullptr) {
            break;
        }
        result.append(lowest->current());
        lowest->advance();
    }
    result.finish();
    return result;
}

std::optional<SpilledRecord> SortedRuns::first() {
    std::optional<SpilledRecord> lowest;
    for (Run& run : runs_) {
        if (!run.at_end() && (!lowest || run.current() < *lowest)) {
            lowest = run.current();
        }
    }
    return lowest;
}

void SortedRuns::drop_first() {
    Run* lowest = nullptr;
    for (Run& run : runs_) {
        if (!run.at_end() && (lowest == nullptr || run.current() < lowest->current())) {
            lowest = &run;
        }
    }
    lowest->advance();
    --size_;
    if (lowest->at_end()) {
        runs_.erase(runs_.begin() + (lowest - runs_.data()));
    }
}

void SortedRuns::take(std::uint64_t key, std::uint64_t from_id, std::size_t most,
                      std::vector<SpilledRecord>& records) {
    struct Place {
        Run* run;
        std::uint64_t number;
        [[nodiscard]] const SpilledRecord& record() const { return run->record(number); }
    };
    std::vector<Place> places;
    const auto has_ended = [key](const Place& place) {
        return place.number == place.run->count() || place.record().key != key;
    };
    for (Run& run : runs_) {
        const Place place{&run, run.may_have(key) ? run.find(key, from_id) : run.count()};
        if (!has_ended(place)) {
            places.push_back(place);
        }
    }
    for (std::size_t taken = 0; taken < most && !places.empty(); ++taken) {
        const auto lowest = std::min_element(
            places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.record() < b.record(); });
        records.push_back(lowest->record());
        --size_;
        ++lowest->number;
        if (has_ended(*lowest)) {
            places.erase(lowest);
        }
    }
    if (size_ == 0) {
        runs_.clear();
    }
}

}  // namespace npunet::chakra
