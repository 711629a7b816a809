#include "study/parallel_dimensions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/operation_roles.h"
#include "analysis/parallel_dimension.h"

namespace npunet::study {

namespace {

using engine::OperationKind;
using engine::Parallelism;

constexpr std::array<std::pair<std::string_view, Parallelism>, 11> words{
    {{"tp", Parallelism::Tensor},
     {"tensor", Parallelism::Tensor},
     {"pp", Parallelism::Pipeline},
     {"pipeline", Parallelism::Pipeline},
     {"dp", Parallelism::Data},
     {"data", Parallelism::Data},
     {"ep", Parallelism::Expert},
     {"expert", Parallelism::Expert},
     {"experts", Parallelism::Expert},
     {"cp", Parallelism::Context},
     {"context", Parallelism::Context}}};
constexpr std::array<std::string_view, 3> words_beside{"model", "parallel", "group"};

/// Nothing where the word is none of those in names of groups.
std::optional<Parallelism> dimension_of_word(std::string_view word) {
    if (std::find(words_beside.begin(), words_beside.end(), word) != words_beside.end()) {
        return Parallelism::Other;
    }
    const auto* const found = std::find_if(words.begin(), words.end(),
                                           [word](const auto& one) { return one.first == word; });
    return found == words.end() ? std::nullopt : std::optional(found->second);
}

/// The parts of a name between what is no letter, in small letters.
std::vector<std::string> words_of(const std::string& name) {
    std::vector<std::string> list;
    bool in_word = false;
    for (const char letter : name) {
        const bool small = letter >= 'a' && letter <= 'z';
        const bool capital = letter >= 'A' && letter <= 'Z';
        if (small || capital) {
            if (!in_word) {
                list.emplace_back();
            }
            list.back() += small ? letter : static_cast<char>(letter - 'A' + 'a');
        }
        in_word = small || capital;
    }
    return list;
}

/// Of Megatron-LM's descriptions of its process groups.
Parallelism of_description(const std::string& name) {
    using analysis::ParallelDimension;
    switch (analysis::dimension_of_description(name).value_or(ParallelDimension::Unknown)) {
        case ParallelDimension::Tensor:
        case ParallelDimension::ExpertTensor:
            return Parallelism::Tensor;
        case ParallelDimension::Pipeline:
        case ParallelDimension::Embedding:
            return Parallelism::Pipeline;
        case ParallelDimension::Data:
            return Parallelism::Data;
        case ParallelDimension::Expert:
            return Parallelism::Expert;
        case ParallelDimension::Context:
            return Parallelism::Context;
        default:
            return Parallelism::Other;
    }
}

bool communicates(const engine::ProgramOperation& operation) {
    return operation.kind == OperationKind::Send || operation.kind == OperationKind::Receive ||
           operation.kind == OperationKind::Collective;
}

/// Reads every name once for each kind of operation.
class NamedDimensions {
public:
    [[nodiscard]] Parallelism of(const std::string& name, OperationKind kind) {
        auto& known = known_[static_cast<std::size_t>(kind)];
        const auto found = known.find(name);
        if (found != known.end()) {
            return found->second;
        }
        return known.emplace(name, analysis::role_of(name, kind).dimension).first->second;
    }

private:
    std::array<std::unordered_map<std::string, Parallelism>, 6> known_;  ///< by kind
};

}  // namespace

Parallelism dimension_of_group(const std::string& name) {
    Parallelism dimension = Parallelism::Other;
    for (const std::string& word : words_of(name)) {
        const std::optional<Parallelism> own = dimension_of_word(word);
        const bool another = own && *own != Parallelism::Other && dimension != Parallelism::Other &&
                             *own != dimension;
        if (!own || another) {
            return of_description(name);
        }
        dimension = *own == Parallelism::Other ? dimension : *own;
    }
    return dimension;
}

void mark_dimensions(engine::Workload& workload, const std::map<std::string, Parallelism>& known) {
    for (engine::Group& group : workload.groups) {
        const auto found = known.find(group.name);
        group.dimension = found == known.end() ? dimension_of_group(group.name) : found->second;
    }
    NamedDimensions named;
    for (engine::RankProgram& program : workload.programs) {
        program.dimensions.assign(program.operations.size(), Parallelism::Other);
        for (std::size_t i = 0; i < program.operations.size(); ++i) {
            if (communicates(program.operations[i])) {
                program.dimensions[i] = named.of(program.names[i], program.operations[i].kind);
            }
        }
    }
}

}  // namespace npunet::study
