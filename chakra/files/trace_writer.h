// Writes the execution trace of one rank, a node at a time; the file appears when it is whole.
//
//     chakra::TraceWriter writer("gpt.0.et");
//     writer.write(node);
//     writer.commit();        // without it nothing is left behind
//
// Or at once: write_trace("gpt.0.et", nodes). The same nodes give the same bytes on every machine.
// The form is schema 0.0.4 unless another is asked for; a name that ends in .gz compresses the
// file.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "chakra/trace/node.h"
#include "chakra/trace/trace_format.h"

namespace npunet::chakra {

/// The form of a file to be written.
enum class WrittenForm {
    V0_0_4,  ///< what every current tool reads
    V0_0_1,  ///< for tools of early 2023; says less (chakra/schemas/older_nodes.h)
    Json     ///< chakra/json/json_trace.h
};

/// "v0.0.4", "v0.0.1" or "json", also without the v; empty for any other text.
[[nodiscard]] std::optional<WrittenForm> written_form_from(std::string_view name);

/// One trace file.
class TraceWriter {
public:
    /// Begins the file with its metadata; the default says version 0.0.4 and nothing else.
    /// Throws MachineError when the file cannot be written.
    explicit TraceWriter(const std::filesystem::path& path, const TraceMetadata& metadata = {},
                         WrittenForm form = WrittenForm::V0_0_4);
    ~TraceWriter();
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;

    /// Appends a node. Throws InputError for one that no reader would accept (beyond 64 MiB), and
    /// for one that the form cannot say without a wrong result (chakra/schemas/older_nodes.h).
    void write(const Node& node);
    /// What the form could not carry so far; empty for others than 0.0.1.
    [[nodiscard]] const Losses& losses() const;

    /// Gives the file its name; nothing can be written after that (std::logic_error). Throws
    /// MachineError when anything could not be written.
    void commit();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Writes a whole trace. Throws as TraceWriter does.
void write_trace(const std::filesystem::path& path, const std::vector<Node>& nodes,
                 const TraceMetadata& metadata = {}, WrittenForm form = WrittenForm::V0_0_4);

}  // namespace npunet::chakra
