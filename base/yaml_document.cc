#include "base/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/input_text.h"

namespace npunet {

namespace {

std::string place_of(const YAML::Mark& mark) {
    return mark.is_null() ? "" : fmt::format("line {}, column {}", mark.line + 1, mark.column + 1);
}

/// Whether a line, counted from 0, is indented with a tab.
bool tab_indents(const std::string& text, int line) {
    std::size_t begin = 0;
    for (; line > 0 && begin != std::string::npos; --line) {
        begin = text.find('\n', begin);
        begin += begin == std::string::npos ? 0 : 1;
    }
    if (line < 0 || begin == std::string::npos) {
        return false;
    }
    const std::size_t first = std::min(text.find_first_not_of(" \t", begin), text.size());
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(first);
    return std::find(at, end, '\t') != end;
}

/// Goes through a text before anything is made of it: counts what it holds, an alias as all that it
/// names, which readers meet as often as it is named.
class LimitCheck final : public YAML::EventHandler {
public:
    explicit LimitCheck(const std::string& file) : file_(file) {}

    /// The parser takes text that begins no value for empty documents without an end.
    void OnDocumentStart(const YAML::Mark& mark) override {
        if (begun_ && mark.pos == begun_->pos) {
            throw InputError({file_, place_of(mark), "text that begins no value", "YAML",
                              "Look for a comma or bracket too many"});
        }
        if (begun_) {
            throw InputError({file_, place_of(mark), "a second document", "one document",
                              "Remove the lines '---'"});
        }
        begun_ = mark;
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { value(mark, anchor); }
    void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  const std::string& /*text*/) override {
        value(mark, anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto named = sizes_.find(anchor);
        if (named == sizes_.end()) {
            throw InputError({file_, place_of(mark), "an alias inside of what it names",
                              "an alias of something that has ended", "Write the value out"});
        }
        count(named->second, mark);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        begin(mark, anchor);
    }
    void OnSequenceEnd() override { end(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        begin(mark, anchor);
    }
    void OnMapEnd() override { end(); }

private:
    struct Open {
        YAML::anchor_t anchor;
        std::size_t values_before;
    };

    void count(std::size_t values, const YAML::Mark& mark) {
        values_ += values;
        check_input_values(values_, file_, place_of(mark));
    }
    void name(YAML::anchor_t anchor, std::size_t values) {
        if (anchor != YAML::NullAnchor) {
            sizes_[anchor] = values;
        }
    }
    void value(const YAML::Mark& mark, YAML::anchor_t anchor) {
        count(1, mark);
        name(anchor, 1);
    }
    void begin(const YAML::Mark& mark, YAML::anchor_t anchor) {
        check_input_depth(open_.size() + 1, file_, place_of(mark));
        open_.push_back({anchor, values_});
        count(1, mark);
    }
    void end() {
        name(open_.back().anchor, values_ - open_.back().values_before);
        open_.pop_back();
    }

    const std::string& file_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, std::size_t> sizes_;  ///< of what has ended
    std::size_t values_ = 0;
    std::optional<YAML::Mark> begun_;  ///< where the document did
};

void check_limits(const std::string& file, const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    LimitCheck check(file);
    while (parser.HandleNextDocument(check)) {
    }
}

}  // namespace

YAML::Node parse_yaml(const std::string& file, const std::string& text) {
    try {
        check_limits(file, text);
        return YAML::Load(text);
    } catch (const YAML::Exception& error) {
        if (!error.mark.is_null() && tab_indents(text, error.mark.line)) {
            throw InputError({file, fmt::format("line {}", error.mark.line + 1),
                              "a tab in the indentation", "blanks: YAML does not indent with tabs",
                              "Replace the tab with blanks"});
        }
        throw InputError({file, place_of(error.mark), error.msg, "YAML",
                          "Look for an unclosed bracket or quote"});
    }
}

YAML::Node read_yaml(const std::filesystem::path& file, const std::string& kind,
                     const std::string& remedy) {
    const std::string text = read_input_text(file, kind, remedy);
    if (text.empty()) {
        throw InputError({file.string(), "", "an empty file", kind, remedy});
    }
    return parse_yaml(file.string(), text);
}

}  // namespace npunet
