#include "study/what_if.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/thread_pool.h"
#include "study/better_devices.h"
#include "topology/network/link_changes.h"

namespace npunet::study {

namespace {

using report::WhatIfLine;
using topology::Factor;
using topology::LinkGroup;

constexpr std::int64_t times = 2;
constexpr Factor twice{times * Factor::one};
constexpr Factor half{Factor::one / times};

/// A line, and the machine and the workload that it runs with.
struct Change {
    WhatIfLine line;
    std::function<Machine()> machine;
    const engine::Workload* workload = nullptr;
};

WhatIfLine line_of(const char* part, const std::string& name, double factor = times) {
    WhatIfLine line;
    line.part = part;
    line.name = name;
    line.factor = factor;
    return line;
}

/// Whether collectives of the run were a communication library's, most of whose constants are those
/// of the GPU as it was measured.
bool uses_library(const Machine& machine, const engine::Results& results) {
    return machine.system.library != nullptr &&
           std::any_of(results.collectives.begin(), results.collectives.end(),
                       [&](const engine::CollectiveResult& collective) {
                           return collective.algorithm.find(machine.system.library->name) !=
                                  std::string::npos;
                       });
}

const char* part_of(LinkGroup::Kind kind) {
    switch (kind) {
        case LinkGroup::Kind::ScaleUp:
            return "scale_up_rate";
        case LinkGroup::Kind::ScaleOut:
            return "scale_out_rate";
        case LinkGroup::Kind::Dimension:
            return "dimension_rate";
        case LinkGroup::Kind::All:
            break;
    }
    return "link_rate";
}

/// "NIC rate x 2", "scale-out rate x 2 (NIC, leaf-spine)", "scale-up rate x 2 (dimension 0)"
std::string text_of(const LinkGroup& group) {
    const std::string only = group.classes.size() == 1 ? group.classes.front() : "";
    if (group.kind == LinkGroup::Kind::All) {
        return fmt::format("link rate x {}", times);
    }
    if (group.kind == LinkGroup::Kind::Dimension || only == "NIC" || only == "scale-up") {
        return fmt::format("{} rate x {}", only, times);
    }
    std::vector<std::string> names;
    for (const std::string& name : group.classes) {
        names.push_back(name.substr(0, name.find(" (")));
    }
    return fmt::format("{} rate x {} ({})",
                       group.kind == LinkGroup::Kind::ScaleUp ? "scale-up" : "scale-out", times,
                       fmt::join(names, ", "));
}

/// Those of which a library's model has constants of its own: of a node.
bool is_within_nodes(const LinkGroup& group, const std::vector<LinkGroup>& groups) {
    return group.kind != LinkGroup::Kind::ScaleOut &&
           (group.kind != LinkGroup::Kind::Dimension || &group == &groups.front());
}

class Changes {
public:
    Changes(const engine::Workload& workload, const Machine& machine,
            const engine::Results& results)
        : workload_(workload), machine_(machine), library_(uses_library(machine, results)) {}

    std::vector<Change> all() {
        add_rates();
        add_latencies();
        add_compute();
        if (has_memory_bandwidth(machine_.system)) {
            add(line_of("memory_bandwidth", fmt::format("memory bandwidth x {}", times)), [this] {
                Machine changed = machine_;
                changed.system = with_faster_memory(machine_.system, times);
                return changed;
            });
        }
        return std::move(changes_);
    }

private:
    void add(WhatIfLine line, std::function<Machine()> machine) {
        changes_.push_back({std::move(line), std::move(machine), &workload_});
    }

