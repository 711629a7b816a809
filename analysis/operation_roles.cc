#include "analysis/operation_roles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <vector>

namespace npunet::analysis {

namespace {

using engine::OperationKind;

/// The parts of a name between underscores and other signs.
class Words {
public:
    explicit Words(std::string_view name) {
        std::size_t from = 0;
        while (from <= name.size()) {
            const std::size_t end = std::min(name.find_first_of("_@ ", from), name.size());
            words_.push_back(name.substr(from, end - from));
            from = end + 1;
        }
    }

    [[nodiscard]] bool has(std::initializer_list<std::string_view> any) const {
        return std::any_of(words_.begin(), words_.end(), [&any](std::string_view word) {
            return std::find(any.begin(), any.end(), word) != any.end();
        });
    }
    /// Whether `first` stands in front of one of the others.
    [[nodiscard]] bool has_before(std::string_view first,
                                  std::initializer_list<std::string_view> any) const {
        for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
            if (words_[i] == first &&
                std::find(any.begin(), any.end(), words_[i + 1]) != any.end()) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool begins_with(std::string_view word) const { return words_.front() == word; }
    /// The number of the first word that is `prefix` and a number; none otherwise.
    [[nodiscard]] std::int32_t number_after(std::string_view prefix) const {
        for (const std::string_view word : words_) {
            std::int32_t number = 0;
            if (word.size() > prefix.size() && word.substr(0, prefix.size()) == prefix) {
                const auto [end, error] =
                    std::from_chars(word.data() + prefix.size(), word.data() + word.size(), number);
                if (error == std::errc() && end == word.data() + word.size()) {
                    return number;
                }
            }
        }
        return Interval::none;
    }
    /// Of the stage dialect, in which tensors of gradients begin with a d: stack_0_ffn_dx1.
    [[nodiscard]] bool is_gradient_of_stage() const {
        return std::any_of(words_.begin(), words_.end(), [](std::string_view word) {
            return !word.empty() && word.front() == 'd';
        });
    }

private:
    std::vector<std::string_view> words_;
};

bool is_of_stage(std::string_view name) {
    return name.find('@') != std::string_view::npos;
}

Phase phase_of(const Words& words, std::string_view name) {
    if (words.has({"optimizer"}) || words.begins_with("update") ||
        words.has_before("gradient", {"norm", "clipping", "zeroing"})) {
        return Phase::Optimizer;
    }
    if (words.has({"recompute", "recomp"})) {
        return Phase::Recompute;
    }
    if (words.has({"backward", "dgrad", "wgrad", "weight", "BWD", "gradients"}) ||
        words.has_before("gradient", {"accumulation"})) {
        return Phase::Backward;
    }
    if (words.has({"forward", "FWD"})) {
        return Phase::Forward;
    }
    if (words.has({"weights"}) && !words.begins_with("set-up")) {
        return words.number_after("mb") == Interval::none ? Phase::Optimizer : Phase::Other;
    }
    if (is_of_stage(name)) {
        return words.is_gradient_of_stage() ? Phase::Backward : Phase::Forward;
    }
    return Phase::Other;
}

Dimension of_message(const Words& words, std::string_view name, Phase phase) {
    if (words.number_after("ring") != Interval::none) {
        return Dimension::Context;
    }
    return phase != Phase::Other || words.has({"pipeline"}) || is_of_stage(name)
               ? Dimension::Pipeline
               : Dimension::Other;
}

Dimension of_gradients(const Words& words) {
    if (words.has({"sequence", "router"})) {
        return Dimension::Tensor;
    }
    if (words.has({"tied"}) || words.has_before("gradients", {"of"})) {
        return Dimension::Pipeline;  // the two ends of the pipeline share an embedding
    }
    return words.has({"norm"}) ? Dimension::Other : Dimension::Data;
}

/// The norm is summed over the ranks that share the model in one dimension.
Dimension of_norm(const Words& words) {
    return words.has({"tensor"})    ? Dimension::Tensor
           : words.has({"experts"}) ? Dimension::Expert
                                    : Dimension::Data;
}

Dimension of_collective(const Words& words, std::string_view name, Phase phase) {
    if (words.begins_with("set-up")) {
        return Dimension::Other;
    }
    if (words.has({"gradients"})) {
        return of_gradients(words);
    }
    if (words.has({"weights"})) {
        return Dimension::Data;
    }
    if (words.has_before("gradient", {"norm"})) {
        return of_norm(words);
    }
    if (is_of_stage(name) || phase == Phase::Optimizer || phase == Phase::Other ||
        words.number_after("mb") == Interval::none) {
        return Dimension::Other;
    }
    if (words.has({"moe", "experts"})) {
        return words.has({"counts"}) || words.has_before("all", {"to"}) ? Dimension::Expert
                                                                        : Dimension::Tensor;
    }
    if (words.has_before("kv", {"all", "reduce"}) ||
        (words.has({"attention"}) && words.has_before("all", {"to"}))) {
        return Dimension::Context;
    }
    return Dimension::Tensor;
}

}  // namespace

OperationRole role_of(std::string_view name, OperationKind kind) {
    const Words words(name);
    OperationRole role;
    role.phase = phase_of(words, name);
    role.micro_batch = words.number_after("mb");
    if (kind == OperationKind::Send || kind == OperationKind::Receive) {
        role.dimension = of_message(words, name, role.phase);
    } else if (kind == OperationKind::Collective) {
        role.dimension = of_collective(words, name, role.phase);
    }
    return role;
}

}  // namespace npunet::analysis
