// Traces of any form read to their end: node by node, by the feeder, and as JSON text.
#include <algorithm>
#include <deque>
#include <set>

#include "chakra/feeder/trace_feeder.h"
#include "chakra/files/trace_reader.h"
#include "chakra/json/json_trace.h"
#include "chakra/wire/node_view.h"
#include "chakra/wire/wire.h"
#include "memory_file.h"
#include "memory_watch.h"
#include "seeds.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using chakra::NodeView;

/// The 32 blocks of the file that are kept hold all of a file of less than 4 MiB: that is the input
/// once more, in blocks of 128 KiB. Behind them runs on disk, each with a block of 12 KiB.
constexpr std::size_t feeder_buffers = reader_buffers + (std::size_t{1536} << 10);

/// A block of frames, one of each list that is being read, and the attributes of metadata.
constexpr std::size_t json_buffers = std::size_t{96} << 10;

/// Everything that a view says is asked for.
void use(const NodeView& view) {
    std::size_t attributes = 0;
    for (chakra::AttributeCursor cursor = view.attributes(); cursor.next(); ++attributes) {
        const chakra::AttributeView& attribute = cursor.attribute();
        expect(!(attribute.integer() && attribute.text()), "a value that is number and text");
        expect(view.find(attribute.name).has_value(), "an attribute that is not found");
        if (attributes == 40) {  // find() goes through all of them
            break;
        }
    }
}

chakra::ReadOptions options_of(unsigned char choice) {
    chakra::ReadOptions options;
    if (choice % 8 != 0) {
        options.schema = chakra::all_schemas[choice % 8 - 1U];
    }
    options.unknown_types =
        (choice & 8U) != 0 ? chakra::UnknownNodeTypes::Keep : chakra::UnknownNodeTypes::Refuse;
    return options;
}

/// Drives the feeder to the end: what it gives must be able to begin, and every node comes once.
class Drive {
public:
    Drive(const std::filesystem::path& path, const chakra::FeederOptions& options,
          unsigned char choice)
        : feeder_(path, options), followed_(options.followed), choice_(choice) {}

    void run() {
        while (feeder_.has_nodes_to_issue()) {
            take();
            expect(!running_.empty(), "nothing runs, nothing may begin, and no error");
            end_one();
        }
        expect(feeder_.next_issuable_node() == nullptr, "a node after the last");
        expect(ended_ == feeder_.node_count() && ended_ == feeder_.finished_count() &&
                   ended_ == feeder_.taken_count(),
               "another number of nodes than there are");
    }

private:
    void take() {
        const std::size_t most = (choice_ & 16U) != 0 ? 1 : 40;
        while (running_.size() < most) {
            const NodeView* const node = feeder_.next_issuable_node();
            if (node == nullptr) {
                return;
            }
            const std::uint64_t id = node->id();
            expect(std::none_of(running_.begin(), running_.end(),
                                [&](std::uint64_t other) { return other == id; }),
                   "a running node is given again");
            for (const std::uint64_t dep : node->data_deps()) {
                expect(std::find(running_.begin(), running_.end(), dep) == running_.end(),
                       "a node begins before one that it depends on");
            }
            if (followed_ == chakra::FollowedDeps::DataAndCtrl) {
                for (const std::uint64_t dep : node->ctrl_deps()) {
                    expect(std::find(running_.begin(), running_.end(), dep) == running_.end(),
                           "a node begins before one that controls it");
                }
            }
            use(*node);
            if ((choice_ & 32U) != 0 && ++given_ % 5 == 0) {
                feeder_.push_back_issuable_node(id);
                continue;
            }
            running_.push_back(id);
        }
    }

    void end_one() {
        const std::uint64_t id = (choice_ & 64U) != 0 ? running_.back() : running_.front();
        expect(feeder_.lookup_node(id).id() == id, "another node than looked for");
        if ((choice_ & 64U) != 0) {
            running_.pop_back();
        } else {
            running_.pop_front();
        }
        feeder_.free_children_nodes(id);
        feeder_.remove_node(id);
        ++ended_;
    }

    chakra::TraceFeeder feeder_;
    chakra::FollowedDeps followed_;
    unsigned char choice_;
    std::deque<std::uint64_t> running_;
    std::uint64_t given_ = 0;
    std::uint64_t ended_ = 0;
};

}  // namespace

void run_frames(std::string_view input) {
    const unsigned char choice = take_byte(input);
    const std::size_t bytes = decompressed_size(input, most_input_bytes);
    if (bytes >= most_input_bytes) {
        return;
    }
    const MemoryFile file(input);
    const std::filesystem::path path = file.path();
    const MemoryWatch watch(memory_limit(bytes, reader_buffers));
    accepts([&] {
        chakra::TraceReader reader(path, options_of(choice));
        chakra::Node node;
        while (reader.next(node)) {
        }
    });
    accepts([&] {
        chakra::NodeFrames frames(path, options_of(choice));
        while (frames.next()) {
            use(frames.view());
        }
    });
    watch.check();
}

