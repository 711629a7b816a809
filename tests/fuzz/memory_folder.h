// A folder that no disk sees: for readers that look for other files beside the one they are given.
//
//     MemoryFolder folder;
//     folder.write("network.yml", bytes);
//     read_network(folder / "network.yml", ...);
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace npunet::fuzz {

class MemoryFolder {
public:
    MemoryFolder();
    ~MemoryFolder();
    MemoryFolder(const MemoryFolder&) = delete;
    MemoryFolder& operator=(const MemoryFolder&) = delete;

    void write(const std::string& name, std::string_view bytes) const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const {
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

}  // namespace npunet::fuzz
