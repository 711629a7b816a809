#include "base/program_module.h"

#include <dlfcn.h>

#include "base/errors.h"

namespace npunet {

namespace {

std::string loader_message() {
    const char* const message = ::dlerror();
    return message == nullptr ? "" : message;
}

}  // namespace

void* function_of_module(const std::string& name, const char* function, ModuleScope scope) {
    const std::string file = "lib" + name + ".so";
    void* const module = ::dlopen(
        file.c_str(), RTLD_NOW | (scope == ModuleScope::Global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (module == nullptr) {
        throw MachineError("a part of the program cannot be loaded: " + loader_message() +
                           ". It lies in lib/npunet beside the program's folder");
    }
    void* const address = ::dlsym(module, function);
    if (address == nullptr) {
        throw MachineError(file + ": " + loader_message() +
                           ". It belongs to another version of the program");
    }
    return address;
}

}  // namespace npunet
