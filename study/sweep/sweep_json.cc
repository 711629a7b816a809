#include <yaml-cpp/yaml.h>

#include <charconv>

#include "base/json_writer.h"
#include "report/results/step_rates.h"
#include "report/results/step_summary.h"
#include "study/sweep/parameters.h"
#include "study/sweep/sweep_results.h"

namespace npunet::study {

namespace {

using Layout = JsonWriter::Layout;

/// The spec as it was read: numbers and switches as such, everything else as text.
void write_yaml(JsonWriter& json, const YAML::Node& node) {
    if (node.IsMap()) {
        json.begin_object();
        for (const auto& entry : node) {
            json.key(entry.first.Scalar());
            write_yaml(json, entry.second);
        }
        json.end_object();
    } else if (node.IsSequence()) {
        json.begin_array();
        for (const YAML::Node& item : node) {
            write_yaml(json, item);
        }
        json.end_array();
    } else if (node.IsScalar()) {
        const std::string& text = node.Scalar();
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc{} && end == text.data() + text.size()) {
            json.value(number);
        } else {
            json.value(text);
        }
    } else {
        json.null();
    }
}

class Document {
public:
    Document(const DesignSpace& space, const SweepResults& results)
        : space_(space), results_(results), parameters_(parameters_of(space.kind)) {}

    std::string text(const std::string& command) {
        json_.begin_object(Layout::Lines).member("schema", 1);
        if (!command.empty()) {
            json_.member("command", command);
        }
        json_.key("spec");
        write_yaml(json_, YAML::Load(space_.text));
        json_.key("points").begin_array(Layout::Lines);
        for (std::size_t number = 0; number < space_.points.size(); ++number) {
            write_point(number);
        }
        json_.end_array();
        write_best("best", &Group::best);
        write_best("best_within_limits", &Group::best_within_limit);
        json_.key("pareto").begin_array(Layout::Lines);
        for (const Group& group : results_.ranking.groups) {
            for (const std::size_t number : group.pareto) {
                write_point(number);
            }
        }
        json_.end_array();
        write_errors();
        json_.end_object();
        return json_.text() + '\n';
    }

private:
    void write_parameters(const Point& point) {
        json_.key("parameters").begin_object();
        for (const std::string& name : space_.columns()) {
            const Value& value = *space_.find(point, name);
            const ValueKind kind = find_parameter(parameters_, name, {}).kind;
            if (kind == ValueKind::Count) {
                json_.member(name, *value.number);
            } else {
                json_.member(name, value.text);
            }
        }
        json_.end_object();
    }

    void write_figures(const std::string& prefix, const Figures& figures) {
        json_.member(prefix + "finish_ns", figures.finish)
            .member(prefix + "compute_ns", figures.compute)
            .member(prefix + "comm_ns", figures.communication)
            .member(prefix + "exposed_comm_ns", figures.exposed_communication);
        json_.key(prefix + "peak_memory_bytes");
        if (figures.peak_memory > Bytes(0)) {
            json_.value(figures.peak_memory);
        } else {
            json_.null();
        }
    }

    void write_point(std::size_t number) {
        const Point& point = space_.points[number];
        const Outcome& outcome = *results_.outcomes[number];
        json_.begin_object().member("point", static_cast<std::uint64_t>(number));
        write_parameters(point);
        json_.member("status", outcome.ok() ? "ok" : "error");
        if (point.replay_of) {
            json_.member("replay_of", static_cast<std::uint64_t>(*point.replay_of));
        }
        if (outcome.ok()) {
            write_figures("", outcome.first);
            write_figures("max_", outcome.largest);
            if (outcome.rates) {
                report::write_step_rates(json_, *outcome.rates);
            }
            const SlowestRank& slowest = outcome.slowest;
            json_.key("slowest_rank")
                .begin_object()
                .member("rank", slowest.rank)
                .member("finish_ns", slowest.finish)
                .member("compute_ns", slowest.compute)
                .member("exposed_comm_ns", slowest.exposed_communication)
                .member("exposed_memory_ns", slowest.exposed_memory)
                .member("idle_ns", slowest.idle);
            json_.key("exposed_by_dimension_ns").begin_object();
            for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
                const Time exposed =
                    slowest.exposed_by_dimension[static_cast<std::size_t>(dimension)];
                if (exposed > Time()) {
                    json_.member(report::key_of(dimension), exposed);
                }
            }
            json_.end_object().end_object().member_or_null("link_bound_ns", outcome.link_bound);
            if (const auto fits = fits_memory(outcome, space_.memory_limit)) {
                json_.member("fits_memory", *fits ? "yes" : "no");
            }
            if (const std::string note = note_of(outcome); !note.empty()) {
                json_.member("note", note);
            }
        }
        json_.end_object();
    }

    void write_best(const char* key, std::optional<std::size_t> Group::*best) {
        json_.key(key).begin_array(Layout::Lines);
        for (const Group& group : results_.ranking.groups) {
            if (group.*best) {
                write_point(*(group.*best));
            }
        }
        json_.end_array();
    }

    void write_errors() {
        json_.key("errors").begin_array(Layout::Lines);
        for (std::size_t number = 0; number < space_.points.size(); ++number) {
            const Outcome& outcome = *results_.outcomes[number];
            if (outcome.ok()) {
                continue;
            }
            json_.begin_object().member("point", static_cast<std::uint64_t>(number));
            write_parameters(space_.points[number]);
            json_.member("kind", outcome.failure).member("message", outcome.message).end_object();
        }
        json_.end_array();
    }

    const DesignSpace& space_;
    const SweepResults& results_;
    std::vector<Parameter> parameters_;
    JsonWriter json_;
};

}  // namespace

std::string sweep_json(const DesignSpace& space, const SweepResults& results,
                       const std::string& command) {
    return Document(space, results).text(command);
}

}  // namespace npunet::study
