// Profiles of PyTorch: whatever is read is a table that holds together, and every kernel is in one
// class.
#include <set>

#include "analysis/kernel_classes.h"
#include "analysis/overlapping_tables.h"
#include "memory_file.h"
#include "profiles/profile_reader.h"
#include "targets.h"

namespace npunet::fuzz {

namespace {

using profiles::EventTable;

template <class Rows>
void check_rows(const Rows& rows, const EventTable& trace) {
    profiles::EventId before = 0;
    for (const auto& row : rows) {
        expect(row.event < trace.size() && row.event >= before, "a row out of order");
        before = row.event;
    }
}

void check_table(const EventTable& trace) {
    for (profiles::EventId event = 0; event < trace.size(); ++event) {
        expect(trace.duration_ns[event] >= 0 && trace.end_ns(event) >= trace.start_ns[event],
               "a negative duration");
        expect(trace.duration_ns[event] <= profiles::longest_event_ns &&
                   trace.start_ns[event] <= profiles::latest_start_ns,
               "a time beyond its bound");
        expect(trace.track[event] < trace.tracks.size(), "a track that is not there");
        expect(trace.name[event] < trace.strings.size(), "a name that is not there");
    }
    check_rows(trace.collectives, trace);
    check_rows(trace.syncs, trace);
    check_rows(trace.cpu_ops, trace);
    check_rows(trace.copies, trace);
}

void check_classes(const EventTable& trace) {
    const auto patterns = analysis::PatternTable::of_traceviz();
    std::set<profiles::EventId> seen;
    const analysis::KernelClasses classes = analysis::classify(trace, patterns, nullptr);
    for (const analysis::ClassifiedKernel& kernel : classes.kernels) {
        expect(is_gpu_work(trace.category[kernel.event]), "a class of what is no kernel");
        expect(seen.insert(kernel.event).second, "a kernel in two classes");
    }
    for (const auto& rows : analysis::overlapping_tables(trace, patterns).tables) {
        for (const analysis::TableRow& row : rows) {
            expect(seen.contains(row.kernel), "a kernel without a class");
        }
    }
}

}  // namespace

void run_profile(std::string_view input) {
    if (decompressed_size(input, most_input_bytes) >= most_input_bytes) {
        return;
    }
    const MemoryFile file(input);
    EventTable trace;
    if (accepts([&] { trace = profiles::read_profile(file.path()); })) {
        check_table(trace);
        check_classes(trace);
    }
}

std::vector<std::string> profile_seeds() {
    return {"[]",
            R"({"schemaVersion": 1, "baseTimeNanoseconds": 5, "distributedInfo": {"rank": 1,
            "world_size": 2, "pg_config": [{"pg_name": "1", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP",
            "pg_size": 2, "ranks": "[0, 1]"}]}, "traceEvents": [
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "thread 1"}},
            {"ph": "X", "cat": "python_function", "name": "s.py(1): forward_step", "pid": 1,
             "tid": 1, "ts": 1.5, "dur": 90, "args": {"Python id": 1}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
             "ts": 10.25, "dur": 3, "args": {"correlation": 7, "External id": 2}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7,
             "ts": 20, "dur": 1e1, "args": {"stream": 7, "device": 0, "correlation": 7,
             "Collective name": "allreduce", "In msg nelems": 4, "dtype": "Float",
             "Process Group Description": , "Process Group Ranks": [0, 1]}},
            {"ph": "X", "cat": "cuda_sync", "name": "Event Sync", "pid": 0, "tid": -1, "ts": 31,
             "dur": 1, "args": {"wait_on_stream": 7, "wait_on_cuda_event_id": 3}},
            {"ph": "s", "id": 4, "pid": 1, "tid": 1, "ts": 10.25, "cat": "ac2g", "name": "ac2g"},
            {"ph": "f", "id": 4, "pid": 0, "tid": 7, "ts": 20, "cat": "ac2g", "bp": "e"},
            {"ph": "i", "s": "g", "pid": "", "tid": "", "ts": 99}]})"};
}

}  // namespace npunet::fuzz
