#include "engine/collective_files/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "chakra/dependencies/dependency_check.h"
#include "chakra/files/trace_reader.h"

namespace npunet::engine {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_traces = 65536;
constexpr std::size_t most_nodes = (std::size_t{1} << 24) - 1;
constexpr std::uint64_t longest_micros = 1'000'000'000'000;  // 11 days

std::string trace_file(const std::string& prefix, std::size_t rank) {
    return fmt::format("{}.{}.et", prefix, rank);
}

/// The trace of one member.
class MemberReader {
public:
    MemberReader(std::string file, std::size_t rank, std::size_t ranks)
        : file_(std::move(file)), rank_(rank), ranks_(ranks), nodes_(chakra::read_trace(file_)) {}

    AlgorithmGpu read() {
        static_cast<void>(
            chakra::check_dependencies(nodes_, file_, chakra::FollowedDeps::DataAndCtrl));
        drop_metadata();
        if (nodes_.size() > most_nodes) {
            throw InputError({file_, "", fmt::format("{} nodes", nodes_.size()),
                              fmt::format("at most {}", most_nodes),
                              "Give fewer, larger messages"});
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            place_of_.emplace(nodes_[i].id, static_cast<std::uint32_t>(i));
        }
        for (const chakra::Node& node : nodes_) {
            gpu_.blocks.push_back(block_of(node));
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            add_waits(nodes_[i], gpu_.blocks[i].steps.front());
        }
        return std::move(gpu_);
    }

private:
    void drop_metadata() {
        nodes_.erase(std::remove_if(nodes_.begin(), nodes_.end(),
                                    [](const chakra::Node& node) {
                                        return node.type == chakra::NodeType::Metadata;
                                    }),
                     nodes_.end());
    }

    ThreadBlock block_of(const chakra::Node& node) const {
        ThreadBlock block;
        block.node = node.id;
        AlgorithmStep step;
        step.publishes = true;
        switch (node.type) {
            case chakra::NodeType::CommSend:
                step.type = StepType::Send;
                block.send_to = peer(node, "comm_dst");
                break;
            case chakra::NodeType::CommReceive:
                step.type = StepType::Receive;
                block.receive_from = peer(node, "comm_src");
                break;
            case chakra::NodeType::Compute:
                step.type = StepType::Compute;
                if (node.duration_micros > longest_micros) {
                    refuse(node, fmt::format("a duration of {} us", node.duration_micros),
                           fmt::format("at most {}", longest_micros));
                }
                step.duration =
                    1'000'000 * Time::ps(static_cast<std::int64_t>(node.duration_micros));
                break;
            default:
                refuse(node, std::string(chakra::name_of(node.type)),
                       "COMM_SEND_NODE, COMM_RECV_NODE or COMP_NODE");
        }
        if (step.type != StepType::Compute) {
            step.bytes = Bytes(integer(node, "comm_size", 0, chakra::largest_comm_size));
            block.channel = static_cast<std::int32_t>(
                node.find("comm_tag") == nullptr ? 0
                                                 : integer(node, "comm_tag", INT32_MIN, INT32_MAX));
        }
        block.steps.push_back(step);
        return block;
    }

    /// What a computation reduces is what came in before it.
    void add_waits(const chakra::Node& node, AlgorithmStep& step) {
        step.first_wait = static_cast<std::uint32_t>(gpu_.waits.size());
        std::vector<std::uint32_t> waits;
        for (const auto* const list : {&node.data_deps, &node.ctrl_deps}) {
            for (const std::uint64_t id : *list) {
                // Control dependencies on nodes that are not there count as satisfied.
                if (const auto found = place_of_.find(id); found != place_of_.end()) {
                    waits.push_back(found->second);
                }
            }
        }
        std::sort(waits.begin(), waits.end());
        waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
        for (const std::uint32_t other : waits) {
            gpu_.waits.push_back({other, 0});
            const AlgorithmStep& before = gpu_.blocks[other].steps.front();
            if (step.type == StepType::Compute && before.type == StepType::Receive) {
                const std::int64_t sum = step.bytes.value() + before.bytes.value();
                step.bytes = Bytes(std::min(sum, chakra::largest_comm_size));
            }
        }
        step.waits = static_cast<std::uint32_t>(waits.size());
    }

    [[nodiscard]] std::int32_t peer(const chakra::Node& node, const char* attribute) const {
        const std::int64_t other =
            integer(node, attribute, 0, static_cast<std::int64_t>(ranks_) - 1);
        if (other == static_cast<std::int64_t>(rank_)) {
            refuse(node, fmt::format("{} {}, the rank itself", attribute, other), "another rank");
        }
        return static_cast<std::int32_t>(other);
    }

    [[nodiscard]] std::int64_t integer(const chakra::Node& node, const char* attribute,
                                       std::int64_t least, std::int64_t most) const {
        const auto value = node.integer(attribute);
        if (!value || *value < least || *value > most) {
            refuse(node,
                   value ? fmt::format("{} {}", attribute, *value)
                         : fmt::format("no integer attribute '{}'", attribute),
                   fmt::format("{} from {} to {}", attribute, least, most));
        }
        return *value;
    }

    [[noreturn]] void refuse(const chakra::Node& node, std::string found,
                             std::string expected) const {
        throw InputError({file_, fmt::format("node {} ('{}')", node.id, node.name),
                          std::move(found), std::move(expected), "Correct the traces"});
    }

    std::string file_;
    std::size_t rank_;
    std::size_t ranks_;
    std::vector<chakra::Node> nodes_;
    std::unordered_map<std::uint64_t, std::uint32_t> place_of_;
    AlgorithmGpu gpu_;
};

}  // namespace

bool has_traces(const std::string& prefix) {
    std::error_code ignored;
    return fs::is_regular_file(trace_file(prefix, 0), ignored);
}

FileAlgorithm read_trace_algorithm(const std::string& prefix) {
    std::size_t ranks = 0;
    std::error_code ignored;
    while (ranks < most_traces && fs::exists(trace_file(prefix, ranks), ignored)) {
        ++ranks;
    }
    if (ranks < 2) {
        throw InputError({prefix, "", fmt::format("{} traces {}.RANK.et", ranks, prefix),
                          "one for each member of the communicator, from 0 on, at least 2",
                          "Check the path"});
    }
    FileAlgorithm algorithm;
    algorithm.file = prefix;
    algorithm.name = fs::path(prefix).filename().string();
    algorithm.is_trace = true;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        algorithm.gpus.push_back(MemberReader(trace_file(prefix, rank), rank, ranks).read());
    }
    return algorithm;
}

}  // namespace npunet::engine
