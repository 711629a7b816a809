// Names of the field in identifiers and in the help: private words stay out, and a class of the
// plain rooms has one naming style.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "help.h"
#include "page.h"

namespace npunet::docs_test::words_test {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> private_words{"way",   "ways",    "detour", "detours", "courier",
                                          "mover", "agenda",  "rung",   "rungs",   "ladder",
                                          "climb", "crew",    "team",   "wish",    "wishes",
                                          "story", "stories", "nobody", "somebody"};
const std::set<std::string> private_pairs{"catch up", "part news", "second chance"};

/// The words of an identifier: "WayOfPacket" and "way_of_packet" are way, of and packet.
std::vector<std::string> words_of(const std::string& identifier) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < identifier.size(); ++i) {
        const char c = identifier[i];
        const bool begins = std::isupper(c) != 0 && i > 0 && std::isupper(identifier[i - 1]) == 0;
        if ((c == '_' || begins) && !words.back().empty()) {
            words.emplace_back();
        }
        if (c != '_') {
            words.back() += static_cast<char>(std::tolower(c));
        }
    }
    return words;
}

/// The private words among them.
std::vector<std::string> found_in(const std::vector<std::string>& words) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (private_words.count(words[i]) == 1) {
            found.push_back(words[i]);
        }
        if (i > 0 && private_pairs.count(words[i - 1] + ' ' + words[i]) == 1) {
            found.push_back(words[i - 1] + ' ' + words[i]);
        }
    }
    return found;
}

/// A source without comments and the contents of strings.
std::string code_of(const fs::path& file) {
    std::ifstream stream(file);
    std::ostringstream content;
    content << stream.rdbuf();
    const std::string text = content.str();
    std::string code;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = std::string_view(text).substr(i);
        if (rest.substr(0, 2) == "//") {
            i = std::min(text.find('\n', i), text.size()) - 1;
        } else if (rest.substr(0, 2) == "/*") {
            i = std::min(text.find("*/", i), text.size() - 2) + 1;
        } else if (rest.substr(0, 3) == "R\"(") {
            i = std::min(text.find(")\"", i), text.size() - 2) + 1;
        } else if (text[i] == '"') {
            while (++i < text.size() && text[i] != '"') {
                i += text[i] == '\\' ? 1 : 0;
            }
        } else if (text[i] == '\'' && i + 2 < text.size() &&
                   (text[i + 1] == '\\' || text[i + 2] == '\'')) {
            i += text[i + 1] == '\\' ? 3 : 2;
        } else {
            code += text[i];
        }
    }
    return code;
}

/// Sources of the product: not of tests and examples.
std::vector<fs::path> sources(const std::vector<std::string>& rooms) {
    std::vector<fs::path> files;
    for (const std::string& room : rooms) {
        for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
            const std::string extension = entry.path().extension();
            if (extension == ".h" || extension == ".cc") {
                files.push_back(entry.path());
            }
        }
    }
    return files;
}

const std::vector<std::string> plain_rooms{
    "analysis", "analytical", "base",     "chakra", "cli",   "engine",  "generators",
    "packet",   "planner",    "profiles", "report", "study", "topology"};

TEST(Words, IdentifiersAreInTheFieldsWords) {
    std::vector<std::string> rooms = plain_rooms;
    rooms.insert(rooms.end(), {"ns3-module/helper", "ns3-module/model"});
    static const std::regex identifier(R"([A-Za-z]\w*)");
    std::set<std::string> bad;
    std::size_t seen = 0;
    for (const fs::path& file : sources(rooms)) {
        EXPECT_THAT(
            found_in(words_of(std::regex_replace(file.stem().string(), std::regex("-"), "_"))),
            testing::IsEmpty())
            << file;
        const std::string code = code_of(file);
        for (auto match = std::sregex_iterator(code.begin(), code.end(), identifier);
             match != std::sregex_iterator(); ++match) {
            ++seen;
            if (!found_in(words_of(match->str())).empty()) {
                bad.insert(file.lexically_relative(root).string() + ": " + match->str());
            }
        }
    }
    EXPECT_THAT(bad, testing::IsEmpty());
    EXPECT_GT(seen, 100'000U);
}

TEST(Words, AreFoundInEitherStyle) {
    EXPECT_THAT(found_in(words_of("WayOfPacket")), testing::ElementsAre("way"));
    EXPECT_THAT(found_in(words_of("begin_catch_up_")), testing::ElementsAre("catch up"));
    EXPECT_THAT(found_in(words_of("always_steam_team")), testing::ElementsAre("team"));
    EXPECT_THAT(found_in(words_of("catchup")), testing::IsEmpty());
}

TEST(Words, HelpIsInTheFieldsWords) {
    static const std::regex word("[A-Za-z]+");
    static const std::regex dialect("\\b(so many|likewise|anew|besides|whoever)\\b",
                                    std::regex::icase);
    for (const HelpLevel& level : help_levels()) {
        for (const std::string& line : level.lines) {
            std::vector<std::string> words;
            for (auto match = std::sregex_iterator(line.begin(), line.end(), word);
                 match != std::sregex_iterator(); ++match) {
                words.push_back(words_of(match->str()).front());
            }
            EXPECT_THAT(found_in(words), testing::IsEmpty()) << level.name << ": " << line;
            EXPECT_FALSE(std::regex_search(line, dialect)) << level.name << ": " << line;
        }
    }
}

// Classes of the plain rooms have methods in snake_case, not in both styles.
TEST(Words, MethodsOfThePlainRoomsHaveOneStyle) {
    static const std::regex type(R"(\b(?:class|struct) (?:alignas\(\d+\) )?(\w+))");
    // RapidJSON calls its handlers by names of its own.
    const std::set<std::string> of_libraries{"profiles/event_handler.h"};
    std::set<std::string> types;
    for (const fs::path& file : sources(plain_rooms)) {
        const std::string code = code_of(file);
        for (auto match = std::sregex_iterator(code.begin(), code.end(), type);
             match != std::sregex_iterator(); ++match) {
            types.insert((*match)[1].str());
        }
    }
    static const std::regex method(R"(^ +[\w:<>,&*\[\] ]+[ &*]([A-Z][a-z]\w*)\()");
    static const std::regex none(R"(^ *(return|throw|explicit|else|case|new|friend|using)\b)");
    std::set<std::string> bad;
    std::size_t seen = 0;
    for (const fs::path& file : sources(plain_rooms)) {
        if (file.extension() != ".h" ||
            of_libraries.count(file.lexically_relative(root).generic_string()) == 1) {
            continue;
        }
        std::istringstream code(code_of(file));
        for (std::string line; std::getline(code, line);) {
            std::smatch match;
            ++seen;
            if (!std::regex_search(line, none) && std::regex_search(line, match, method) &&
                types.count(match[1].str()) == 0) {
                bad.insert(file.lexically_relative(root).string() + ": " + match[1].str());
            }
        }
    }
    EXPECT_THAT(bad, testing::IsEmpty());
    EXPECT_GT(seen, 20'000U);
}

}  // namespace
}  // namespace npunet::docs_test::words_test
