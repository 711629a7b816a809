// Runs the examples of the table of fingerprints in a folder of their own.
//
//     const ExampleRuns runs;
//     ExampleRuns::for_each([&](const Example& example, const std::string& fidelity) {
//         const ExampleOutcome outcome = ExampleRuns::run(example, fidelity);
//     });
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "examples.h"
#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::determinism_test {

struct ExampleOutcome {
    cli::Outcome program;
    std::uint64_t fingerprint;  ///< of what it prints and leaves behind
};

/// The working folder of the process while this lives; what the examples make is gone with it.
class ExampleRuns {
public:
    ExampleRuns();
    ~ExampleRuns();
    ExampleRuns(const ExampleRuns&) = delete;
    ExampleRuns& operator=(const ExampleRuns&) = delete;

    /// Of all examples, in their order.
    template <class Use>
    static void for_each(const Use& use) {
        for (const Example& example : examples()) {
            for (const std::string& fidelity : example.fidelities) {
                use(example, fidelity);
            }
        }
    }

    /// `more`: further options.
    [[nodiscard]] static ExampleOutcome run(const Example& example, const std::string& fidelity,
                                            const std::string& more = "");

private:
    test::TemporaryFolder folder_;
    std::filesystem::path back_;
};

}  // namespace npunet::determinism_test
