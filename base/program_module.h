// Parts of the program that are loaded when they are first needed, because the libraries that they
// bring (cairo, MPI) would make every start slower.
//
//     using Open = MessagePort* (*)();
//     const auto open = reinterpret_cast<Open>(
//         function_of_module("npunet_mpi", "npunet_open_mpi_port", ModuleScope::Global));
//
// A module is a shared library libNAME.so, searched for in the program's RUNPATH only: lib/npunet
// next to the bin folder of an installed program, the build folder of one that is not installed.
#pragma once

#include <cstdint>
#include <string>

namespace npunet {

enum class ModuleScope : std::uint8_t {
    Local,
    Global  ///< what the module's libraries load themselves sees their symbols
};

/// A C function of a module, which stays loaded. Throws MachineError that names the file.
[[nodiscard]] void* function_of_module(const std::string& name, const char* function,
                                       ModuleScope scope);

}  // namespace npunet
