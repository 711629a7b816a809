#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <sstream>
#include <string>

#include "base/errors.h"
#include "base/input_text.h"
#include "generators/transformer/moe_routing.h"

namespace npunet::generators {

namespace {

constexpr std::int64_t most_weight = std::int64_t{1} << 32;
constexpr std::int64_t every_other_layer = -1;

class RoutingFile {
public:
    explicit RoutingFile(const ModelSpec& model) : model_(model), file_(model.moe.routing.file) {}

    std::vector<std::vector<std::int64_t>> read() {
        std::istringstream stream(read_input_text(file_,
                                                  "the routing file of the mixture of experts",
                                                  "Or name a distribution: uniform, zipf:S"));
        for (std::string line; std::getline(stream, line);) {
            ++line_;
            read_line(line);
        }
        return layers();
    }

private:
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
        throw InputError({file_, fmt::format("line {}", line_), found, expected, ""});
    }

    void read_line(const std::string& line) {
        const std::vector<std::string> words = split(line.substr(0, line.find('#')));
        if (words.empty()) {
            return;
        }
        const std::int64_t layer = layer_of(words.front());
        if (static_cast<std::int64_t>(words.size()) - 1 != model_.moe.experts) {
            refuse(fmt::format("{} numbers after the layer", words.size() - 1),
                   fmt::format("{}, one for each expert", model_.moe.experts));
        }
        std::vector<std::int64_t> weights;
        for (std::size_t i = 1; i < words.size(); ++i) {
            weights.push_back(whole_number(words[i], most_weight));
        }
        const auto used =
            std::count_if(weights.begin(), weights.end(), [](std::int64_t w) { return w > 0; });
        if (used < model_.moe.top_k) {
            refuse(fmt::format("{} experts with tokens", used),
                   fmt::format("{} or more: a token goes to that many different ones",
                               model_.moe.top_k));
        }
        if (!found_.emplace(layer, std::move(weights)).second) {
            refuse(fmt::format("layer {} once more", words.front()), "each layer once");
        }
    }

    [[nodiscard]] std::int64_t layer_of(const std::string& word) const {
        if (word == "*") {
            return every_other_layer;
        }
        const std::int64_t layer = whole_number(word, model_.layers - 1);
        if (!model_.is_moe_layer(layer)) {
            refuse(fmt::format("layer {}", layer),
                   fmt::format("a layer with experts, {} to {}, or *",
                               model_.moe.dense_layers_first, model_.layers - 1));
        }
        return layer;
    }

    [[nodiscard]] std::int64_t whole_number(const std::string& word, std::int64_t most) const {
        std::int64_t number = -1;
        const char* last = word.data() + word.size();
        const auto [end, error] = std::from_chars(word.data(), last, number);
        if (error != std::errc{} || end != last || number < 0 || number > most) {
            refuse(fmt::format("'{}'", word), fmt::format("a whole number from 0 to {}", most));
        }
        return number;
    }

    static std::vector<std::string> split(const std::string& text) {
        std::vector<std::string> words;
        std::string word;
        for (const char c : text + " ") {
            if (c != ' ' && c != '\t' && c != ',' && c != '\r') {
                word += c;
            } else if (!word.empty()) {
                words.push_back(std::move(word));
                word.clear();
            }
        }
        return words;
    }

    /// By layer of the model; dense ones have the weight 1 for everything.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> layers() const {
        std::vector<std::vector<std::int64_t>> layers;
        for (std::int64_t layer = 0; layer < model_.layers; ++layer) {
            auto found = found_.find(layer);
            if (found == found_.end()) {
                found = found_.find(every_other_layer);
            }
            if (!model_.is_moe_layer(layer)) {
                layers.emplace_back(static_cast<std::size_t>(model_.moe.experts), 1);
            } else if (found == found_.end()) {
                throw InputError({file_, "", fmt::format("no line for layer {}", layer),
                                  fmt::format("one for each of the layers {} to {}, or one for *",
                                              model_.moe.dense_layers_first, model_.layers - 1),
                                  ""});
            } else {
                layers.push_back(found->second);
            }
        }
        return layers;
    }

    const ModelSpec& model_;
    std::string file_;
    std::int64_t line_ = 0;
    std::map<std::int64_t, std::vector<std::int64_t>> found_;
};

}  // namespace

std::vector<std::vector<std::int64_t>> read_routing_file(const ModelSpec& model) {
    return RoutingFile(model).read();
}

}  // namespace npunet::generators
