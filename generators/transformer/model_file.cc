#include "generators/transformer/model_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/suggest.h"

namespace npunet::generators {

namespace {

/// One mapping of the file: looks keys up, converts values, and says where what is wrong.
class Section {
public:
    Section(std::string file, std::string prefix, const YAML::Node& node,
            const std::vector<std::string>& known)
        : file_(std::move(file)), prefix_(std::move(prefix)), node_(node) {
        if (!node_.IsMap()) {
            fail(node_, prefix_, "", "a mapping of keys to values", "");
        }
        check_keys(known);
    }

    [[nodiscard]] bool has(const char* key) const { return node_[key].IsDefined(); }
    [[nodiscard]] YAML::Node at(const char* key) const { return node_[key]; }

    [[nodiscard]] std::int64_t required_integer(const char* key) const {
        if (!has(key)) {
            throw InputError({file_, prefix_ + key, "nothing", "a whole number",
                              fmt::format("Add the line '{}: NUMBER'", key)});
        }
        return integer(key, 0);
    }

    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t otherwise) const {
        if (!has(key)) {
            return otherwise;
        }
        std::int64_t value = 0;
        const std::string text = scalar(key);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) {
            fail(at(key), prefix_ + key, fmt::format("'{}'", text), "a whole number", "");
        }
        return value;
    }

    [[nodiscard]] bool flag(const char* key, bool otherwise) const {
        return choice<bool>(key, otherwise, {{"true", true}, {"false", false}});
    }

    template <class T>
    [[nodiscard]] T choice(const char* key, T otherwise,
                           const std::vector<std::pair<std::string, T>>& choices) const {
        if (!has(key)) {
            return otherwise;
        }
        const std::string text = scalar(key);
        std::vector<std::string> names;
        for (const auto& [name, value] : choices) {
            if (name == text) {
                return value;
            }
            names.push_back(name);
        }
        const std::string near = nearest(text, names);
        fail(at(key), prefix_ + key, fmt::format("'{}'", text),
             fmt::format("one of {}", fmt::join(names, ", ")),
             near.empty() ? "" : fmt::format("Did you mean {}?", near));
    }

    [[nodiscard]] std::string scalar(const char* key) const {
        if (!at(key).IsScalar()) {
            fail(at(key), prefix_ + key, "", "a single value", "");
        }
        return at(key).Scalar();
    }

    [[noreturn]] void fail(const YAML::Node& node, const std::string& key, std::string found,
                           std::string expected, std::string remedy) const {
        const std::string line =
            node.Mark().is_null() ? "" : fmt::format("line {}", node.Mark().line + 1);
        const std::string separator = line.empty() || key.empty() ? "" : ", ";
        throw InputError({file_, line + separator + key, std::move(found), std::move(expected),
                          std::move(remedy)});
    }

private:
    void check_keys(const std::vector<std::string>& known) const {
        std::set<std::string> seen;
        for (const auto& entry : node_) {
            if (!entry.first.IsScalar()) {
                fail(entry.first, prefix_, "a key that is not a word", "a key of a model file", "");
            }
            const std::string key = entry.first.Scalar();
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                const std::string near = nearest(key, known);
                fail(entry.first, prefix_ + key, "an unknown key",
                     fmt::format("one of {}", fmt::join(known, ", ")),
                     near.empty() ? "" : fmt::format("Did you mean {}?", near));
            }
            if (!seen.insert(key).second) {
                fail(entry.first, prefix_ + key, "the key a second time", "each key once", "");
            }
        }
    }

    std::string file_;
    std::string prefix_;
    YAML::Node node_;
};

YAML::Node parse(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (!stream || std::filesystem::is_directory(file) || !(text << stream.rdbuf())) {
        throw InputError({file.string(), "", "no readable text", "a model file",
                          "Check the path, or give the name of a shipped model"});
    }
    try {
        return YAML::Load(text.str());
    } catch (const YAML::Exception& error) {
        throw InputError(
            {file.string(), fmt::format("line {}", error.mark.line + 1), error.msg, "YAML", ""});
    }
}

