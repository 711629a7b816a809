#include "generators/megatron/conversion/call_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/staged_folder.h"
#include "base/thread_pool.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/comm_groups.h"
#include "chakra/trace/node.h"
#include "generators/megatron/conversion/rank_conversion.h"
#include "generators/megatron/logs/call_log_reader.h"
#include "generators/megatron/matching/call_source.h"
#include "generators/megatron/matching/rendezvous.h"
#include "generators/megatron/program/call_comparison.h"
#include "generators/megatron/program/rank_calls.h"

namespace npunet::generators::megatron {

namespace {

/// Programs by stage, and in the genstack dialect by whether the rank is the first of its
/// tensor-parallel group.
class Programs {
public:
    explicit Programs(const TrainingRun& run) : places_(run.dialect == Dialect::Genstack ? 2 : 1) {
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            for (std::int64_t place = 0; place < places_; ++place) {
                programs_.push_back(make_program(run, stage, place));
            }
        }
    }

    [[nodiscard]] const Program& of(const ProcessGroups& groups, Rank rank) const {
        const std::int64_t place = std::min(groups.tensor_place(rank), places_ - 1);
        return programs_[static_cast<std::size_t>(groups.stage(rank) * places_ + place)];
    }

private:
    std::int64_t places_;
    std::vector<Program> programs_;
};

/// What all ranks of a conversion share, and where their results come together.
class Conversion {
public:
    Conversion(const TrainingRun& run, const ConversionOptions& options, const WorkloadFiles& files,
               const std::function<void()>& written)
        : options_(options),
          files_(files),
          staged_(files.folder),
          staging_(files),
          written_(written),
          groups_(run.parallelism),
          calls_(groups_, table_) {
        check_workload_names(files, static_cast<std::int32_t>(run.world()));
        staging_.folder = staged_.path();
    }

    [[nodiscard]] const ProcessGroups& groups() const { return groups_; }
    [[nodiscard]] GroupTable& table() { return table_; }
    [[nodiscard]] const RankCalls& calls() const { return calls_; }

    /// `fill` gives the rank's items to the conversion.
    void write(Rank rank, const std::function<void(RankConversion&)>& fill) {
        chakra::TraceWriter writer(trace_file(staging_, rank), {}, files_.form);
        RankConversion conversion(options_, rank,
                                  [&writer](const chakra::Node& node) { writer.write(node); });
        fill(conversion);
        writer.commit();
        const std::lock_guard lock(mutex_);
        add(conversion.totals(), writer.losses());
        used_.insert(conversion.groups().begin(), conversion.groups().end());
        if (written_) {
            written_();
        }
    }

    ConversionTotals finish() {
        chakra::CommGroups groups;
        for (const std::int32_t number : used_) {
            groups[group_name(number)] = table_.ranks(number);
        }
        chakra::write_comm_groups(staging_.folder / files_.groups, groups);
        staged_.commit();
        remove_further_traces(files_, static_cast<std::int32_t>(groups_.world()));
        totals_.groups = static_cast<std::int64_t>(groups.size());
        return std::move(totals_);
    }

private:
    void add(const ConversionTotals& rank, const chakra::Losses& losses) {
        totals_.nodes += rank.nodes;
        totals_.computations += rank.computations;
        totals_.flops += rank.flops;
        for (const auto& [name, kind] : rank.kinds) {
            totals_.kinds[name].calls += kind.calls;
            totals_.kinds[name].bytes += kind.bytes;
        }
        for (const auto& [reason, nodes] : losses) {
            totals_.losses[reason] += nodes;
        }
    }

