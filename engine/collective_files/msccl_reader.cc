#include "engine/collective_files/msccl_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/input_text.h"

namespace npunet::engine {

namespace {

/// Files have up to 1.5 MB; in memory their nodes take some ten times as much.
constexpr std::size_t longest_xml = std::size_t{64} << 20;
constexpr std::int32_t most_gpus = 65536;
constexpr std::int32_t most_chunks = 1 << 16;  ///< of a buffer, and of a step
constexpr std::int64_t most_places = 1 << 22;  ///< of all buffers; and of all steps

template <class Value>
struct XmlName {
    std::string_view name;
    Value value;
};

constexpr std::array<XmlName<StepType>, 9> xml_step_types{{
    {"s", StepType::Send},
    {"r", StepType::Receive},
    {"rcs", StepType::ReceiveCopySend},
    {"rrs", StepType::ReceiveReduceSend},
    {"rrc", StepType::ReceiveReduceCopy},
    {"rrcs", StepType::ReceiveReduceCopySend},
    {"cpy", StepType::Copy},
    {"re", StepType::Reduce},
    {"nop", StepType::Nothing},
}};

constexpr std::array<XmlName<ChunkBuffer>, 3> xml_buffers{{
    {"i", ChunkBuffer::Input},
    {"o", ChunkBuffer::Output},
    {"s", ChunkBuffer::Scratch},
}};

constexpr std::array<XmlName<CollectiveKind>, 8> xml_kinds{{
    {"allreduce", CollectiveKind::AllReduce},
    {"allgather", CollectiveKind::AllGather},
    {"reducescatter", CollectiveKind::ReduceScatter},
    {"alltoall", CollectiveKind::AllToAll},
    {"broadcast", CollectiveKind::Broadcast},
    {"reduce", CollectiveKind::Reduce},
    {"gather", CollectiveKind::Gather},
    {"scatter", CollectiveKind::Scatter},
}};

class MscclReader {
public:
    explicit MscclReader(const std::string& file)
        : file_(file),
          text_(read_input_text(file, "an MSCCL algorithm in XML", "Check the path", longest_xml)) {
    }

    FileAlgorithm read() {
        pugi::xml_document document;
        const pugi::xml_parse_result result =
            document.load_buffer(text_.data(), text_.size(), pugi::parse_default);
        if (!result) {
            throw InputError({file_, line_at(static_cast<std::size_t>(result.offset)),
                              result.description(), "an XML document", "Correct the file"});
        }
        const pugi::xml_node root = document.document_element();
        if (std::strcmp(root.name(), "algo") != 0) {
            refuse(root, fmt::format("the element '{}'", root.name()),
                   "'algo', the root of an MSCCL algorithm");
        }
        read_root(root);
        for (const pugi::xml_node child : root.children()) {
            if (is_element(child, "gpu", root)) {
                read_gpu(child);
            }
        }
        return std::move(algorithm_);
    }

private:
    void read_root(const pugi::xml_node& root) {
        algorithm_.file = file_;
        algorithm_.name = root.attribute("name").as_string();
        if (algorithm_.name.empty()) {
            algorithm_.name = std::filesystem::path(file_).stem().string();
        }
        const char* const protocol = text(root, "proto", "Simple, LL or LL128");
        algorithm_.protocol = FifoProtocol::named(protocol);
        if (algorithm_.protocol == nullptr) {
            refuse(root, fmt::format("proto '{}'", protocol), "Simple, LL or LL128");
        }
        algorithm_.chunks = integer(root, "nchunksperloop", 1, most_chunks);
        const std::int32_t gpus = integer(root, "ngpus", 2, most_gpus);
        read_kind(root);
        algorithm_.in_place =
            !root.attribute("inplace").empty() && integer(root, "inplace", 0, 1) == 1;
        algorithm_.least = size(root, "minBytes", Bytes());
        algorithm_.most = size(root, "maxBytes", algorithm_.most);
        const auto there = std::distance(root.children("gpu").begin(), root.children("gpu").end());
        if (there != gpus) {
            refuse(root, fmt::format("ngpus {} and {} gpus", gpus, there), "as many as ngpus says");
        }
        algorithm_.gpus.resize(static_cast<std::size_t>(gpus));
        seen_.resize(static_cast<std::size_t>(gpus), false);
    }

    void read_kind(const pugi::xml_node& root) {
        const std::string_view name = text(root, "coll", "the collective, such as allreduce");
        if (name == "custom") {
            return;
        }
        for (const auto& known : xml_kinds) {
            if (known.name == name) {
                algorithm_.kind = known.value;
                return;
            }
        }
        std::string names = "custom";
        for (const auto& known : xml_kinds) {
            names += fmt::format(", {}", known.name);
        }
        refuse(root, fmt::format("coll '{}'", name), "one of " + names);
    }

