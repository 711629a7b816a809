// Reading the JSON files of a machine, with errors that name file and key.
//
//     const json document = read_json_object(path, "a system.json", "Check --system");
//     check_json_keys(path, document, known, ignored, false, warnings);
//     const JsonFields fields(path, document);
//     const std::int64_t splits = fields.integer("preferred-dataset-splits", 1, 1);
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::engine {

/// The object in the file. Throws InputError when the file is missing, not JSON or not an object,
/// and when it is recognised as a file for another option, which the message names.
[[nodiscard]] nlohmann::json read_json_object(const std::string& path, const char* expected_file,
                                              const char* remedy);

/// A key that is neither known nor ignored is an InputError with the nearest known one, or, in a
/// tolerant dialect, a warning.
void check_json_keys(const std::string& path, const nlohmann::json& document,
                     const std::vector<std::string>& known, const std::vector<std::string>& ignored,
                     bool tolerant, std::vector<std::string>& warnings);

/// What stands there, for a message. Lists and objects only by their type: printing one is
/// recursive, and a hostile file nests them a million deep.
[[nodiscard]] std::string describe(const nlohmann::json& value);

/// The unit of a plain number, and how a string with a unit is parsed.
struct JsonUnit {
    const char* name;     ///< "GB"
    const char* example;  ///< "80GB"
    /// Factor of the base unit, which users may have written by mistake: 1e9 for GB; 1 if unlikely.
    double step;
    double (*of_text)(std::string_view text, std::string_view where);
};

namespace json_units {
extern const JsonUnit tflops;
extern const JsonUnit gigabytes;
extern const JsonUnit gigabytes_per_second;
extern const JsonUnit nanoseconds;
}  // namespace json_units

/// The values of one object. Everything throws InputError for a value of the wrong kind or range.
class JsonFields {
public:
    /// Both must outlive this.
    JsonFields(const std::string& path, const nlohmann::json& object)
        : path_(path), object_(object) {}

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool contains(const char* key) const { return object_.contains(key); }
    [[nodiscard]] const nlohmann::json& operator[](const char* key) const { return object_[key]; }

    [[noreturn]] void refuse(const std::string& key, const nlohmann::json& found,
                             std::string expected,
                             const std::string& remedy = "Correct the value") const;

    /// A quantity from `least` to `most` of the unit, or 0: not given. A number is in that unit; a
    /// string has its own.
    [[nodiscard]] double quantity(const char* key, const JsonUnit& unit, double fallback,
                                  double least, double most) const;

    /// A quantity in TFLOPS, GB or GB/s whose value in the base unit is a positive 64-bit number; 0
    /// = not given.
    [[nodiscard]] double quantity(const char* key, const JsonUnit& unit, double fallback) const {
        return quantity(key, unit, fallback, 1e-6, 1e6);
    }

    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t fallback, std::int64_t least,
                                       std::int64_t most = 1'000'000'000) const;

    [[nodiscard]] bool flag(const char* key) const;

private:
    const std::string& path_;
    const nlohmann::json& object_;
};

}  // namespace npunet::engine
