#include "engine/machine/algorithm_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/errors.h"
#include "base/json_object.h"
#include "base/units.h"
#include "engine/collective_files/read_algorithm.h"

namespace npunet::engine {

namespace {

using nlohmann::json;

constexpr std::int64_t most_bytes = std::int64_t{1} << 62;

/// A key of ASTRA-sim that names traces, without its last word.
struct CustomKey {
    const char* key;
    CollectiveKind kind;
};
constexpr std::array<CustomKey, 4> custom_keys{{
    {"all-reduce-implementation", CollectiveKind::AllReduce},
    {"all-gather-implementation", CollectiveKind::AllGather},
    {"reduce-scatter-implementation", CollectiveKind::ReduceScatter},
    {"all-to-all-implementation", CollectiveKind::AllToAll},
}};
constexpr std::array<const char*, 2> custom_endings{"-custom", "-chakra"};

/// One entry of a list.
class FileEntry : public JsonObject<json> {
public:
    FileEntry(const std::string& file, const json& entry, const std::string& place)
        : JsonObject(file, entry, place), place_(place) {}

    [[nodiscard]] FileChoice read(CollectiveKind kind, std::vector<std::string>& warnings) const {
        check_keys({"file", "min-bytes", "max-bytes", "members", "made-for"}, {}, false, warnings);
        const std::string named = text("file");
        const std::string path = (std::filesystem::path(file()).parent_path() / named).string();
        FileChoice choice;
        auto algorithm = std::make_shared<FileAlgorithm>(*read_algorithm(path, kind));
        if (contains("made-for")) {
            if (!algorithm->is_trace) {
                refuse("made-for", (*this)["made-for"],
                       "nothing: sizes in MSCCL files are in chunks, for any size", "Remove it");
            }
            algorithm->made_for = bytes("made-for", Bytes(), 1);
        } else if (algorithm->is_trace) {
            warnings.push_back(fmt::format(
                "{}: {}: the sizes in {} are absolute: every {} moves as much, whatever its size; "
                "\"made-for\", the size for which they are meant, scales them",
                file(), place_, named, name_of(kind)));
        }
        choice.least = bytes("min-bytes", algorithm->least, 0);
        choice.most = bytes("max-bytes", algorithm->most, 0);
        if (choice.least > choice.most) {
            throw InputError({file(), place_,
                              fmt::format("sizes from {} to {} bytes for {}", choice.least.value(),
                                          choice.most.value(), named),
                              "min-bytes not above max-bytes (minBytes and maxBytes of the file, "
                              "where they are not given)",
                              "Correct the entry"});
        }
        choice.members = static_cast<std::int32_t>(
            integer("members", 0, 2, std::numeric_limits<std::int32_t>::max()));
        if (choice.members > 0 &&
            static_cast<std::size_t>(choice.members) != algorithm->gpus.size()) {
            refuse("members", (*this)["members"],
                   fmt::format("{}, as many as {} is for", algorithm->gpus.size(), named));
        }
        choice.algorithm = std::move(algorithm);
        return choice;
    }

private:
    /// A whole number, or a size with its unit.
    [[nodiscard]] Bytes bytes(const std::string& key, Bytes otherwise, std::int64_t least) const {
        if (!contains(key)) {
            return otherwise;
        }
        const json& value = (*this)[key];
        const Bytes size = value.is_string()
                               ? parse_bytes(value.get<std::string>(),
                                             fmt::format("{}: {}, {}", file(), place_, key))
                               : Bytes(integer(key, 0, least, most_bytes));
        if (size < Bytes(least)) {
            refuse(key, value, fmt::format("at least {}", least));
        }
        return size;
    }

    std::string place_;
};

}  // namespace

FileChoices take_algorithm_files(const std::string& file, const std::string& key,
                                 CollectiveKind kind, json& value,
                                 std::vector<std::string>& warnings) {
    FileChoices choices;
    if (value.is_object()) {
        value = json::array({value});
    }
    if (!value.is_array()) {
        return choices;
    }
    json names = json::array();
    for (const json& entry : value) {
        if (!entry.is_object()) {
            names.push_back(entry);
            continue;
        }
        if (!names.empty()) {
            throw InputError({file, key, "a file after a built-in algorithm",
                              "files first, then what runs the collectives that are in none of "
                              "their bands",
                              "Change the order of the list"});
        }
        const std::string place =
            value.size() == 1 ? key : fmt::format("{}[{}]", key, choices.list.size());
        choices.list.push_back(FileEntry(file, entry, place).read(kind, warnings));
    }
    choices.others = !names.empty();
    value = std::move(names);
    return choices;
}

bool names_custom_traces(const std::string& key) {
    return std::any_of(custom_keys.begin(), custom_keys.end(), [&](const CustomKey& custom) {
        return std::any_of(custom_endings.begin(), custom_endings.end(), [&](const char* ending) {
            return key == std::string(custom.key) + ending;
        });
    });
}

void read_custom_traces(const std::string& file, const json& document, const Dialect& dialect,
                        std::array<FileChoices, 9>& choices, std::vector<std::string>& warnings) {
    for (const CustomKey& custom : custom_keys) {
        for (const char* const ending : custom_endings) {
            const std::string key = std::string(custom.key) + ending;
            const auto found = document.find(key);
            if (found == document.end()) {
                continue;
            }
            const json& value = found->is_array() && found->size() == 1 ? found->front() : *found;
            if (!value.is_string()) {
                throw InputError({file, key, describe_json(*found),
                                  "the path of traces, PATH.0.et and so on, in a list with one "
                                  "entry",
                                  "Correct the value"});
            }
            const std::string path = value.get<std::string>();
            if (!dialect.whole_nanoseconds) {
                throw InputError({file, key, "a collective algorithm given as traces",
                                  "the key of this dialect",
                                  fmt::format("Write \"{}\": {{\"file\": \"{}\"}}, a path from the "
                                              "folder of {}, or use --dialect astra-sim",
                                              custom.key, path, file)});
            }
            FileChoices& choice = choices[static_cast<std::size_t>(custom.kind)];
            choice = FileChoices();
            choice.list.emplace_back();
            choice.list.front().algorithm = read_algorithm(path, custom.kind);
            warnings.push_back(
                fmt::format("{}: {}: every {} sends what the traces say, whatever its size, as in "
                            "ASTRA-sim",
                            file, key, name_of(custom.kind)));
        }
    }
}

}  // namespace npunet::engine
