// Writes the inputs that libFuzzer begins with: write_fuzz_seeds FOLDER [REFERENCE], a folder in it
// for each target. Beside the made ones, small files of the reference data where that is there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = 16'384;
constexpr std::size_t most_files = 60;

std::vector<fs::path> small_files(const fs::path& reference, std::string_view suffix) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator at(reference, error), end; !error && at != end;
         at.increment(error)) {
        if (!suffix.empty() && at->path().extension() == suffix && at->is_regular_file() &&
            at->file_size() <= largest_file) {
            files.push_back(at->path());
        }
    }
    std::sort(files.begin(), files.end());
    // Of many files some, from all over.
    const std::size_t step = files.size() / most_files + 1;
    std::vector<fs::path> some;
    for (std::size_t i = 0; i < files.size(); i += step) {
        some.push_back(files[i]);
    }
    return some;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: write_fuzz_seeds FOLDER [REFERENCE]\n";
        return 2;
    }
    const fs::path reference = argc > 2 ? argv[2] : "";
    for (const npunet::fuzz::FuzzTarget& target : npunet::fuzz::fuzz_targets()) {
        const fs::path folder = fs::path(argv[1]) / target.name;
        fs::create_directories(folder);
        std::size_t number = 0;
        const auto write = [&](std::string_view bytes) {
            std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary) << bytes;
        };
        for (const std::string& seed : target.seeds()) {
            write(seed);
        }
        for (const fs::path& path : small_files(reference, target.file_suffix)) {
            write(std::string(target.before_file) + npunet::test::bytes_of(path));
        }
        std::cout << target.name << "\n";
    }
    return 0;
}