    const ConversionOptions& options_;
    const WorkloadFiles& files_;
    StagedFolder staged_;
    WorkloadFiles staging_;
    const std::function<void()>& written_;
    ProcessGroups groups_;
    GroupTable table_;
    RankCalls calls_;
    std::mutex mutex_;
    std::set<std::int32_t> used_;
    ConversionTotals totals_;
};

/// The run that is written: with another micro-batch where that is asked for.
TrainingRun written_run(TrainingRun run, const ConversionOptions& options) {
    if (options.micro_batch > 0) {
        run.micro_batch = options.micro_batch;
        run.global_batch_size = run.micro_batch * run.steps * run.parallelism.dp;
        run.micro_batches = run.steps;
        run = resolve_run(run);
    }
    return run;
}

bool makes_groups(Operation operation) {
    return operation == Operation::InitProcessGroup || operation == Operation::NewGroup;
}

/// The call with what its log leaves out: of a scatter only the root has a list, of a tensor a
/// rank.
Call whole(Call call, const GroupTable& table) {
    if (call.operation == Operation::Scatter && call.inputs == 0) {
        call.input = call.output;
        call.inputs = static_cast<std::int64_t>(table.ranks(call.group).size());
    }
    return call;
}

/// The events of a log beside the program that made them.
class FollowedLog {
public:
    FollowedLog(const std::filesystem::path& log, Rank rank, const Program& logged,
                const Program& written, bool tells_waiting, Conversion& conversion,
                RankConversion& target)
        : file_(log.string()),
          rank_(rank),
          tells_waiting_(tells_waiting),
          logged_(logged),
          written_(written),
          calls_(conversion.calls()),
          table_(conversion.table()),
          target_(target) {
        GroupTable own;
        read_call_log(log, rank, own, [&](const LoggedCall& event) { follow(event, own); });
        go_to_call();
        if (at_ < logged_.items.size()) {
            refuse("the end of the log", expected());
        }
    }

private:
    void follow(const LoggedCall& event, const GroupTable& own) {
        if (makes_groups(event.call.operation)) {
            return;
        }
        go_to_call();
        event_ = event.call_id;
        const std::vector<Rank>* ranks =
            event.call.group < 0 ? nullptr : &own.ranks(event.call.group);
        if (at_ == logged_.items.size()) {
            refuse(described(event.call, ranks), "the end of the log");
        }
        const Call call = calls_.of(logged_.items[at_], rank_);
        const std::vector<Rank>* group = call.group < 0 ? nullptr : &table_.ranks(call.group);
        if (!same_call(event.call, ranks, call, group, tells_waiting_)) {
            refuse(described(event.call, ranks), expected());
        }
        add();
    }

    void go_to_call() {
        while (at_ < logged_.items.size() && logged_.items[at_].kind != ProgramItem::Kind::Call) {
            add();
        }
    }

    void add() {
        const ProgramItem& item = written_.items[at_];
        const bool call = item.kind == ProgramItem::Kind::Call;
        target_.add(item, at_, call ? calls_.of(item, rank_) : Call{});
        ++at_;
    }

    [[nodiscard]] std::string expected() const {
        const Call call = calls_.of(logged_.items[at_], rank_);
        return described(call, call.group < 0 ? nullptr : &table_.ranks(call.group));
    }

    [[noreturn]] void refuse(std::string found, std::string expected) const {
        throw InputError({file_, fmt::format("call_id {}", event_), std::move(found),
                          std::move(expected) + ", as the folder's configuration has it",
                          "Correct the configuration, or convert the calls alone: --compute none"});
    }

