// Typed fields of a YAML map: a value together with its file, line and path, so that whatever is
// wrong with it can be said in full.
//
//     YamlField root = YamlField::load("net.yml", "a network description", "topology: [Ring]");
//     check_keys(root, {"topology", "npus_count"}, {});
//     for (const YamlField& entry : root.at("npus_count").items()) {
//         sizes.push_back(entry.whole(1, 1 << 21, "the number of NPUs"));
//     }
//
// C++17-clean.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantities.h"

namespace npunet {

class YamlField {
public:
    /// The one document of a file, whatever it is.
    YamlField(std::string file, const YAML::Node& document);

    /// Reads the one document of a file, which must be a map. Throws InputError when the file
    /// cannot be read or is not YAML (then with line and column). `what` the file is and how it
    /// may begin are for the message.
    [[nodiscard]] static YamlField load(const std::string& file, const std::string& what,
                                        const std::string& beginning);

    /// The same for a file that must be a list.
    [[nodiscard]] static YamlField load_list(const std::string& file, const std::string& what,
                                             const std::string& beginning);

    /// The same as load() for a description that stands in memory; `file` is its name in messages.
    [[nodiscard]] static YamlField parse(const std::string& file, const std::string& text,
                                         const std::string& beginning);

    /// A value that stands in a file of another form, at a place such as "line 3, bandwidth".
    [[nodiscard]] static YamlField of_text(const std::string& file, const std::string& place,
                                           const std::string& text);

    /// The same value; its places and those of what lies in it name columns too.
    [[nodiscard]] YamlField with_columns() const;

    /// The value of a key of this map; refuses when this is no map or has no such key.
    [[nodiscard]] YamlField at(const std::string& key) const;
    /// The same; nothing when the key is absent.
    [[nodiscard]] std::optional<YamlField> find(const std::string& key) const;
    /// The keys of this map as they are written, each with its place.
    [[nodiscard]] std::vector<YamlField> written_keys() const;
    /// The same. Refuses what is no map, keys that are no words, and keys given twice.
    [[nodiscard]] std::vector<YamlField> keys() const;

    /// This map, with the values of another one for the keys that it lacks; maps that both have are
    /// merged in the same manner. Values keep their places; those of `defaults` have none in this
    /// file.
    [[nodiscard]] YamlField with_defaults(const YamlField& defaults) const;
    /// This map without a key.
    [[nodiscard]] YamlField without(const std::string& key) const;

    [[nodiscard]] bool is_list() const { return node_.IsSequence(); }
    [[nodiscard]] bool is_map() const { return node_.IsMap(); }
    [[nodiscard]] bool is_text() const { return node_.IsScalar(); }
    /// The elements of a list; a single value counts as a list of one.
    [[nodiscard]] std::vector<YamlField> items() const;

    /// The value as written. Refuses lists, maps and nothing.
    [[nodiscard]] const std::string& text(const std::string& expected) const;
    /// A plain decimal number, finite; nothing when the value is not one ("50GB/s").
    [[nodiscard]] std::optional<double> number() const;
    /// A whole number from `least` to `most`; refuses everything else.
    [[nodiscard]] std::int64_t whole(std::int64_t least, std::int64_t most,
                                     const std::string& expected) const;
    /// "4kB": from `least` to `most` bytes; refuses everything else.
    [[nodiscard]] Bytes size(std::int64_t least, std::int64_t most = most_size) const;
    static constexpr std::int64_t most_size = std::int64_t{1} << 50;  ///< 1 PiB

    /// The value for messages: "'Rign'", "a list of 3", "a map", "nothing".
    [[nodiscard]] std::string found() const;
    /// "line 3", or "line 3, column 5" with columns; empty for what stands in no file.
    [[nodiscard]] std::string line() const;
    /// "line 3, topology[0]".
    [[nodiscard]] std::string place() const;
    /// "net.yml: line 3, topology[0]".
    [[nodiscard]] std::string where() const { return file_ + ": " + place(); }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] const std::string& path() const { return path_; }

    /// Throws InputError with this place.
    [[noreturn]] void refuse(const std::string& found, const std::string& expected,
                             const std::string& remedy = "") const;

private:
    YamlField(std::string file, std::string path, const YAML::Node& node);
    [[nodiscard]] std::string path_of(const std::string& key) const;
    /// What lies in this value.
    [[nodiscard]] YamlField inner(std::string path, const YAML::Node& node) const;
    static YAML::Node merged(const YAML::Node& map, const YAML::Node& defaults);

    std::string file_;
    std::string path_;
    YAML::Node node_;
    bool columns_ = false;
};

/// "a, b, c".
[[nodiscard]] std::string joined(const std::vector<std::string>& names);

/// One of the `offered` words; any other is refused.
[[nodiscard]] std::string one_of(const YamlField& field, const std::vector<std::string>& offered);

/// What to do with keys that no reader knows.
struct UnknownKeys {
    bool tolerated = false;                        ///< a warning instead of an error
    std::vector<std::string>* warnings = nullptr;  ///< may be null
};

/// Passes every key of a map that is `known`, refuses those that are only `planned` as not offered
/// by this version, and treats the others as `unknown` says.
void check_keys(const YamlField& map, const std::vector<std::string>& known,
                const UnknownKeys& unknown, const std::vector<std::string>& planned = {});

}  // namespace npunet