    void read_gpu(const pugi::xml_node& node) {
        const auto count = static_cast<std::int32_t>(seen_.size());
        gpu_ = integer(node, "id", 0, count - 1);
        if (seen_[static_cast<std::size_t>(gpu_)]) {
            refuse(node, fmt::format("gpu {} twice", gpu_), "each gpu once");
        }
        seen_[static_cast<std::size_t>(gpu_)] = true;
        AlgorithmGpu& gpu = algorithm_.gpus[static_cast<std::size_t>(gpu_)];
        gpu.chunks = {integer(node, "i_chunks", 0, most_chunks),
                      integer(node, "o_chunks", 0, most_chunks),
                      integer(node, "s_chunks", 0, most_chunks)};
        for (const std::int32_t chunks : gpu.chunks) {
            places_ += chunks;
        }
        check_places(node);
        std::vector<std::pair<std::int32_t, pugi::xml_node>> blocks;
        for (const pugi::xml_node child : node.children()) {
            if (is_element(child, "tb", node)) {
                blocks.emplace_back(integer(child, "id", 0, most_chunks), child);
            }
        }
        std::stable_sort(blocks.begin(), blocks.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (blocks[i].first != static_cast<std::int32_t>(i)) {
                refuse(blocks[i].second,
                       fmt::format("gpu {} with {} thread blocks, one of them {}", gpu_,
                                   blocks.size(), blocks[i].first),
                       "ids of thread blocks from 0 on, each once, without gaps");
            }
        }
        for (const auto& [id, block] : blocks) {
            block_ = id;
            gpu.blocks.push_back(read_block(block, gpu));
            block_ = -1;
        }
        gpu_ = -1;
    }

    ThreadBlock read_block(const pugi::xml_node& node, AlgorithmGpu& gpu) {
        ThreadBlock block;
        block.send_to = peer(node, "send");
        block.receive_from = peer(node, "recv");
        block.channel = integer(node, "chan", -1, most_chunks);
        for (const pugi::xml_node child : node.children()) {
            if (is_element(child, "step", node)) {
                step_ = static_cast<std::int32_t>(block.steps.size());
                block.steps.push_back(read_step(child, block, gpu));
                step_ = -1;
            }
        }
        return block;
    }

    std::int32_t peer(const pugi::xml_node& node, const char* name) {
        const std::int32_t gpu =
            integer(node, name, -1, static_cast<std::int32_t>(seen_.size()) - 1);
        if (gpu == gpu_) {
            refuse(node, fmt::format("{} \"{}\", the gpu itself", name, gpu),
                   "another gpu, or -1 for none");
        }
        return gpu;
    }

    AlgorithmStep read_step(const pugi::xml_node& node, const ThreadBlock& block,
                            AlgorithmGpu& gpu) {
        const std::int32_t number = integer(node, "s", 0, most_chunks);
        if (number != step_) {
            refuse(node, fmt::format("s \"{}\"", number),
                   fmt::format("{}: steps stand in order, from 0", step_));
        }
        AlgorithmStep step;
        step.type = named(node, "type", xml_step_types);
        step.chunks = integer(node, "cnt", 0, most_chunks);
        if (step.type == StepType::Nothing) {
            step.chunks = 0;
        }
        places_ += step.chunks;
        check_places(node);
        step.source = {named(node, "srcbuf", xml_buffers),
                       integer(node, "srcoff", -1, most_chunks)};
        step.destination = {named(node, "dstbuf", xml_buffers),
                            integer(node, "dstoff", -1, most_chunks)};
        step.publishes = integer(node, "hasdep", 0, 1) == 1;
        const std::int32_t waits_for = integer(node, "depid", -1, most_chunks);
        const std::int32_t its_step = integer(node, "deps", -1, most_chunks);
        step.first_wait = static_cast<std::uint32_t>(gpu.waits.size());
        if (waits_for >= 0) {
            if (its_step < 0) {
                refuse(node, fmt::format("depid {} with deps {}", waits_for, its_step),
                       "the step of that thread block to wait for");
            }
            step.waits = 1;
            gpu.waits.push_back(
                {static_cast<std::uint32_t>(waits_for), static_cast<std::uint32_t>(its_step)});
        }
        check_peers(node, block, step);
        step.continues = continues(block, step);
        return step;
    }

