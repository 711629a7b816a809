#include "report/results/results_owner.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.h"

namespace npunet::report {

namespace fs = std::filesystem;

namespace {

constexpr const char* journal = "sweep.journal";
/// With the key "command": of simulate and sweep, compare, report and analyze.
constexpr std::array<const char*, 4> documents = {"results.json", "compare.json",
                                                  "side-by-side.json", "analysis.json"};

/// Reads a document up to the outermost key "command"; the rest may be long.
class CommandReader final : public nlohmann::json_sax<nlohmann::json> {
public:
    std::optional<std::string> command;
    bool is_ours = false;  ///< an object with a key that all of ours begin with

    bool null() override { return value(); }
    bool boolean(bool /*unused*/) override { return value(); }
    bool number_integer(number_integer_t /*unused*/) override { return value(); }
    bool number_unsigned(number_unsigned_t /*unused*/) override { return value(); }
    bool number_float(number_float_t /*unused*/, const string_t& /*unused*/) override {
        return value();
    }
    bool string(string_t& text) override {
        if (!here_) {
            return true;
        }
        command = text;
        return false;
    }
    bool binary(binary_t& /*unused*/) override { return value(); }
    bool start_object(std::size_t /*unused*/) override { return open(); }
    bool key(string_t& name) override {
        here_ = depth_ == 1 && name == "command";
        is_ours = is_ours || (depth_ == 1 && (name == "schema" || name == "runs"));
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(std::size_t /*unused*/) override { return open(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t /*unused*/, const std::string& /*unused*/,
                     const nlohmann::json::exception& /*unused*/) override {
        return false;
    }

private:
    bool value() {
        here_ = false;
        return true;
    }
    bool open() {
        ++depth_;
        return value();
    }
    bool close() {
        --depth_;
        return true;
    }

    std::size_t depth_ = 0;
    bool here_ = false;  // the value of "command" comes next
};

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

CommandReader command_in(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw MachineError(file.string() + ": cannot be read: " + std::strerror(errno) +
                           ". Whose results these are is not known");
    }
    CommandReader reader;
    nlohmann::json::sax_parse(stream, &reader);
    return reader;
}

/// The documents in a folder that name another command than that of `owner`, with the command.
std::map<std::string, std::string> documents_of_others(const fs::path& folder,
                                                       const ResultsOwner& owner) {
    std::map<std::string, std::string> others;
    for (const char* file : documents) {
        if (!is_file(folder / file)) {
            continue;
        }
        const CommandReader found = command_in(folder / file);
        if (found.command && *found.command != owner.command) {
            others.emplace(file, *found.command);
        } else if (!found.command && (found.is_ours || file == owner.document)) {
            others.emplace(file, "");
        }
    }
    return others;
}

/// A document that a command must not replace.
struct Obstacle {
    std::string file;
    std::string found;  ///< for people
};

std::optional<Obstacle> obstacle_of(const std::map<std::string, std::string>& others) {
    if (others.empty()) {
        return std::nullopt;
    }
    const auto& [file, command] = *others.begin();
    return Obstacle{file, command.empty() ? "results that do not name their command"
                                          : "the results of another command: " + command};
}

std::optional<Obstacle> obstacle_in(const fs::path& folder, const ResultsOwner& owner) {
    if (owner.force) {
        return std::nullopt;
    }
    std::optional<Obstacle> obstacle = obstacle_of(documents_of_others(folder, owner));
    if (!obstacle && is_file(folder / journal)) {
        return Obstacle{journal, "what a sweep has done so far"};
    }
    return obstacle;
}

void refuse(const fs::path& folder, const std::optional<Obstacle>& obstacle,
            const ResultsOwner& owner, const std::string& advice) {
    if (obstacle) {
        throw InputError({folder.string(), obstacle->file, obstacle->found,
                          "those of this command: " + owner.command, advice});
    }
}

constexpr const char* before_a_run = "Give another --output-dir, or --force to write over them";

}  // namespace

void ResultsOwner::check(const fs::path& folder) const {
    refuse(folder, obstacle_in(folder, *this), *this, before_a_run);
}

void ResultsOwner::check_of_sweep(const fs::path& folder) const {
    std::map<std::string, std::string> others = documents_of_others(folder, *this);
    if (is_file(folder / journal)) {
        others.erase(document);
    }
    refuse(folder, obstacle_of(others), *this, before_a_run);
}

void ResultsOwner::discard_others(StagedFolder& staged, const fs::path& folder) const {
    if (const auto obstacle = obstacle_in(folder, *this)) {
        const fs::path kept = staged.commit_apart();
        refuse(folder, obstacle, *this,
               "They came while this command ran; its own results are in " + kept.string());
    }
    for (const auto& [file, made_by] : documents_of_others(folder, *this)) {
        if (file != document) {
            staged.discard(file);
        }
    }
    staged.discard(journal);
}

void ResultsOwner::remove_others(const fs::path& folder) const {
    for (const auto& [file, made_by] : documents_of_others(folder, *this)) {
        std::error_code ignored;
        fs::remove(folder / file, ignored);
    }
}

}  // namespace npunet::report
