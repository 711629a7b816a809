#include "study/sweep/design_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/yaml_field.h"
#include "engine/machine/system_config.h"
#include "study/sweep/fingerprint.h"
#include "study/sweep/parameters.h"
#include "study/sweep/point_list.h"
#include "study/sweep/point_selection.h"
#include "topology/yaml/machine.h"
#include "topology/yaml/network_sections.h"

namespace npunet::study {

namespace {

namespace fs = std::filesystem;

/// Plan keys of the command line that the generator does not offer yet.
const std::vector<std::string> planned_plan_keys{"weight_sharded"};

Source source_of(const YamlField& field) {
    return {field.file(), field.place()};
}

class SpecReader {
public:
    SpecReader(const std::string& file, std::optional<std::size_t> confirm)
        : SpecReader(file, read_input_text(file, "the spec of a sweep (YAML)", "Check the path")) {
        confirm_ = confirm;
    }

    DesignSpace read() {
        check_keys(root_,
                   {"workload", "plan", "where", "sample", "points", "machines", "systems",
                    "networks", "dialects", "fidelity", "limits", "then"},
                   {});
        read_workload(root_.at("workload"));
        parameters_ = parameters_of(space_.kind);
        add_section(workload_);
        if (const auto plan = root_.find("plan")) {
            read_plan(*plan);
        }
        read_points_file();
        add_machines();
        add_machine("systems", "system");
        add_machine("networks", "network");
        add_machine("dialects", "dialect");
        add_machine("fidelity", "fidelity");
        check_given();
        if (const auto limits = root_.find("limits")) {
            check_keys(*limits, {"memory"}, {});
            const YamlField memory = limits->at("memory");
            if (const auto number = memory.number()) {
                // system.json's memory-capacity counts in GB, sizes elsewhere in bytes.
                memory.refuse(memory.found(), "a size with its unit, such as 80GB",
                              fmt::format("Did you mean {}GB?", *number));
            }
            space_.memory_limit = parse_bytes(memory.text("a size such as 80GB"), memory.where());
        } else {
            space_.memory_limit = least_capacity();
        }
        read_replay();
        add_confirmation();
        select_points(space_, read_selection());
        space_.fingerprint = fingerprint_of(space_, parameters_);
        return std::move(space_);
    }

private:
    SpecReader(const std::string& file, const std::string& text)
        : root_(YamlField::parse(file, text, "workload: {model: llama2-4layer, batch: 8}")),
          folder_(fs::absolute(file).parent_path()) {
        space_.file = file;
        space_.text = text;
    }

    void read_workload(const YamlField& workload) {
        const bool traces = workload.find("prefix").has_value();
        if (const auto collective = workload.find("collective")) {
            check_keys(workload, {"collective"}, {});
            check_keys(*collective, {"type", "size", "repeat"}, {}, {"group"});
            space_.kind = WorkloadKind::Collective;
            workload_ = collective;
        } else if (traces) {
            check_keys(workload, {"prefix", "comm_group"}, {});
            space_.kind = WorkloadKind::Traces;
            workload_ = workload;
        } else if (is_stage(workload)) {
            read_stage(workload);
        } else {
            check_keys(
                workload,
                {"model", "batch", "seq", "mode", "context", "micro_batch",
                 "make_vocab_size_divisible_by", "dialect", "prefix", "comm_group", "collective"},
                {});
            if (const auto dialect = workload.find("dialect")) {
                static_cast<void>(one_of(*dialect, {"npunet", "stage"}));
            }
            workload_ = workload;
        }
    }

    static bool is_stage(const YamlField& workload) {
        const auto dialect = workload.find("dialect");
        return dialect && dialect->text("a dialect") == "stage";
    }

    void read_stage(const YamlField& workload) {
        space_.kind = WorkloadKind::Stage;
        std::vector<std::string> known{"dialect"};
        for (const Parameter& parameter : parameters_of(space_.kind)) {
            if (parameter.section == Section::Workload) {
                known.push_back(parameter.name);
            }
        }
        check_keys(workload, known, {});
        workload_ = workload;
    }

