#include "profiles/profile_reader.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/errors.h"
#include "profiles/byte_source.h"
#include "profiles/damaged_json.h"
#include "profiles/event_handler.h"
#include "profiles/json_text.h"
#include "profiles/table_builder.h"
#include "profiles/text_window.h"
#include "profiles/trace_header.h"

namespace npunet::profiles {

namespace {

constexpr std::size_t most_shown = 5;
/// An event longer than this is none: a quote or a bracket is missing somewhere.
constexpr std::size_t longest_event = std::size_t{1} << 24;
constexpr unsigned parse_flags =
    rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseStopWhenDoneFlag;

/// One file, from its first character to its last.
class ProfileReader {
public:
    ProfileReader(const std::filesystem::path& path, const ProfileReadOptions& options)
        : options_(options),
          window_(path, options.progress),
          handler_(table_.strings),
          builder_(table_) {
        table_.file = path.string();
    }

    EventTable read() {
        read_members();
        if (!has_events_) {
            refuse("no list 'traceEvents'", "a trace of PyTorch's profiler",
                   has_nodes_ ? "This looks like an execution trace (ExecutionTraceObserver); give "
                                "the profiler's trace"
                              : "Give what the profiler's export_chrome_trace or "
                                "tensorboard_trace_handler has written");
        }
        for (const EventId far : builder_.finish()) {
            skip_far(far);
        }
        table_.bytes = window_.byte() + window_.size();
        if (!table_.rank) {
            table_.rank = rank_in_name(std::filesystem::path(table_.file).filename().string());
        }
        return std::move(table_);
    }

private:
    [[noreturn]] void refuse(std::string found, std::string expected, std::string remedy) const {
        throw InputError({table_.file, fmt::format("line {}", window_.line()), std::move(found),
                          std::move(expected), std::move(remedy)});
    }

    /// Notes a place of damage at the window's begin; throws when reading is strict.
    void note(std::string what) {
        if (options_.strict) {
            refuse(std::move(what), "an event of a trace",
                   "Record again, or read it without --strict");
        }
        note_place({window_.line(), window_.byte(), std::move(what)});
    }

    void note_place(Damage::Place place) {
        if (table_.damage.first.size() < most_shown) {
            table_.damage.first.push_back(std::move(place));
        }
    }

    void note_cut_off() {
        if (!table_.damage.cut_off) {
            table_.damage.cut_off = true;
            note("the file ends here");
        }
    }

    /// The next character that is no blank; NUL at the end of the file.
    char next_character() {
        for (;;) {
            const std::string_view text = window_.text();
            std::size_t blanks = 0;
            while (blanks < text.size() && is_blank(text[blanks])) {
                ++blanks;
            }
            window_.advance(blanks);
            if (blanks < text.size()) {
                return text[blanks];
            }
            if (!window_.extend()) {
                return '\0';
            }
        }
    }

    /// How long the value at the window's begin is, all of it in the window; npos when the file
    /// ends before, or it is longer than an event can be (`any`: than the file).
    std::size_t whole_value(bool any) {
        for (;;) {
            const std::size_t length = value_length(window_.text());
            charge(std::min(length, window_.size()));
            if (length != std::string_view::npos || (!any && window_.size() > longest_event)) {
                return length;
            }
            if (!window_.extend()) {
                return std::string_view::npos;
            }
        }
    }

    void read_members() {
        const char first = next_character();
        if (first == '[') {
            read_events();
            return;
        }
        if (first != '{') {
            refuse(first == '\0' ? "an empty file"
                                 : fmt::format("a text that begins with '{}'", first),
                   "the JSON of PyTorch's profiler", "Check what the file is");
        }
        window_.advance(1);
        for (char c = next_character(); c != '}'; c = next_character()) {
            if (c == ',') {
                window_.advance(1);
            } else if (c != '"' || !read_member()) {
                note_cut_off();
                return;
            }
        }
        table_.damage.cut_off = table_.damage.cut_off || window_.cut_off();
    }

    /// False at the end of the file, or where what follows is no member.
    bool read_member() {
        const std::size_t length = whole_value(true);
        if (length == std::string_view::npos || length < 2) {
            return false;
        }
        const std::string key(window_.text().substr(1, length - 2));
        window_.advance(length);
        if (next_character() != ':') {
            return false;
        }
        window_.advance(1);
        const char first = next_character();
        if (key == "traceEvents" && first == '[') {
            return read_events();
        }
        has_nodes_ = has_nodes_ || key == "nodes";
        const std::size_t value = whole_value(true);
        if (value == std::string_view::npos) {
            return false;
        }
        const std::string_view json = window_.text().substr(0, value);
        if (is_header_key(key) && !read_header(key, json, table_) &&
            !read_header(key, repaired(json), table_)) {
            note(fmt::format("'{}' cannot be read as a whole", key));
        }
        window_.advance(value);
        return true;
    }

    /// False when the file ends within.
    bool read_events() {
        has_events_ = true;
        window_.advance(1);
        for (char c = next_character(); c != ']'; c = next_character()) {
            if (c == ',') {
                window_.advance(1);
            } else if (c == '\0') {
                note_cut_off();
                return false;
            } else if (c != '{') {
                skip_damage("not an event");
            } else {
                read_event();
            }
        }
        window_.advance(1);
        return true;
    }

    /// Looking for the ends of damaged events may not take for ever.
    void charge(std::size_t characters) {
        constexpr std::uint64_t allowance = std::uint64_t{1} << 28;
        looked_at_ += characters;
        if (looked_at_ > allowance + 64 * (window_.byte() + window_.size())) {
            refuse("damage throughout", "the JSON of PyTorch's profiler", "Record again");
        }
    }

