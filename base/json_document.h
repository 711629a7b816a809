// A JSON document as a whole, with errors that name the file and the byte. All readers that take
// whole documents get theirs here, within the limits of base/input_text.h: their lists and
// objects lie in each other so little that they can be copied and printed, which is recursive.
//
//     const auto root = read_json<nlohmann::json>(file, {"a cluster file", "Check the path"});
//
// C++17-clean.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/input_text.h"

namespace npunet {

/// The expected kind of document, for error messages.
struct JsonKind {
    std::string expected;  ///< "a cluster file"
    std::string remedy;    ///< what to do if the file is missing
};

/// Parser callback that enforces the limits and rejects duplicate keys, of which the library would
/// silently keep the last.
template <class Json>
class JsonWatch {
public:
    explicit JsonWatch(const std::string& file) : file_(file) {}

    bool operator()(int depth, typename Json::parse_event_t event, const Json& parsed) {
        using Event = typename Json::parse_event_t;
        if (event == Event::object_end || event == Event::array_end) {
            keys_.resize(keys_.size() - (event == Event::object_end ? 1 : 0));
            return true;
        }
        check_input_values(++values_, file_, place_);
        if (event == Event::object_start || event == Event::array_start) {
            check_input_depth(static_cast<std::size_t>(depth) + 1, file_, place_);
            keys_.resize(keys_.size() + (event == Event::object_start ? 1 : 0));
        } else if (event == Event::key) {
            note_key(parsed.template get_ref<const std::string&>());
        }
        return true;
    }

private:
    void note_key(const std::string& key) {
        if (keys_.size() == 1) {
            place_ = key;
        }
        if (!keys_.back().insert(key).second) {
            throw InputError({file_, key, "the same key twice in an object", "every key once",
                              "Remove one of the two"});
        }
    }

    const std::string& file_;
    std::vector<std::set<std::string>> keys_;  ///< of the objects under way
    std::string place_;                        ///< the key of the outermost object
    std::size_t values_ = 0;
};

/// What the library complains of, without its name of the complaint: "[json...] parse error ...".
[[nodiscard]] inline std::string json_complaint(const std::string& what) {
    const std::size_t end = what.find("] ");
    return what.rfind("[json.", 0) == 0 && end != std::string::npos ? what.substr(end + 2) : what;
}

/// A value in a message: in ASCII, cut behind `most` characters.
template <class Json>
[[nodiscard]] std::string json_excerpt(const Json& value, std::size_t most = 40) {
    const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

/// Parses a document; `file` is its name in messages. Throws InputError for invalid JSON, a number
/// out of range, a duplicate key in an object, and a document beyond the limits.
template <class Json>
[[nodiscard]] Json parse_json(const std::string& file, const std::string& text,
                              const JsonKind& kind) {
    try {
        JsonWatch<Json> watch(file);
        return Json::parse(text, [&watch](int depth, typename Json::parse_event_t event,
                                          Json& parsed) { return watch(depth, event, parsed); });
    } catch (const typename Json::parse_error& error) {
        throw InputError({file, fmt::format("byte {}", error.byte), "text that is not JSON",
                          kind.expected, json_complaint(error.what())});
    } catch (const typename Json::exception& error) {  // a number beyond every range
        throw InputError(
            {file, "", "a value that cannot be read", kind.expected, json_complaint(error.what())});
    }
}

/// The same for a document that must be an object.
template <class Json>
[[nodiscard]] Json parse_json_object(const std::string& file, const std::string& text,
                                     const JsonKind& kind) {
    Json document = parse_json<Json>(file, text, kind);
    if (!document.is_object()) {
        throw InputError({file, "", "JSON that is not an object", kind.expected, ""});
    }
    return document;
}

/// The same as parse_json() for a file. Also throws InputError for one that is missing, a folder,
/// unreadable or too long.
template <class Json>
[[nodiscard]] Json read_json(const std::filesystem::path& file, const JsonKind& kind) {
    return parse_json<Json>(file.string(), read_input_text(file, kind.expected, kind.remedy), kind);
}

/// The same as parse_json_object() for a file.
template <class Json>
[[nodiscard]] Json read_json_object(const std::filesystem::path& file, const JsonKind& kind) {
    return parse_json_object<Json>(file.string(), read_input_text(file, kind.expected, kind.remedy),
                                   kind);
}

}  // namespace npunet
