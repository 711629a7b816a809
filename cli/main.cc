#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/clean_ending.h"
#include "cli/program.h"

namespace {

/// What is opened later must not get the number of a standard stream that is closed: what is said
/// there would be written into it.
void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0) {
            static_cast<void>(::open("/dev/null", O_RDWR));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    open_standard_streams();
    // A file that grows beyond its limit (ulimit -f) is an error of the write, which is told, and
    // not the end of the process.
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    const npunet::cli::CleanEnding ending;
    return npunet::cli::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}
