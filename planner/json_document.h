// Strict reading of a planner's JSON files: errors name the file and the place in it, and a
// duplicate key in an object is an error.
//
//     const nlohmann::ordered_json document = read_json_document(file, "a cluster file");
//     const JsonObject root(file, document);
//     const double memory = root.object("0.0.0.1").number("memory", gibibytes);
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace npunet::planner {

/// The object in the file, its keys in the order of the file. Throws InputError when there is no
/// readable file, no JSON or no object in it, or a key stands twice in an object.
[[nodiscard]] nlohmann::ordered_json read_json_document(const std::filesystem::path& file,
                                                        const std::string& expected);

/// Valid range of a number.
struct NumberRange {
    double least = 0;
    double most = 0;
};
/// Times up to 11 days.
constexpr NumberRange milliseconds{0, 1e9};
/// Memory of a layer or device, up to one exbibyte.
constexpr NumberRange mebibytes{0, 0x1p40};
constexpr NumberRange bytes{0, 0x1p60};
/// Memory and bandwidth of a node or device.
constexpr NumberRange gibibytes{0.001, 1e9};
constexpr NumberRange gigabytes_per_second{0.001, 1e9};

/// One object of a document and where it stands. Everything throws InputError for a value that is
/// missing or of another kind or range.
class JsonObject {
public:
    /// Both must outlive this.
    JsonObject(const std::filesystem::path& file, const nlohmann::ordered_json& object,
               std::string place = "");

    [[nodiscard]] bool contains(const std::string& key) const { return object_->contains(key); }
    [[nodiscard]] JsonObject object(const std::string& key) const;
    [[nodiscard]] std::string text(const std::string& key) const;
    [[nodiscard]] double number(const std::string& key, const NumberRange& range) const;
    /// A list of at least one such number.
    [[nodiscard]] std::vector<double> numbers(const std::string& key,
                                              const NumberRange& range) const;

private:
    [[nodiscard]] const nlohmann::ordered_json& value(const std::string& key,
                                                      const std::string& expected) const;
    [[nodiscard]] std::string place_of(const std::string& key) const;
    [[nodiscard]] double checked(const nlohmann::ordered_json& value, const std::string& place,
                                 const NumberRange& range) const;

    const std::filesystem::path* file_;
    const nlohmann::ordered_json* object_;
    std::string place_;
};

}  // namespace npunet::planner
