#include "chakra/comm_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "base/atomic_file.h"
#include "base/errors.h"

namespace npunet::chakra {

namespace {

using Json = nlohmann::json;

constexpr const char* file_form = R"(an object such as {"1": [0, 1], "2": [2, 3]})";
constexpr const char* list_form = "a list of ranks such as [0, 1]";
constexpr const char* rank_form = "ranks: whole numbers from 0";

std::string read_file(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto type = std::filesystem::status(path, ignored).type();
    const bool missing = type == std::filesystem::file_type::not_found;
    if (missing || type == std::filesystem::file_type::directory) {
        throw InputError({path.string(), "", missing ? "no such file" : "a folder",
                          "communicator groups (.json)", "Check the path"});
    }
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw MachineError(fmt::format("{}: cannot open: {}. Check the permissions of the file",
                                       path.string(), std::strerror(errno)));
    }
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string line_of(const std::string& text, std::size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return fmt::format("line {}", 1 + std::count(text.begin(), end, '\n'));
}

/// The JSON value of the file. A JSON library keeps one of two equal keys and says nothing, hence
/// the look at every key. At the end of each object within another it looks through all of that:
/// none of them is of use here, so that the first one ends the reading.
Json parse_object(const std::filesystem::path& path) {
    const std::string text = read_file(path);
    std::set<std::string> seen;
    std::optional<std::string> repeated;
    std::string group;
    const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start && depth > 0) {
            throw InputError({path.string(), fmt::format("group {}", group), "an object",
                              depth == 1 ? list_form : rank_form, "Correct the list of the group"});
        }
        if (event == Json::parse_event_t::key && depth == 1) {
            group = parsed.get<std::string>();
            if (!seen.insert(group).second && !repeated) {
                repeated = group;
            }
        }
        return true;
    };
    Json json;
    try {
        json = Json::parse(text, look);
    } catch (const Json::parse_error& error) {
        throw InputError({path.string(), line_of(text, error.byte), "text that is not JSON",
                          file_form, "Correct the file; an empty one would be {}"});
    } catch (const Json::exception& error) {
        throw InputError({path.string(), "", error.what(), file_form, "Correct the file"});
    }
    if (!json.is_object()) {
        throw InputError({path.string(), "", fmt::format("JSON of type {}", json.type_name()),
                          file_form, "Name each group and list its ranks"});
    }
    if (repeated) {
        throw InputError({path.string(), fmt::format("group {}", *repeated), "the group twice",
                          "every group once", "Remove or rename one of the two"});
    }
    return json;
}

Rank rank_from(const Json& json) {
    constexpr auto largest = std::numeric_limits<std::int32_t>::max();
    if (!json.is_number_integer() || json.get<double>() < 0 || json.get<double>() > largest) {
        return Rank{};
    }
    return Rank(json.get<std::int32_t>());
}

/// Text as JSON, printable whatever bytes it has.
std::string quoted(const std::string& text) {
    return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// What stands there, for a message. Lists and objects only by their type: printing one is
/// recursive, and a hostile file nests them a million deep.
std::string describe(const Json& json) {
    if (json.is_structured()) {
        return fmt::format("an {}", json.type_name());
    }
    const std::string text = json.is_string() ? quoted(json.get<std::string>()) : json.dump();
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

std::optional<Rank> repeated_rank(std::vector<Rank> ranks) {
    std::sort(ranks.begin(), ranks.end());
    const auto found = std::adjacent_find(ranks.begin(), ranks.end());
    return found == ranks.end() ? std::nullopt : std::optional(*found);
}

std::vector<Rank> read_group(const Json& json, const std::string& file, const std::string& name) {
    const std::string place = fmt::format("group {}", name);
    if (!json.is_array()) {
        throw InputError({file, place, describe(json), list_form, "List the ranks of the group"});
    }
    if (json.empty()) {
        throw InputError({file, place, "an empty list", "at least one rank",
                          "List the ranks of the group or remove it"});
    }
    std::vector<Rank> ranks;
    ranks.reserve(json.size());
    for (const Json& entry : json) {
        const Rank rank = rank_from(entry);
        if (!rank.valid()) {
            throw InputError(
                {file, place, describe(entry), rank_form, "Correct the list of the group"});
        }
        ranks.push_back(rank);
    }
    if (const auto rank = repeated_rank(ranks)) {
        throw InputError({file, place, fmt::format("rank {} twice", rank->value()),
                          "every rank once", "Remove one of the two"});
    }
    return ranks;
}

/// A decimal number without its leading zeros; empty for anything else.
std::optional<std::string_view> digits_of(std::string_view name) {
    const bool number = !name.empty() && std::all_of(name.begin(), name.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (!number) {
        return std::nullopt;
    }
    return name.substr(std::min(name.find_first_not_of('0'), name.size()));
}

}  // namespace

bool GroupNameOrder::operator()(std::string_view a, std::string_view b) const {
    const auto number_a = digits_of(a);
    const auto number_b = digits_of(b);
    if (number_a && number_b) {
        // Numbers of any length; names that differ in leading zeros only are different names.
        return std::make_tuple(number_a->size(), *number_a, a) <
               std::make_tuple(number_b->size(), *number_b, b);
    }
    if (number_a.has_value() != number_b.has_value()) {
        return number_a.has_value();
    }
    return a < b;
}

CommGroups read_comm_groups(const std::filesystem::path& path) {
    const Json json = parse_object(path);
    CommGroups groups;
    for (const auto& [name, ranks] : json.items()) {
        groups.emplace(name, read_group(ranks, path.string(), name));
    }
    return groups;
}

void write_comm_groups(const std::filesystem::path& path, const CommGroups& groups,
                       GroupFileLayout layout) {
    const bool lines = layout == GroupFileLayout::Lines;
    AtomicFile file(path);
    std::ostream& out = file.stream();
    out << "{";
    const char* separator = lines ? "\n  " : "";
    for (const auto& [name, ranks] : groups) {
        out << separator << quoted(name) << ": [";
        const char* comma = "";
        for (const Rank rank : ranks) {
            out << comma << rank.value();
            comma = lines ? "," : ", ";
        }
        out << "]";
        separator = lines ? ",\n  " : ", ";
    }
    out << (lines && !groups.empty() ? "\n}" : "}") << (lines ? "\n" : "");
    file.commit();
}

void check_comm_groups(const CommGroups& groups, std::int32_t ranks, const std::string& file) {
    for (const auto& [name, members] : groups) {
        for (const Rank rank : members) {
            if (rank.value() >= ranks) {
                throw InputError(
                    {file, "",
                     fmt::format("group {} names rank {}, but the workload has {} ranks (0 to {})",
                                 name, rank.value(), ranks, ranks - 1),
                     "ranks of the workload", "Use the groups that belong to the traces"});
            }
        }
    }
}

}  // namespace npunet::chakra
