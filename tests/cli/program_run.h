// Runs the program's commands in the process of the test.
#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.h"

namespace npunet::cli {

struct Outcome {
    int code;
    std::string out;
    std::string log;
};

inline Outcome run(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream log;
    const int code = run_program(arguments, out, log);
    return {code, out.str(), log.str()};
}

/// Arguments separated by blanks.
inline Outcome run(const std::string& line) {
    std::istringstream stream(line);
    return run(std::vector<std::string>{std::istream_iterator<std::string>(stream), {}});
}

}  // namespace npunet::cli
