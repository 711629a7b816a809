#include "seeds.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "chakra/files/trace_writer.h"
#include "chakra/wire/wire.h"
#include "tests/chakra/older_messages.h"
#include "tests/support/temporary_folder.h"

namespace npunet::fuzz {

namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using chakra::WrittenForm;

Node node_of(std::uint64_t id, NodeType type, std::vector<std::uint64_t> deps) {
    Node node;
    node.id = id;
    node.name = fmt::format("node_{}", id);
    node.type = type;
    node.data_deps = std::move(deps);
    node.set_bool("is_cpu_op", false);
    return node;
}

Node message_of(std::uint64_t id, NodeType type, std::int32_t peer) {
    Node node = node_of(id, type, {id - 1});
    node.set_integer("comm_size", 4096);
    node.set_int32(type == NodeType::CommSend ? "comm_dst" : "comm_src", peer);
    node.set_int32("comm_tag", 5);
    return node;
}

Node collective_of(std::uint64_t id, const std::string& group) {
    Node node = node_of(id, NodeType::CommCollective, {id - 1});
    node.set_integer("comm_type", static_cast<std::int64_t>(CollectiveType::AllReduce));
    node.set_integer("comm_size", 1 << 20);
    node.set_text("pg_name", group);
    return node;
}

std::string varint(std::uint64_t value) {
    std::string bytes;
    chakra::append_varint(value, bytes);
    return bytes;
}

}  // namespace

std::string bytes_of_trace(const std::vector<Node>& nodes, const chakra::TraceMetadata& metadata,
                           WrittenForm form, bool compressed) {
    const std::filesystem::path path =
        (std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                   : std::filesystem::temp_directory_path()) /
        fmt::format("npunet_fuzz_{}{}", getpid(), compressed ? ".gz" : ".et");
    chakra::write_trace(path, nodes, metadata, form);
    std::string bytes = test::bytes_of(path);
    std::filesystem::remove(path);
    return bytes;
}

std::string made_file(chakra::Schema schema) {
    std::mt19937_64 random(1 + static_cast<std::uint64_t>(schema));
    chakra::MadeTraceOptions options;
    options.nodes = 4;
    std::string bytes;
    for (const std::string& frame : chakra::made_trace(schema, options, random).frames) {
        bytes += varint(frame.size()) + frame;
    }
    return bytes;
}

std::vector<Node> varied_nodes() {
    std::vector<Node> nodes{node_of(1, NodeType::Compute, {}),
                            node_of(2, NodeType::MemoryLoad, {1}),
                            message_of(3, NodeType::CommSend, 1), collective_of(4, "1"),
                            node_of(300, NodeType::Compute, {1, 2, 4})};
    nodes[0].duration_micros = 300;
    nodes[0].start_time_micros = 7;
    nodes[0].set_integer("num_ops", 1 << 30);
    nodes[0].set("tensor_size", std::uint64_t{1} << 20);
    nodes[0].inputs = {"[[1, 2]]", "[[4]]", "['Tensor(float)']"};
    nodes[1].set("tensor_size", std::uint64_t{1} << 20);
    nodes[4].ctrl_deps = {3, 3};
    nodes[4].set("ratio", 0.5);
    nodes[4].set("part", 0.25F);
    nodes[4].set("dims", std::vector<bool>{true, false});
    nodes[4].set("sizes", std::vector<std::int64_t>{1, -1});
    nodes[4].set("names", std::vector<std::string>{"a", "\xFF"});
    return nodes;
}

std::string written_file(WrittenForm form, bool compressed) {
    return bytes_of_trace(varied_nodes(), {}, form, compressed);
}

std::vector<std::string> rank_files() {
    const std::vector<Node> first{node_of(1, NodeType::Compute, {}),
                                  message_of(2, NodeType::CommSend, 1), collective_of(3, "1")};
    const std::vector<Node> second{node_of(1, NodeType::Compute, {}),
                                   message_of(2, NodeType::CommReceive, 0), collective_of(3, "1")};
    return {bytes_of_trace(first, {}, WrittenForm::V0_0_4),
            bytes_of_trace(second, {}, WrittenForm::V0_0_4)};
}

std::vector<std::string> dense_files(std::size_t bytes) {
    std::vector<std::string> files(3);
    files[0].assign(bytes, '\0');
    const auto fill = [bytes](std::string& file, std::uint64_t step) {
        for (std::uint64_t id = 1; file.size() < bytes; id += step) {
            const std::string number = varint(id);
            file += varint(number.size() + 1) + '\x08' + number;
        }
    };
    fill(files[1], 1);
    fill(files[2], 100'000);
    return files;
}

std::vector<std::string> all_files() {
    std::vector<std::string> files;
    for (const chakra::Schema schema : chakra::all_schemas) {
        files.push_back(made_file(schema));
    }
    files.push_back(written_file(WrittenForm::V0_0_4));
    files.push_back(written_file(WrittenForm::V0_0_4, true));
    files.push_back(written_file(WrittenForm::V0_0_1));
    files.push_back(written_file(WrittenForm::Json));
    return files;
}

std::vector<std::string> with_prefix(std::string_view prefix, std::vector<std::string> files) {
    for (std::string& file : files) {
        file.insert(0, prefix);
    }
    return files;
}

}  // namespace npunet::fuzz
