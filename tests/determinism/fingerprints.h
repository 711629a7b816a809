// Fingerprints of results, and the table of those that are to be: fingerprints.txt, a line
// "FINGERPRINT FIDELITY EXAMPLE" each.
//
//     const Table table = read_table();
//     EXPECT_EQ(fingerprint_of(output, folder), table.at({"ring-8/reduce", "packet"}));
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace npunet::determinism_test {

/// Name of an example, fidelity.
using ExampleRun = std::pair<std::string, std::string>;
using Table = std::map<ExampleRun, std::uint64_t>;

/// Of a text and, if there is a folder, of the names and bytes of its files: FNV-1a, 64 bits.
/// Objects "performance", which hold wall-clock times, and commands are left out, and so are pages,
/// pictures and timeline.pb, which only add the command line.
[[nodiscard]] std::uint64_t fingerprint_of(const std::string& text,
                                           const std::filesystem::path& folder);

[[nodiscard]] Table read_table();
/// Replaces the file in the repository.
void write_table(const std::vector<std::pair<ExampleRun, std::uint64_t>>& rows);

}  // namespace npunet::determinism_test