std::vector<std::string> frames_seeds() {
    using namespace std::string_view_literals;
    std::vector<std::string> seeds = with_prefix("\0"sv, all_files());
    for (std::size_t i = 0; i < chakra::all_schemas.size(); ++i) {
        seeds.push_back(static_cast<char>(i + 1) + made_file(chakra::all_schemas[i]));
    }
    for (std::string& dense : with_prefix("\7"sv, dense_files(60'000))) {
        seeds.push_back(std::move(dense));
    }
    return seeds;
}

void run_feeder(std::string_view input) {
    const unsigned char choice = take_byte(input);
    const std::size_t bytes = decompressed_size(input, most_input_bytes);
    if (bytes >= most_input_bytes) {
        return;
    }
    chakra::FeederOptions options;
    options.followed =
        (choice & 1U) != 0 ? chakra::FollowedDeps::DataAndCtrl : chakra::FollowedDeps::Data;
    options.ignore_dangling = (choice & 2U) != 0;
    options.window_nodes = (choice & 4U) != 0 ? 3 : (choice & 8U) != 0 ? 1 : 1000;
    options.temporary_folder = "/dev/shm";
    const MemoryFile file(input);
    const std::filesystem::path path = file.path();
    const MemoryWatch watch(memory_limit(bytes, feeder_buffers));
    accepts([&] { Drive(path, options, choice).run(); });
    watch.check();
}

std::vector<std::string> feeder_seeds() {
    using namespace std::string_view_literals;
    std::vector<std::string> seeds;
    for (const std::string_view choice : {"\0"sv, "\x03"sv, "\x07"sv, "\x2B"sv, "\x55"sv}) {
        seeds.push_back(std::string(choice) + written_file(chakra::WrittenForm::V0_0_4));
    }
    for (std::string& file : with_prefix("\x07"sv, all_files())) {
        seeds.push_back(std::move(file));
    }
    for (std::string& dense : with_prefix("\0"sv, dense_files(60'000))) {
        seeds.push_back(std::move(dense));
    }
    return seeds;
}

void run_json(std::string_view input) {
    const MemoryWatch watch(memory_limit(input.size(), json_buffers));
    accepts([&] {
        const chakra::JsonTrace trace = chakra::read_json_trace(input, "trace.json");
        NodeView view;
        for (const std::string& block : trace.frames) {
            const char* at = block.data();
            const char* const end = at + block.size();
            while (at != end) {
                std::uint64_t length = 0;
                at = chakra::read_varint(at, end, length);
                expect(view.parse({at, static_cast<std::size_t>(length)}), "a node that is none");
                at += length;
            }
        }
    });
    watch.check();
}

std::vector<std::string> json_seeds() {
    const auto list_of = [](const std::string& begin, const std::string& one, int times) {
        std::string text = begin;
        for (int i = 0; i < times; ++i) {
            text += (i == 0 ? "" : ",") + one;
        }
        return text;
    };
    return {
        written_file(chakra::WrittenForm::Json),
        R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 7, "runtime": 3,
 "data_deps": [0, 2], "ctrl_deps": [], "is_cpu_op": true, "tensor_size": 1, "comm_type": 0,
 "comm_priority": 0, "comm_size": 4096, "comm_src": 0, "comm_dst": 1, "comm_tag": 2}]})",
        list_of(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "data_deps": [)", "0", 20'000) +
            "]}]}",
        list_of(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "attributes": [{"name": "",
 "type": "double_list", "value": [)",
                "0", 200'000) +
            "]}]}]}",
        list_of(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "attributes": [{"value": [)", "-1",
                100'000) +
            R"(], "name": "", "type": "int64_list"}]}]})",
        list_of(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "attributes": [{"value": [)",
                "\"\"", 100'000) +
            R"(], "name": "", "type": "string_list"}]}]})",
        R"({"workload_graph": [{"Id": 1, "NodeType": 4, "Name": ")" + std::string(300'000, 'a') +
            R"(", "inputs": {"values": ")" + std::string(300'000, 'a') + R"("}}]})",
        list_of(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "rest": {"hex": ")", "9806", 1) +
            std::string(200'000, '0') + R"("}}]})",
        list_of(R"({"workload_graph": [)", R"({"Id":1,"NodeType":4})", 2'000) + "]}",
        list_of(R"({"metadata": {"attributes": [)", "{}", 15'000) + "]}}",
        list_of(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "attributes": [)", R"({"name":""})",
                4'000) +
            "]}]}",
        list_of(R"({"metadata": {)", R"("":0)", 8'000) + "}}"};
}

}  // namespace npunet::fuzz
