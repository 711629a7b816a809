#include "topology/parameters/traffic_classes.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "base/errors.h"

namespace npunet::topology {

namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::optional<int> whole(const std::string& word, int least, int most) {
    int value = 0;
    const char* end = word.data() + word.size();
    const auto result = std::from_chars(word.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || value < least || value > most) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

void read_arbitration_text(const std::string& text, const std::string& place,
                           TrafficClasses& classes) {
    const std::vector<std::string> words = words_of(text);
    classes.weights.clear();
    if (words.size() == 1 && words.front() == "strict") {
        return;
    }
    for (const std::string& word : words) {
        const std::optional<int> weight = whole(word, 1, TrafficClasses::most_weight);
        if (weight) {
            classes.weights.push_back(static_cast<std::uint8_t>(*weight));
        }
    }
    if (classes.weights.size() != words.size() || words.size() != classes.count) {
        throw InputError({"", place, "'" + text + "'",
                          fmt::format("strict, or a whole weight from 1 to {} for each of {} "
                                      "classes, such as '3 1'",
                                      TrafficClasses::most_weight, classes.count),
                          ""});
    }
}

std::string arbitration_text(const TrafficClasses& classes) {
    return classes.weights.empty() ? "strict" : fmt::format("{}", fmt::join(classes.weights, " "));
}

void read_class_of_text(const std::string& text, const std::string& place,
                        TrafficClasses& classes) {
    const std::vector<std::string> words = words_of(text);
    classes.class_of = {};
    for (std::size_t i = 0; i < words.size(); i += 2) {
        const std::optional<Communication> kind = communication_named(words[i]);
        const std::optional<int> number =
            i + 1 < words.size() ? whole(words[i + 1], 0, classes.count - 1) : std::nullopt;
        if (!kind || !number) {
            throw InputError(
                {"", place, "'" + text + "'",
                 fmt::format("kinds of communication ({}), each with a class from 0 to "
                             "{}, such as 'all_to_all 1 send_recv 0'",
                             fmt::join(communication_names(), ", "), classes.count - 1),
                 ""});
        }
        classes.class_of[static_cast<std::size_t>(*kind)] = static_cast<std::uint8_t>(*number);
    }
}

std::string class_of_text(const TrafficClasses& classes) {
    std::string text;
    for (std::size_t kind = 0; kind < communications; ++kind) {
        if (classes.class_of[kind] != 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : " ", communication_names()[kind],
                                classes.class_of[kind]);
        }
    }
    return text;
}

}  // namespace npunet::topology
