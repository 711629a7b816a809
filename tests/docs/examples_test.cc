// Every command that README.md, docs/*.md and the help show is run as printed, by the real program.
//
// A page's commands run one after another in a folder of their own, where configs/ and examples/
// are what they are in the repository and the program is on the PATH; so they may build on each
// other. A block whose info string names a file (```yaml mesh.yml) is written to that file first.
// Blocks marked `text` show output and are left alone, but for ```text printed: every line of it is
// a line that the command before has printed.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "help.h"
#include "packet/make_packet_network.h"
#include "page.h"
#include "tests/support/temporary_folder.h"

namespace npunet::docs_test {
namespace {

namespace fs = std::filesystem;

/// Where the commands of a page run.
class Folder {
public:
    Folder() {
        fs::create_directories(folder_ / "build/release");
        for (const char* shipped : {"configs", "examples", "validation"}) {
            fs::create_symlink(fs::path(NPUNET_SOURCE_DIR) / shipped, folder_ / shipped);
        }
        fs::create_symlink(NPUNET_PROGRAM, folder_ / "build/release/npunet");
    }

    void write(const std::string& name, const std::vector<std::string>& lines) const {
        std::ofstream file(folder_ / name);
        for (const std::string& line : lines) {
            file << line << '\n';
        }
    }

    /// Runs a command as a shell would, here; a failed expectation unless it ends with 0.
    void run(const std::string& command) {
        const std::string script = "cd '" + folder_.path().string() +
                                   "' && PATH=\"$PWD/build/release:$PATH\" && { " + command +
                                   "\n} >printed 2>&1";
        const int status = std::system(script.c_str());
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << '\n' << printed();
    }

    /// Of the command that ran last.
    void expect_printed(const std::vector<std::string>& lines) const {
        const std::string output = '\n' + printed();
        for (const std::string& line : lines) {
            EXPECT_NE(output.find('\n' + line + '\n'), std::string::npos) << line << output;
        }
    }

private:
    [[nodiscard]] std::string printed() const { return test::bytes_of(folder_ / "printed"); }

    test::TemporaryFolder folder_;
};

/// The file that a block's info string names, if any.
std::string file_of(const Block& block) {
    const std::size_t blank = block.info.find(' ');
    return blank == std::string::npos ? "" : block.info.substr(blank + 1);
}

/// Commands that need PyTorch are left out of a build without, and what follows them in their
/// block.
bool can_run(const std::string& command) {
    return NPUNET_WITH_RECORDER || command.find("npunet record ") == std::string::npos;
}

class PageOf : public ::testing::TestWithParam<std::string> {};

TEST_P(PageOf, RunsAsPrinted) {
    const Page page = read_page(GetParam());
    Folder folder;
    for (const Block& block : page.blocks) {
        if (block.info == "text printed") {
            folder.expect_printed(block.lines);
        } else if (const std::string file = file_of(block); !file.empty()) {
            folder.write(file, block.lines);
        } else if (block.info != "text") {
            for (const std::string& command : commands_of(block.lines)) {
                if (!can_run(command)) {
                    break;
                }
                folder.run(command);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, PageOf, ::testing::ValuesIn(page_names()),
                         [](const auto& instance) {
                             std::string name;
                             for (const char c : instance.param) {
                                 name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             }
                             return name;
                         });

TEST(Examples, OfTheHelpRunAsPrinted) {
    for (const HelpLevel& level : help_levels()) {
        Folder folder;
        for (const std::string& command : commands_of(level.lines)) {
            if (can_run(command)) {
                folder.run(command);
            }
        }
    }
}

// Renderers do not show the info string of a block: the file that it names stands in the text, too.
TEST(Examples, FilesOfBlocksAreNamedInTheText) {
    for (const std::string& name : page_names()) {
        const Page page = read_page(name);
        std::set<std::string> named;
        for (const Section& section : page.sections) {
            for (const std::string& line : section.lines) {
                for (const std::string& word : quoted(line)) {
                    named.insert(word);
                }
            }
        }
        for (const Block& block : page.blocks) {
            if (const std::string file = file_of(block); !file.empty() && file != "printed") {
                EXPECT_EQ(named.count(file), 1U) << name << ": " << file;
            }
        }
    }
}

// Were the pages not understood, nothing would be run and nothing could fail.
TEST(Examples, ThereAreSome) {
    std::size_t commands = 0;
    for (const std::string& name : page_names()) {
        for (const Block& block : read_page(name).blocks) {
            commands += block.info == "text" ? 0 : commands_of(block.lines).size();
        }
    }
    EXPECT_GE(commands, 20U);
}

}  // namespace
}  // namespace npunet::docs_test
