#include "cli/command/figure_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/errors.h"

namespace npunet::cli {

namespace {

std::string extension_of(const std::string& file) {
    return std::filesystem::path(file).extension().string();
}

}  // namespace

void check_figure_file(const char* option, const std::string& file) {
    const std::string extension = extension_of(file);
    if (extension != ".svg" && extension != ".png") {
        throw InputError(
            {option, "", fmt::format("'{}'", file), "a name that ends in .svg or .png", ""});
    }
}

void write_figure_file(const std::string& file, const report::Figure& figure) {
    AtomicFile output(file);
    output.stream() << (extension_of(file) == ".svg" ? figure.svg : figure.png);
    output.commit();
}

}  // namespace npunet::cli
