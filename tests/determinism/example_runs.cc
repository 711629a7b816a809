#include "example_runs.h"

#include <sstream>
#include <utility>
#include <vector>

#include "fingerprints.h"

namespace npunet::determinism_test {

namespace fs = std::filesystem;

ExampleRuns::ExampleRuns() : back_(fs::current_path()) {
    for (const char* const shipped : {"configs", "examples"}) {
        fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / shipped, folder_ / shipped);
    }
    for (const InputFile& file : input_files()) {
        folder_.write(file.name, file.text);
    }
    fs::create_directory(folder_ / "plan");
    fs::current_path(folder_.path());
}

ExampleRuns::~ExampleRuns() {
    fs::current_path(back_);
}

ExampleOutcome ExampleRuns::run(const Example& example, const std::string& fidelity,
                                const std::string& more) {
    std::istringstream stream(example.command + more);
    std::vector<std::string> words;
    std::string folder;
    for (std::string word; stream >> word;) {
        if (const std::size_t at = word.find("FIDELITY"); at != std::string::npos) {
            word.replace(at, 8, fidelity);
        }
        if (!words.empty() && words.back() == "--output-dir") {
            folder = word;
        }
        words.push_back(word);
    }
    cli::Outcome program = cli::run(words);
    const std::uint64_t fingerprint = fingerprint_of(program.out, folder);
    return {std::move(program), fingerprint};
}

}  // namespace npunet::determinism_test
