#include "base/errors.h"

#include <utility>

#include "base/printable.h"

namespace npunet {

namespace {

/// No path of a file is longer.
constexpr std::size_t longest_file = 4096;
constexpr std::size_t longest_part = 1024;

std::string message_of(InputProblem problem) {
    problem.file = printable(problem.file, longest_file);
    for (std::string* const part :
         {&problem.place, &problem.found, &problem.expected, &problem.remedy}) {
        *part = printable(*part, longest_part);
    }
    std::string text = problem.file;
    if (!problem.place.empty()) {
        text += (text.empty() ? "" : ": ") + problem.place;
    }
    if (!problem.found.empty()) {
        text += (text.empty() ? "found " : ": found ") + problem.found;
    }
    if (!problem.expected.empty()) {
        text += (text.empty() ? "expected " : "; expected ") + problem.expected;
    }
    if (!problem.remedy.empty()) {
        text += (text.empty() ? "" : ". ") + problem.remedy;
    }
    return text;
}

}  // namespace

InputError::InputError(InputProblem problem)
    : std::runtime_error(message_of(problem)), problem_(std::move(problem)) {}

}  // namespace npunet
