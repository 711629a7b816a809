#include "generators/text/text_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/suggest.h"
#include "chakra/trace/node.h"
#include "generators/text/text_lines.h"

namespace npunet::generators {

namespace {

template <class Value>
struct Named {
    std::string_view name;
    Value value;
};

constexpr std::array<Named<TextParallelism>, 9> parallelisms{{
    {"MICRO", TextParallelism::Micro},
    {"DATA", TextParallelism::Data},
    {"MODEL", TextParallelism::Model},
    {"HYBRID_DATA_MODEL", TextParallelism::HybridDataModel},
    {"HYBRID_MODEL_DATA", TextParallelism::HybridModelData},
    {"HYBRID_DLRM", TextParallelism::HybridDlrm},
    {"HYBRID_DLRM_ENHANCED", TextParallelism::HybridDlrmEnhanced},
    {"HYBRID_TRANSFORMER", TextParallelism::HybridTransformer},
    {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", TextParallelism::TransformerForwardInBackward},
}};

/// Types of ASTRA-sim 1.0 of which it is not known what a trace would have to hold.
constexpr std::array<std::string_view, 2> unsupported{"HYBRID_CUSTOMIZED", "DISTRIBUTED_INFERENCE"};

constexpr std::array<Named<TextGroup>, 3> suffixes{{
    {"_DP_EP", TextGroup::DataExpert},
    {"_EP", TextGroup::Expert},
    {"", TextGroup::OfPhase},
}};

constexpr std::array<Named<TextCollective>, 6> collectives{{
    {"NONE", TextCollective::None},
    {"ALLREDUCE", TextCollective::AllReduce},
    {"ALLTOALL", TextCollective::AllToAll},
    {"ALLGATHER", TextCollective::AllGather},
    {"REDUCESCATTER", TextCollective::ReduceScatter},
    {"ALLREDUCEALLTOALL", TextCollective::AllReduceAllToAll},
}};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
    return std::find_if(table.begin(), table.end(),
                        [value](const auto& entry) { return entry.value == value; })
        ->name;
}

template <class Table>
std::vector<std::string> names_in(const Table& table) {
    std::vector<std::string> names;
    for (const auto& entry : table) {
        names.emplace_back(entry.name);
    }
    return names;
}

constexpr std::size_t columns = 12;
constexpr const char* transformer_argument = "model_parallel_NPU_group:";

using Words = std::vector<std::string_view>;

class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    TextWorkload read() {
        TextLines input = read_text_lines(file_);
        workload_.file = file_;
        read_type(line_or_nothing(input, 0));
        const std::int64_t count = read_count(line_or_nothing(input, 1));
        // A column has a character and something behind it.
        workload_.layers.reserve(
            std::min(input.lines(), input.text.size() / (2 * columns) + std::size_t{1}));
        for (line_ = 3; line_ <= input.lines(); ++line_) {
            workload_.layers.push_back(read_layer(words_of(input.line(line_ - 1))));
        }
        workload_.text = std::move(input.text);
        check_count(count);
        if (is_dlrm()) {
            check_dlrm();
        }
        check_checkpoints();
        return std::move(workload_);
    }

private:
    [[noreturn]] void refuse(const std::string& what, const std::string& found,
                             const std::string& expected, const std::string& remedy = "") const {
        throw InputError({file_, fmt::format("line {}{}{}", line_, what.empty() ? "" : ", ", what),
                          found, expected, remedy.empty() ? "Correct the line" : remedy});
    }

    /// The words of a line of the heading, of which `line_` is the number from here on.
    Words line_or_nothing(const TextLines& input, std::size_t index) {
        line_ = index + 1;
        first_of_line_ = index < input.lines() ? input.line(index).data() : nullptr;
        return index < input.lines() ? words_of(input.line(index)) : Words{};
    }

    static std::string quoted(const Words& words) {
        return words.empty() ? "nothing" : fmt::format("'{}'", fmt::join(words, " "));
    }

    [[nodiscard]] std::int64_t number(const std::string& what, std::string_view word,
                                      std::int64_t least, std::int64_t most) const {
        std::int64_t value = 0;
        const char* last = word.data() + word.size();
        const auto [end, error] = std::from_chars(word.data(), last, value);
        if (error != std::errc{} || end != last || value < least || value > most) {
            refuse(what, fmt::format("'{}'", word),
                   fmt::format("a whole number from {} to {}", least, most));
        }
        return value;
    }

    void read_type(const Words& words) {
        const std::vector<std::string> names = names_in(parallelisms);
        const std::string expected =
            fmt::format("the type of the workload: {}", fmt::join(names, ", "));
        if (words.empty()) {
            refuse("", "nothing", expected);
        }
        const auto known = std::find(names.begin(), names.end(), words[0]);
        if (known == names.end()) {
            const bool refused =
                std::find(unsupported.begin(), unsupported.end(), words[0]) != unsupported.end();
            refuse("", fmt::format("'{}'{}", words[0], refused ? ", which is not supported" : ""),
                   expected, refused ? "" : did_you_mean(words[0], names));
        }
        workload_.parallelism = parallelisms[static_cast<std::size_t>(known - names.begin())].value;
        read_arguments({words.begin() + 1, words.end()});
    }

