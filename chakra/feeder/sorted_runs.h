// Records in order, more of them than memory holds: sorted runs on disk, merged before there are
// many (a log-structured merge tree that knows two ways of asking). For the sources of chakra
// only.
//
//     SortedRuns waiting(folder);
//     waiting.add(std::move(records));                 // one run
//     waiting.take(7, 0, 1000, records);               // those with key 7, at most 1000
//
// Memory: a block of each of at most some 60 runs, and 16 bytes for every 512 records. Each record
// is written once for every 16-fold of records there are beyond the first run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "chakra/feeder/spill_file.h"

namespace npunet::chakra {

struct SpilledRecord {
    std::uint64_t key = 0;    ///< what records are ordered by and looked up by
    std::uint64_t id = 0;     ///< the order of records with one key
    std::uint64_t value = 0;  ///< carried along
};

inline bool operator<(const SpilledRecord& a, const SpilledRecord& b) {
    return a.key != b.key ? a.key < b.key : a.id < b.id;
}

class SortedRuns {
public:
    /// Temporary files go to `folder`.
    explicit SortedRuns(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Adds a run; sorts the records.
    void add(std::vector<SpilledRecord> records);

    /// The first record of all; empty when there is none. Not to be mixed with take().
    [[nodiscard]] std::optional<SpilledRecord> first();
    void drop_first();

    /// Appends records of this key to `records`, those with the lowest ids from `from_id` on, at
    /// most so many. Each is to be asked for once; what was asked for may be forgotten.
    void take(std::uint64_t key, std::uint64_t from_id, std::size_t most,
              std::vector<SpilledRecord>& records);

    [[nodiscard]] std::uint64_t size() const { return size_; }

private:
    /// One sorted run on disk.
    class Run {
    public:
        Run(const std::filesystem::path& folder, unsigned level) : file_(folder), level_(level) {}

        void append(const SpilledRecord& record);
        void finish();
        [[nodiscard]] bool at_end() const { return next_ == count_; }
        [[nodiscard]] const SpilledRecord& current();
        void advance() { ++next_; }
        [[nodiscard]] std::uint64_t left() const { return count_ - next_; }
        [[nodiscard]] unsigned level() const { return level_; }
        /// Whether a record with this key can be in it.
        [[nodiscard]] bool may_have(std::uint64_t key) const;
        /// The number of the first record whose key, or with that key whose id, is not below.
        [[nodiscard]] std::uint64_t find(std::uint64_t key, std::uint64_t id);
        [[nodiscard]] const SpilledRecord& record(std::uint64_t number);
        [[nodiscard]] std::uint64_t count() const { return count_; }

    private:
        void load(std::uint64_t block);

        SpillFile file_;
        unsigned level_;
        std::uint64_t count_ = 0;
        std::uint64_t next_ = 0;
        std::uint64_t last_key_ = 0;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> firsts_;  // keys and ids, by block
        std::vector<SpilledRecord> block_;                             // the one in memory
        std::uint64_t block_number_ = ~std::uint64_t{0};
    };

    void merge_full_levels();
    [[nodiscard]] Run merged(std::size_t begin, unsigned level);

    std::filesystem::path folder_;
    std::vector<Run> runs_;  // by level, descending
    std::uint64_t size_ = 0;
};

}  // namespace npunet::chakra
