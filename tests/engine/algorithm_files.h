// Runs of algorithms from files, for tests: what messages they send.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "analytical/congestion_unaware.h"
#include "chakra/files/trace_writer.h"
#include "engine/collective_files/read_algorithm.h"
#include "engine/results/message_recorder.h"
#include "engine/simulation/simulation.h"
#include "tests/support/collectives.h"
#include "tests/support/msccl_files.h"
#include "tests/support/temporary_folder.h"

namespace npunet::test {

/// A message as it was sent.
struct SentMessage {
    Time start;
    std::int32_t from = 0;
    std::int32_t to = 0;
    Bytes bytes;
    Time end;

    friend bool operator==(const SentMessage& a, const SentMessage& b) {
        return std::tie(a.start, a.from, a.to, a.bytes, a.end) ==
               std::tie(b.start, b.from, b.to, b.bytes, b.end);
    }
    friend bool operator<(const SentMessage& a, const SentMessage& b) {
        return std::tie(a.start, a.from, a.to, a.bytes, a.end) <
               std::tie(b.start, b.from, b.to, b.bytes, b.end);
    }
};

struct FileRunResult {
    engine::Results results;
    std::vector<SentMessage> messages;  ///< by start, sender, receiver
    [[nodiscard]] std::int64_t bytes() const {
        std::int64_t sum = 0;
        for (const SentMessage& message : messages) {
            sum += message.bytes.value();
        }
        return sum;
    }
};

/// One collective of all NPUs; `shuffle` > 0: with events of an instant inserted in random order.
inline FileRunResult file_run(chakra::CollectiveType type, std::int64_t bytes,
                              const TestMachine& machine, std::int64_t root = -1,
                              std::uint64_t shuffle = 0) {
    const engine::Workload workload = workload_of(machine.network.graph.npus(), [&](Rank) {
        chakra::Node node = collective_node(1, type, bytes);
        if (root >= 0) {
            node.set_integer("comm_root", root);
        }
        return std::vector{node};
    });
    engine::EventQueue queue(machine.dialect.event_order);
    if (shuffle > 0) {
        queue.shuffle_insertions(shuffle);
    }
    analytical::CongestionUnaware network(machine.network, queue, machine.dialect);
    FileRunResult run;
    engine::MessageRecorder recorder(
        network, queue, {}, [&run](const engine::CompletedMessage& message) {
            run.messages.push_back({message.start, message.flow.source.value(),
                                    message.flow.destination.value(), message.bytes, message.end});
        });
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  recorder);
    run.results = simulation.run();
    recorder.finish();
    std::sort(run.messages.begin(), run.messages.end());
    return run;
}

/// Files of a test.
class AlgorithmFolder {
public:
    /// The algorithm in `text`, read and checked.
    [[nodiscard]] std::shared_ptr<const engine::FileAlgorithm> read(
        const std::string& text,
        engine::CollectiveKind kind = engine::CollectiveKind::AllReduce) const {
        return engine::read_algorithm(folder_.write("made.xml", text).string(), kind);
    }
    /// The machine runs that kind of collective by the algorithm.
    void use(TestMachine& machine, const XmlAlgorithm& algorithm,
             engine::CollectiveKind kind = engine::CollectiveKind::AllReduce) const {
        engine::FileChoices& choices = machine.system.files(kind);
        choices = engine::FileChoices();
        choices.list.emplace_back();
        choices.list.front().algorithm = read(algorithm.text(), kind);
    }
    [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

private:
    TemporaryFolder folder_;
};

/// A ring all-reduce of `bytes` as traces, in the form of unfused_ring(): PREFIX.0.et, ...
inline void write_ring_traces(const std::string& prefix, std::int32_t n, std::int64_t bytes,
                              std::uint64_t reduction_micros = 0) {
    for (std::int32_t g = 0; g < n; ++g) {
        std::vector<chakra::Node> nodes;
        const auto after_last = [&nodes] {
            return nodes.empty() ? std::vector<std::uint64_t>() : std::vector{nodes.back().id};
        };
        const auto size = [&](std::int32_t e) {
            return part_of(Bytes(bytes), around(g - 1 - e, n), n).value();
        };
        for (std::int32_t e = 0; e < 2 * n - 1; ++e) {
            if (e > 0) {
                nodes.push_back(
                    receive_node(nodes.size(), around(g - 1, n), size(e), 0, after_last()));
            }
            if (e > 0 && e < n) {
                nodes.push_back(compute_node(nodes.size(), reduction_micros, after_last()));
            }
            if (e < 2 * n - 2) {
                nodes.push_back(
                    send_node(nodes.size(), around(g + 1, n), size(e), 0, after_last()));
            }
        }
        chakra::write_trace(prefix + "." + std::to_string(g) + ".et", nodes, {});
    }
}

}  // namespace npunet::test
