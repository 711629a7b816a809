#include "study/sweep/spec_errors.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace npunet::study {

namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-";

class SpecWords {
public:
    SpecWords(const DesignSpace& space, const Point& point,
              const std::vector<Parameter>& parameters)
        : space_(space), point_(point), parameters_(parameters) {}

    [[nodiscard]] InputProblem told(const InputProblem& problem) {
        InputProblem told;
        const std::size_t end = end_of_option(problem.file, 0);
        const Parameter* about = end > 0 ? parameter(problem.file.substr(2, end - 2)) : nullptr;
        about_machine_ = about == nullptr || about->section == Section::Machine;
        told.file = problem.file;
        told.place = in_keys(problem.place);
        if (end > 0) {
            told.file = space_.file;
            std::string place = in_keys(problem.file);
            const Value* value = about != nullptr ? space_.find(point_, about->name) : nullptr;
            if (value != nullptr && !value->place.empty()) {
                told.file = value->file;
                place = end == problem.file.size() ? value->place : value->place + ": " + place;
            }
            told.place = told.place.empty() ? place : place + ": " + told.place;
        }
        told.found = in_keys(problem.found);
        told.expected = in_keys(problem.expected);
        told.remedy = in_keys(problem.remedy);
        return told;
    }

private:
    /// Of "--name" at a place of a text; 0 when none begins there.
    static std::size_t end_of_option(const std::string& text, std::size_t at) {
        const bool within_word = at > 0 && (text[at - 1] == '-' ||
                                            std::isalnum(static_cast<unsigned char>(text[at - 1])));
        if (text.compare(at, 2, "--") != 0 || within_word) {
            return 0;
        }
        const std::size_t end = std::min(text.find_first_not_of(letters, at + 2), text.size());
        return end > at + 2 ? end : 0;
    }

    /// What the option of this name, without its hyphens, is in the spec: of several names of one
    /// thing that which is given. Null when a sweep has none.
    [[nodiscard]] const Parameter* parameter(std::string option) const {
        std::replace(option.begin(), option.end(), '-', '_');
        const Parameter* found = nullptr;
        for (const Parameter& candidate : parameters_) {
            const bool given = space_.find(point_, candidate.name) != nullptr;
            const bool itself = candidate.name == option && (found == nullptr || given);
            if (itself || (given && are_synonyms(candidate.name, option) &&
                           space_.find(point_, option) == nullptr)) {
                found = &candidate;
            }
        }
        return found;
    }

    [[nodiscard]] std::string key(const std::string& option) const {
        if (option == "system" || option == "network") {
            return option + "s";
        }
        if (option == "npus") {
            return "networks";
        }
        if (option == "dialect") {
            return about_machine_ ? "dialects" : "workload.dialect";
        }
        const Parameter* known = parameter(option);
        return known != nullptr ? known->name : "--" + option;
    }

    [[nodiscard]] std::string in_keys(const std::string& text) const {
        std::string told;
        for (std::size_t at = 0; at < text.size();) {
            if (const std::size_t end = end_of_option(text, at); end > 0) {
                told += key(text.substr(at + 2, end - at - 2));
                at = end;
            } else {
                told += text[at++];
            }
        }
        return told;
    }

    const DesignSpace& space_;
    const Point& point_;
    const std::vector<Parameter>& parameters_;
    bool about_machine_ = true;
};

}  // namespace

InputError in_terms_of_spec(const InputError& error, const DesignSpace& space, const Point& point,
                            const std::vector<Parameter>& parameters) {
    return InputError(SpecWords(space, point, parameters).told(error.problem()));
}

}  // namespace npunet::study
