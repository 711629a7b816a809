#include <csignal>
#include <iostream>

#include "cli/clean_ending.h"
#include "cli/program.h"

int main(int argc, char** argv) {
    // A file that grows beyond its limit (ulimit -f) is an error of the write, which is told, and
    // not the end of the process.
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    const npunet::cli::CleanEnding ending;
    return npunet::cli::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}
