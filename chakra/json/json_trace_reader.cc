#include <et_def.pb.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors.h"
#include "chakra/json/json_attribute_reader.h"
#include "chakra/json/json_level.h"
#include "chakra/json/json_node_reader.h"
#include "chakra/json/json_trace.h"
#include "chakra/wire/byte_blocks.h"
#include "chakra/wire/node_codec.h"
#include "chakra/wire/unknown_fields.h"

namespace npunet::chakra {

namespace {

using Json = nlohmann::json;
using Part = JsonPlace::Part;

/// Lists and objects in each other, whatever they are of.
constexpr std::size_t deepest = 100;
/// Attributes of metadata are kept in memory for as long as the trace is read.
constexpr std::size_t most_metadata_attributes = 1000;
constexpr std::size_t frames_block = std::size_t{1} << 16;

std::string expected_document() {
    return fmt::format(R"(an object {{"{}": [...]}})", graph_key);
}

[[noreturn]] void fail_document(const std::string& file) {
    throw InputError({file, graph_key, fmt::format("JSON without a list {}", graph_key),
                      expected_document(), "Name an execution trace"});
}

void append_frame(ByteBlocks&& message, std::vector<std::string>& blocks) {
    ByteBlocks length;
    length.append_varint(message.size());
    const std::size_t bytes = length.size() + message.size();
    if (blocks.empty() || blocks.back().capacity() - blocks.back().size() < bytes) {
        if (!blocks.empty()) {
            blocks.back().shrink_to_fit();
        }
        blocks.emplace_back().reserve(std::max(bytes, frames_block));
    }
    length.move_to(blocks.back());
    message.move_to(blocks.back());
}

/// {"version": ..., "attributes": [...]}, and "rest".
class MetadataReader final : public JsonLevel {
public:
    MetadataReader(JsonPlace& place, TraceMetadata& metadata)
        : place_(place),
          metadata_(metadata),
          attributes_(place, [this](ByteBlocks&& message) { add_attribute(message.take()); }) {}

    void key(std::string_view name) override {
        key_ = name == "version"      ? Key::Version
               : name == "attributes" ? Key::Attributes
               : name == "rest"       ? Key::Rest
                                      : Key::Other;
        if (key_ != Key::Other && !seen_.add(key_)) {
            place_.fail(name, "the key twice", expected_once);
        }
    }

    void value(const JsonToken& token) override {
        if (key_ == Key::Attributes) {
            place_.fail("attributes", described(token), "a list of attributes");
        }
        if (key_ == Key::Other) {
            return;
        }
        std::string& text = key_ == Key::Version ? metadata_.version : metadata_.rest;
        if (!token.is_text()) {
            place_.fail(key_ == Key::Version ? "version" : "rest", described(token), expected_text);
        }
        text = token.text;
        if (key_ == Key::Rest && !are_unknown_fields<ChakraProtoMsg::GlobalMetadata>(text, 0)) {
            place_.fail_rest("rest");
        }
    }

    JsonLevel* object() override {
        const bool text = key_ == Key::Version || key_ == Key::Rest;
        return text ? place_.hex.begin(*this) : JsonLevel::object();
    }

    JsonLevel* list() override {
        return key_ == Key::Attributes ? attributes_.begin() : JsonLevel::list();
    }

private:
    enum class Key : std::uint8_t { Version, Attributes, Rest, Other };

    void add_attribute(const std::string& message) {
        if (metadata_.attributes.size() == most_metadata_attributes) {
            place_.fail("attributes", fmt::format("more than {}", most_metadata_attributes),
                        fmt::format("at most {} attributes", most_metadata_attributes));
        }
        AttributeView view;
        if (!view.parse(message)) {
            place_.fail("attributes", "an attribute that cannot be encoded", "attributes");
        }
        decode_attribute(view, metadata_.attributes.emplace_back());
    }

    JsonPlace& place_;
    TraceMetadata& metadata_;
    JsonAttributesReader attributes_;
    Key key_ = Key::Other;
    SeenKeys<Key> seen_;
};

/// The list of nodes.
class GraphReader final : public JsonLevel {
public:
    GraphReader(JsonPlace& place, std::vector<std::string>& frames)
        : place_(place), node_(place, [this, &frames](ByteBlocks&& message) {
              append_frame(std::move(message), frames);
              ++place_.nodes;
          }) {}

    void value(const JsonToken& token) override {
        place_.fail("", described(token), R"(an object with "Id", "Name" and "NodeType")");
    }
    JsonLevel* object() override { return node_.begin(); }
    void end() override { place_.part = Part::Document; }

private:
    JsonPlace& place_;
    JsonNodeReader node_;
};

class DocumentReader final : public JsonLevel {
public:
    DocumentReader(JsonPlace& place, JsonTrace& trace)
        : place_(place),
          trace_(trace),
          graph_(place, trace.frames),
          metadata_(place, trace.metadata) {}

    void key(std::string_view name) override {
        place_.part = name == graph_key      ? Part::Document
                      : name == metadata_key ? Part::Metadata
                                             : Part::Other;
        place_.other = place_.part == Part::Other ? name : std::string_view();
        if (place_.part != Part::Other && !seen_.add(place_.part)) {
            place_.fail("", "the key twice", expected_once);
        }
    }

    void value(const JsonToken& token) override {
        if (place_.part == Part::Document) {
            fail_document(place_.file);
        }
        if (place_.part == Part::Metadata) {
            if (token.kind != JsonToken::Kind::Null) {
                place_.fail("", described(token),
                            R"(an object with "version" and "attributes", or null)");
            }
            trace_.metadata.present = false;
        }
    }

