#include <iostream>

#include "cli/clean_ending.h"
#include "cli/program.h"

int main(int argc, char** argv) {
    const npunet::cli::CleanEnding ending;
    return npunet::cli::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}
