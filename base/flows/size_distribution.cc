#include "base/flows/size_distribution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/shipped_files.h"

namespace npunet {

namespace {

constexpr const char* folder = "configs/flows";
constexpr double most_bytes = 1e15;

class SizeFile {
public:
    explicit SizeFile(std::string file) : file_(std::move(file)) {}

    std::vector<SizeDistribution::Point> read() {
        std::istringstream stream(
            read_input_text(file_, "a distribution of the sizes of flows",
                            "Check the path; names without '/' and .txt are those of npunet"));
        for (std::string line; std::getline(stream, line);) {
            ++line_;
            read_line(line.substr(0, line.find('#')));
        }
        if (points_.size() < 2 || points_.back().share < 1) {
            throw InputError({file_, "",
                              points_.empty() ? "no lines of numbers"
                                              : fmt::format("lines up to {} %", last_percentage_),
                              "two lines or more, from 0 % to 100 % of the flows", ""});
        }
        return points_;
    }

private:
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
        throw InputError({file_, fmt::format("line {}", line_), found, expected, ""});
    }

    void read_line(const std::string& line) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            return;
        }
        std::istringstream words(line);
        double bytes = 0;
        double percentage = 0;
        std::string rest;
        if (!(words >> bytes >> percentage) || words >> rest) {
            refuse("'" + line + "'", "two numbers: bytes, and a percentage of flows");
        }
        if (!(bytes >= 0 && bytes <= most_bytes)) {
            refuse(fmt::format("{} bytes", bytes), "0 to 10^15 bytes");
        }
        const bool first = points_.empty();
        if (first ? percentage != 0 : !(percentage > last_percentage_ && percentage <= 100)) {
            refuse(fmt::format("{} %", percentage),
                   first ? "0 % in the first line"
                         : fmt::format("more than the {} % before, up to 100", last_percentage_));
        }
        if (!first && bytes <= points_.back().bytes) {
            refuse(fmt::format("{} bytes", bytes),
                   fmt::format("more than the {} bytes before", points_.back().bytes));
        }
        last_percentage_ = percentage;
        points_.push_back({bytes, percentage / 100});
    }

    std::string file_;
    std::size_t line_ = 0;
    double last_percentage_ = 0;
    std::vector<SizeDistribution::Point> points_;
};

}  // namespace

double SizeDistribution::mean() const {
    double sum = 0;
    for (std::size_t i = 1; i < points_.size(); ++i) {
        const Point& low = points_[i - 1];
        const Point& high = points_[i];
        sum += (high.share - low.share) * (low.bytes + high.bytes) / 2;
    }
    return sum;
}

std::int64_t SizeDistribution::at(double share) const {
    const auto high =
        std::upper_bound(points_.begin() + 1, points_.end() - 1, share,
                         [](double value, const Point& point) { return value < point.share; });
    const auto low = high - 1;
    const double part = (share - low->share) / (high->share - low->share);
    const double bytes = low->bytes + part * (high->bytes - low->bytes);
    return std::max<std::int64_t>(std::llround(bytes), 1);
}

std::vector<std::string> names_of_sizes() {
    return names_of_files(shipped_path(folder), {".txt"});
}

SizeDistribution load_sizes(const std::string& name, const std::string& where) {
    if (is_file_name(name, {".txt"})) {
        return SizeDistribution(SizeFile(name).read());
    }
    const std::vector<std::string> names = names_of_sizes();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError({where, "", "'" + name + "'",
                          fmt::format("{}, or a file (.txt)", fmt::join(names, ", ")), ""});
    }
    const std::filesystem::path file = shipped_path(folder) / (name + ".txt");
    return SizeDistribution(SizeFile(file.string()).read());
}

}  // namespace npunet
