// The parameters that a sweep can vary, and how their values are written.
//
//     const Parameter* tp = find_parameter(WorkloadKind::Model, "tp");
//     const Value value = read_value(*tp, "8", {"sweep.yml", "line 4, plan.tp[3]"}, folder);
//     tp->apply(step, *value.number);
//
// A parameter that the generator learns becomes one entry of the table in parameters.cc, and a row
// in docs/inputs.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "generators/stage/stage_arguments.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"
#include "study/sweep/design_space.h"

namespace npunet::study {

/// What a generated training step is made from.
struct StepInputs {
    generators::ModelSpec model;
    generators::Plan plan;
    generators::StageArguments stage;  ///< instead of these, for a workload of that kind
};

enum class ValueKind : std::uint8_t {
    Count,      ///< a whole number
    Switch,     ///< true or false
    Word,       ///< one of a list
    RankOrder,  ///< generators::rank_order_named()
    Layers,     ///< generators::layer_counts()
    Size,       ///< bytes
    Factor,     ///< a decimal number from 0 on
    Routing,    ///< generators::routing_named(), its file as of File
    Model,      ///< a shipped model, or a model file
    File,       ///< a file that exists
    Prefix,     ///< of traces PREFIX.0.et, ...
    Dialect,    ///< engine::Dialect::named()
    Fidelity,   ///< study::fidelity_named()
};

/// The section of the spec in which a parameter stands.
enum class Section : std::uint8_t { Workload, Plan, WorkloadOrPlan, Machine };

struct Parameter {
    std::string name;
    Section section = Section::Workload;
    ValueKind kind = ValueKind::Count;
    std::int64_t least = 0;
    std::vector<std::string> words;
    /// Sets it; the number of a Word is its position in `words`. Null for what is no part of a
    /// training step.
    void (*apply)(StepInputs& step, std::int64_t number) = nullptr;
    /// Whether points that differ in it are different tasks, whose times are not comparable, and
    /// not different ways to do one task.
    bool task = false;
    /// Sets it instead of `apply`, where a whole number does not say it. Throws InputError where
    /// the model does not allow it.
    void (*apply_value)(StepInputs& step, const Value& value) = nullptr;
    std::int64_t most = std::int64_t{1} << 53;  ///< of a count
};

/// Where a value stands, for messages.
struct Source {
    std::string file;
    std::string place;
};

/// Those that a workload of this kind has, the machine's included.
[[nodiscard]] std::vector<Parameter> parameters_of(WorkloadKind kind);
/// One of them; InputError with the nearest name otherwise.
[[nodiscard]] const Parameter& find_parameter(const std::vector<Parameter>& parameters,
                                              const std::string& name, const Source& source);

/// Whether both are names of one thing, of which a spec may give one.
[[nodiscard]] bool are_synonyms(const std::string& a, const std::string& b);

/// Reads a value. A relative path is looked up in `folder`, then in the folder above it, and so on;
/// the first that exists counts. Throws InputError.
[[nodiscard]] Value read_value(const Parameter& parameter, const std::string& text,
                               const Source& source, const std::filesystem::path& folder);

/// The first of folder/path, folder/../path, ... that exists; empty when there is none.
[[nodiscard]] std::filesystem::path find_upwards(const std::filesystem::path& folder,
                                                 const std::filesystem::path& path);

}  // namespace npunet::study
