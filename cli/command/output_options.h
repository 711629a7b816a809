// Options about output that many commands have: --json, one JSON document instead of text, and
// --force, to write over results in --output-dir (report/results/results_owner.h).
//
//     add_json_flag(*command, options->json);
//     ...
//     print_document({{"files", files}}, context.out);
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <ostream>

namespace npunet::cli {

inline void add_force_flag(CLI::App& command, bool& force) {
    command.add_flag("--force", force, "Write over the results of another command");
}

inline CLI::Option* add_json_flag(CLI::App& command, bool& json) {
    return command.add_flag("--json", json, "Print one JSON document instead of text");
}

/// Indented; bytes that are no UTF-8, as names of files may have, are replaced.
inline void print_document(const nlohmann::ordered_json& document, std::ostream& out) {
    out << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace npunet::cli
