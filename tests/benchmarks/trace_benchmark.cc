// How fast execution traces are read, fed in dependency order and written, and in how much memory:
// a made trace of a million nodes (81 MB: one or two dependencies, three attributes, every tenth
// node a collective) and a rich one with the text of a PyTorch profile (367 MB).
//
// The yardstick, protobuf, is the parsing of all frames into one message of the class that protoc
// generates, and nothing else. Quote ratios to it. Every run is a child process of its own: times
// are its processor time, peak_MB the most memory that it held.
//
//     build/release/tests/benchmarks/trace_benchmark
//     build/release/tests/benchmarks/trace_benchmark --benchmark_filter=plain

#include <benchmark/benchmark.h>
#include <et_def.pb.h>
#include <fcntl.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "chakra/dependencies/dependency_graph.h"
#include "chakra/feeder/trace_feeder.h"
#include "chakra/files/node_frames.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "tests/support/temporary_folder.h"

namespace npunet::chakra {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t nodes_of_a_trace = 1'000'000;

/// Numbers that look random and are the same everywhere (splitmix64, G. L. Steele et al., 2014).
std::uint64_t scrambled(std::uint64_t number) {
    number += 0x9E3779B97F4A7C15U;
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31);
}

/// A recent node, and for every other node one of the last thousand too.
void depend(Node& node) {
    node.data_deps.clear();
    const std::uint64_t random = scrambled(node.id);
    if (node.id > 0) {
        node.data_deps.push_back(node.id - 1 - random % std::min<std::uint64_t>(node.id, 8));
    }
    if (random >> 63 != 0 && node.id > 1) {
        node.data_deps.push_back(node.id - 1 -
                                 (random >> 32) % std::min<std::uint64_t>(node.id, 1000));
    }
}

Node compute_prototype() {
    Node node;
    node.type = NodeType::Compute;
    node.set_bool("is_cpu_op", false);
    node.set_integer("num_ops", 1);
    node.set("tensor_size", std::uint64_t{0});
    return node;
}

Node collective_prototype() {
    Node node;
    node.type = NodeType::CommCollective;
    node.set_integer("comm_type", static_cast<std::int64_t>(CollectiveType::AllReduce));
    node.set_integer("comm_size", 1);
    node.set_text("pg_name", "1");
    return node;
}

void enrich(Node& node) {
    node.inputs = {"[[12, 7, 0, 1048576, 4, 'cuda:0'], [13, 8, 0, 4096, 4, 'cuda:0']]",
                   "[[1024, 1024], [64, 64]]", "['Tensor(float)', 'Tensor(float)']"};
    node.outputs = {"[[14, 9, 0, 65536, 4, 'cuda:0']]", "[[1024, 64]]", "['Tensor(float)']"};
    node.set_integer("rf_id", 4711);
    node.set("fw_tid", std::int64_t{1});
    node.set_text("op_schema", "aten::mm(Tensor self, Tensor mat2) -> Tensor");
}

/// The nodes of a made trace, one after the other, in one and the same object.
class MadeNodes {
public:
    explicit MadeNodes(bool rich) : prototypes_{compute_prototype(), collective_prototype()} {
        if (rich) {
            enrich(prototypes_[0]);
            enrich(prototypes_[1]);
        }
    }

    const Node& node(std::uint64_t id) {
        const bool collective = id % 10 == 9;
        Node& made = prototypes_[collective ? 1 : 0];
        made.id = id;
        made.name = "node_" + std::to_string(id);
        made.duration_micros = 100 + scrambled(id) % 10'000;
        made.attributes[1].value = static_cast<std::int64_t>(scrambled(id) >> 36);
        if (!collective) {
            made.attributes[2].value = scrambled(id) >> 40;
        }
        depend(made);
        return made;
    }

private:
    std::array<Node, 2> prototypes_;
};

std::uint64_t write_made(const fs::path& path, bool rich) {
    MadeNodes nodes(rich);
    TraceWriter writer(path);
    for (std::uint64_t id = 0; id < nodes_of_a_trace; ++id) {
        writer.write(nodes.node(id));
    }
    writer.commit();
    return nodes_of_a_trace;
}

/// The made traces, in a folder that goes with the program.
class MadeTraces {
public:
    [[nodiscard]] const fs::path& folder() const { return folder_.path(); }
    /// Made by a child: the memory that it takes must not be seen in later ones.
    fs::path trace(bool rich) {
        const fs::path path = folder_ / (rich ? "rich.et" : "plain.et");
        if (!fs::exists(path)) {
            const pid_t child = fork();
            if (child == 0) {
                write_made(path, rich);
                _exit(0);
            }
            waitpid(child, nullptr, 0);
        }
        return path;
    }

private:
    test::TemporaryFolder folder_;
};

MadeTraces& made_traces() {
    static MadeTraces traces;
    return traces;
}

// Each reads the trace to its end and returns the nodes that it saw.

std::uint64_t protobuf(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY);
    google::protobuf::io::FileInputStream stream(file, 1 << 18);
    stream.SetCloseOnDelete(true);
    using google::protobuf::util::ParseDelimitedFromZeroCopyStream;
    ChakraProtoMsg::GlobalMetadata metadata;
    ChakraProtoMsg::Node node;
    bool end = false;
    std::uint64_t nodes = 0;
    if (ParseDelimitedFromZeroCopyStream(&metadata, &stream, &end)) {
        while (ParseDelimitedFromZeroCopyStream(&node, &stream, &end)) {
            ++nodes;
            node.Clear();  // else the next one is merged into it
        }
    }
    return nodes;
}

