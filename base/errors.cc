#include "base/errors.h"

#include <utility>

namespace npunet {

namespace {

std::string message_of(const InputProblem& problem) {
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
