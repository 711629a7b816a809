// Errors of one job among several: says whose they are.
//
//     naming_errors("job 'b'", [&] { begin(rank, number); });
//
// C++17-clean.
#pragma once

#include <string>

#include "base/errors.h"

namespace npunet::engine {

/// Calls `work`. What it throws for bad input, and for what cannot go on, begins with `whose`;
/// without a name it passes unchanged.
template <class Work>
void naming_errors(const std::string& whose, const Work& work) {
    try {
        work();
    } catch (const InputError& error) {
        if (whose.empty()) {
            throw;
        }
        InputProblem problem = error.problem();
        problem.file = problem.file.empty() ? whose : whose + ", " + problem.file;
        throw InputError(problem);
    } catch (const StallError& error) {
        if (whose.empty()) {
            throw;
        }
        throw StallError(whose + ": " + error.what());
    }
}

}  // namespace npunet::engine
