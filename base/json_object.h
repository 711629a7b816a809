// Typed fields of a JSON object, with errors that name the file and the place in it.
//
//     const auto document = read_json_object<nlohmann::ordered_json>(file, {"a cluster file", ""});
//     const JsonObject root(file, document);
//     const double memory = root.object("0.0.0.1").number("memory", {0.001, 1e9});  // required
//     const std::int64_t splits = root.integer("preferred-dataset-splits", 1, 1);   // or 1
//
// Json is nlohmann::json or nlohmann::ordered_json, whose keys keep the order of the file.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_document.h"

namespace npunet {

/// A value for messages. Lists and objects only by their type: printing one is recursive.
template <class Json>
[[nodiscard]] std::string describe_json(const Json& value) {
    return value.is_structured() ? fmt::format("an {}", value.type_name()) : value.dump();
}

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

/// Valid range of a number.
struct NumberRange {
    double least = 0;
    double most = 0;
};

/// One object of a document and its place in it. Everything throws InputError for a value of the
/// wrong kind or range; fields without a fallback are required.
template <class Json>
class JsonObject {
public:
    /// `object` must outlive this.
    JsonObject(std::string file, const Json& object, std::string place = "");

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] bool contains(const std::string& key) const { return object_->contains(key); }
    [[nodiscard]] const Json& operator[](const std::string& key) const { return (*object_)[key]; }

    /// The value of a required key; `expected` is for the message.
    [[nodiscard]] const Json& at(const std::string& key, const std::string& expected) const;
    [[nodiscard]] JsonObject object(const std::string& key) const;
    [[nodiscard]] std::string text(const std::string& key) const;
    [[nodiscard]] double number(const std::string& key, const NumberRange& range) const;
    /// A list of at least one such number.
    [[nodiscard]] std::vector<double> numbers(const std::string& key,
                                              const NumberRange& range) const;

    /// A quantity from `least` to `most` of the unit, or 0: not given. A number is in that unit; a
    /// string has its own. By default the value in the base unit of TFLOPS, GB and GB/s is a
    /// positive 64-bit number.
    [[nodiscard]] double quantity(const std::string& key, const JsonUnit& unit, double fallback,
                                  const NumberRange& range = {1e-6, 1e6}) const;
    [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t fallback,
                                       std::int64_t least, std::int64_t most = 1'000'000'000) const;
    /// False by default.
    [[nodiscard]] bool flag(const std::string& key) const;

    /// A key that is neither known nor ignored is an InputError with the nearest known one, or, if
    /// tolerated, a warning.
    void check_keys(const std::vector<std::string>& known, const std::vector<std::string>& ignored,
                    bool tolerant, std::vector<std::string>& warnings) const;

    /// Throws InputError with the place of the key.
    [[noreturn]] void refuse(const std::string& key, const Json& found, std::string expected,
                             std::string remedy = "Correct the value") const;

private:
    [[nodiscard]] std::string place_of(const std::string& key) const;
    /// Throws InputError with that place.
    [[nodiscard]] double checked(const Json& value, std::string place,
                                 const NumberRange& range) const;

    std::string file_;
    const Json* object_;
    std::string place_;
};

}  // namespace npunet
