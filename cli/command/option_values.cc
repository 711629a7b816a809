#include "cli/command/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "base/suggest.h"

namespace npunet::cli {

namespace {

std::string refusal(const std::string& found, const std::string& expected,
                    const std::string& remedy = "") {
    return fmt::format("found {}; expected {}{}{}", found, expected, remedy.empty() ? "" : ". ",
                       remedy);
}

std::string quoted(const std::string& text) {
    return text.empty() ? "nothing" : fmt::format("'{}'", text);
}

template <class T>
CLI::Validator in_range(T least, T most, const std::string& expected) {
    return {[least, most, expected](const std::string& text) {
                T value{};
                const char* last = text.data() + text.size();
                const auto [end, error] = std::from_chars(text.data(), last, value);
                const bool fits =
                    error == std::errc{} && end == last && value >= least && value <= most;
                return fits ? "" : refusal(quoted(text), expected);
            },
            ""};
}

std::optional<std::uint64_t> id_from(const std::string& text) {
    std::uint64_t id = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, id);
    return error == std::errc{} && end == last ? std::optional(id) : std::nullopt;
}

}  // namespace

CLI::Validator node_ids() {
    return {[](const std::string& text) -> std::string {
                for (const std::string& item : list_items({text})) {
                    if (!id_from(item)) {
                        return refusal(quoted(item),
                                       fmt::format("the id of a node, a whole number from 0 to {}",
                                                   std::numeric_limits<std::uint64_t>::max()));
                    }
                }
                return "";
            },
            ""};
}

std::vector<std::uint64_t> ids_from(const std::vector<std::string>& values) {
    std::vector<std::uint64_t> ids;
    for (const std::string& item : list_items(values)) {
        ids.push_back(id_from(item).value());
    }
    return ids;
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
    return in_range(least, most, fmt::format("a whole number from {} to {}", least, most));
}

CLI::Validator number(double least, double most) {
    return in_range(least, most, fmt::format("a number from {} to {}", least, most));
}

CLI::Validator one_of(std::vector<std::string> words) {
    const std::string list = fmt::format("{}", fmt::join(words, ","));
    return {[words = std::move(words)](const std::string& text) -> std::string {
                if (std::find(words.begin(), words.end(), text) != words.end()) {
                    return "";
                }
                return refusal(quoted(text), fmt::format("one of {}", fmt::join(words, ", ")),
                               did_you_mean(text, words, "'"));
            },
            "{" + list + "}"};
}

CLI::Validator output_folder() {
    return {[](const std::string& text) -> std::string {
                if (text.empty()) {
                    return refusal("an empty name", "a folder, which is made when missing",
                                   "Say . for the current folder");
                }
                std::filesystem::path path = text;
                std::error_code ignored;
                while (path.has_relative_path() && !std::filesystem::exists(path, ignored)) {
                    path = path.parent_path();
                }
                if (path.empty() || !std::filesystem::exists(path, ignored) ||
                    std::filesystem::is_directory(path, ignored)) {
                    return "";
                }
                return refusal(fmt::format("'{}', a file", path.string()),
                               "a folder, which is made when missing",
                               "Choose another path, or move the file away");
            },
            ""};
}

std::vector<std::string> list_items(const std::vector<std::string>& values) {
    std::vector<std::string> items;
    for (const std::string& value : values) {
        std::size_t start = 0;
        for (std::size_t comma = 0; comma != std::string::npos; start = comma + 1) {
            comma = value.find(',', start);
            items.push_back(value.substr(start, comma - start));
        }
    }
    return items;
}

}  // namespace npunet::cli
