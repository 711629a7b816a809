// Parts of the program that are loaded when they are first needed, because the libraries that they
// bring (cairo, MPI) would make every start slower.
//
//     using Open = MessagePort* (*)();
//     const auto open = reinterpret_cast<Open>(
//         function_of_module("npunet_mpi", "npunet_open_mpi_port", ModuleScope::Global));
//
// A module is a shared library libNAME.so where the program says that its libraries lie (its
// RUNPATH): in lib/npunet beside the folder of an installed program, and nowhere else; of one that
// has not been installed in the folder of the build.
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
