// The JSON files of a planner, read strictly: errors name the file and the place in it, and a key
// that stands twice in an object is one.
//
//     const nlohmann::ordered_json document = read_json_document(file, "a cluster file");
//     const JsonObject root(file, document);
//     const double memory = root.object("0.0.0.1").number("memory", Least::AboveZero);
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

enum class Least { Zero, AboveZero };

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
    [[nodiscard]] double number(const std::string& key, Least least) const;
    /// A list of numbers from 0, at least one.
    [[nodiscard]] std::vector<double> numbers(const std::string& key) const;

private:
    [[nodiscard]] const nlohmann::ordered_json& value(const std::string& key,
                                                      const std::string& expected) const;
    [[nodiscard]] std::string place_of(const std::string& key) const;
    [[nodiscard]] double checked(const nlohmann::ordered_json& value, const std::string& place,
                                 Least least) const;

    const std::filesystem::path* file_;
    const nlohmann::ordered_json* object_;
    std::string place_;
};

}  // namespace npunet::planner
