#include "fingerprints.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "study/sweep/fingerprint.h"
#include "tests/support/temporary_folder.h"

namespace npunet::determinism_test {

namespace {

namespace fs = std::filesystem;

const std::string table_file = NPUNET_SOURCE_DIR "/tests/determinism/fingerprints.txt";

bool counts(const fs::path& file) {
    const std::string kind = file.extension();
    return kind != ".html" && kind != ".svg" && kind != ".png" && file.filename() != "timeline.pb";
}

/// Removes every piece from `begin` to the next `end`, inclusive.
void cut(std::string& text, const std::string& begin, char end) {
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        text.erase(at, text.find(end, at) + 1 - at);
    }
}

/// The results without run times and the command that made them.
std::string results_of(std::string text) {
    cut(text, "\"performance\": {", '}');
    cut(text, "  \"command\": \"npunet ", '\n');
    return text;
}

}  // namespace

std::uint64_t fingerprint_of(const std::string& text, const fs::path& folder) {
    std::uint64_t hash = study::fnv1a(results_of(text));
    if (folder.empty()) {
        return hash;
    }
    std::set<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && counts(entry.path())) {
            files.insert(entry.path().lexically_relative(folder));
        }
    }
    for (const fs::path& file : files) {
        hash = study::fnv1a(file.string() + '\n', hash);
        hash = study::fnv1a(results_of(test::bytes_of(folder / file)), hash);
    }
    return hash;
}

Table read_table() {
    Table table;
    std::ifstream stream(table_file);
    std::string fingerprint;
    ExampleRun run;
    while (stream >> fingerprint >> run.second >> run.first) {
        table[run] = std::stoull(fingerprint, nullptr, 16);
    }
    return table;
}

void write_table(const std::vector<std::pair<ExampleRun, std::uint64_t>>& rows) {
    std::ofstream stream(table_file);
    for (const auto& [run, fingerprint] : rows) {
        stream << fmt::format("{:016x} {:<16} {}\n", fingerprint, run.second, run.first);
    }
}

}  // namespace npunet::determinism_test
