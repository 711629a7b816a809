// Renews tests/determinism/fingerprints.txt: scripts/record fingerprints.
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "example_runs.h"
#include "fingerprints.h"

int main() {
    using namespace npunet::determinism_test;
    const ExampleRuns runs;
    std::vector<std::pair<ExampleRun, std::uint64_t>> rows;
    int failed = 0;
    ExampleRuns::for_each([&](const Example& example, const std::string& fidelity) {
        const ExampleOutcome outcome = ExampleRuns::run(example, fidelity);
        if (outcome.program.code != 0) {
            std::cerr << example.command << '\n' << outcome.program.log;
            failed = 1;
        }
        rows.push_back({{example.name, fidelity}, outcome.fingerprint});
    });
    if (failed == 0) {
        write_table(rows);
    }
    return failed;
}
