#include "base/input_text.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "base/errors.h"

namespace npunet {

std::string read_input_text(const std::filesystem::path& file, const std::string& expected,
                            const std::string& remedy) {
    const auto refuse = [&](const std::string& found) {
        throw InputError({file.string(), "", found, expected, remedy});
    };
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        refuse("no such file");
    }
    if (std::filesystem::is_directory(file, ignored)) {
        refuse("a folder");
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        refuse("a file that cannot be read");
    }
    std::string text;
    constexpr std::size_t block = std::size_t{1} << 16;
    while (stream && text.size() <= longest_input_text) {
        const std::size_t before = text.size();
        text.resize(before + block);
        stream.read(text.data() + before, static_cast<std::streamsize>(block));
        text.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) {
        refuse("a file that cannot be read");
    }
    if (text.size() > longest_input_text) {
        refuse(fmt::format("more than {} MiB", longest_input_text >> 20));
    }
    return text;
}

}  // namespace npunet