    void read_plan(const YamlField& plan) {
        const bool stage = space_.kind == WorkloadKind::Stage;
        if (space_.kind != WorkloadKind::Model && !stage) {
            plan.refuse("a plan beside a workload that is not generated from a model",
                        "workload: {model: ...} with it", "Leave the plan out");
        }
        std::vector<std::string> known;
        for (const Parameter& parameter : parameters_) {
            if (in_section(parameter, Section::Plan)) {
                known.push_back(parameter.name);
            }
        }
        check_keys(plan, known, {}, stage ? std::vector<std::string>{} : planned_plan_keys);
        add_section(plan);
    }

    static bool in_section(const Parameter& parameter, Section section) {
        return parameter.section == section ||
               (parameter.section == Section::WorkloadOrPlan && section != Section::Machine);
    }

    /// The axes of a section, in the order of its keys.
    void add_section(const std::optional<YamlField>& section) {
        const bool zipped = space_.kind == WorkloadKind::Traces;
        for (const YamlField& key : section->keys()) {
            const std::string& name = key.text("a key");
            if (!zipped && name != "dialect") {
                add_axis(name, section->at(name));
            }
        }
        if (zipped) {
            add_traces(*section);
        }
    }

    std::vector<Value> values_of(const Parameter& parameter, const YamlField& field) const {
        std::vector<Value> values;
        for (const YamlField& item : field.items()) {
            const std::string& text = item.text("a value of " + parameter.name);
            values.push_back(read_value(parameter, text, source_of(item), folder_));
        }
        if (values.empty()) {
            field.refuse("an empty list", "at least one value");
        }
        return values;
    }

    void add_axis(const std::string& name, const YamlField& field) {
        const Source source = source_of(field);
        const Parameter& parameter = find_parameter(parameters_, name, source);
        refuse_twice(name, field);
        Axis axis{{name}, {}, field.is_list()};
        std::set<std::string> seen;
        for (Value& value : values_of(parameter, field)) {
            if (!seen.insert(value.text).second) {
                field.refuse(fmt::format("'{}' twice", value.text), "different values");
            }
            axis.rows.push_back({std::move(value)});
        }
        space_.axes.push_back(std::move(axis));
    }

    void refuse_twice(const std::string& name, const YamlField& field) const {
        for (const Axis& axis : space_.axes) {
            for (const std::string& other : axis.names) {
                if (are_synonyms(name, other)) {
                    field.refuse(fmt::format("'{}' beside '{}'", name, other), "one of them");
                }
            }
        }
    }

    /// Each prefix with its file of groups: one for all, or as many as there are prefixes.
    void add_traces(const YamlField& workload) {
        const YamlField prefix = workload.at("prefix");
        const auto groups = workload.find("comm_group");
        Axis axis{{"prefix"}, {}, prefix.is_list()};
        for (Value& value : values_of(find_parameter(parameters_, "prefix", {}), prefix)) {
            axis.rows.push_back({std::move(value)});
        }
        if (groups) {
            axis.names.emplace_back("comm_group");
            const std::vector<Value> files =
                values_of(find_parameter(parameters_, "comm_group", {}), *groups);
            if (files.size() != 1 && files.size() != axis.rows.size()) {
                groups->refuse(
                    fmt::format("{} files", files.size()),
                    fmt::format("one for all prefixes, or {}, one for each", axis.rows.size()));
            }
            for (std::size_t i = 0; i < axis.rows.size(); ++i) {
                axis.rows[i].push_back(files[files.size() == 1 ? 0 : i]);
            }
        }
        space_.axes.push_back(std::move(axis));
    }

    void add_machine(const char* key, const char* name) {
        if (const auto field = root_.find(key)) {
            refuse_twice(name, *field);
            add_axis(name, *field);
        }
    }

