// docs/architecture.md against the sources: rooms include what its table allows, headers do not
// include each other in cycles, and every room is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "page.h"

namespace npunet::docs_test {
namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

/// The first two columns of the table of rooms: what each may include.
std::map<std::string, Names> allowed() {
    std::map<std::string, Names> rooms;
    for (const auto& row : table_rows(section_of(read_page("docs/architecture.md"), "Rooms"))) {
        const std::vector<std::string> room = quoted(row.at(0));
        const std::vector<std::string> may = quoted(row.at(1));
        rooms[room.at(0)] = Names(may.begin(), may.end());
    }
    return rooms;
}

/// By file, relative to the root: the sources that it includes, as far as they are ours.
using Includes = std::map<std::string, Names>;

Includes includes_of(const std::string& room) {
    static const std::regex line_pattern(R"(^\s*#\s*include\s*[<"]([^">]+)[">])");
    Includes includes;
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
        const std::string extension = entry.path().extension();
        if (extension != ".h" && extension != ".cc") {
            continue;
        }
        Names& names = includes[fs::relative(entry.path(), root).generic_string()];
        std::ifstream stream(entry.path());
        for (std::string line; std::getline(stream, line);) {
            std::smatch match;
            if (!std::regex_search(line, match, line_pattern)) {
                continue;
            }
            const std::string name = match[1];
            const fs::path beside = entry.path().parent_path() / name;
            if (fs::exists(root / name)) {
                names.insert(name);
            } else if (fs::exists(beside)) {
                names.insert(fs::relative(beside, root).generic_string());
            } else if (name.rfind("ns3/", 0) == 0) {
                names.insert(name);
            }
        }
    }
    return includes;
}

std::string room_of(const std::string& file) {
    return file.substr(0, file.find('/'));
}

Includes all_includes() {
    Includes all;
    for (const auto& [room, may] : allowed()) {
        all.merge(includes_of(room));
    }
    return all;
}

// ns-3's own headers count as a room `ns3`.
TEST(Architecture, RoomsIncludeWhatTheTableAllows) {
    const std::map<std::string, Names> rooms = allowed();
    std::size_t seen = 0;
    for (const auto& [file, names] : all_includes()) {
        const std::string room = room_of(file);
        for (const std::string& name : names) {
            const std::string other = room_of(name);
            const bool inside = other == room;
            EXPECT_TRUE(inside || rooms.at(room).count(other) == 1) << file << ": " << name;
            ++seen;
        }
    }
    EXPECT_GT(seen, 2000U);
}

/// The rows of a table of sub-folders by the folder that they divide, "packet" or
/// "generators/megatron", each with its number from the top.
std::map<std::string, std::map<std::string, std::size_t>> sub_folders() {
    std::map<std::string, std::map<std::string, std::size_t>> folders;
    const Section section = section_of(read_page("docs/architecture.md"), "Inside the rooms");
    for (const auto& row : table_rows(section)) {
        const fs::path path = quoted(row.at(0)).at(0);
        auto& divided = folders[path.parent_path().generic_string()];
        divided.emplace(path.generic_string(), divided.size());
    }
    return folders;
}

/// What of the folder the file lies in: "packet/credit" of packet/credit/fast_forward/x.cc, nothing
/// if it lies in the folder itself or elsewhere.
std::string sub_folder_of(const std::string& file, const std::string& folder) {
    const std::size_t begin = folder.size() + 1;
    const std::size_t end = file.find('/', begin);
    const bool inside = file.rfind(folder + "/", 0) == 0 && end != std::string::npos;
    return inside ? file.substr(0, end) : "";
}

// What lies in a divided folder itself puts the sub-folders together: they do not include it.
TEST(Architecture, SubFoldersIncludeThoseAboveThem) {
    std::size_t seen = 0;
    for (const auto& [folder, rows] : sub_folders()) {
        Names found;
        for (const auto& [file, names] : includes_of(folder)) {
            const std::string own = sub_folder_of(file, folder);
            if (own.empty()) {
                continue;
            }
            found.insert(own);
            ASSERT_EQ(rows.count(own), 1U)
                << file << ": docs/architecture.md does not have " << own;
            for (const std::string& name : names) {
                if (name.rfind(folder + "/", 0) == 0) {
                    const auto other = rows.find(sub_folder_of(name, folder));
                    EXPECT_TRUE(other != rows.end() && other->second <= rows.at(own))
                        << file << ": " << name;
                    ++seen;
                }
            }
        }
        EXPECT_EQ(found.size(), rows.size()) << folder;
    }
    EXPECT_GT(seen, 1000U);
}

TEST(Architecture, FoldersAreOfASizeToRead) {
    std::map<std::string, std::size_t> files;
    for (const auto& [file, names] : all_includes()) {
        ++files[fs::path(file).parent_path().generic_string()];
    }
    EXPECT_GT(files.size(), 50U);
    for (const auto& [folder, number] : files) {
        EXPECT_LE(number, 80U) << folder;
    }
}

// Whatever the table allows is used: it says no more than the sources do.
TEST(Architecture, TheTableAllowsOnlyWhatIsUsed) {
    std::map<std::string, Names> used;
    for (const auto& [file, names] : all_includes()) {
        for (const std::string& name : names) {
            if (room_of(name) != room_of(file)) {
                used[room_of(file)].insert(room_of(name));
            }
        }
    }
    for (const auto& [room, may] : allowed()) {
        EXPECT_THAT(used[room], testing::ContainerEq(may)) << room;
    }
}

/// Nodes on a cycle of the relation, in order; empty when there is none. By depth first.
std::vector<std::string> cycle_of(const Includes& leads_to) {
    std::map<std::string, int> state;  // 1: on the way, 2: done
    std::vector<std::string> way;
    const auto visit = [&](const auto& self, const std::string& node) -> bool {
        state[node] = 1;
        way.push_back(node);
        if (const auto found = leads_to.find(node); found != leads_to.end()) {
            for (const std::string& next : found->second) {
                if (state[next] == 1) {
                    way.erase(way.begin(), std::find(way.begin(), way.end(), next));
                    return true;
                }
                if (state[next] == 0 && self(self, next)) {
                    return true;
                }
            }
        }
        state[node] = 2;
        way.pop_back();
        return false;
    };
    for (const auto& [node, next] : leads_to) {
        if (state[node] == 0 && visit(visit, node)) {
            return way;
        }
    }
    return {};
}

TEST(Architecture, IncludesHaveNoCycle) {
    EXPECT_THAT(cycle_of(allowed()), testing::IsEmpty());
    EXPECT_THAT(cycle_of(all_includes()), testing::IsEmpty());
    EXPECT_THAT(cycle_of({{"a", {"b"}}, {"b", {"c", "d"}}, {"d", {"b"}}}),
                testing::ElementsAre("b", "d"));
}

// A folder of sources is a room, or is named here as none.
TEST(Architecture, EveryRoomIsInTheTable) {
    const Names none{"build", "examples", "test", "tests"};
    Names folders;
    for (const auto& entry : fs::directory_iterator(root)) {
        const std::string name = entry.path().filename();
        if (!entry.is_directory() || name[0] == '.' || none.count(name) == 1) {
            continue;
        }
        const Includes includes = includes_of(name);
        if (!includes.empty()) {
            folders.insert(name);
        }
    }
    Names rooms;
    for (const auto& [room, may] : allowed()) {
        rooms.insert(room);
    }
    EXPECT_THAT(folders, testing::ContainerEq(rooms));
}

}  // namespace
}  // namespace npunet::docs_test
