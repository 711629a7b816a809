// The exceptions of the project, one type for each audience.
//
// InputError: the user gave something that cannot be used (exit code 2). It always says which file,
// which place in it, what was found, what was expected, and what to do:
//
//     throw InputError{{"net.yml", "line 3, topology[0]", "'Rign'", "one of Ring, Switch, ...",
//                       "did you mean Ring?"}};
//
// StallError: a simulation that cannot go on, with its explanation (exit code 3).
// MachineError: the machine failed us: disk full, no permission (exit code 4).
// Our own bugs are assertions, never exceptions.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <stdexcept>
#include <string>

namespace npunet {

/// What an InputError tells; empty parts are left out of the message.
struct InputProblem {
    std::string file;      ///< the file, or the command-line option
    std::string place;     ///< line, field, frame and byte offset, node
    std::string found;     ///< what stands there
    std::string expected;  ///< what should stand there
    std::string remedy;    ///< what to do
};

/// Bad input. what() is the whole message in one line, whatever bytes stand in the input, with the
/// middle of very long parts left out.
class InputError : public std::runtime_error {
public:
    explicit InputError(InputProblem problem);

    [[nodiscard]] const InputProblem& problem() const { return problem_; }

private:
    InputProblem problem_;
};

/// The events ran out (or a limit was reached) while NPUs still had work; what() explains.
class StallError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A file could not be written, memory could not be had: not the input's fault.
class MachineError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An allocation failed, which concerns no file or folder; what() hints at what needs less memory.
class OutOfMemory : public MachineError {
public:
    using MachineError::MachineError;
};

}  // namespace npunet