    /// Ready machines: the network and the system of each.
    void add_machines() {
        const auto field = root_.find("machines");
        if (!field) {
            return;
        }
        Axis axis{{"network", "system"}, {}, field->is_list()};
        for (const YamlField& item : field->items()) {
            const std::string& text = item.text("a machine with its count, such as dgx-h100:4");
            const Source source = source_of(item);
            static_cast<void>(
                topology::read_machine(text, fmt::format("{}: {}", source.file, source.place)));
            std::vector<Value> row;
            for (const std::string& name : axis.names) {
                row.push_back(
                    read_value(find_parameter(parameters_, name, source), text, source, folder_));
            }
            axis.rows.push_back(std::move(row));
        }
        if (axis.rows.empty()) {
            field->refuse("an empty list", "at least one machine");
        }
        for (const std::string& name : axis.names) {
            refuse_twice(name, *field);
        }
        space_.axes.push_back(std::move(axis));
    }

    /// Of the NPUs of the systems; nothing where one of them does not say.
    [[nodiscard]] std::optional<Bytes> least_capacity() const {
        std::optional<Bytes> least;
        for (const Axis& axis : space_.axes) {
            const auto name = std::find(axis.names.begin(), axis.names.end(), "system");
            if (name == axis.names.end()) {
                continue;
            }
            for (const auto& row : axis.rows) {
                const std::string& file =
                    row[static_cast<std::size_t>(name - axis.names.begin())].path;
                const Bytes capacity = capacity_of(file);
                if (capacity == Bytes(0)) {
                    return std::nullopt;
                }
                least = least ? std::min(*least, capacity) : capacity;
            }
        }
        return least;
    }

    /// 0 where it is not known. What cannot be read is refused where it is used.
    [[nodiscard]] static Bytes capacity_of(const std::string& system) {
        try {
            std::vector<std::string> warnings;
            return engine::read_system_config(system, engine::Dialect::named("npunet"), warnings)
                .memory_capacity;
        } catch (const InputError&) {
            return Bytes(0);
        }
    }

    void read_points_file() {
        const auto field = root_.find("points");
        if (!field) {
            return;
        }
        const fs::path path = find_upwards(folder_, field->text("a file (.csv)"));
        if (path.empty()) {
            field->refuse(field->found(), "a file (.csv) that exists");
        }
        Axis axis = read_point_list(path, parameters_, folder_);
        for (const std::string& name : axis.names) {
            refuse_twice(name, *field);
        }
        space_.axes.push_back(std::move(axis));
    }

    [[nodiscard]] bool given(const std::string& name) const {
        return std::any_of(space_.axes.begin(), space_.axes.end(), [&](const Axis& axis) {
            return std::find(axis.names.begin(), axis.names.end(), name) != axis.names.end();
        });
    }

    void require(const char* name, const std::string& place, const std::string& remedy) const {
        if (!given(name)) {
            throw InputError(
                {space_.file, place, "nothing", fmt::format("the key '{}'", place), remedy});
        }
    }

    void check_given() const {
        require("network", "networks",
                "Add networks: [configs/networks/ring-8.yml], or machines: [dgx-h100:4]");
        if (space_.kind == WorkloadKind::Model) {
            require("model", "workload.model", "Name a model, traces (prefix) or a collective");
            require("batch", "workload.batch",
                    "Without it every plan would have a batch of its own, and their times would "
                    "not be comparable");
        } else if (space_.kind == WorkloadKind::Collective) {
            require("type", "workload.collective.type", "Add type: [all_reduce]");
            require("size", "workload.collective.size", "Add size: [1MiB, 64MiB]");
        }
    }

    void read_replay() {
        const auto field = root_.find("then");
        if (!field) {
            return;
        }
        if (confirm_) {
            field->refuse(fmt::format("'then' beside --confirm {}", *confirm_), "one of them");
        }
        check_keys(*field, {"fidelity", "top"}, {});
        const YamlField fidelity = field->at("fidelity");
        const auto top = field->find("top");
        add_replay(
            fidelity.text("a fidelity"), source_of(fidelity),
            top ? static_cast<std::size_t>(top->whole(1, 1000000, "a number of points")) : 3);
    }

