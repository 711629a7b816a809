#include "topology/yaml/physical_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "base/errors.h"
#include "base/yaml_field.h"
#include "topology/yaml/link_fields.h"

namespace npunet::topology {

namespace {

constexpr std::int64_t most_numbered = std::int64_t{1} << 22;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::optional<std::int64_t> whole_number(std::string_view word) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(value)
                                                                    : std::nullopt;
}

std::vector<std::string_view> words_of_first_line(const std::string& text) {
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < line.size();) {
        if (is_blank(line[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < line.size() && !is_blank(line[end])) {
            ++end;
        }
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

/// Words one after the other, each with its place.
class Words {
public:
    Words(const std::string& file, const std::string& text) : file_(file), text_(text) { skip(); }

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] std::string place() const {
        return fmt::format("line {}, column {}", line_, at_ - begin_ + 1);
    }

    /// The next word as a field, and on to the one after it.
    YamlField next(const std::string& expected) {
        if (at_end()) {
            refuse("the end of the file", expected);
        }
        std::size_t end = at_;
        while (end < text_.size() && !is_blank(text_[end])) {
            ++end;
        }
        YamlField field = YamlField::of_text(file_, place(), text_.substr(at_, end - at_));
        at_ = end;
        skip();
        return field;
    }

    /// A whole number from `least` to `most`.
    std::int64_t number(const std::string& what, std::int64_t least, std::int64_t most) {
        const std::string expected = fmt::format("{}, {} to {}", what, least, most);
        const YamlField field = next(expected);
        const auto value = whole_number(field.text(expected));
        if (!value || *value < least || *value > most) {
            field.refuse(field.found(), expected);
        }
        return *value;
    }

    /// Whether the next word begins a number: the simulators' own files end with notes.
    [[nodiscard]] bool at_number() const { return !at_end() && is_digit(text_[at_]); }

    [[noreturn]] void refuse(const std::string& found, const std::string& expected,
                             const std::string& remedy = "") const {
        throw InputError({file_, place(), found, expected, remedy});
    }

private:
    void skip() {
        for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) {
            if (text_[at_] == '\n') {
                ++line_;
                begin_ = at_ + 1;
            }
        }
    }

    const std::string& file_;
    const std::string& text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t begin_ = 0;  ///< of the line
};

class Reader {
public:
    Reader(const std::string& file, const std::string& text, bool simai)
        : words_(file, text), simai_(simai) {}

    PhysicalFile read() {
        nodes_ = words_.number("the number of nodes", 1, most_numbered);
        if (simai_) {
            static_cast<void>(words_.number("the GPUs of a server", 1, nodes_));
            nv_switches_ = words_.number("the number of NVSwitches", 0, nodes_);
        }
        switches_ = words_.number("the number of switches", 0, nodes_ - nv_switches_);
        const std::int64_t links = words_.number("the number of links", 0, most_numbered);
        if (simai_) {
            static_cast<void>(words_.next("the type of the GPU"));
        }
        read_switches();
        for (std::int64_t i = 0; i < links; ++i) {
            read_link(i, links);
        }
        if (words_.at_number()) {
            words_.refuse("more numbers", fmt::format("the end behind {} links", links),
                          "Correct the number of links in line 1");
        }
        if (nodes_ > links + 1) {
            throw InputError({words_.file(), "line 1", fmt::format("{} nodes", nodes_),
                              fmt::format("at most {}, which {} links can join", links + 1, links),
                              "Correct the numbers"});
        }
        for (std::int64_t i = 0; i < nodes_ - nv_switches_ - switches_; ++i) {
            file_.npus.push_back(fmt::format("npu{}", i));
        }
        return std::move(file_);
    }

private:
    void read_switches() {
        for (std::int64_t i = 0; i < nv_switches_ + switches_; ++i) {
            const std::string place = words_.place();
            const std::int64_t number = words_.number("the number of a switch", 0, nodes_ - 1);
            const std::string name =
                fmt::format("{}{}", i < nv_switches_ ? "nvswitch" : "switch", number);
            if (!switch_names_.emplace(number, name).second) {
                throw InputError({words_.file(), place, fmt::format("{} a second time", number),
                                  "each switch once", ""});
            }
            file_.switches.push_back(name);
        }
        for (const auto& [number, name] : switch_names_) {
            switch_numbers_.push_back(number);
        }
    }

    /// NPUs count without the switches before them.
    [[nodiscard]] std::string name_of(std::int64_t node) const {
        if (const auto found = switch_names_.find(node); found != switch_names_.end()) {
            return found->second;
        }
        const auto before = std::lower_bound(switch_numbers_.begin(), switch_numbers_.end(), node);
        return fmt::format("npu{}", node - (before - switch_numbers_.begin()));
    }

    void read_link(std::int64_t i, std::int64_t links) {
        const std::string place = words_.place();
        if (!words_.at_number()) {
            words_.refuse(
                words_.at_end() ? "the end of the file" : "no number",
                fmt::format("link {} of {}: node, node, rate, delay, error rate", i + 1, links),
                "Correct the number of links in line 1");
        }
        const std::int64_t from = words_.number("the number of a node", 0, nodes_ - 1);
        const std::int64_t to = words_.number("the number of a node", 0, nodes_ - 1);
        const Rate rate = bandwidth_at(with_unit(words_.next("a rate such as 400Gbps"), "400Gbps"),
                                       GigaByte::Decimal)
                              .rate;
        const Time latency =
            latency_at(with_unit(words_.next("a delay such as 0.0005ms"), "0.0005ms")).time;
        const YamlField error = words_.next("an error rate");
        if (error.number() != 0.0) {
            error.refuse(error.found(), "0: links of a topology file have no errors here",
                         "Write Custom: {file: ...} into a network.yml, and error_rate below "
                         "packet");
        }
        file_.links.push_back({place, name_of(from), name_of(to), {rate, latency}});
    }

    /// What ns-3 would take a plain number for (bits, seconds) is rarely meant.
    static const YamlField& with_unit(const YamlField& field, const char* example) {
        if (const auto number = field.number(); number && *number != 0.0) {
            field.refuse(field.found(), fmt::format("a value with its unit, such as {}", example));
        }
        return field;
    }

    Words words_;
    bool simai_;
    std::int64_t nodes_ = 0;
    std::int64_t nv_switches_ = 0;
    std::int64_t switches_ = 0;
    std::map<std::int64_t, std::string> switch_names_;  ///< by their numbers
    std::vector<std::int64_t> switch_numbers_;          ///< in ascending order
    PhysicalFile file_;
};

}  // namespace

bool is_physical_text(const std::string& text) {
    const std::vector<std::string_view> words = words_of_first_line(text);
    const std::size_t numbers = words.size() == 3 ? 3 : 5;
    return (words.size() == 3 || words.size() == 6) &&
           std::all_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(numbers),
                       [](std::string_view word) { return whole_number(word).has_value(); }) &&
           (words.size() == 3 || !whole_number(words[5]));
}

bool is_physical_file(const std::string& path) {
    std::error_code ignored;
    std::ifstream stream(path, std::ios::binary);
    std::string first(256, '\0');
    if (!std::filesystem::is_regular_file(path, ignored) || !stream) {
        return false;
    }
    stream.read(first.data(), static_cast<std::streamsize>(first.size()));
    first.resize(static_cast<std::size_t>(stream.gcount()));
    return is_physical_text(first);
}

PhysicalFile read_physical_text(const std::string& file, const std::string& text) {
    return Reader(file, text, words_of_first_line(text).size() == 6).read();
}

}  // namespace npunet::topology