    void read_arguments(const Words& words) {
        const std::string_view type = name_of(workload_.parallelism);
        const std::string what = fmt::format("after {}", type);
        if (is_dlrm()) {
            if (words.size() != 1) {
                refuse(what, quoted(words), "the number of the last bottom layer, counted from 0");
            }
            workload_.last_bottom_layer = number(what, words[0], 0, largest_count);
        } else if (workload_.parallelism == TextParallelism::HybridTransformer) {
            if (words.size() != 2 || words[0] != transformer_argument) {
                refuse(what, quoted(words),
                       fmt::format("{} and the NPUs that share a copy of the model",
                                   transformer_argument));
            }
            workload_.model_parallel_npus = number(what, words[1], 1, largest_count);
        } else if (workload_.parallelism == TextParallelism::TransformerForwardInBackward) {
            read_plan(words);
        } else if (!words.empty()) {
            refuse(what, quoted(words), "nothing: this type has no arguments");
        }
    }

    /// Pairs of a key and a number; of `checkpoints:` and `checkpoint_initiates:` the number is
    /// that of layers that follow. The colon may be missing.
    void read_plan(const Words& words) {
        TextPlan& plan = workload_.plan;
        std::int64_t unused = 0;
        const std::vector<std::pair<std::string, std::int64_t*>> keys{
            {"model_parallel_NPU_group", &workload_.model_parallel_npus},
            {"ep", &plan.expert_parallel},
            {"pp", &plan.pipeline_parallel},
            {"vpp", &unused},
            {"ga", &unused},
            {"all_gpus", &plan.npus},
            {"pp_comm", &plan.stage_bytes},
            {"checkpoints", nullptr},
            {"checkpoint_initiates", nullptr}};
        std::vector<std::string> names;
        for (const auto& [name, value] : keys) {
            names.push_back(name);
        }
        std::vector<std::string> seen;
        for (std::size_t i = 0; i < words.size();) {
            const std::string_view word = words[i];
            const std::string name(word.substr(0, word.find(':')));
            const auto key = std::find(names.begin(), names.end(), name);
            const std::string place = column_of(word);
            if (key == names.end() || std::find(seen.begin(), seen.end(), name) != seen.end()) {
                refuse(place,
                       fmt::format("'{}'{}", word, key == names.end() ? "" : " a second time"),
                       fmt::format("each of {} once", fmt::join(names, ", ")),
                       did_you_mean(name, names));
            }
            seen.push_back(name);
            if (++i == words.size()) {
                refuse(place, fmt::format("'{}' at the end of the line", word),
                       "a number behind it");
            }
            const std::int64_t value =
                number(column_of(words[i]) + ", " + name, words[i],
                       name == "pp_comm" || name.rfind("checkpoint", 0) == 0 ? 0 : 1,
                       name == "pp_comm" ? chakra::largest_comm_size : most_ranks);
            ++i;
            if (std::int64_t* const target =
                    keys[static_cast<std::size_t>(key - names.begin())].second) {
                *target = value;
                continue;
            }
            i = read_layers(words, i, value, name,
                            name == "checkpoints" ? plan.checkpoints : plan.initiates);
        }
        if (workload_.model_parallel_npus == 0) {
            refuse("", quoted(words), "model_parallel_NPU_group: and a number");
        }
    }

    /// `count` numbers of layers from words[i] on; the place behind them.
    [[nodiscard]] std::size_t read_layers(const Words& words, std::size_t i, std::int64_t count,
                                          const std::string& name,
                                          std::vector<std::int64_t>& layers) const {
        for (std::int64_t k = 0; k < count; ++k, ++i) {
            if (i == words.size()) {
                refuse(name, fmt::format("{} layers", k),
                       fmt::format("{}, as the number before them says", count));
            }
            layers.push_back(number(column_of(words[i]) + ", " + name, words[i], 0, largest_count));
        }
        std::sort(layers.begin(), layers.end());
        return i;
    }

    /// A repeated forward pass goes from a checkpoint to the layer that asks for it.
    void check_checkpoints() {
        const TextPlan& plan = workload_.plan;
        const auto layers = static_cast<std::int64_t>(workload_.layers.size());
        line_ = 1;
        for (const auto* list : {&plan.checkpoints, &plan.initiates}) {
            if (!list->empty() && list->back() >= layers) {
                refuse(list == &plan.checkpoints ? "checkpoints" : "checkpoint_initiates",
                       fmt::format("layer {}", list->back()),
                       fmt::format("0 to {}, a layer", layers - 1));
            }
        }
        std::int64_t last = -1;
        for (const std::int64_t layer : plan.initiates) {
            const auto above =
                std::lower_bound(plan.checkpoints.begin(), plan.checkpoints.end(), layer);
            if (above == plan.checkpoints.begin() || *(above - 1) < last) {
                refuse("checkpoint_initiates", fmt::format("layer {}", layer),
                       "a checkpoint below it, and no other such layer between");
            }
            last = layer;
        }
    }

