#include "generators/megatron/logs/log_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/input_text.h"
#include "base/staged_folder.h"
#include "base/thread_pool.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/logs/log_events.h"
#include "generators/megatron/logs/log_template.h"
#include "generators/megatron/logs/run_config.h"
#include "generators/megatron/program/program.h"
#include "generators/megatron/program/rank_calls.h"
#include "generators/transformer/model_library.h"

namespace npunet::generators::megatron {

namespace {

// The tracer's patches are applied several times, and each writes the call down.
constexpr int times_init_is_logged = 3;
constexpr int times_new_group_is_logged = 4;

/// The file of a model that is named by its file.
std::optional<std::filesystem::path> file_of(const TrainingRun& run) {
    if (run.dialect == Dialect::Genstack || !is_model_file(run.model_size)) {
        return std::nullopt;
    }
    return model_file(run.model_size);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    AtomicFile file(path);
    file.stream().write(text.data(), static_cast<std::streamsize>(text.size()));
    file.commit();
}

/// Logs of an earlier run that are not overwritten, including compressed ones, would be mistaken
/// for part of this run.
void discard_logs(const std::filesystem::path& folder, std::int64_t ranks, StagedFolder& staged) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        const std::string name = entry.path().filename().string();
        const std::optional<std::int64_t> rank = rank_of_log(name);
        if (rank && (*rank >= ranks || name != log_name(*rank))) {
            staged.discard(name);
        }
    }
}

/// The log of ranks that do the same: the parts one after the other.
struct StageLog {
    std::shared_ptr<const LogTemplate> set_up;
    LogTemplate step;
    std::int64_t events = 0;
};

}  // namespace

std::optional<ModelCopy> model_copy_of(const TrainingRun& run) {
    const std::optional<std::filesystem::path> file = file_of(run);
    if (!file) {
        return std::nullopt;
    }
    return ModelCopy{is_hf_config(*file) ? "model.json" : "model.yml",
                     read_input_text(file->string(), "a model file", "Check the path")};
}

class LogWriter::Impl {
public:
    explicit Impl(TrainingRun run)
        : run_(std::move(run)), groups_(run_.parallelism), calls_(groups_, table_) {
        if (genstack()) {
            set_up_ = set_up_of_all();
        }
    }

    [[nodiscard]] const TrainingRun& run() const { return run_; }

    [[nodiscard]] StageLog stage_log(Rank rank) const {
        const SetUp set_up = genstack() ? set_up_ : set_up_of(rank);
        StageLog log;
        log.set_up = set_up.text;
        LogEvents events(log.step, run_, set_up.events);
        const Program program = make_program(run_, groups_.stage(rank), groups_.tensor_place(rank));
        for (const ProgramItem& item : program.items) {
            if (item.kind == ProgramItem::Kind::Call) {
                events.call(item, group_size(run_.parallelism, item.group));
            }
        }
        events.end();
        log.events = events.call_id();
        return log;
    }

    [[nodiscard]] std::string text(const StageLog& log, Rank rank) const {
        RankText values(LogEvents::layout(run_.dialect), groups_, calls_, rank);
        std::string text;
        text.reserve(log.set_up->size() + log.step.size() + log.step.size() / 2);
        log.set_up->fill(values, text);
        log.step.fill(values, text);
        return text;
    }

    /// One template is in memory at a time.
    void write(const std::filesystem::path& folder, const std::function<void()>& written,
               WrittenLogs& totals) const {
        std::mutex mutex;
        for (const std::vector<Rank>& alike : ranks_that_log_alike()) {
            const StageLog log = stage_log(alike.front());
            for_each_in_parallel(alike.size(), [&](std::size_t i) {
                const std::string contents = text(log, alike[i]);
                write_file(folder / log_name(alike[i].value()), contents);
                const std::lock_guard lock(mutex);
                totals.events += log.events;
                totals.bytes += static_cast<std::int64_t>(contents.size());
                written();
            });
        }
    }

private:
    struct SetUp {
        std::shared_ptr<const LogTemplate> text;
        std::int64_t events = 0;
    };

