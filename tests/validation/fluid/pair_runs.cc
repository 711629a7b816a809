#include "pair_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/csv_field.h"
#include "study/jobs.h"

namespace npunet::validation {

namespace {

/// What the note that finite buffers may have decided the finish has in it and no other note.
constexpr const char* buffers_note = "finite buffers may have decided";

constexpr const char* heading =
    "pair,run,finish_ps,seconds,events,packet_hops,marked,pauses,drops,says_buffers,failure";

/// Of this thread.
double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A field as csv_field() writes it.
std::string without_quotes(const std::string& field) {
    if (field.empty() || field.front() != '"') {
        return field;
    }
    std::string text;
    for (std::size_t i = 1; i + 1 < field.size(); ++i) {
        text += field[i];
        if (field[i] == '"') {
            ++i;  // of two
        }
    }
    return text;
}

/// What is recorded of links, clocks and notes.
void take(const engine::Results& results, RunRecord& record) {
    record.finish = results.finish;
    record.events = results.events;
    record.packet_hops = results.packet_hops;
    for (const engine::LinkResult& link : results.links) {
        record.marked += link.marked;
        record.pauses += link.pauses;
        record.drops += link.drops;
    }
    record.says_buffers = says_buffers_decided(results);
    if (results.partial) {
        record.failure = results.partial->reason;
    }
}

void simulate(const Pair& pair, const RunKind& run, const study::RunOptions& options,
              RunRecord& record) {
    const study::Machine machine = machine_for(pair, run.buffers);
    const std::vector<study::Job> jobs = pair.traffic.jobs(machine);
    if (jobs.size() == 1) {
        take(study::simulate(jobs.front().workload, machine, run.fidelity, options), record);
        return;
    }
    const engine::JobsResults results = study::simulate_jobs(jobs, machine, run.fidelity, options);
    take(results.all, record);
    for (const engine::JobResult& job : results.jobs) {
        record.says_buffers |= says_buffers_decided(job.results);
    }
}

}  // namespace

RunKind run_at(const std::string& fidelity) {
    return {fidelity, study::fidelity_named(fidelity), Buffers::AsTheyAre};
}

RunKind deep_packet_run() {
    return {"packet-256MiB", study::Fidelity::Packet, Buffers::Deep};
}

bool says_buffers_decided(const engine::Results& results) {
    return std::any_of(results.notes.begin(), results.notes.end(), [](const std::string& note) {
        return note.find(buffers_note) != std::string::npos;
    });
}

RunRecord run_pair(const Pair& pair, const RunKind& run, double limit) {
    RunRecord record;
    record.pair = pair.name;
    record.run = run.name;
    if (!pair.traffic.unable.empty()) {
        record.failure = pair.traffic.unable;
        return record;
    }
    const double begin = processor_seconds();
    study::RunOptions options;
    options.timeline = false;
    options.watch = [&](const study::RunProgress&) {
        return processor_seconds() - begin < limit
                   ? std::string()
                   : fmt::format("longer than {:.0f} s of the processor", limit);
    };
    try {
        simulate(pair, run, options, record);
    } catch (const std::exception& error) {
        record.failure = error.what();
    }
    record.seconds = processor_seconds() - begin;
    return record;
}

std::string csv_line(const RunRecord& record) {
    return fmt::format("{},{},{},{:.3f},{},{},{},{},{},{},{}", record.pair, record.run,
                       record.finish.ps(), record.seconds, record.events, record.packet_hops,
                       record.marked, record.pauses, record.drops, record.says_buffers ? 1 : 0,
                       csv_field(record.failure));
}

bool read_csv_line(const std::string& line, RunRecord& record) {
    constexpr std::size_t numbers = 8;
    std::istringstream fields(line);
    RunRecord read;
    std::string number;
    double values[numbers] = {};
    std::int64_t finish = 0;
    if (!std::getline(fields, read.pair, ',') || !std::getline(fields, read.run, ',')) {
        return false;
    }
    for (std::size_t i = 0; i < numbers; ++i) {
        // The last of them has a comma behind it, too: without it the line is cut off.
        if (!std::getline(fields, number, ',') || (fields.eof() && i + 1 < numbers)) {
            return false;
        }
        std::istringstream digits(number);
        if (!(i == 0 ? static_cast<bool>(digits >> finish)
                     : static_cast<bool>(digits >> values[i]))) {
            return false;
        }
    }
    if (fields.eof()) {
        return false;
    }
    std::getline(fields, read.failure);
    read.failure = without_quotes(read.failure);
    read.finish = Time::ps(finish);
    read.seconds = values[1];
    read.events = static_cast<std::uint64_t>(values[2]);
    read.packet_hops = static_cast<std::uint64_t>(values[3]);
    read.marked = static_cast<std::uint64_t>(values[4]);
    read.pauses = static_cast<std::uint64_t>(values[5]);
    read.drops = static_cast<std::uint64_t>(values[6]);
    read.says_buffers = values[7] != 0;
    record = std::move(read);
    return true;
}

RunFile::RunFile(std::string file) : file_(std::move(file)) {
    std::ifstream present(file_);
    for (std::string line; !file_.empty() && std::getline(present, line);) {
        empty_ = false;
        ended_ = !present.eof();
        if (RunRecord record; ended_ && read_csv_line(line, record)) {
            records_[{record.pair, record.run}] = record;
        }
    }
}

/// Not before there is something to write: others may be writing a file that is only read.
void RunFile::open() {
    stream_.open(file_, std::ios::app);
    if (!stream_) {
        throw std::runtime_error("cannot write " + file_);
    }
    stream_ << (ended_ ? "" : "\n") << (empty_ ? std::string(heading) + '\n' : "");
}

bool RunFile::has(const std::string& pair, const std::string& run) const {
    return find(pair, run) != nullptr;
}

const RunRecord* RunFile::find(const std::string& pair, const std::string& run) const {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find({pair, run});
    return found == records_.end() ? nullptr : &found->second;
}

void RunFile::add(RunRecord record) {
    const std::lock_guard lock(mutex_);
    if (!file_.empty()) {
        if (!stream_.is_open()) {
            open();
        }
        stream_ << csv_line(record) << '\n' << std::flush;
    }
    auto& place = records_[{record.pair, record.run}];
    place = std::move(record);
}

}  // namespace npunet::validation
