// A machine built without files as the studies take theirs.
#pragma once

#include "study/simulation_run.h"
#include "tests/support/machines.h"

namespace npunet::study {

inline Machine as_machine(const test::TestMachine& made) {
    return {made.dialect, made.network, made.system, {}};
}

}  // namespace npunet::study