    /// "column 17": where in its line a word of the file begins.
    [[nodiscard]] std::string column_of(std::string_view word) const {
        return fmt::format("column {}", word.data() - first_of_line_ + 1);
    }

    [[nodiscard]] std::int64_t read_count(const Words& words) const {
        if (words.size() != 1) {
            refuse("", quoted(words), "the number of layers, alone");
        }
        return number("", words[0], 1, largest_count);
    }

    [[nodiscard]] TextLayer read_layer(const Words& words) const {
        if (words.empty()) {
            refuse("", "a blank line", "a layer", "Remove the line");
        }
        if (words.size() != columns) {
            refuse("", fmt::format("{} columns", words.size()),
                   fmt::format("{}: name, reserved, three times a time, a collective and its bytes "
                               "(forward pass, gradient of the input, of the weights), and the "
                               "time of the update",
                               columns));
        }
        // ASTRA-sim 1.0 keeps the second column for later; files have -1 there.
        static_cast<void>(number("column 2", words[1], std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()));
        return {std::string(words[0]), read_phase(words, 3), read_phase(words, 6),
                read_phase(words, 9),
                number("column 12, update time", words[11], 0, TextPhase::largest_time)};
    }

    /// `column`: of its time, counted from 1.
    [[nodiscard]] TextPhase read_phase(const Words& words, std::size_t column) const {
        const char* const phase = column == 3   ? "forward"
                                  : column == 6 ? "input gradient"
                                                : "weight gradient";
        const auto what = [phase](std::size_t place, const char* part) {
            return fmt::format("column {}, {} {}", place, phase, part);
        };
        const std::vector<std::string> names = names_in(collectives);
        std::string_view word = words[column];
        TextPhase read;
        const bool groups = workload_.parallelism == TextParallelism::TransformerForwardInBackward;
        for (const auto& [suffix, group] : suffixes) {
            if (groups && word.size() > suffix.size() &&
                word.substr(word.size() - suffix.size()) == suffix) {
                word.remove_suffix(suffix.size());
                read.group = group;
                break;
            }
        }
        const auto known = std::find(names.begin(), names.end(), word);
        if (known == names.end()) {
            refuse(what(column + 1, "collective"), fmt::format("'{}'", words[column]),
                   fmt::format("one of {}{}", fmt::join(names, ", "),
                               groups ? ", with _EP or _DP_EP behind it or not" : ""),
                   did_you_mean(word, names));
        }
        read.time = number(what(column, "time"), words[column - 1], 0, TextPhase::largest_time);
        read.collective = collectives[static_cast<std::size_t>(known - names.begin())].value;
        read.bytes =
            number(what(column + 2, "bytes"), words[column + 1], 0, chakra::largest_comm_size);
        return read;
    }

    void check_count(std::int64_t count) {
        if (static_cast<std::size_t>(count) != workload_.layers.size()) {
            line_ = 2;
            refuse("", fmt::format("{} layers", count),
                   fmt::format("{}, as many as there are lines after it", workload_.layers.size()),
                   "Correct the number, or look for lines that are missing or too many");
        }
    }

    [[nodiscard]] bool is_dlrm() const {
        return workload_.parallelism == TextParallelism::HybridDlrm ||
               workload_.parallelism == TextParallelism::HybridDlrmEnhanced;
    }

    void check_dlrm() {
        const auto most = static_cast<std::int64_t>(workload_.layers.size()) - 2;
        const std::int64_t bottom = workload_.last_bottom_layer;
        if (bottom < 1 || bottom > most) {
            line_ = 1;
            refuse("last bottom layer",
                   fmt::format("{} of {} layers", bottom, workload_.layers.size()),
                   most < 1 ? "three layers or more: embedding, bottom, top"
                            : fmt::format("1 to {}: layer 0 is the embedding, and the last one a "
                                          "top layer",
                                          most));
        }
        if (workload_.layers[0].forward.collective != TextCollective::AllToAll) {
            line_ = 3;
            refuse("column 4, forward collective",
                   std::string(name_of(workload_.layers[0].forward.collective)),
                   "ALLTOALL: layer 0 of a DLRM exchanges its embeddings");
        }
    }

    /// Products of three are within 64 bits.
    static constexpr std::int64_t most_ranks = std::int64_t{1} << 20;
    static constexpr std::int64_t largest_count = std::numeric_limits<std::int32_t>::max();

    std::string file_;
    TextWorkload workload_;
    std::size_t line_ = 0;
    const char* first_of_line_ = nullptr;
};

}  // namespace

std::string_view name_of(TextParallelism parallelism) {
    return name_in(parallelisms, parallelism);
}

bool has_groups(TextParallelism parallelism) {
    return parallelism == TextParallelism::HybridTransformer ||
           parallelism == TextParallelism::TransformerForwardInBackward;
}

std::string_view name_of(TextCollective collective) {
    return name_in(collectives, collective);
}

std::string_view suffix_of(TextGroup group) {
    return name_in(suffixes, group);
}

TextWorkload read_text_workload(const std::string& file) {
    return Reader(file).read();
}

}  // namespace npunet::generators
