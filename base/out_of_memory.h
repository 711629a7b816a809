// Failed memory allocations, with a hint at what needs less memory: a failure of the machine
// (exit code 4) that does not concern a file or folder.
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