/// Bytes per element: a name or a number.
std::int64_t element_bytes(const Section& section, const char* key, std::int64_t otherwise) {
    if (!section.has(key)) {
        return otherwise;
    }
    const std::string text = section.scalar(key);
    for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::int64_t>>{
             {"fp8", 1}, {"bf16", 2}, {"fp16", 2}, {"fp32", 4}}) {
        if (name == text) {
            return bytes;
        }
    }
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
        section.fail(section.at(key), fmt::format("dtypes.{}", key), fmt::format("'{}'", text),
                     "fp8, bf16, fp16, fp32 or a number of bytes", "");
    }
    return section.integer(key, otherwise);
}

DataTypes read_dtypes(const std::string& file, const YAML::Node& node) {
    const Section section(file, "dtypes.", node,
                          {"weights", "activations", "gradients", "optimizer"});
    DataTypes types;
    types.weights = element_bytes(section, "weights", types.weights);
    types.activations = element_bytes(section, "activations", types.activations);
    types.gradients = element_bytes(section, "gradients", types.gradients);
    types.optimizer = element_bytes(section, "optimizer", types.optimizer);
    return types;
}

void refuse_what_is_not_offered(const Section& section) {
    for (const char* key : {"moe", "mla"}) {
        if (section.has(key)) {
            section.fail(section.at(key), key, "a model that uses it",
                         "a dense model with plain or grouped-query attention",
                         fmt::format("{} is not offered by this version", key));
        }
    }
}

void read_attention(const Section& section, ModelSpec& model) {
    const std::string kind =
        section.choice<std::string>("attention", model.kv_heads == model.heads ? "mha" : "gqa",
                                    {{"mha", "mha"}, {"gqa", "gqa"}, {"mla", "mla"}});
    if (kind == "mla") {
        section.fail(section.at("attention"), "attention", "mla", "mha or gqa",
                     "mla is not offered by this version");
    }
    if (kind == "mha" && model.kv_heads != model.heads) {
        section.fail(section.at("attention"), "attention", "mha",
                     fmt::format("gqa: {} kv_heads serve {} heads", model.kv_heads, model.heads),
                     "");
    }
    if (kind == "gqa" && !section.has("kv_heads")) {
        section.fail(section.at("attention"), "attention", "gqa without kv_heads",
                     "the number of key and value heads", "Add the line 'kv_heads: NUMBER'");
    }
}

std::int64_t default_head_dim(const Section& section, const ModelSpec& model) {
    if (section.has("head_dim") || model.heads < 1 || model.hidden % model.heads == 0) {
        return model.heads < 1 ? 1 : model.hidden / model.heads;
    }
    section.fail(section.at("heads"), "heads", fmt::format("{}", model.heads),
                 fmt::format("a divisor of hidden {}", model.hidden),
                 "Or give head_dim, the channels of one head");
}

}  // namespace

ModelSpec read_model_file(const std::filesystem::path& file) {
    const Section section(file.string(), "", parse(file),
                          {"name", "hidden", "layers", "heads", "kv_heads", "head_dim", "ffn",
                           "vocab", "seq", "gated", "norm", "bias", "positions", "tied_embeddings",
                           "vocab_divisible_by", "attention", "dtypes", "moe", "mla"});
    refuse_what_is_not_offered(section);
    ModelSpec model;
    model.name = section.has("name") ? section.scalar("name") : file.stem().string();
    model.hidden = section.required_integer("hidden");
    model.layers = section.required_integer("layers");
    model.heads = section.required_integer("heads");
    model.kv_heads = section.integer("kv_heads", model.heads);
    model.head_dim = section.integer("head_dim", default_head_dim(section, model));
    model.ffn = section.required_integer("ffn");
    model.vocab = section.required_integer("vocab");
    model.seq = section.required_integer("seq");
    model.gated = section.flag("gated", model.gated);
    model.norm = section.choice("norm", model.norm, {{"rms", Norm::Rms}, {"layer", Norm::Layer}});
    model.bias = section.flag("bias", model.bias);
    model.positions = section.choice("positions", model.positions,
                                     {{"rotary", Positions::Rotary},
                                      {"learned", Positions::Learned},
                                      {"none", Positions::None}});
    model.tied_embeddings = section.flag("tied_embeddings", model.tied_embeddings);
    model.vocab_divisible_by = section.integer("vocab_divisible_by", model.vocab_divisible_by);
    read_attention(section, model);
    if (section.has("dtypes")) {
        model.dtypes = read_dtypes(file.string(), section.at("dtypes"));
    }
    check_model(model, file.string());
    return model;
}

}  // namespace npunet::generators
