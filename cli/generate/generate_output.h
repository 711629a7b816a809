// Where `npunet generate` writes, the summary that it prints, and the memory of an NPU by pipeline
// stage (--print-memory).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/generate/workload_options.h"
#include "generators/workload.h"
#include "generators/workload_files.h"

namespace npunet::cli {

/// --output-dir, --output-name, --comm-group-file, --chakra-schema-version, --json, --quiet.
class GenerateOutput {
public:
    /// Declares the options; this object must outlive `command`. With `folder_required` false the
    /// caller asks writes() first.
    void add_to(CLI::App& command, bool folder_required = true);

    /// Whether a folder was given.
    [[nodiscard]] bool writes() const { return !folder_.empty(); }

    /// Throws InputError when one of the files for so many ranks is `input`, which is read.
    void refuse_replacing(const std::string& input, std::int32_t ranks) const;

    /// Prints what is known without files: `description` as JSON, or `headline`, or nothing.
    void print(const std::string& headline, const nlohmann::ordered_json& description,
               std::ostream& out) const;

    /// Where the files go, and in which form. Throws InputError for a schema that is not written.
    [[nodiscard]] generators::WorkloadFiles files() const;
    [[nodiscard]] bool quiet() const { return json_ || quiet_; }

    /// Prints what was written: with --json `description`, the files and what could not be carried,
    /// with --quiet nothing, otherwise `text` (whole lines) and the names of the files.
    void report(const std::string& text, nlohmann::ordered_json description, std::int32_t ranks,
                const chakra::Losses& losses, std::ostream& out) const;

    /// Writes the files, then prints: with --json one document, `description` and the totals; with
    /// --quiet nothing; otherwise `headline` (whole lines) and the totals for people. Throws
    /// InputError for a schema that is not written.
    void write(const generators::GeneratedWorkload& workload, const std::string& headline,
               nlohmann::ordered_json description, std::ostream& out) const;

private:
    std::string folder_;
    generators::WorkloadFiles files_;
    std::string schema_ = "v0.0.4";
    bool json_ = false;
    bool quiet_ = false;
};

/// --print-memory: a table for people, one line a stage; whole lines.
[[nodiscard]] std::string memory_table(const TrainingStep& step);

/// Under "memory": a list of stages, and what a layer keeps, tensor by tensor.
[[nodiscard]] nlohmann::ordered_json memory_document(const TrainingStep& step);

}  // namespace npunet::cli
