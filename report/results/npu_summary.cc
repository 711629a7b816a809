#include "report/results/npu_summary.h"

#include <fmt/format.h>

#include <map>

namespace npunet::report {

std::vector<NpuClass> npu_classes(const engine::Results& results) {
    std::map<std::int32_t, NpuClass> by_number;
    for (const engine::NpuResult& npu : results.npus) {
        NpuClass& members = by_number[npu.npu_class];
        members.number = npu.npu_class;
        members.ranks.push_back(npu.rank);
        if (members.slowest == nullptr || members.slowest->finish < npu.finish) {
            members.slowest = &npu;
        }
    }
    std::vector<NpuClass> classes;
    classes.reserve(by_number.size());
    for (auto& [number, members] : by_number) {
        classes.push_back(std::move(members));
    }
    return classes;
}

std::string format_ranks(const std::vector<Rank>& ranks, std::size_t width) {
    std::string text;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1].value() == ranks[last].value() + 1) {
            ++last;
        }
        const std::string range =
            first == last ? fmt::format("{}", ranks[first].value())
                          : fmt::format("{}-{}", ranks[first].value(), ranks[last].value());
        if (first > 0 && text.size() + 2 + range.size() > width) {
            return text + fmt::format(", ... ({} ranks)", ranks.size());
        }
        text += (first > 0 ? ", " : "") + range;
        first = last + 1;
    }
    return text;
}

}  // namespace npunet::report
