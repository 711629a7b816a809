// What a call that has to be refused says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/errors.h"

namespace npunet::test {

/// The InputError that a call throws; an empty one, and a failed test, when it throws none.
template <class Call>
InputProblem problem_of(Call&& call) {
    try {
        static_cast<void>(call());
    } catch (const InputError& error) {
        return error.problem();
    }
    ADD_FAILURE() << "no InputError was thrown";
    return {};
}

/// what() of the Error that a call throws; "no error" when it throws none.
template <class Error, class Call>
std::string message_of(Call&& call) {
    try {
        static_cast<void>(call());
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace npunet::test
