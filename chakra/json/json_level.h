// What takes the content of one object or list of a JSON trace while it is parsed, and what it
// shares with the others. For the sources of chakra only.
//
// The parser's handler (chakra/json/json_trace_reader.cc) keeps the levels that are open, one in
// the other, and tells the innermost what comes. A level that does not ask for an object or a list
// has it skipped, with whatever it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "chakra/json/json_token.h"

namespace npunet::chakra {

class JsonLevel {
public:
    JsonLevel() = default;
    JsonLevel(const JsonLevel&) = delete;
    JsonLevel& operator=(const JsonLevel&) = delete;
    virtual ~JsonLevel() = default;

    /// The key of what comes next.
    virtual void key(std::string_view /*name*/) {}
    /// A value that is neither object nor list, or the beginning of one that is not read.
    virtual void value(const JsonToken& token) = 0;
    /// Who takes the object or the list that begins; null when it is to be skipped.
    virtual JsonLevel* object() {
        value({JsonToken::Kind::Object, 0, 0, {}});
        return nullptr;
    }
    virtual JsonLevel* list() {
        value({JsonToken::Kind::List, 0, 0, {}});
        return nullptr;
    }
    virtual void end() {}
};

/// {"hex": "..."}, which its owner gets as one value: bytes, or an object where it is no such
/// thing.
class JsonHex final : public JsonLevel {
public:
    JsonHex* begin(JsonLevel& owner);
    void key(std::string_view name) override;
    void value(const JsonToken& token) override;
    void end() override;

private:
    JsonLevel* owner_ = nullptr;
    std::optional<std::string> bytes_;
    bool good_ = true;
};

/// Where in the document the parser is, for errors, and what every level may need.
struct JsonPlace {
    const std::string& file;
    enum class Part : std::uint8_t { Document, Metadata, Node, Other } part = Part::Document;
    std::string other{};      ///< a key of the document
    std::uint64_t nodes = 0;  ///< that were read before
    JsonHex hex{};

    /// "node 3 of workload_graph", "metadata", ...
    [[nodiscard]] std::string subject() const;
    /// `key`: of the subject; may be empty.
    [[noreturn]] void fail(std::string_view key, std::string found, std::string expected) const;
    /// Of a `rest` that is none.
    [[noreturn]] void fail_rest(std::string_view key) const;
};

/// The keys that one object has had, of those that are known.
template <class Key>
class SeenKeys {
public:
    /// False when it was there.
    bool add(Key key) {
        const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(key);
        return (std::exchange(bits_, bits_ | bit) & bit) == 0;
    }
    [[nodiscard]] bool has(Key key) const {
        return (bits_ >> static_cast<unsigned>(key) & 1U) != 0;
    }
    void clear() { bits_ = 0; }

private:
    std::uint32_t bits_ = 0;
};

constexpr const char* expected_once = "every key once";
constexpr const char* expected_text = "text, or {\"hex\": \"...\"}";
constexpr const char* graph_key = "workload_graph";
constexpr const char* metadata_key = "metadata";

}  // namespace npunet::chakra
