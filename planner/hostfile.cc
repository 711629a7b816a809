#include "planner/hostfile.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <string_view>

#include "base/ascii.h"
#include "base/errors.h"
#include "base/input_text.h"

namespace npunet::planner {

namespace {

constexpr std::int64_t most_slots = 4096;
constexpr std::string_view slots_key = "slots=";

/// 0 for what is no number or a larger one than any limit.
std::int64_t number_in(std::string_view digits) {
    std::int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, number);
    return error == std::errc() && stopped == end ? number : 0;
}

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<std::string_view> words;
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const auto end = line.find_first_of(blanks, begin);
        words.push_back(line.substr(begin, end - begin));
        begin = end == std::string_view::npos ? end : line.find_first_not_of(blanks, end);
    }
    return words;
}

/// No address where the line is of another form.
Host npunet_host(std::string_view line) {
    const auto words = words_of(line);
    if (words.size() != 2 || words[1].substr(0, slots_key.size()) != slots_key) {
        return {};
    }
    return {std::string(words[0]), number_in(words[1].substr(slots_key.size())), 0};
}

/// Metis splits at single blanks, and of the second word it reads the seventh letter alone.
Host metis_host(std::string_view line) {
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = line.substr(blank + 1);
    const std::size_t digit = slots_key.size();
    if (rest.substr(0, digit) != slots_key || rest.size() <= digit || !is_digit(rest[digit])) {
        return {};
    }
    return {std::string(line.substr(0, blank)), rest[digit] - '0', 0};
}

bool skipped(std::string_view line) {
    const auto words = words_of(line);
    return words.empty() || words.front().front() == '#';
}

Host checked(Host host, const std::string& line, int number, const std::filesystem::path& file) {
    const std::string place = fmt::format("line {}", number);
    if (host.address.empty()) {
        throw InputError({file.string(), place, line.empty() ? "a blank line" : "'" + line + "'",
                          "ADDRESS slots=DEVICES", "One node a line"});
    }
    if (host.slots < 1 || host.slots > most_slots) {
        throw InputError({file.string(), place, "'" + line + "'",
                          fmt::format("1 to {} devices in a node", most_slots),
                          "Correct the number of slots"});
    }
    host.line = number;
    return host;
}

}  // namespace

std::vector<Host> read_hostfile(const std::filesystem::path& file, HostfileRules rules) {
    std::istringstream stream(read_input_text(file, "a hostfile", "Check the path"));
    const bool metis = rules == HostfileRules::Metis;
    std::vector<Host> hosts;
    std::int64_t devices = 0;
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (!metis && skipped(line)) {
            continue;
        }
        hosts.push_back(checked(metis ? metis_host(line) : npunet_host(line), line, number, file));
        devices += hosts.back().slots;
        if (devices > most_devices) {
            throw InputError({file.string(), fmt::format("line {}", number),
                              "more devices than a planner can place",
                              fmt::format("at most {}", most_devices), "Leave nodes out"});
        }
    }
    if (hosts.empty()) {
        throw InputError({file.string(), "", "no host", "a line ADDRESS slots=DEVICES a node", ""});
    }
    return hosts;
}

}  // namespace npunet::planner
