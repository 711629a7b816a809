#include "analysis/patterns.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_document.h"
#include "base/suggest.h"

namespace npunet::analysis {

namespace {

constexpr std::array<std::string_view, mark_count> keys = {
    "kernel_comm",         "kernel_mem",          "forward_cpu_slice",
    "backward_cpu_slice",  "pp_cpu_slice",        "dp_cpu_slice",
    "optimizer_cpu_slice", "recompute_cpu_slice", "loss_cpu_slice"};

constexpr const char* remedy =
    "Write {\"kernel_comm\": [\"*nccl*\"], \"kernel_mem+\": [...]}: keys and lists of patterns, a "
    "+ "
    "to add to the ones that are there";

/// Behind the ] of a set that begins at `from`; npos when there is none: then [ is itself.
std::size_t end_of_set(std::string_view pattern, std::size_t from) {
    std::size_t at = from + 1;
    at += at < pattern.size() && pattern[at] == '^' ? 1 : 0;
    at += at < pattern.size() && pattern[at] == ']' ? 1 : 0;
    at = pattern.find(']', at);
    return at == std::string_view::npos ? at : at + 1;
}

/// Whether the set between [ and ] (`set` is with both) has the character.
bool in_set(std::string_view set, char c) {
    const bool inverted = set[1] == '^';
    bool found = false;
    for (std::size_t i = inverted ? 2 : 1; i + 1 < set.size(); ++i) {
        if (i + 3 < set.size() && set[i + 1] == '-') {
            found = found || (set[i] <= c && c <= set[i + 2]);
            i += 2;
        } else {
            found = found || set[i] == c;
        }
    }
    return found != inverted;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
    std::size_t p = 0;
    std::size_t n = 0;
    std::size_t star = std::string_view::npos;  // the last *, and where what it stands for ends
    std::size_t star_end = 0;
    while (n < name.size()) {
        std::size_t step = 0;
        if (p < pattern.size()) {
            const std::size_t set = pattern[p] == '[' ? end_of_set(pattern, p) : 0;
            if (pattern[p] == '*') {
                star = p++;
                star_end = n;
                continue;
            }
            if (set != 0 && set != std::string_view::npos) {
                step = in_set(pattern.substr(p, set - p), name[n]) ? set - p : 0;
            } else if (pattern[p] == '?' || pattern[p] == name[n]) {
                step = 1;
            }
        }
        if (step > 0) {
            p += step;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++star_end;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

PatternTable::PatternTable()
    : patterns_{
          {{"*nccl*", "*mccl*"},
           {},
           {"*forward_step*"},
           {"*backward_step*"},
           {"*send_forward*", "*recv_forward*", "*send_backward*", "*recv_backward*"},
           {"*start_grad_sync*", "*finish_grad_sync*", "*start_param_sync*", "*finish_param_sync*",
            "*finalize_model_grads*", "*optimizer*", "*pretrain*loss_func*"},
           {"*optimizer*"},
           {"*recomupte*forward*", "*recompute*forward*", "*custom_forward*"},
           {"*pretrain*loss_func*"}}} {}

PatternTable PatternTable::of_traceviz() {
    PatternTable table;
    table.patterns_[static_cast<std::size_t>(Mark::MemoryKernel)] = {"*memcpy*", "*Memcpy*",
                                                                     "*memset*", "*Memset*"};
    return table;
}

std::string_view PatternTable::key(Mark mark) {
    return keys[static_cast<std::size_t>(mark)];
}

void PatternTable::read(const std::filesystem::path& path) {
    const auto file = read_json<nlohmann::json>(path, {"an object of patterns", remedy});
    if (!file.is_object()) {
        throw InputError({path.string(), "", "no JSON object", "an object of patterns", remedy});
    }
    for (const auto& [name, list] : file.items()) {
        const bool adds = name.ends_with('+');
        const std::string bare = name.substr(0, name.size() - (adds ? 1 : 0));
        const auto* const known = std::find(keys.begin(), keys.end(), bare);
        if (known == keys.end()) {
            const std::string near = did_you_mean(bare, {keys.begin(), keys.end()});
            throw InputError({path.string(), fmt::format("'{}'", name), "a key that is not known",
                              fmt::format("one of {}", fmt::join(keys, ", ")),
                              near.empty() ? remedy : near});
        }
        if (!list.is_array() || !std::all_of(list.begin(), list.end(),
                                             [](const auto& one) { return one.is_string(); })) {
            throw InputError({path.string(), fmt::format("'{}'", name), list.dump(),
                              "a list of patterns", remedy});
        }
        std::vector<std::string>& patterns =
            patterns_[static_cast<std::size_t>(known - keys.begin())];
        if (!adds) {
            patterns.clear();
        }
        for (const auto& one : list) {
            patterns.push_back(one.get<std::string>());
        }
    }
}

NameMarks::NameMarks(const PatternTable& patterns, const profiles::StringTable& strings)
    : marks_(strings.size(), 0) {
    for (profiles::StringId id = 0; id < marks_.size(); ++id) {
        for (std::size_t mark = 0; mark < mark_count; ++mark) {
            for (const std::string& pattern : patterns.of(static_cast<Mark>(mark))) {
                if (matches(pattern, strings[id])) {
                    marks_[id] = static_cast<std::uint16_t>(marks_[id] | 1U << mark);
                    break;
                }
            }
        }
    }
}

}  // namespace npunet::analysis
