// The examples of the table of fingerprints: commands that the program runs in a folder where
// configs/ and examples/ are what they are in the repository.
#pragma once

#include <string>
#include <vector>

namespace npunet::determinism_test {

/// A command and its name in the table. What it prints counts, and what it leaves in the folder
/// after --output-dir; FIDELITY stands for one of `fidelities`.
struct Example {
    std::string name;
    std::string command;
    std::vector<std::string> fidelities = {"-"};
};

/// A file that commands read, besides those of the repository.
struct InputFile {
    const char* name;
    const char* text;
};

[[nodiscard]] const std::vector<InputFile>& input_files();

/// In an order in which each finds what it reads: those before may have made it.
[[nodiscard]] const std::vector<Example>& examples();

}  // namespace npunet::determinism_test
