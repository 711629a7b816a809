#include "generators/recorded/megatron_logs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/thread_pool.h"
#include "generators/megatron/logs/log_writer.h"
#include "generators/megatron/logs/run_config.h"
#include "generators/recorded/recorded_groups.h"
#include "generators/recorded/recorded_log.h"

namespace npunet::generators::recorded {

namespace {

using Kind = RecordedEvent::Kind;
using Shapes = RecordedEvent::Shapes;

/// Which shapes a call has in logs.
enum class Form : std::uint8_t {
    Barrier,
    OneTensor,
    TwoTensors,
    AllGather,
    ReduceScatter,
    AllToAll,
    Gather,
    Scatter
};

struct Function {
    std::string_view function;  ///< of the process group
    std::string_view operation;
    Form form;
};

constexpr std::array<Function, 15> functions{{
    {"barrier", "barrier", Form::Barrier},
    {"allreduce", "all_reduce", Form::OneTensor},
    {"allreduce_coalesced", "all_reduce", Form::OneTensor},
    {"broadcast", "broadcast", Form::OneTensor},
    {"_allgather_base", "all_gather_into_tensor", Form::TwoTensors},
    {"allgather_into_tensor_coalesced", "all_gather_into_tensor", Form::TwoTensors},
    {"_reduce_scatter_base", "reduce_scatter_tensor", Form::TwoTensors},
    {"reduce_scatter_tensor_coalesced", "reduce_scatter_tensor", Form::TwoTensors},
    {"alltoall_base", "all_to_all_single", Form::TwoTensors},
    {"allgather", "all_gather", Form::AllGather},
    {"allgather_coalesced", "all_gather", Form::AllGather},
    {"reduce_scatter", "reduce_scatter", Form::ReduceScatter},
    {"alltoall", "all_to_all", Form::AllToAll},
    {"gather", "gather", Form::Gather},
    {"scatter", "scatter", Form::Scatter},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> reductions{
    {{"sum", "SUM"}, {"avg", "AVG"}, {"product", "PRODUCT"}, {"min", "MIN"}, {"max", "MAX"}}};

std::string text_of(const std::vector<std::int64_t>& numbers) {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string text_of(const std::vector<Rank>& ranks) {
    std::string text;
    for (const Rank rank : ranks) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", rank.value());
    }
    return "[" + text + "]";
}

std::string text_of(const Shapes& shapes) {
    std::string text;
    for (const std::vector<std::int64_t>& shape : shapes) {
        text += (text.empty() ? "" : ", ") + text_of(shape);
    }
    return "[" + text + "]";
}

/// The log of one rank, event by event.
class RankLog {
public:
    explicit RankLog(Rank owner) : owner_(owner) {}

    /// Keys follow.
    void begin(std::string_view operation) {
        text_ += fmt::format("{}{{\"op\": \"{}\", \"call_id\": {}", events_ == 0 ? "[\n" : ",\n",
                             operation, events_);
        ++events_;
    }
    void word(std::string_view key, std::string_view value) {
        value_of(key, fmt::format("\"{}\"", value));
    }
    void value_of(std::string_view key, std::string_view value) {
        text_ += fmt::format(", \"{}\": {}", key, value);
    }
    void end() {
        value_of("src_rank", std::to_string(owner_.value()));
        text_ += "}";
    }

    [[nodiscard]] std::string whole() const { return text_ + "\n]\n"; }

private:
    Rank owner_;
    std::string text_;
    std::int64_t events_ = 0;
};

/// Writes what a rank does in place of the one that was recorded.
class CallWriter {
public:
    CallWriter(const RecordedGroups& groups, const RankSubstitution& substitution, Rank rank)
        : groups_(groups), substitution_(substitution), log_(rank) {}

    /// The start of the program: the world, then the rank's groups, in the order of the logged one.
    void add_groups(const LogHeader& header, Rank logged) {
        log_.begin("init_process_group");
        log_.word("backend", header.backends.empty() ? "" : header.backends.front());
        log_.value_of("world_size", std::to_string(header.ranks));
        log_.end();
        for (std::size_t group = 1; group < header.groups.size(); ++group) {
            const std::vector<Rank>& members = header.groups[group];
            if (std::find(members.begin(), members.end(), logged) == members.end()) {
                continue;
            }
            log_.begin("new_group");
            log_.value_of("ranks", text_of(ranks(static_cast<std::int32_t>(group))));
            log_.word("backend", header.backends[group]);
            log_.end();
        }
    }

    /// `waits`: the program waits for the call at once.
    void add(const RecordedEvent& event, bool waits) {
        if (event.kind == Kind::Collective) {
            add_collective(event, waits);
        } else {
            add_message(event, waits);
        }
    }

    [[nodiscard]] std::string text() const { return log_.whole(); }

private:
    [[noreturn]] static void refuse(const RecordedEvent& event, std::string found,
                                    std::string expected) {
        throw InputError({event.place, "", std::move(found), std::move(expected),
                          "Leave out --megatron-logs: traces have such calls"});
    }

    [[nodiscard]] const std::vector<Rank>& ranks(std::int32_t logged_group) const {
        return groups_.ranks(substitution_.group(logged_group));
    }

    void add_type(const RecordedEvent& event) {
        const std::string type = "torch." + event.torch_type;
        if (!megatron::data_type_named(type)) {
            refuse(event, "a call with elements of " + type,
                   "types that logs of Megatron-LM have, such as torch.bfloat16");
        }
        log_.word("dtype", type);
    }

    void add_message(const RecordedEvent& event, bool waits) {
        const bool sends = event.kind == Kind::Send;
        const Shapes& shapes = sends ? event.input_shapes : event.output_shapes;
        log_.begin(sends ? (waits ? "send" : "isend") : (waits ? "recv" : "irecv"));
        log_.value_of("ranks", text_of(ranks(event.group)));
        log_.value_of("shape", text_of(shapes.at(0)));
        add_type(event);
        log_.value_of(sends ? "dst" : "src",
                      std::to_string(substitution_.peer(event.peer).value()));
        log_.value_of("tag", std::to_string(event.tag));
        log_.end();
    }

    void add_collective(const RecordedEvent& event, bool waits) {
        const auto* const known =
            std::find_if(functions.begin(), functions.end(),
                         [&event](const Function& one) { return one.function == event.name; });
        if (known == functions.end()) {
            refuse(event, "the call " + event.name, "calls that logs of Megatron-LM have");
        }
        // Of calls for several tensors one for each.
        const bool several = event.name.find("coalesced") != std::string::npos;
        const std::size_t calls = several ? std::max<std::size_t>(event.input_shapes.size(), 1) : 1;
        for (std::size_t i = 0; i < calls; ++i) {
            log_.begin(known->operation);
            log_.value_of("ranks", text_of(ranks(event.group)));
            if (known->form != Form::Barrier) {
                add_shapes(event, known->form, i, calls);
                add_type(event);
            }
            add_reduction(event);
            if (event.peer.valid()) {
                log_.value_of(known->form == Form::Gather ? "dst" : "src",
                              std::to_string(substitution_.root(event.group, event.peer).value()));
            }
            if (!waits) {
                log_.value_of("async", "true");
            }
            log_.end();
        }
    }

    void add_reduction(const RecordedEvent& event) {
        if (event.reduce_op.empty()) {
            return;
        }
        const auto* const known =
            std::find_if(reductions.begin(), reductions.end(),
                         [&event](const auto& one) { return one.first == event.reduce_op; });
        if (known == reductions.end()) {
            refuse(event, "a reduction by " + event.reduce_op, "sum, avg, product, min or max");
        }
        log_.word("reduce_op", known->second);
    }

    /// Of the i-th of `calls` calls that the event stands for.
    void add_shapes(const RecordedEvent& event, Form form, std::size_t i, std::size_t calls) {
        const Shapes& inputs = event.input_shapes;
        const Shapes& outputs = event.output_shapes;
        const auto whole = [&](const Shapes& shapes) {
            // A coalesced list has the parts of all its calls one after the other.
            const std::size_t each = shapes.size() / calls;
            const auto begin = shapes.begin() + static_cast<std::ptrdiff_t>(i * each);
            return text_of(Shapes(begin, begin + static_cast<std::ptrdiff_t>(each)));
        };
        const auto list = [&](const Shapes& shapes) {
            return shapes.empty() ? std::string("null") : whole(shapes);
        };
        switch (form) {
            case Form::Barrier:
                return;
            case Form::OneTensor:
                log_.value_of("shape", text_of((inputs.empty() ? outputs : inputs).at(i)));
                return;
            case Form::TwoTensors:
                log_.value_of("input_shape", text_of(inputs.at(i)));
                log_.value_of("output_shape", text_of(outputs.at(i)));
                return;
            case Form::AllGather:
                log_.value_of("tensor_shape", text_of(inputs.at(i)));
                log_.value_of("output_shapes", whole(outputs));
                return;
            case Form::ReduceScatter:
                log_.value_of("output_shape", text_of(outputs.at(i)));
                log_.value_of("input_shapes", whole(inputs));
                return;
            case Form::AllToAll:
                log_.value_of("output_shapes", whole(outputs));
                log_.value_of("input_shapes", whole(inputs));
                return;
            case Form::Gather:
                log_.value_of("tensor_shape", text_of(inputs.at(0)));
                log_.value_of("gather_list_shapes", list(outputs));
                return;
            case Form::Scatter:
                log_.value_of("tensor_shape", text_of(outputs.at(0)));
                log_.value_of("scatter_list_shapes", list(inputs));
                return;
        }
    }

    const RecordedGroups& groups_;
    const RankSubstitution& substitution_;
    RankLog log_;
};

/// A call, and whether its wait follows at once.
struct LoggedCall {
    RecordedEvent event;
    bool waits = false;
};

std::vector<LoggedCall> calls_of(const std::filesystem::path& file) {
    std::vector<LoggedCall> calls;
    bool follows = false;
    read_recorded_log(file, [&](const RecordedEvent& event) {
        const bool is_call = event.kind == Kind::Collective || event.kind == Kind::Send ||
                             event.kind == Kind::Receive;
        if (is_call) {
            calls.push_back({event, event.collective == chakra::CollectiveType::Barrier &&
                                        event.kind == Kind::Collective});
        } else if (event.kind == Kind::Wait && follows &&
                   event.number == calls.back().event.number) {
            calls.back().waits = true;
        }
        follows = is_call;
    });
    return calls;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    AtomicFile file(path);
    file.stream().write(text.data(), static_cast<std::streamsize>(text.size()));
    file.commit();
}

}  // namespace

bool is_of_megatron_logs(const std::string& name) {
    return megatron::rank_of_log(name) || name == "config.json" || name == "summary.json" ||
           std::count(megatron::model_copy_names.begin(), megatron::model_copy_names.end(), name);
}

void write_megatron_logs(const Recording& recording, const megatron::TrainingRun& run,
                         const std::filesystem::path& folder) {
    if (!recording.whole()) {
        throw InputError({"--megatron-logs", "", "a recording of some ranks", "one of all ranks",
                          "Leave out --rank, or use --distinct"});
    }
    std::filesystem::create_directories(folder);
    const RecordedGroups groups(headers_of(recording));
    const GroupFamilies families = families_of(recording, groups);
    std::map<Rank, std::vector<Rank>> ranks_of_log;
    for (std::int32_t rank = 0; rank < recording.ranks; ++rank) {
        ranks_of_log[recording.log_of[static_cast<std::size_t>(rank)]].emplace_back(rank);
    }
    const std::vector<std::pair<Rank, std::vector<Rank>>> logs(ranks_of_log.begin(),
                                                               ranks_of_log.end());
    for_each_in_parallel(logs.size(), [&](std::size_t i) {
        const auto& [logged, ranks] = logs[i];
        const std::filesystem::path file = log_file(recording.folder, logged);
        const LogHeader header = read_log_header(file);
        const std::vector<LoggedCall> calls = calls_of(file);
        for (const Rank rank : ranks) {
            const RankSubstitution substitution(groups, families, logged, rank);
            CallWriter writer(groups, substitution, rank);
            writer.add_groups(header, logged);
            for (const LoggedCall& call : calls) {
                writer.add(call.event, call.waits);
            }
            write_file(folder / megatron::log_name(rank.value()), writer.text());
        }
    });
    write_file(folder / "config.json", megatron::config_text(run));
    if (const std::optional<megatron::ModelCopy> model = megatron::model_copy_of(run)) {
        write_file(folder / model->name, model->text);
    }
    write_file(folder / "summary.json", megatron::summary_text(run));
}

}  // namespace npunet::generators::recorded
