#include "chakra/trace/comm_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/input_text.h"

namespace npunet::chakra {

namespace {

using Json = nlohmann::json;

constexpr const char* file_form = R"(an object such as {"1": [0, 1], "2": [2, 3]})";
constexpr const char* list_form = "a list of ranks such as [0, 1]";
constexpr const char* rank_form = "ranks: whole numbers from 0";

std::string line_of(const std::string& text, std::size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return fmt::format("line {}", 1 + std::count(text.begin(), end, '\n'));
}

/// Text as JSON, printable whatever bytes it has.
std::string json_string(const std::string& text) {
    return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// A value that is neither list nor object, short, for a message.
std::string describe(const Json& json) {
    const std::string text = json.is_string() ? json_string(json.get<std::string>()) : json.dump();
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

std::optional<Rank> repeated_rank(std::vector<Rank> ranks) {
    std::sort(ranks.begin(), ranks.end());
    const auto found = std::adjacent_find(ranks.begin(), ranks.end());
    return found == ranks.end() ? std::nullopt : std::optional(*found);
}

/// Takes the groups while the text is parsed, so that no second form of it is ever held. The first
/// thing that does not belong there ends the reading: nothing nests deeper than a list of ranks.
class GroupsHandler {
public:
    GroupsHandler(const std::filesystem::path& path, const std::string& text)
        : file_(path.string()), text_(text) {}

    CommGroups take() { return std::move(groups_); }

    // What Json::sax_parse calls.
    bool null() { return refuse(nullptr); }
    bool boolean(bool value) { return refuse(value); }
    bool number_integer(std::int64_t value) { return refuse(value); }
    bool number_unsigned(std::uint64_t value) {
        constexpr std::uint64_t largest = std::numeric_limits<std::int32_t>::max();
        if (place_ != Place::Group || value > largest) {
            return refuse(value);
        }
        ranks_->push_back(Rank(static_cast<std::int32_t>(value)));
        return true;
    }
    bool number_float(double value, const std::string& /*written*/) { return refuse(value); }
    bool string(const std::string& value) { return refuse(value); }
    bool binary(const Json::binary_t& /*value*/) { return false; }

    bool key(std::string& name) {
        if (place_ == Place::Groups) {
            const auto [entry, is_new] = groups_.try_emplace(name);
            group_ = &entry->first;
            ranks_ = &entry->second;
            if (!is_new) {
                fail("the group twice", "every group once", "Remove or rename one of the two");
            }
        }
        return true;
    }
    bool start_object(std::size_t /*size*/) {
        if (place_ != Place::Document) {
            misplaced("an object");
        }
        place_ = Place::Groups;
        return true;
    }
    bool end_object() { return true; }
    bool start_array(std::size_t /*size*/) {
        if (place_ != Place::Groups) {
            misplaced("an array");
        }
        place_ = Place::Group;
        return true;
    }
    bool end_array() {
        if (ranks_->empty()) {
            fail("an empty list", "at least one rank", "List the ranks of the group or remove it");
        }
        if (const auto rank = repeated_rank(*ranks_)) {
            fail(fmt::format("rank {} twice", rank->value()), "every rank once",
                 "Remove one of the two");
        }
        ranks_->shrink_to_fit();
        place_ = Place::Groups;
        return true;
    }
    bool parse_error(std::size_t byte, const std::string& /*token*/, const Json::exception& error) {
        const bool number = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
        throw InputError({file_, line_of(text_, byte),
                          number ? "a number beyond all bounds" : "text that is not JSON",
                          file_form, "Correct the file; an empty one would be {}"});
    }

private:
    enum class Place : std::uint8_t { Document, Groups, Group };

    bool refuse(const Json& value) { misplaced(describe(value)); }
    [[noreturn]] void misplaced(std::string found) {
        if (place_ == Place::Document) {
            throw InputError(
                {file_, "", std::move(found), file_form, "Name each group and list its ranks"});
        }
        if (place_ == Place::Groups) {
            fail(std::move(found), list_form, "List the ranks of the group");
        }
        fail(std::move(found), rank_form, "Correct the list of the group");
    }
    [[noreturn]] void fail(std::string found, std::string expected, std::string advice) const {
        throw InputError({file_, fmt::format("group {}", *group_), std::move(found),
                          std::move(expected), std::move(advice)});
    }

    std::string file_;
    const std::string& text_;
    Place place_ = Place::Document;
    CommGroups groups_;
    const std::string* group_ = nullptr;
    std::vector<Rank>* ranks_ = nullptr;  ///< of that group
};

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

std::string leading_number(const std::string& name) {
    const std::size_t begin = std::min(name.find_first_not_of(" \t\n\v\f\r"), name.size());
    const char* const end = name.data() + name.size();
    const char* const sign = name.data() + begin;
    std::int32_t number = 0;
    const auto error =
        std::from_chars(sign + (sign != end && *sign == '+' ? 1 : 0), end, number).ec;
    return error == std::errc{} ? std::to_string(number) : name;
}

CommGroups read_comm_groups(const std::filesystem::path& path) {
    const std::string text = read_input_text(path, "communicator groups (.json)", "Check the path");
    GroupsHandler handler(path, text);
    Json::sax_parse(text, &handler);
    return handler.take();
}

void write_comm_groups(const std::filesystem::path& path, const CommGroups& groups,
                       GroupFileLayout layout) {
    const bool lines = layout == GroupFileLayout::Lines;
    AtomicFile file(path);
    std::ostream& out = file.stream();
    out << "{";
    const char* separator = lines ? "\n  " : "";
    for (const auto& [name, ranks] : groups) {
        out << separator << json_string(name) << ": [";
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
