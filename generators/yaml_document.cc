#include "generators/yaml_document.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/errors.h"

namespace npunet::generators {

YAML::Node read_yaml(const std::filesystem::path& file, const std::string& kind,
                     const std::string& remedy) {
    const auto refuse = [&](const char* found) {
        throw InputError({file.string(), "", found, kind, remedy});
    };
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        refuse("no such file");
    }
    if (std::filesystem::is_directory(file, ignored)) {
        refuse("a folder");
    }
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (!stream) {
        refuse("a file that cannot be read");
    }
    // An empty file sets the target's failbit, and that alone.
    text << stream.rdbuf();
    if (text.str().empty()) {
        refuse("an empty file");
    }
    try {
        return YAML::Load(text.str());
    } catch (const YAML::Exception& error) {
        throw InputError(
            {file.string(), fmt::format("line {}", error.mark.line + 1), error.msg, "YAML", ""});
    }
}

}  // namespace npunet::generators
