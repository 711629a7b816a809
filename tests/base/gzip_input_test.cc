#include "base/gzip_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet {
namespace {

using test::problem_of;
using testing::HasSubstr;

class GzipInputTest : public testing::Test {
protected:
    /// The bytes of a file in pieces of 7, and the damage that ended them.
    static std::pair<std::string, std::string> read(const std::filesystem::path& path) {
        GzipInput input(path, "a diary", "Name one day");
        std::string bytes;
        for (;;) {
            char buffer[7];
            const GzipInput::Piece piece = input.read(buffer, sizeof buffer);
            bytes.append(buffer, piece.bytes);
            if (piece.bytes < sizeof buffer) {
                return {bytes, piece.damage};
            }
        }
    }

    [[nodiscard]] std::filesystem::path packed(const std::string& text) const {
        const std::filesystem::path path = folder_ / "packed";
        gzFile file = gzopen(path.c_str(), "wb");
        EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
                  static_cast<int>(text.size()));
        gzclose_w(file);
        return path;
    }

    test::TemporaryFolder folder_;
};

TEST_F(GzipInputTest, TellsCompressedFilesByTheirContent) {
    const std::string text = "Monday: rain. Tuesday: rain again.";
    const std::filesystem::path plain = folder_.write("plain.gz", text);
    EXPECT_EQ(read(plain).first, text);
    EXPECT_FALSE(GzipInput(plain, "", "").compressed());
    EXPECT_EQ(read(packed(text)).first, text);
    EXPECT_TRUE(GzipInput(folder_ / "packed", "", "").compressed());
    EXPECT_EQ(read(folder_.write("empty", "")).first, "");
}

TEST_F(GzipInputTest, TellsOfDamage) {
    const std::string whole = test::bytes_of(packed(std::string(4000, 'a') + "b"));
    EXPECT_EQ(read(folder_ / "packed").second, "");
    EXPECT_THAT(read(folder_.write("cut", whole.substr(0, whole.size() - 9))).second,
                HasSubstr("damaged gzip data"));
    std::string changed = whole;
    changed[changed.size() - 8] = static_cast<char>(changed[changed.size() - 8] ^ 1);
    EXPECT_THAT(read(folder_.write("changed", changed)).second, HasSubstr("damaged gzip data"));
}

TEST_F(GzipInputTest, RefusesWhatIsNoFile) {
    const auto refused = [](const std::filesystem::path& path) {
        return problem_of([&] { (void)GzipInput(path, "a diary", "Name one day"); });
    };
    EXPECT_EQ(refused(folder_ / "none").found, "no such file");
    EXPECT_EQ(refused(folder_ / "none").expected, "a diary");
    EXPECT_EQ(refused(folder_.path()).found, "a folder");
    EXPECT_EQ(refused(folder_.path()).remedy, "Name one day");
    EXPECT_EQ(refused("/dev/zero").found, "a device or socket");
}

TEST_F(GzipInputTest, ReadsAPipe) {
    const std::filesystem::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe) << "Monday: rain."; });
    EXPECT_EQ(read(pipe).first, "Monday: rain.");
    writer.join();
}

}  // namespace
}  // namespace npunet
