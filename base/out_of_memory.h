// Memory that could not be had, with what would need less: a failure of the machine (exit code 4)
// that is none of its files and folders.
//
//     throw OutOfMemory("out of memory. Use fewer --jobs, or larger machines");
//
// C++17-clean.
#pragma once

#include "base/errors.h"

namespace npunet {

class OutOfMemory : public MachineError {
public:
    using MachineError::MachineError;
};

}  // namespace npunet
