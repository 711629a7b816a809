#include <iostream>

#include "cli/program.h"

int main(int argc, char** argv) {
    return npunet::cli::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}
