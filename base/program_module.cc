#include "base/program_module.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/errors.h"
#include "base/installation.h"

namespace npunet {

namespace {

std::filesystem::path module_path(const std::string& name) {
    const std::string file = "lib" + name + ".so";
    return installed_or(std::filesystem::path("lib/npunet") / file,
                        std::filesystem::path(NPUNET_MODULES_DIR) / file);
}

std::string loader_message() {
    const char* const message = ::dlerror();
    return message == nullptr ? "" : message;
}

}  // namespace

void* function_of_module(const std::string& name, const char* function, ModuleScope scope) {
    const std::filesystem::path path = module_path(name);
    void* const module = ::dlopen(
        path.c_str(), RTLD_NOW | (scope == ModuleScope::Global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (module == nullptr) {
        throw MachineError(
            "a part of the program cannot be loaded: " + loader_message() +
            ". It lies in lib/npunet beside the program's folder, or in the folder of "
            "the build");
    }
    void* const address = ::dlsym(module, function);
    if (address == nullptr) {
        throw MachineError(path.string() + ": " + loader_message() +
                           ". It belongs to another version of the program");
    }
    return address;
}

}  // namespace npunet
