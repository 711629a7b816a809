#include "planner/metis/search.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "base/thread_pool.h"
#include "planner/metis/group_arrangements.h"
#include "planner/metis/inter_stage.h"
#include "planner/metis/strategy_search.h"

namespace npunet::planner::metis {

namespace {

/// Device groups of several visits, arrangement after arrangement.
class Arrangements {
public:
    Arrangements(const SearchTables& tables, std::vector<Visit> visits)
        : tables_(&tables), visits_(std::move(visits)) {}

    /// False when there is no further one.
    bool next(std::vector<std::uint8_t>& logs) {
        while (next_visit_ <= visits_.size()) {
            if (groups_ && groups_->next(logs)) {
                return true;
            }
            if (next_visit_ == visits_.size()) {
                return false;
            }
            groups_.emplace(tables_->cluster().devices(), visits_[next_visit_].stages,
                            tables_->arguments());
            ++next_visit_;
        }
        return false;
    }
    /// Of the last arrangement.
    [[nodiscard]] const Visit& visit() const { return visits_[next_visit_ - 1]; }
    [[nodiscard]] const std::vector<Visit>& visits() const { return visits_; }

private:
    const SearchTables* tables_;
    std::vector<Visit> visits_;
    std::size_t next_visit_ = 0;
    std::optional<GroupArrangements> groups_;
};

/// A batch of arrangements that threads share.
struct Batch {
    struct Item {
        Visit visit;
        std::size_t logs;
        std::size_t stages;
    };
    std::vector<Item> items;
    std::vector<std::uint8_t> logs;
};

/// Searches lent to threads, one each at a time.
class LentSearches {
public:
    explicit LentSearches(const SearchTables& tables) : tables_(&tables) {}

    std::unique_ptr<StrategySearch> take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (free_.empty()) {
            return std::make_unique<StrategySearch>(*tables_);
        }
        std::unique_ptr<StrategySearch> one = std::move(free_.back());
        free_.pop_back();
        return one;
    }
    void give_back(std::unique_ptr<StrategySearch> one) {
        const std::lock_guard<std::mutex> lock(mutex_);
        free_.push_back(std::move(one));
    }

private:
    const SearchTables* tables_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<StrategySearch>> free_;
};

}  // namespace

class Search {
public:
    Search(const Inputs& inputs, const Arguments& arguments)
        : tables_(std::make_shared<const SearchTables>(inputs, arguments)),
          arrangements_(*tables_, visits(tables_->cluster().devices(),
                                         static_cast<std::int64_t>(tables_->sequences().size()),
                                         tables_->arguments())),
          searches_(*tables_),
          result_(tables_) {}

    SearchResult run(const Progress& progress) {
        const std::uint64_t total = progress ? plans_to_visit() : 0;
        while (fill()) {
            work();
            if (progress && !progress(result_.inter_stage_plans_, total)) {
                result_.stopped_ = !last_batch_;
                break;
            }
        }
        if (keep() != 0 && result_.size() > keep()) {
            result_.keep_best(keep());
        }
        return std::move(result_);
    }

private:
    static constexpr std::size_t batch_size = 1024;  ///< arrangements between two reports
    static constexpr std::size_t piece_size = 16;    ///< arrangements a thread takes at once

    [[nodiscard]] std::size_t keep() const { return tables_->arguments().keep; }

    [[nodiscard]] std::uint64_t plans_to_visit() const {
        constexpr std::uint64_t most = std::uint64_t{1} << 50;
        std::uint64_t total = 0;
        for (const Visit& visit : arrangements_.visits()) {
            total += arrangement_count(tables_->cluster().devices(), visit.stages,
                                       tables_->arguments(), most);
            if (total > most) {
                return 0;
            }
        }
        return total * tables_->batches().size();
    }

    bool fill() {
        batch_.items.clear();
        batch_.logs.clear();
        std::vector<std::uint8_t> logs;
        last_batch_ = false;
        while (batch_.items.size() < batch_size) {
            if (!arrangements_.next(logs)) {
                last_batch_ = true;
                break;
            }
            batch_.items.push_back({arrangements_.visit(), batch_.logs.size(), logs.size()});
            batch_.logs.insert(batch_.logs.end(), logs.begin(), logs.end());
        }
        return !batch_.items.empty();
    }

    void work() {
        const std::size_t pieces = (batch_.items.size() + piece_size - 1) / piece_size;
        std::vector<Found> found(pieces);
        const double limit = limit_;
        const auto piece = [&](std::size_t number) {
            std::unique_ptr<StrategySearch> one = searches_.take();
            const std::size_t first = number * piece_size;
            const std::size_t end = std::min(first + piece_size, batch_.items.size());
            for (std::size_t i = first; i < end; ++i) {
                const Batch::Item& item = batch_.items[i];
                one->arrange(item.visit, &batch_.logs[item.logs], item.stages);
                for (std::size_t b = 0; b < tables_->batches().size(); ++b) {
                    one->run(b, found[number], limit);
                }
            }
            found[number].plans.shrink();
            searches_.give_back(std::move(one));
        };
        for_each_in_parallel(pieces, piece, tables_->arguments().threads);
        result_.inter_stage_plans_ += batch_.items.size() * tables_->batches().size();
        for (Found& each : found) {
            take(each);
        }
    }

    void take(Found& found) {
        result_.steps_ += found.steps;
        result_.costed_ += found.costed;
        result_.dropped_ += found.dropped;
        result_.add(std::move(found.plans));
        // Plans no better than so many found before them can be left out from now on.
        if (keep() != 0 && result_.size() >= 2 * keep() + batch_size) {
            result_.keep_best(keep());
            limit_ = result_.cost(result_.best(keep()).back());
        }
    }

    std::shared_ptr<const SearchTables> tables_;
    Arrangements arrangements_;
    LentSearches searches_;
    SearchResult result_;
    Batch batch_;
    bool last_batch_ = false;
    double limit_ = std::numeric_limits<double>::infinity();
};

SearchResult search(const Inputs& inputs, const Arguments& arguments, const Progress& progress) {
    return Search(inputs, arguments).run(progress);
}

}  // namespace npunet::planner::metis