    JsonLevel* object() override {
        if (place_.part != Part::Metadata) {
            return JsonLevel::object();
        }
        trace_.has_metadata = true;
        return &metadata_;
    }

    JsonLevel* list() override {
        if (place_.part != Part::Document) {
            return JsonLevel::list();
        }
        place_.part = Part::Node;
        return &graph_;
    }

    void end() override {
        if (!seen_.has(Part::Document)) {
            fail_document(place_.file);
        }
    }

private:
    JsonPlace& place_;
    JsonTrace& trace_;
    GraphReader graph_;
    MetadataReader metadata_;
    SeenKeys<Part> seen_;
};

/// What stands outside of all.
class RootReader final : public JsonLevel {
public:
    RootReader(JsonPlace& place, JsonTrace& trace) : place_(place), document_(place, trace) {}
    void value(const JsonToken& /*token*/) override { fail_document(place_.file); }
    JsonLevel* object() override { return &document_; }

private:
    JsonPlace& place_;
    DocumentReader document_;
};

/// Tells the innermost level that is open what the parser finds.
class Handler final : public nlohmann::json_sax<Json> {
public:
    Handler(std::string_view text, JsonPlace& place, JsonTrace& trace)
        : text_(text), place_(place), root_(place, trace), open_{&root_} {}

    bool null() override { return value({JsonToken::Kind::Null, 0, 0, {}}); }
    bool boolean(bool flag) override {
        return value({JsonToken::Kind::Bool, flag ? 1U : 0U, 0, {}});
    }
    bool number_integer(std::int64_t number) override {
        return value({JsonToken::Kind::Signed, static_cast<std::uint64_t>(number), 0, {}});
    }
    bool number_unsigned(std::uint64_t number) override {
        return value({JsonToken::Kind::Unsigned, number, 0, {}});
    }
    bool number_float(double number, const std::string& /*digits*/) override {
        return value({JsonToken::Kind::Real, 0, number, {}});
    }
    bool string(std::string& text) override { return value({JsonToken::Kind::Text, 0, 0, text}); }
    bool binary(Json::binary_t& /*bytes*/) override { return false; }  // not of JSON texts
    bool start_object(std::size_t /*size*/) override { return begin(false); }
    bool start_array(std::size_t /*size*/) override { return begin(true); }
    bool end_object() override { return end(); }
    bool end_array() override { return end(); }
    bool key(std::string& name) override {
        if (skipped_ == 0) {
            open_.back()->key(name);
        }
        return true;
    }
    bool parse_error(std::size_t byte, const std::string& /*token*/,
                     const Json::exception& error) override {
        if (dynamic_cast<const Json::parse_error*>(&error) == nullptr) {
            throw InputError({place_.file, place_.subject(), error.what(), expected_document(),
                              "Correct the file"});
        }
        const std::string_view before = text_.substr(0, std::min(byte, text_.size()));
        throw InputError(
            {place_.file,
             fmt::format("line {}", 1 + std::count(before.begin(), before.end(), '\n')),
             "text that is not JSON", expected_document(),
             "Correct the file, or copy it again if it is truncated"});
    }

private:
    bool value(const JsonToken& token) {
        if (skipped_ == 0) {
            open_.back()->value(token);
        }
        return true;
    }

    bool begin(bool list) {
        const std::size_t depth = open_.size() + skipped_;
        if (depth > deepest) {
            throw InputError({place_.file, place_.subject(),
                              fmt::format("lists and objects in {} others", depth - 1),
                              fmt::format("at most {}", deepest), "Correct the file"});
        }
        if (skipped_ > 0) {
            ++skipped_;
        } else if (JsonLevel* const level = list ? open_.back()->list() : open_.back()->object()) {
            open_.push_back(level);
        } else {
            skipped_ = 1;
        }
        return true;
    }

    bool end() {
        if (skipped_ > 0) {
            --skipped_;
        } else {
            JsonLevel* const level = open_.back();
            open_.pop_back();
            level->end();
        }
        return true;
    }

    std::string_view text_;
    JsonPlace& place_;
    RootReader root_;
    std::vector<JsonLevel*> open_;
    std::size_t skipped_ = 0;  // lists and objects that are open and of no level
};

}  // namespace

bool is_json_trace(std::string_view beginning) {
    const auto skip_blanks = [&] {
        const std::size_t next = beginning.find_first_not_of(" \t\r\n");
        beginning.remove_prefix(std::min(next, beginning.size()));
    };
    skip_blanks();
    if (beginning.empty() || beginning.front() != '{') {
        return false;
    }
    beginning.remove_prefix(1);
    skip_blanks();
    if (beginning.empty() || beginning.front() != '"') {
        return !beginning.empty() && beginning.front() == '}';
    }
    const std::size_t end = beginning.find('"', 1);
    return end != std::string_view::npos &&
           std::all_of(beginning.begin() + 1, beginning.begin() + static_cast<std::ptrdiff_t>(end),
                       [](char c) { return std::isprint(static_cast<unsigned char>(c)) != 0; });
}

JsonTrace read_json_trace(std::string_view text, const std::string& file) {
    JsonTrace trace;
    trace.metadata.version.clear();
    JsonPlace place{file};
    Handler handler(text, place, trace);
    (void)Json::sax_parse(text, &handler);
    return trace;
}

}  // namespace npunet::chakra
