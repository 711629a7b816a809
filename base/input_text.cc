#include "base/input_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/errors.h"

namespace npunet {

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* what, const char* remedy) {
    throw MachineError(
        fmt::format("{}: cannot {}: {}. {}", file.string(), what, std::strerror(errno), remedy));
}

}  // namespace

std::string read_input_text(const std::filesystem::path& file, const std::string& expected,
                            const std::string& remedy, std::size_t longest) {
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
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream && errno == ENXIO) {
        refuse("a socket or device that cannot be read");
    }
    if (!stream) {
        fail(file, "open", "Check the permissions of the file");
    }
    std::string text;
    constexpr std::size_t block = std::size_t{1} << 16;
    while (stream && text.size() <= longest) {
        const std::size_t before = text.size();
        text.resize(before + block);
        stream.read(text.data() + before, static_cast<std::streamsize>(block));
        text.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) {
        fail(file, "read", "Check the disk, or copy the file again");
    }
    if (text.size() > longest) {
        refuse(fmt::format("more than {} MiB", longest >> 20));
    }
    return text;
}

void check_input_depth(std::size_t depth, const std::string& file, const std::string& place) {
    if (depth > deepest_input) {
        throw InputError({file, place, fmt::format("lists or maps {} deep in each other", depth),
                          fmt::format("at most {} deep", deepest_input),
                          "Look for brackets that are not closed"});
    }
}

void check_input_values(std::size_t values, const std::string& file, const std::string& place) {
    if (values > most_input_values) {
        throw InputError({file, place, fmt::format("more than {} values", most_input_values),
                          fmt::format("at most {}", most_input_values),
                          "Aliases count as what they name; the links of a Custom network may "
                          "stand in a file of their own"});
    }
}

}  // namespace npunet
