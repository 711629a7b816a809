// Traces of PyTorch's profiler, made by hand. Times are microseconds.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace npunet::generators::profiler {

class KinetoText {
public:
    explicit KinetoText(int rank = 0, int world = 1) : rank_(rank), world_(world) {}

    KinetoText& event(const std::string& category, const std::string& name, int pid, int tid,
                      double begin, double duration, const std::string& arguments = "") {
        events_ += fmt::format(
            R"({}{{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {:.3f}, )"
            R"("dur": {:.3f}, "args": {{{}}}}})",
            events_.empty() ? "" : ",\n", category, name, pid, tid, begin, duration, arguments);
        return *this;
    }
    /// An operation of the CPU.
    KinetoText& op(int thread, const std::string& name, double begin, double duration,
                   const std::string& arguments = "") {
        return event("cpu_op", name, host, thread, begin, duration, arguments);
    }
    KinetoText& annotation(int thread, const std::string& name, double begin, double duration) {
        return event("user_annotation", name, host, thread, begin, duration);
    }
    KinetoText& call(int thread, const std::string& name, double begin, double duration,
                     int correlation) {
        return event("cuda_runtime", name, host, thread, begin, duration,
                     fmt::format(R"("correlation": {})", correlation));
    }
    KinetoText& launch(int thread, double begin, double duration, int correlation) {
        return call(thread, "cudaLaunchKernel", begin, duration, correlation);
    }
    KinetoText& work(const std::string& category, const std::string& name, int stream, double begin,
                     double duration, int correlation, const std::string& arguments = "") {
        return event(category, name, 0, stream, begin, duration,
                     fmt::format(R"("device": 0, "stream": {}, "correlation": {}{}{})", stream,
                                 correlation, arguments.empty() ? "" : ", ", arguments));
    }
    KinetoText& kernel(const std::string& name, int stream, double begin, double duration,
                       int correlation, const std::string& arguments = "") {
        return work("kernel", name, stream, begin, duration, correlation, arguments);
    }
    KinetoText& sync(const std::string& name, int stream, double begin, double duration,
                     int correlation, int recorded_stream, int record) {
        return event("cuda_sync", name, 0, stream, begin, duration,
                     fmt::format(R"("stream": {}, "correlation": {}, "wait_on_stream": {}, )"
                                 R"("wait_on_cuda_event_record_corr_id": {}, "device": 0)",
                                 stream, correlation, recorded_stream, record));
    }

    [[nodiscard]] std::string text() const {
        return fmt::format(
            R"({{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {}, )"
            R"("world_size": {}}}, "traceEvents": [)"
            "\n{}\n]}}\n",
            rank_, world_, events_);
    }

private:
    static constexpr int host = 100;

    int rank_;
    int world_;
    std::string events_;
};

/// Arguments of a collective's kernel.
inline std::string collective(const std::string& name, int in, int out, const std::string& ranks,
                              int sequence = -1, const std::string& more = "") {
    return fmt::format(
        R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "dtype": "Float", )"
        R"("Process Group Name": "7", "Process Group Description": "tp", )"
        R"("Process Group Ranks": "{}"{}{})",
        name, in, out, ranks, sequence < 0 ? "" : fmt::format(R"(, "Seq": {})", sequence), more);
}

class ProfileFiles : public ::testing::Test {
protected:
    ProfileFiles() { std::filesystem::create_directories(folder_ / "profiles"); }

    std::filesystem::path write(const KinetoText& trace, const std::string& name) const {
        return folder_.write("profiles/" + name, trace.text());
    }

    test::TemporaryFolder folder_;
};

}  // namespace npunet::generators::profiler
