#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/suggest.h"
#include "topology/builders/builder.h"

namespace npunet::topology {

namespace {

/// Takes the NPUs one by one and complains, in the words of `refuse`, of the first that is wrong.
class PermutationCheck {
public:
    explicit PermutationCheck(std::size_t npus) : taken_(npus, false) {}

    /// What is wrong with giving this NPU to the next rank; empty when nothing is.
    [[nodiscard]] std::string add(std::int64_t npu) {
        if (npu < 0 || npu >= static_cast<std::int64_t>(taken_.size())) {
            return fmt::format("NPU {}, which does not exist", npu);
        }
        const auto index = static_cast<std::size_t>(npu);
        if (taken_[index]) {
            return fmt::format("NPU {} a second time", npu);
        }
        taken_[index] = true;
        placement_.push_back(NodeId(index));
        return "";
    }

    [[nodiscard]] bool complete() const { return placement_.size() == taken_.size(); }
    [[nodiscard]] std::size_t size() const { return placement_.size(); }
    [[nodiscard]] std::string expected() const {
        return fmt::format("each of the NPUs 0 to {} once", taken_.size() - 1);
    }
    [[nodiscard]] std::vector<NodeId> take() { return std::move(placement_); }

private:
    std::vector<bool> taken_;
    std::vector<NodeId> placement_;
};

std::vector<NodeId> listed_placement(const YamlField& field, std::size_t npus) {
    PermutationCheck check(npus);
    const std::vector<YamlField> items = field.items();
    if (items.size() != npus) {
        field.refuse(fmt::format("{} entries", items.size()), check.expected());
    }
    for (const YamlField& item : items) {
        const std::int64_t npu =
            item.whole(0, static_cast<std::int64_t>(npus) - 1, "the number of an NPU");
        if (const std::string wrong = check.add(npu); !wrong.empty()) {
            item.refuse(wrong, check.expected());
        }
    }
    return check.take();
}

/// The words of a list of NPUs: comments and punctuation are gone.
std::vector<std::string> words_in(std::istream& stream) {
    std::vector<std::string> words;
    for (std::string line; std::getline(stream, line);) {
        line.erase(std::min(line.find('#'), line.size()));
        std::string word;
        for (const char c : line + " ") {
            if (std::string_view(" \t\r,[]").find(c) == std::string_view::npos) {
                word += c;
            } else if (!word.empty()) {
                words.push_back(std::exchange(word, {}));
            }
        }
    }
    return words;
}

/// `file` says in errors where the list stands.
std::vector<NodeId> placement_of_words(std::istream& list, const std::string& file,
                                       std::size_t npus) {
    PermutationCheck check(npus);
    for (const std::string& word : words_in(list)) {
        std::int32_t npu = -1;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), npu);
        std::string wrong = fmt::format("'{}'", word);
        if (error == std::errc{} && end == word.data() + word.size()) {
            wrong = check.add(npu);
        }
        if (!wrong.empty()) {
            throw InputError(
                {file, fmt::format("rank {}", check.size()), wrong, check.expected(), ""});
        }
    }
    if (!check.complete()) {
        throw InputError({file, "", fmt::format("{} entries", check.size()), check.expected(), ""});
    }
    return check.take();
}

std::vector<NodeId> placement_in_file(const YamlField& field, std::size_t npus) {
    const std::filesystem::path path =
        std::filesystem::path(field.file()).parent_path() / field.text("a file");
    const std::string list = "linear, snake, a list of NPUs, or a file with such a list";
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        field.refuse(field.found(), list, did_you_mean(field.text("a file"), {"linear", "snake"}));
    }
    std::istringstream stream(read_input_text(path, list, "Check the path"));
    return placement_of_words(stream, path.string(), npus);
}

}  // namespace

std::vector<NodeId> read_placement(const YamlField& field, const std::vector<Dimension>& dimensions,
                                   std::size_t npus) {
    if (field.is_list()) {
        return listed_placement(field, npus);
    }
    const std::string& text = field.text("linear, snake, a list of NPUs, or a file");
    if (text == "linear") {
        return linear_placement(npus);
    }
    if (text == "snake") {
        if (dimensions.empty()) {
            field.refuse("'snake' on a network without dimensions",
                         "linear, a list of NPUs, or a file");
        }
        return snake_placement(dimensions);
    }
    return placement_in_file(field, npus);
}

std::vector<NodeId> placement_of_text(const std::string& text, const std::string& from,
                                      const std::vector<Dimension>& dimensions, std::size_t npus) {
    if (text.find_first_not_of("0123456789,[] ") == std::string::npos) {
        std::istringstream list(text);
        return placement_of_words(list, from, npus);
    }
    return read_placement(YamlField::of_text(from, "", text), dimensions, npus);
}

}  // namespace npunet::topology
