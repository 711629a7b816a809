#include "engine/npu/rank_record.h"

#include <utility>

namespace npunet::engine {

void exchange_records(const Workload& workload, const Largest& largest,
                      std::vector<RankRecord>& records) {
    // Times are never negative, so that zero stands for what another process knows.
    std::vector<std::int64_t> values;
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        RankRecord& record = records[rank];
        const std::size_t operations = workload.program(Rank(rank)).operations.size();
        for (std::vector<Time>* times : {&record.start, &record.end, &record.communication_from}) {
            times->resize(operations);
            for (const Time time : *times) {
                values.push_back(time.ps());
            }
        }
        values.push_back(record.finish.ps());
    }
    values = largest(std::move(values));
    auto value = values.begin();
    for (RankRecord& record : records) {
        for (std::vector<Time>* times : {&record.start, &record.end, &record.communication_from}) {
            for (Time& time : *times) {
                time = Time::ps(*value++);
            }
        }
        record.finish = Time::ps(*value++);
    }
}

}  // namespace npunet::engine