std::uint64_t node_frames(const fs::path& path) {
    NodeFrames frames(path);
    std::uint64_t nodes = 0;
    while (frames.next()) {
        ++nodes;
    }
    return nodes;
}

std::uint64_t trace_reader(const fs::path& path) {
    TraceReader reader(path);
    Node node;
    std::uint64_t nodes = 0;
    while (reader.next(node)) {
        ++nodes;
    }
    return nodes;
}

std::uint64_t dependency_graph(const fs::path& path) {
    NodeFrames frames(path);
    DependencyGraph graph;
    while (frames.next()) {
        const NodeView& node = frames.view();
        graph.add(node.id(), node.data_deps().data(), node.data_deps().size(),
                  node.ctrl_deps().data(), node.ctrl_deps().size());
    }
    graph.resolve();
    return graph.acyclic(FollowedDeps::DataAndCtrl) ? graph.nodes() : 0;
}

/// Everything that may begin is taken, up to a number, before anything ends.
std::uint64_t feed(const fs::path& path, std::size_t in_flight, std::size_t window) {
    FeederOptions options;
    options.temporary_folder = made_traces().folder();
    if (window != 0) {
        options.window_nodes = window;
    }
    TraceFeeder feeder(path, options);
    std::vector<std::uint64_t> running;
    while (feeder.has_nodes_to_issue()) {
        const NodeView* node = nullptr;
        while (running.size() < in_flight && (node = feeder.next_issuable_node()) != nullptr) {
            running.push_back(node->id());
        }
        for (const std::uint64_t id : running) {
            feeder.free_children_nodes(id);
            feeder.remove_node(id);
        }
        running.clear();
    }
    return feeder.finished_count();
}

constexpr std::size_t all = nodes_of_a_trace;

std::uint64_t feeder_load(const fs::path& path) {
    return TraceFeeder(path).node_count();
}
std::uint64_t feeder_one_in_flight(const fs::path& path) {
    return feed(path, 1, 0);
}
std::uint64_t feeder_all_in_flight(const fs::path& path) {
    return feed(path, all, 0);
}
std::uint64_t feeder_one_in_flight_window_1000(const fs::path& path) {
    return feed(path, 1, 1000);
}
std::uint64_t feeder_all_in_flight_window_1000(const fs::path& path) {
    return feed(path, all, 1000);
}
std::uint64_t writing(const fs::path& path) {
    const bool rich = path.stem() == "rich";
    return write_made(made_traces().folder() / "written.et", rich);
}

using Case = std::uint64_t (*)(const fs::path&);

struct Outcome {
    double seconds = 0;
    double peak_megabytes = 0;
};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// In a child process. Linux counts in KiB.
Outcome run(Case one, const fs::path& path) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        throw std::runtime_error("no pipe");
    }
    const pid_t child = fork();
    if (child == 0) {
        const double begin = processor_seconds();
        const bool whole = one(path) == nodes_of_a_trace;
        const double seconds = whole ? processor_seconds() - begin : -1;
        const bool told = write(ends[1], &seconds, sizeof seconds) == sizeof seconds;
        _exit(told ? 0 : 1);
    }
    close(ends[1]);
    Outcome outcome;
    const bool told = read(ends[0], &outcome.seconds, sizeof(double)) == sizeof(double);
    close(ends[0]);
    rusage usage{};
    wait4(child, nullptr, 0, &usage);
    outcome.peak_megabytes = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    if (!told || outcome.seconds < 0) {
        throw std::runtime_error("a trace that was not read to its end");
    }
    return outcome;
}

void measure(benchmark::State& state, Case one, bool rich) {
    const fs::path path = made_traces().trace(rich);
    double peak = 0;
    for (auto iteration : state) {
        static_cast<void>(iteration);
        const Outcome outcome = run(one, path);
        state.SetIterationTime(outcome.seconds);
        peak = std::max(peak, outcome.peak_megabytes);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(nodes_of_a_trace));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(fs::file_size(path)));
    state.counters["peak_MB"] = peak;
}

bool register_all() {
    struct Named {
        const char* name;
        Case one;
    };
    constexpr std::array<Named, 10> cases{{{"protobuf", protobuf},
                                           {"node_frames", node_frames},
                                           {"trace_reader", trace_reader},
                                           {"dependency_graph", dependency_graph},
                                           {"feeder_load", feeder_load},
                                           {"feeder/one", feeder_one_in_flight},
                                           {"feeder/all", feeder_all_in_flight},
                                           {"feeder/one/w1000", feeder_one_in_flight_window_1000},
                                           {"feeder/all/w1000", feeder_all_in_flight_window_1000},
                                           {"writing", writing}}};
    for (const bool rich : {false, true}) {
        for (const Named& named : cases) {
            const std::string name = std::string(rich ? "rich/" : "plain/") + named.name;
            benchmark::RegisterBenchmark(name.c_str(), measure, named.one, rich)
                ->UseManualTime()
                ->Iterations(3)
                ->Unit(benchmark::kMillisecond);
        }
    }
    return true;
}

const bool registered = register_all();

}  // namespace
}  // namespace npunet::chakra