    /// --confirm is `then: {fidelity: packet, top: K}`.
    void add_confirmation() {
        if (!confirm_) {
            return;
        }
        if (given("fidelity") && all_packet()) {
            throw InputError({"--confirm", "", "a sweep whose fidelity is packet",
                              "a sweep at another fidelity, whose best points packets confirm",
                              "Leave --confirm out, or give the sweep fidelity: fluid"});
        }
        add_replay("packet", {"--confirm", ""}, *confirm_);
    }

    [[nodiscard]] bool all_packet() const {
        return std::all_of(space_.axes.begin(), space_.axes.end(), [](const Axis& axis) {
            const auto name = std::find(axis.names.begin(), axis.names.end(), "fidelity");
            const auto column = static_cast<std::size_t>(name - axis.names.begin());
            return name == axis.names.end() ||
                   std::all_of(axis.rows.begin(), axis.rows.end(),
                               [column](const auto& row) { return row[column].text == "packet"; });
        });
    }

    void add_replay(const std::string& fidelity, const Source& source, std::size_t top) {
        const std::string name = "fidelity";
        const Parameter& parameter = find_parameter(parameters_, name, source);
        space_.replay = ReplayStage{read_value(parameter, fidelity, source, folder_), top};
        // The rows of both stages must be told apart.
        for (Axis& axis : space_.axes) {
            axis.listed = axis.listed || axis.names.front() == "fidelity";
        }
        if (!given("fidelity")) {
            space_.axes.push_back(
                {{"fidelity"}, {{read_value(parameter, "analytical", source, folder_)}}, true});
        }
    }

    [[nodiscard]] Selection read_selection() const {
        Selection selection;
        if (const auto where = root_.find("where")) {
            selection.where = Expression::parse(where->text("an expression"), where->where());
            check_names(*selection.where, *where);
        }
        if (const auto sample = root_.find("sample")) {
            check_keys(*sample, {"count", "seed"}, {});
            if (root_.find("points")) {
                sample->refuse("a sample beside points", "one of them");
            }
            selection.sample_count = static_cast<std::uint64_t>(
                sample->at("count").whole(1, 1000000, "a number of points"));
            if (const auto seed = sample->find("seed")) {
                selection.seed =
                    static_cast<std::uint64_t>(seed->whole(0, std::int64_t{1} << 53, "a seed"));
            }
        }
        return selection;
    }

    void check_names(const Expression& where, const YamlField& field) const {
        for (std::size_t i = 0; i < where.names().size(); ++i) {
            const std::string& name = where.names()[i];
            if (name == "npus") {
                continue;
            }
            const std::string place = fmt::format("column {}, '{}'", where.column_of(i), name);
            std::vector<std::string> usable{"npus"};
            for (const Parameter& parameter : parameters_) {
                const bool numeric = parameter.kind == ValueKind::Count ||
                                     parameter.kind == ValueKind::Switch ||
                                     parameter.kind == ValueKind::Size;
                if (numeric && given(parameter.name)) {
                    usable.push_back(parameter.name);
                } else if (!numeric && parameter.name == name) {
                    field.refuse(place + ", which is no number", "names of numbers");
                }
            }
            if (std::find(usable.begin(), usable.end(), name) == usable.end()) {
                field.refuse(place + ", which this file gives no value", "one of " + joined(usable),
                             did_you_mean(name, usable));
            }
        }
    }

    YamlField root_;
    std::optional<std::size_t> confirm_;  ///< --confirm
    fs::path folder_;
    std::optional<YamlField> workload_;
    std::vector<Parameter> parameters_;
    DesignSpace space_;
};

}  // namespace

DesignSpace read_design_space(const std::string& file, std::optional<std::size_t> confirm) {
    return SpecReader(file, confirm).read();
}

}  // namespace npunet::study