    std::string file_;
    Rank rank_;
    bool tells_waiting_;
    const Program& logged_;
    const Program& written_;
    const RankCalls& calls_;
    const GroupTable& table_;
    RankConversion& target_;
    std::size_t at_ = 0;
    std::int64_t event_ = 0;
};

/// How many calls of a log are set-up: by their phase, or in a log without phases those up to the
/// last barrier before the first message; without messages up to the last barrier that is followed
/// by another call.
std::size_t calls_of_set_up(const std::filesystem::path& log, Rank rank) {
    std::size_t calls = 0;
    std::size_t barrier = 0;  // behind the last one so far
    std::size_t end = 0;
    bool message = false;
    GroupTable groups;
    read_call_log(log, rank, groups, [&](const LoggedCall& event) {
        if (makes_groups(event.call.operation)) {
            return;
        }
        ++calls;
        if (event.phase) {
            end = *event.phase == Phase::SetUp ? calls : end;
        } else if (event.call.operation == Operation::Barrier) {
            barrier = calls;
        } else if (!message) {
            end = barrier;
            message = !is_collective(event.call.operation);
        }
    });
    return end;
}

/// Throws InputError for a call that no trace can have: a collective without ranks, a receive from
/// anybody, or more bytes than a node may say.
void require_convertible(const std::string& file, const LoggedCall& event) {
    const Call& call = event.call;
    const auto refuse = [&](std::string found, std::string expected) {
        throw InputError({file, fmt::format("call_id {}", event.call_id), std::move(found),
                          std::move(expected), ""});
    };
    if (is_collective(call.operation) && call.group < 0) {
        refuse(fmt::format("{} without ranks", name_of(call.operation)),
               "the ranks that take part");
    }
    if (is_receive(call.operation) && !call.peer.valid()) {
        refuse(fmt::format("{} from anybody", name_of(call.operation)),
               "the rank that it comes from");
    }
    const Shape& shape = call.has_shape ? call.shape : call.input;
    const std::int64_t most =
        chakra::largest_comm_size / size_of(call.dtype) / std::max<std::int64_t>(call.inputs, 1);
    if (shape.elements().value_or(most + 1) > most) {
        refuse(described(call, nullptr),
               fmt::format("at most {} bytes", chakra::largest_comm_size));
    }
}

/// One after the other: groups that the plan does not have are numbered in the order in which
/// they occur.
void convert_alone(const LogFolder& folder, const ConversionOptions& options,
                   Conversion& conversion) {
    for (std::size_t r = 0; r < folder.logs.size(); ++r) {
        const std::size_t set_up = options.set_up ? 0 : calls_of_set_up(folder.logs[r], Rank(r));
        std::size_t calls = 0;
        conversion.write(Rank(r), [&](RankConversion& target) {
            read_call_log(folder.logs[r], Rank(r), conversion.table(),
                          [&](const LoggedCall& event) {
                              if (makes_groups(event.call.operation)) {
                                  return;
                              }
                              require_convertible(folder.logs[r].string(), event);
                              const bool early = calls++ < set_up;
                              target.add_alone(whole(event.call, conversion.table()),
                                               early ? Phase::SetUp : Phase::Update);
                          });
        });
    }
}

/// Calls that do not meet would stall the simulation.
void require_meeting(const LogFolder& folder) {
    const RendezvousResult result =
        check_rendezvous(LogSource(folder.logs), folder.run.dialect, folder.run.parallelism.tp);
    if (!result.meets()) {
        throw InputError({folder.path.string(), "", result.findings.front(), "calls that all meet",
                          "Correct the logs; npunet megatron info lists all that is wrong"});
    }
}

}  // namespace

ConversionTotals convert_run(const TrainingRun& run, const ConversionOptions& options,
                             const WorkloadFiles& files, const std::function<void()>& written) {
    const TrainingRun wanted = written_run(run, options);
    Conversion conversion(wanted, options, files, written);
    const Programs programs(wanted);
    for_each_in_parallel(static_cast<std::size_t>(wanted.world()), [&](std::size_t r) {
        const Rank rank(r);
        const Program& program = programs.of(conversion.groups(), rank);
        conversion.write(rank, [&](RankConversion& target) {
            for (std::size_t i = 0; i < program.items.size(); ++i) {
                const ProgramItem& item = program.items[i];
                const bool call = item.kind == ProgramItem::Kind::Call;
                target.add(item, i, call ? conversion.calls().of(item, rank) : Call{});
            }
        });
    });
    return conversion.finish();
}

ConversionTotals convert_logs(const LogFolder& folder, const ConversionOptions& options,
                              const WorkloadFiles& files, const std::function<void()>& written) {
    TrainingRun run = folder.run;
    if (run.dialect == Dialect::Genstack) {
        if (const std::optional<std::int64_t> rows = vocabulary_of_logs(folder)) {
            run.vocab_divisible_by = *rows;
        }
    }
    const TrainingRun wanted = written_run(run, options);
    if (options.compute == ComputeSource::None && options.micro_batch == 0) {
        ConversionOptions alone = options;
        // Without the program it is unknown which barriers the first ranks of tensor-parallel
        // groups make alone.
        alone.barriers =
            options.barriers && !(run.dialect == Dialect::Genstack && run.parallelism.tp > 1);
        Conversion conversion(wanted, alone, files, written);
        require_meeting(folder);
        convert_alone(folder, alone, conversion);
        return conversion.finish();
    }
    Conversion conversion(wanted, options, files, written);
    const Programs logged(run);
    const Programs other(wanted);
    for_each_in_parallel(folder.logs.size(), [&](std::size_t r) {
        const Rank rank(r);
        conversion.write(rank, [&](RankConversion& target) {
            const FollowedLog follow(folder.logs[r], rank, logged.of(conversion.groups(), rank),
                                     other.of(conversion.groups(), rank),
                                     run.dialect == Dialect::Npunet, conversion, target);
        });
    });
    return conversion.finish();
}

}  // namespace npunet::generators::megatron