    void add_rates() {
        const std::vector<LinkGroup> groups = topology::link_groups(machine_.network);
        const bool ports = Rate() < machine_.network.packet.injection;
        for (const LinkGroup& group : groups) {
            WhatIfLine line = line_of(part_of(group.kind), text_of(group));
            line.classes = group.classes;
            const bool of_library = library_ && is_within_nodes(group, groups);
            if (of_library) {
                line.note = fmt::format(
                    "the rates of links of {} within nodes x {}; those of copies and thread blocks "
                    "were measured on this GPU and stay",
                    machine_.system.library->name, times);
            } else if (ports) {
                line.note = "packet.injection, the port of an NPU, stays";
            }
            add(std::move(line), [this, of_library, links = group.links] {
                Machine changed = machine_;
                changed.network = topology::with_rates(machine_.network, links, twice);
                if (of_library) {
                    engine::LibraryInUse library = *machine_.system.library;
                    library.model = library.model.with_faster_links(times);
                    changed.system.library =
                        std::make_shared<const engine::LibraryInUse>(std::move(library));
                }
                return changed;
            });
        }
    }

    void add_latencies() {
        WhatIfLine line = line_of("latency", fmt::format("latencies / {}", times), 1.0 / times);
        if (library_) {
            line.note = fmt::format("the hops and starts of {} were measured on this GPU and stay",
                                    machine_.system.library->name);
        }
        add(std::move(line), [this] {
            Machine changed = machine_;
            changed.network = topology::with_latencies(machine_.network, half);
            changed.system.endpoint_delay =
                topology::scaled_time(changed.system.endpoint_delay, half);
            Time& memory = changed.system.remote_memory.latency;
            memory = topology::scaled_time(memory, half);
            return changed;
        });
    }

    void add_compute() {
        add(line_of("compute", fmt::format("compute x {}", times)), [this] {
            Machine changed = machine_;
            changed.system = with_faster_compute(machine_.system, times);
            return changed;
        });
        shorter_ = with_shorter_recorded(workload_, machine_, times);
        if (shorter_) {
            changes_.back().workload = &*shorter_;
        }
    }

    const engine::Workload& workload_;
    const Machine& machine_;
    const bool library_;
    std::vector<Change> changes_;
    std::optional<engine::Workload> shorter_;
};

/// Fills in the line.
void run(Change& change, Fidelity fidelity, const WhatIfOptions& options) {
    RunOptions wanted = options.run;
    wanted.planner = nullptr;
    wanted.timeline = wanted.collectives = wanted.link_load = wanted.flows = false;
    wanted.each_message = nullptr;
    wanted.max_time.reset();
    wanted.watch = [&options](const RunProgress& /* progress */) {
        return std::string(options.stop && options.stop() ? "stopped" : "");
    };
    WhatIfLine& line = change.line;
    if (options.stop && options.stop()) {
        throw WhatIfStopped("stopped");
    }
    try {
        const Machine machine = change.machine();
        const engine::Results results = simulate(*change.workload, machine, fidelity, wanted);
        if (results.partial) {
            throw WhatIfStopped(results.partial->reason);
        }
        line.finish = results.finish;
        line.bound = report::bound_by(results);
    } catch (const StallError&) {
        line.note = "the run stalls";
    }
}

}  // namespace

void check_what_if(const Machine& machine) {
    if (machine.dialect.whole_nanoseconds) {
        throw InputError({"--what-if", "", "--dialect " + machine.dialect.name, "--dialect npunet",
                          "The astra-sim dialects print the log lines of their reference alone"});
    }
}

report::WhatIf what_if(const engine::Workload& workload, const Machine& machine, Fidelity fidelity,
                       const engine::Results& results, const WhatIfOptions& options) {
    check_what_if(machine);
    Changes parts(workload, machine, results);
    std::vector<Change> changes = parts.all();
    for_each_in_parallel(
        changes.size(), [&](std::size_t i) { run(changes[i], fidelity, options); },
        options.threads);
    report::WhatIf answers;
    answers.finish = results.finish;
    answers.bound = report::bound_by(results);
    for (Change& change : changes) {
        answers.lines.push_back(std::move(change.line));
    }
    return answers;
}

}  // namespace npunet::study
