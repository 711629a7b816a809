#include "cli/schema_option.h"

#include <fmt/format.h>

namespace npunet::cli {

void SchemaOption::add_to(CLI::App& command) {
    const auto check = [](const std::string& text) {
        return chakra::schema_from(text)
                   ? std::string()
                   : fmt::format("found '{}'; expected one of {}", text, chakra::schema_names());
    };
    command
        .add_option(
            "--schema", name_,
            "Read the traces as this schema, whatever they look like: " + chakra::schema_names())
        ->check(CLI::Validator(check, ""))
        ->type_name("NAME");
}

}  // namespace npunet::cli
