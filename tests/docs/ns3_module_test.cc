// What ns3-module/README.md says about the module: the suites, examples and Debian packages that it
// names are those of the build.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "page.h"
#include "tests/support/temporary_folder.h"

namespace npunet::docs_test::ns3_module_test {
namespace {

std::string content_of(const std::string& name) {
    return test::bytes_of(NPUNET_SOURCE_DIR "/" + name);
}

std::set<std::string> matches_of(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end;
         ++match) {
        found.insert((*match)[1]);
    }
    return found;
}

/// The names in set(LIST ...) of ns3-module/sources.cmake.
std::set<std::string> sources_of(const std::string& list) {
    const std::string text = content_of("ns3-module/sources.cmake");
    const std::size_t begin = text.find("set(" + list + "\n");
    if (begin == std::string::npos) {
        return {};
    }
    return matches_of(text.substr(begin, text.find("\n)", begin) - begin), R"(\n +([\w./-]+))");
}

std::set<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::set<std::string> words;
    for (std::string word; stream >> word;) {
        words.insert(word);
    }
    return words;
}

TEST(Ns3Module, NamedSuitesAndExamplesExist) {
    const std::string page = content_of("ns3-module/README.md");
    const std::set<std::string> suites = sources_of("npunet_ns3_suites");
    for (const std::string& name : matches_of(page, R"((?:--suite=|-s )(npu[\w-]+))")) {
        EXPECT_EQ(suites.count(name), 1U) << name;
    }
    const std::set<std::string> examples = sources_of("npunet_ns3_examples");
    for (const std::string& name : matches_of(page, R"((?:\./ns3 run |/examples/)(npu[\w-]+))")) {
        EXPECT_EQ(examples.count(name), 1U) << name;
    }
    EXPECT_FALSE(suites.empty());
    EXPECT_FALSE(examples.empty());
}

// CMake names the packages that are missing, the page all that are needed, and the group in-tree of
// scripts/packages.txt installs them.
TEST(Ns3Module, NeedsThePackagesThatItNames) {
    std::set<std::string> of_cmake;
    for (const std::string& packages :
         matches_of(content_of("ns3-module/in-ns3-tree.cmake"), R"x(\n    "[\w-]+: ([^"]+)")x")) {
        of_cmake.merge(words_of(packages));
    }
    of_cmake.erase("libc6-dev");  // comes with every compiler
    EXPECT_GE(of_cmake.size(), 6U);

    std::set<std::string> of_page;
    for (const std::string& line :
         section_of(read_page("ns3-module/README.md"), "In an ns-3 tree").lines) {
        for (const std::string& word : quoted(line)) {
            if (std::regex_match(word, std::regex(R"([\w-]+-(dev|compiler))"))) {
                of_page.insert(word);
            }
        }
    }
    EXPECT_THAT(of_page, ::testing::ContainerEq(of_cmake));

    const std::set<std::string> of_group =
        matches_of(content_of("scripts/packages.txt"), R"(\nin-tree +(\S+))");
    for (const std::string& package : of_cmake) {
        EXPECT_EQ(of_group.count(package), 1U) << package;
    }
}

}  // namespace
}  // namespace npunet::docs_test::ns3_module_test
