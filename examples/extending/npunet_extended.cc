// The program npunet with a topology and a collective algorithm more, for every subcommand and
// fidelity.

#include <iostream>

#include "cli/program.h"
#include "moebius_ladder.h"
#include "neighbor_exchange.h"

int main(int argc, char** argv) {
    npunet::topology::add_standalone_network("MoebiusLadder", extending::read_moebius_ladder);
    extending::neighbor_exchange::add();
    return npunet::cli::run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}
