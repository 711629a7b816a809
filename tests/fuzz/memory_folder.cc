#include "memory_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace npunet::fuzz {

namespace {

namespace fs = std::filesystem;

}  // namespace

MemoryFolder::MemoryFolder() {
    const fs::path memory = "/dev/shm";
    std::string name =
        ((fs::is_directory(memory) ? memory : fs::temp_directory_path()) / "npunet-fuzz-XXXXXX")
            .string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), "a folder in memory");
    }
    path_ = name;
}

MemoryFolder::~MemoryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void MemoryFolder::write(const std::string& name, std::string_view bytes) const {
    std::ofstream stream(path_ / name, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream.flush()) {
        throw std::system_error(errno, std::generic_category(), "a file in memory");
    }
}

}  // namespace npunet::fuzz
