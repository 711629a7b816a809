// The key `tiers` of a Custom network.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "topology/network/tiers.h"
#include "topology/yaml/network_sections.h"

namespace npunet::topology {

namespace {

constexpr std::size_t most_tiers = 16;

class TiersReader {
public:
    TiersReader(const Graph& graph, const UnknownKeys& unknown) : graph_(graph), unknown_(unknown) {
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            npus_.emplace(graph.name(NodeId(npu)), npu);
        }
    }

    [[nodiscard]] std::vector<Tier> read(const YamlField& field) const {
        if (!field.is_list()) {
            field.refuse(field.found(), "a list of tiers, from the inside to the outside",
                         "For example: tiers: [{name: server, size: 8}]");
        }
        std::vector<Tier> tiers;
        for (const YamlField& entry : field.items()) {
            if (tiers.size() == most_tiers) {
                entry.refuse("one tier more", fmt::format("at most {}", most_tiers));
            }
            Tier tier = read_tier(entry);
            check_name(entry.at("name"), tier.name, tiers);
            check_whole_blocks(entry, tiers, tier);
            tiers.push_back(std::move(tier));
        }
        if (!tiers.empty() && !has_one_block(tiers.back())) {
            for (const Tier& tier : tiers) {
                if (tier.name == "all") {
                    field.refuse("the name 'all' for blocks of fewer NPUs", "another name",
                                 "The last tier, of all NPUs, has that name");
                }
            }
            tiers.push_back({"all", std::vector<std::int32_t>(graph_.npus(), 0)});
        }
        return tiers;
    }

private:
    [[nodiscard]] Tier read_tier(const YamlField& entry) const {
        check_keys(entry, {"name", "size", "blocks"}, unknown_);
        const YamlField name = entry.at("name");
        const auto size = entry.find("size");
        const auto blocks = entry.find("blocks");
        if (size && blocks) {
            blocks->refuse("blocks in addition to size", "one of the two", "Remove one of them");
        }
        if (!size && !blocks) {
            entry.refuse("neither size nor blocks", "one of the two",
                         "For example: {name: server, size: 8}, for 8 consecutive NPUs a block");
        }
        return {name.text("the name of a tier"),
                size ? blocks_of_size(*size) : blocks_of_lists(*blocks)};
    }

    [[nodiscard]] std::vector<std::int32_t> blocks_of_size(const YamlField& size) const {
        const auto npus = static_cast<std::int64_t>(graph_.npus());
        const std::int64_t each = size.whole(1, npus, "a number of NPUs");
        std::vector<std::int32_t> block_of_npu;
        block_of_npu.reserve(graph_.npus());
        for (std::int64_t npu = 0; npu < npus; ++npu) {
            block_of_npu.push_back(static_cast<std::int32_t>(npu / each));
        }
        return block_of_npu;
    }

    [[nodiscard]] std::vector<std::int32_t> blocks_of_lists(const YamlField& blocks) const {
        const std::string expected = "a list of blocks, each a list of NPUs";
        const std::string example = "For example: blocks: [[npu0, npu1], [npu2, npu3]]";
        if (!blocks.is_list()) {
            blocks.refuse(blocks.found(), expected, example);
        }
        std::vector<std::int32_t> block_of_npu(graph_.npus(), -1);
        std::int32_t number = 0;
        for (const YamlField& block : blocks.items()) {
            if (!block.is_list() || block.items().empty()) {
                block.refuse(block.is_list() ? "an empty list" : block.found(),
                             "a list of one NPU or more", example);
            }
            for (const YamlField& name : block.items()) {
                std::int32_t& own = block_of_npu[npu_of(name)];
                if (own >= 0) {
                    name.refuse(name.found() + " a second time", "each NPU once in the tier",
                                "Remove one of them");
                }
                own = number;
            }
            ++number;
        }
        const auto missing = std::find(block_of_npu.begin(), block_of_npu.end(), -1);
        if (missing != block_of_npu.end()) {
            blocks.refuse(
                fmt::format("no block with {}",
                            name_of(static_cast<std::size_t>(missing - block_of_npu.begin()))),
                "each NPU in one block of the tier", "Add it; a block may have a single NPU");
        }
        return numbered_by_lowest(block_of_npu);
    }

