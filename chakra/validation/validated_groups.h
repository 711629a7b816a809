// The communicators of a workload under validation, by the names that nodes use in pg_name: those
// of the group file, the world, and, without a group file, those that the nodes name.
//
//     ValidatedGroups groups(read_comm_groups("gpt.json"));
//     groups.number_of("7");              // ValidatedGroups::unknown when the file has none
//     groups.members(number);             // sorted; null: whoever uses it
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "chakra/trace/comm_groups.h"

namespace npunet::chakra {

class ValidatedGroups {
public:
    using Number = std::int32_t;
    static constexpr Number world = 0;
    static constexpr Number unknown = -1;

    /// Without a group file every name is a group of whoever uses it.
    explicit ValidatedGroups(std::optional<CommGroups> file);

    [[nodiscard]] bool from_file() const { return from_file_; }

    /// The group of a pg_name: no name is the world, and so is "0" unless the file has a group of
    /// this name.
    [[nodiscard]] Number number_of(std::string_view name);

    /// "communicator '7'", "the world".
    [[nodiscard]] std::string describe(Number group) const;
    [[nodiscard]] std::size_t size() const { return groups_.size(); }
    /// In the order of the file; null when it is not known who belongs to the group.
    [[nodiscard]] const std::vector<Rank>* members(Number group) const;
    /// Whether the rank may take part.
    [[nodiscard]] bool has(Number group, Rank rank) const;

private:
    struct Group {
        std::string name;
        std::optional<std::vector<Rank>> members;
        std::vector<Rank> sorted;
    };
    std::vector<Group> groups_;
    std::map<std::string, Number, std::less<>> numbers_;
    bool from_file_ = false;
};

}  // namespace npunet::chakra