    void check_peers(const pugi::xml_node& node, const ThreadBlock& block,
                     const AlgorithmStep& step) {
        if (sends(step.type) && block.send_to == ThreadBlock::no_peer) {
            refuse(node, "a step that sends in a thread block with send \"-1\"", "a peer");
        }
        if (receives(step.type) && block.receive_from == ThreadBlock::no_peer) {
            refuse(node, "a step that receives in a thread block with recv \"-1\"", "a peer");
        }
    }

    /// RCCL makes one step of reductions that follow one another in this manner.
    static bool continues(const ThreadBlock& block, const AlgorithmStep& step) {
        if (step.type != StepType::Reduce || step.waits > 0 || block.steps.empty()) {
            return false;
        }
        const AlgorithmStep& last = block.steps.back();
        return last.type == StepType::Reduce && !last.publishes && last.chunks == step.chunks &&
               last.destination.buffer == step.destination.buffer &&
               last.destination.offset == step.destination.offset &&
               last.source.buffer == step.source.buffer;
    }

    /// Text and comments are passed over.
    bool is_element(const pugi::xml_node& child, const char* name, const pugi::xml_node& parent) {
        if (child.type() != pugi::node_element) {
            return false;
        }
        if (std::strcmp(child.name(), name) != 0) {
            refuse(child, fmt::format("the element '{}'", child.name()),
                   fmt::format("'{}' in '{}'", name, parent.name()));
        }
        return true;
    }

    void check_places(const pugi::xml_node& node) {
        if (places_ > most_places) {
            refuse(node, "more chunks in all buffers and steps so far",
                   fmt::format("at most {}", most_places));
        }
    }

    const char* text(const pugi::xml_node& node, const char* name, const char* expected) {
        const pugi::xml_attribute attribute = node.attribute(name);
        if (attribute.empty()) {
            refuse(node, fmt::format("no attribute '{}'", name), expected);
        }
        return attribute.value();
    }

    std::int64_t number(const pugi::xml_node& node, const char* name, std::int64_t least,
                        std::int64_t most) {
        const std::string expected = fmt::format("a whole number from {} to {}", least, most);
        const std::string_view digits = text(node, name, expected.c_str());
        std::int64_t value = 0;
        const auto [stop, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || stop != digits.data() + digits.size() || value < least ||
            value > most) {
            refuse(node, fmt::format("{} \"{}\"", name, digits), expected);
        }
        return value;
    }

    std::int32_t integer(const pugi::xml_node& node, const char* name, std::int32_t least,
                         std::int32_t most) {
        return static_cast<std::int32_t>(number(node, name, least, most));
    }

    /// 0 or absent: no limit.
    Bytes size(const pugi::xml_node& node, const char* name, Bytes otherwise) {
        if (node.attribute(name).empty()) {
            return otherwise;
        }
        const std::int64_t bytes = number(node, name, 0, std::int64_t{1} << 62);
        return bytes == 0 ? otherwise : Bytes(bytes);
    }

    template <class Value, std::size_t n>
    Value named(const pugi::xml_node& node, const char* name,
                const std::array<XmlName<Value>, n>& known) {
        std::string names;
        for (const auto& one : known) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
        }
        const std::string_view value = text(node, name, names.c_str());
        for (const auto& one : known) {
            if (one.name == value) {
                return one.value;
            }
        }
        refuse(node, fmt::format("{} \"{}\"", name, value), "one of " + names);
    }

    [[nodiscard]] std::string line_at(std::size_t offset) const {
        const auto end =
            text_.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text_.size()));
        return fmt::format("line {}", 1 + std::count(text_.begin(), end, '\n'));
    }

    [[noreturn]] void refuse(const pugi::xml_node& node, std::string found, std::string expected) {
        std::string place =
            line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
        place += gpu_ >= 0 ? fmt::format(", gpu {}", gpu_) : "";
        place += block_ >= 0 ? fmt::format(", thread block {}", block_) : "";
        place += step_ >= 0 ? fmt::format(", step {}", step_) : "";
        throw InputError(
            {file_, std::move(place), std::move(found), std::move(expected), "Correct the file"});
    }

    const std::string& file_;
    std::string text_;
    FileAlgorithm algorithm_;
    std::vector<bool> seen_;  ///< gpus
    std::int64_t places_ = 0;
    // Where the reader is, for messages:
    std::int32_t gpu_ = -1;
    std::int32_t block_ = -1;
    std::int32_t step_ = -1;
};

}  // namespace

FileAlgorithm read_msccl(const std::string& file) {
    return MscclReader(file).read();
}

}  // namespace npunet::engine