    [[nodiscard]] std::size_t npu_of(const YamlField& name) const {
        const std::string& text = name.text("the name of an NPU");
        const auto found = npus_.find(text);
        if (found != npus_.end()) {
            return found->second;
        }
        for (std::size_t node = graph_.npus(); node < graph_.nodes(); ++node) {
            if (graph_.name(NodeId(node)) == text) {
                name.refuse(fmt::format("the switch {}", name.found()), "the name of an NPU",
                            "Tiers consist of NPUs alone; remove it");
            }
        }
        std::vector<std::string> names;
        names.reserve(npus_.size());
        for (const auto& [known, npu] : npus_) {
            names.push_back(known);
        }
        std::string remedy = did_you_mean(text, names);
        name.refuse(fmt::format("the unknown NPU {}", name.found()), "the name of an NPU",
                    remedy.empty() ? "Write it as the network's nodes do" : remedy);
    }

    [[nodiscard]] static std::vector<std::int32_t> numbered_by_lowest(
        const std::vector<std::int32_t>& block_of_npu) {
        std::vector<std::int32_t> number_of(block_of_npu.size(), -1);
        std::vector<std::int32_t> numbered;
        numbered.reserve(block_of_npu.size());
        std::int32_t next = 0;
        for (const std::int32_t block : block_of_npu) {
            std::int32_t& number = number_of[static_cast<std::size_t>(block)];
            number = number < 0 ? next++ : number;
            numbered.push_back(number);
        }
        return numbered;
    }

    static void check_name(const YamlField& field, const std::string& name,
                           const std::vector<Tier>& before) {
        if (name.empty()) {
            field.refuse("an empty name", "the name of a tier", "For example: server");
        }
        for (const Tier& tier : before) {
            if (tier.name == name) {
                field.refuse(field.found() + " a second time", "a name of its own for each tier",
                             "Rename one of them");
            }
        }
    }

    /// Blocks consist of whole blocks of the tier before.
    void check_whole_blocks(const YamlField& entry, const std::vector<Tier>& before,
                            const Tier& tier) const {
        if (before.empty()) {
            return;
        }
        const Tier& inner = before.back();
        std::vector<std::size_t> first_of(graph_.npus(), graph_.npus());
        for (std::size_t npu = 0; npu < graph_.npus(); ++npu) {
            std::size_t& first = first_of[static_cast<std::size_t>(inner.block_of_npu[npu])];
            first = std::min(first, npu);
            if (tier.block_of_npu[npu] != tier.block_of_npu[first]) {
                entry.refuse(fmt::format("{} and {} in different blocks, which share a block of "
                                         "the tier {} before",
                                         name_of(first), name_of(npu), inner.name),
                             "blocks made of whole blocks of the tier before",
                             "List the tiers from the inside to the outside");
            }
        }
    }

    [[nodiscard]] static bool has_one_block(const Tier& tier) {
        return std::all_of(tier.block_of_npu.begin(), tier.block_of_npu.end(),
                           [](std::int32_t block) { return block == 0; });
    }

    [[nodiscard]] const std::string& name_of(std::size_t npu) const {
        return graph_.name(NodeId(npu));
    }

    const Graph& graph_;
    const UnknownKeys& unknown_;
    std::map<std::string, std::size_t> npus_;
};

}  // namespace

std::vector<Tier> read_tiers(const YamlField& tiers, const UnknownKeys& unknown,
                             const Graph& graph) {
    return TiersReader(graph, unknown).read(tiers);
}

namespace {

/// The sizes: of a list, or of ASTRA-sim's file.
std::vector<YamlField> logical_sizes(const YamlField& field) {
    if (field.is_list() || field.number()) {
        return field.items();
    }
    const std::filesystem::path path =
        std::filesystem::path(field.file()).parent_path() / field.text("sizes, or a file");
    const YamlField file =
        YamlField::load(path.string(), "logical dimensions", "{\"logical-dims\": [\"8\", \"4\"]}");
    check_keys(file, {"logical-dims"}, {});
    return file.at("logical-dims").items();
}

}  // namespace

std::vector<Tier> read_logical(const YamlField& field, const Graph& graph) {
    const auto npus = static_cast<std::int64_t>(graph.npus());
    std::vector<std::pair<std::string, std::int64_t>> blocks;
    std::int64_t block = 1;
    std::string product;
    for (const YamlField& size : logical_sizes(field)) {
        const std::int64_t factor = size.whole(1, npus, "the NPUs of a logical dimension");
        block = std::min(block * factor, npus + 1);
        product += fmt::format("{}{}", product.empty() ? "" : " x ", factor);
        if (factor > 1) {
            blocks.emplace_back(fmt::format("dim{}", blocks.size()), block);
        }
        if (blocks.size() > most_tiers) {
            size.refuse("one dimension more", fmt::format("at most {}", most_tiers));
        }
    }
    if (block != npus) {
        field.refuse(product.empty() ? "no sizes" : product,
                     fmt::format("sizes whose product is {}, the number of NPUs", npus));
    }
    return tiers_of_blocks(npus, blocks);
}

}  // namespace npunet::topology