    [[nodiscard]] bool genstack() const { return run_.dialect == Dialect::Genstack; }

    /// Every rank logs every group, each several times.
    [[nodiscard]] SetUp set_up_of_all() const {
        const auto text = std::make_shared<LogTemplate>();
        LogEvents events(*text, run_, 0);
        for (int i = 0; i < times_init_is_logged; ++i) {
            events.init_process_group();
        }
        for (const SetUpGroup& group : genstack_set_up_groups(groups_)) {
            for (int i = 0; i < times_new_group_is_logged; ++i) {
                events.new_group(group.ranks, group.gloo);
            }
        }
        return {text, events.call_id()};
    }

    /// The rank's own groups; those of all ranks of its stage have the same roles.
    [[nodiscard]] SetUp set_up_of(Rank rank) const {
        const auto text = std::make_shared<LogTemplate>();
        LogEvents events(*text, run_, 0);
        events.init_process_group();
        for (const GroupRole role : own_set_up_groups(groups_, rank)) {
            events.new_group(role);
        }
        return {text, events.call_id()};
    }

    /// The ranks of each stage, in genstack its first ranks of tensor-parallel groups apart.
    [[nodiscard]] std::vector<std::vector<Rank>> ranks_that_log_alike() const {
        std::vector<std::vector<Rank>> all(static_cast<std::size_t>(2 * run_.parallelism.pp));
        for (std::int64_t r = 0; r < run_.world(); ++r) {
            const Rank rank(static_cast<std::int32_t>(r));
            const bool apart = genstack() && groups_.tensor_place(rank) > 0;
            const std::int64_t which = 2 * groups_.stage(rank) + (apart ? 1 : 0);
            all[static_cast<std::size_t>(which)].push_back(rank);
        }
        all.erase(std::remove_if(all.begin(), all.end(),
                                 [](const std::vector<Rank>& ranks) { return ranks.empty(); }),
                  all.end());
        return all;
    }

    TrainingRun run_;
    ProcessGroups groups_;
    GroupTable table_;
    RankCalls calls_;
    SetUp set_up_;
};

LogWriter::LogWriter(TrainingRun run) : impl_(std::make_unique<const Impl>(std::move(run))) {}

LogWriter::~LogWriter() = default;

std::string LogWriter::folder_name() const {
    const TrainingRun& run = impl_->run();
    std::string model = run.model_size;
    if (const std::optional<std::filesystem::path> file = file_of(run)) {
        model = is_hf_config(*file) ? run.model.name : file->stem().string();
    }
    return fmt::format("{}_dp{}_tp{}_pp{}_{}", model, run.parallelism.dp, run.parallelism.tp,
                       run.parallelism.pp, run.timestamp);
}

std::string LogWriter::log(Rank rank) const {
    return impl_->text(impl_->stage_log(rank), rank);
}

std::string LogWriter::config() const {
    return config_text(impl_->run());
}

std::string LogWriter::summary() const {
    return summary_text(impl_->run());
}

WrittenLogs LogWriter::write(const std::filesystem::path& parent,
                             const std::function<void()>& written) const {
    WrittenLogs logs;
    logs.folder = parent / folder_name();
    // Read first: it may be an earlier copy in this folder.
    const std::optional<ModelCopy> model = model_copy_of(impl_->run());
    StagedFolder staged(logs.folder);
    discard_logs(logs.folder, impl_->run().world(), staged);
    for (const char* const name : model_copy_names) {
        if (model && model->name == name) {
            write_file(staged.path() / name, model->text);
        } else {
            staged.discard(name);
        }
    }
    write_file(staged.path() / "config.json", config());
    impl_->write(staged.path(), written, logs);
    write_file(staged.path() / "summary.json", summary());
    staged.commit({"summary.json"});
    return logs;
}

}  // namespace npunet::generators::megatron