    void read_event() {
        rapidjson::StringStream stream(window_.begin());
        if (parse(stream) && stream.Tell() <= window_.size()) {
            add();
            window_.advance(stream.Tell());
            return;
        }
        // Either it goes on beyond the window, or it is damaged.
        charge(std::min(stream.Tell(), window_.size()));
        const bool whole_file = window_.at_end();
        const std::size_t length = whole_value(false);
        if (length == std::string_view::npos) {
            if (window_.at_end() && next_event(window_.text(), 1) == std::string_view::npos) {
                note_cut_off();
                window_.advance(window_.size());
            } else {
                skip_damage("an event without its end");
            }
        } else if (whole_file || !parse_again(length)) {
            read_damaged(length);
        }
    }

    bool parse(rapidjson::StringStream& stream) {
        handler_.begin_event();
        return !reader_.Parse<parse_flags>(stream, handler_).IsError();
    }

    /// Now that the window holds all of it.
    bool parse_again(std::size_t length) {
        rapidjson::StringStream stream(window_.begin());
        if (!parse(stream)) {
            return false;
        }
        add();
        window_.advance(length);
        return true;
    }

    /// Adds the event that has just been parsed.
    void add() {
        const EventDraft& draft = handler_.draft();
        if (std::string why = builder_.add(draft); !why.empty()) {
            skip(std::move(why));
        } else if (!draft.unusable_argument.empty()) {
            note("an argument that was left out: " + draft.unusable_argument);
            ++table_.damage.repaired_events;
        }
    }

    /// An event whose time is implausible compared with the others.
    void skip_far(EventId event) {
        std::string what = fmt::format("'{}', more than 13 days from the middle of the profile",
                                       table_.name_of(event));
        if (options_.strict) {
            throw InputError({table_.file, std::move(what),
                              "a 'ts' far from those of the other events", "an event of a trace",
                              "Record again, or read it without --strict"});
        }
        note_place({0, 0, std::move(what)});
        ++table_.damage.skipped_events;
    }

    void read_damaged(std::size_t length) {
        const std::string text = repaired(window_.text().substr(0, length));
        rapidjson::StringStream stream(text.c_str());
        if (parse(stream)) {
            std::string why = builder_.add(handler_.draft());
            if (!why.empty()) {
                skip(std::move(why));
                window_.advance(length);
                return;
            }
            note(fmt::format("an event that was repaired: {}", first_error(length)));
            ++table_.damage.repaired_events;
            window_.advance(length);
            return;
        }
        skip_damage("an event that is no JSON: " + first_error(length));
    }

    std::string first_error(std::size_t length) {
        const std::string text(window_.text().substr(0, length));
        rapidjson::StringStream stream(text.c_str());
        handler_.begin_event();
        const rapidjson::ParseResult result = reader_.Parse<parse_flags>(stream, handler_);
        return result.IsError() ? rapidjson::GetParseError_En(result.Code()) : "";
    }

    void skip(std::string what) {
        note(std::move(what));
        ++table_.damage.skipped_events;
    }

    /// On to what looks like the next event, or the end of the list.
    void skip_damage(std::string what) {
        skip(std::move(what));
        for (;;) {
            const std::size_t next = next_event(window_.text(), 1);
            if (next != std::string_view::npos) {
                window_.advance(next);
                return;
            }
            const std::size_t list_end = end_of_list();
            if (list_end != std::string_view::npos) {
                window_.advance(list_end);
                return;
            }
            // A little is kept: the next event may begin in it.
            const std::size_t kept = std::min<std::size_t>(window_.size(), 64);
            window_.advance(window_.size() - kept);
            if (!window_.extend()) {
                window_.advance(window_.size());
                return;
            }
        }
    }

    /// A bracket that ends the list and is followed by a further member or the end of the object.
    [[nodiscard]] std::size_t end_of_list() const {
        const std::string_view text = window_.text();
        for (std::size_t i = text.find("\n  ]"); i != std::string_view::npos;
             i = text.find("\n  ]", i + 1)) {
            std::size_t after = i + 4;
            while (after < text.size() && is_blank(text[after])) {
                ++after;
            }
            if (after < text.size() && (text[after] == ',' || text[after] == '}')) {
                return i + 3;
            }
        }
        return std::string_view::npos;
    }

    ProfileReadOptions options_;
    EventTable table_;
    TextWindow window_;
    rapidjson::Reader reader_;
    EventHandler handler_;
    TableBuilder builder_;
    std::uint64_t looked_at_ = 0;  ///< characters, for values that were not read at once
    bool has_events_ = false;
    bool has_nodes_ = false;
};

}  // namespace

EventTable read_profile(const std::filesystem::path& path, const ProfileReadOptions& options) {
    return ProfileReader(path, options).read();
}

bool looks_like_profile(const std::filesystem::path& path) {
    std::string begin(std::size_t{1} << 16, '\0');
    try {
        ByteSource source(path);
        std::size_t size = 0;
        while (const std::size_t more = source.read(begin.data() + size, begin.size() - size)) {
            size += more;
        }
        begin.resize(size);
    } catch (const std::runtime_error&) {
        return false;
    }
    const auto has = [&](std::string_view key) { return begin.find(key) != std::string::npos; };
    return has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\""));
}

std::optional<std::int32_t> rank_in_name(const std::string& file_name) {
    static const std::regex pattern("(?:rank[_-]?|worker)([0-9]{1,8})(?:[._-].*)?");
    std::smatch match;
    for (std::size_t at = 0; at < file_name.size(); ++at) {
        const std::string rest = file_name.substr(at);
        if (std::regex_match(rest, match, pattern)) {
            return std::stoi(match[1]);
        }
    }
    return std::nullopt;
}

}  // namespace npunet::profiles
