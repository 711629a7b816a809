#include "tests/planner/search/brute_force.h"

#include <iterator>
#include <set>
#include <sstream>
#include <utility>

namespace npunet::test {

namespace {

/// Devices of a node in each stage.
using Row = std::vector<int>;

bool is_power_of_two(int number) {
    return number > 0 && (number & (number - 1)) == 0;
}

/// What a node may give to the stages: all its devices to one of them, or parts to several.
std::vector<Row> rows_of(int devices, int stages) {
    std::vector<Row> rows;
    Row row;
    const std::function<void(int)> extend = [&](int left) {
        if (static_cast<int>(row.size()) == stages) {
            if (left == 0) {
                rows.push_back(row);
            }
            return;
        }
        for (int given = 0; given <= left; ++given) {
            const bool whole = given == devices;
            const bool part = is_power_of_two(given) && given < devices;
            if (given == 0 || whole || part) {
                row.push_back(given);
                extend(left - given);
                row.pop_back();
            }
        }
    };
    extend(devices);
    return rows;
}

/// Enumerates the plans from the outside in: chunks, stages, devices, micro-batches, (dp, tp),
/// layers.
class Enumeration {
public:
    Enumeration(const BruteProblem& problem, bool distinct, PlanVisitor visitor)
        : problem_(problem), distinct_(distinct), visitor_(std::move(visitor)) {}

    void run() {
        const int least = problem_.one_forward_one_backward ? 1 : 2;
        const int most = problem_.interleaved ? problem_.layers : 1;
        for (plan_.v = least; plan_.v <= most; ++plan_.v) {
            if (problem_.layers % plan_.v != 0) {
                continue;
            }
            for (int stages = 1; stages <= problem_.layers / plan_.v; ++stages) {
                if (plan_.v == 1 || stages >= 2) {
                    choose_devices(stages);
                }
            }
        }
    }

private:
    void choose_devices(int stages) {
        choices_.clear();
        for (const BruteNode& node : problem_.nodes) {
            choices_.push_back(rows_of(node.devices, stages));
        }
        plan_.stages.assign(static_cast<std::size_t>(stages), BruteStage{});
        rows_.clear();
        choose_row();
    }

    /// Gives the devices of the next node to stages.
    void choose_row() {
        if (rows_.size() == problem_.nodes.size()) {
            use_rows();
            return;
        }
        const std::vector<Row>& choices = choices_[rows_.size()];
        for (const Row& row : choices) {
            rows_.push_back(row);
            if (at_most_one_part_a_stage()) {
                choose_row();
            }
            rows_.pop_back();
        }
    }

    [[nodiscard]] bool at_most_one_part_a_stage() const {
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            int parts = 0;
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                if (rows_[i][s] > 0 && rows_[i][s] < problem_.nodes[i].devices) {
                    ++parts;
                }
            }
            if (parts > 1) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] bool equal_nodes_are_in_order() const {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            for (std::size_t j = i + 1; j < rows_.size(); ++j) {
                if (problem_.nodes[i] == problem_.nodes[j] && rows_[i] > rows_[j]) {
                    return false;
                }
            }
        }
        return true;
    }

    void use_rows() {
        if (distinct_ && !equal_nodes_are_in_order()) {
            return;
        }
        for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
            BruteStage& stage = plan_.stages[s];
            stage.devices.clear();
            for (const Row& row : rows_) {
                stage.devices.push_back(row[s]);
            }
            if (devices_of(stage) == 0) {
                return;
            }
        }
        for (plan_.m = 1; plan_.m <= problem_.gbs; ++plan_.m) {
            const bool whole_rounds = plan_.m % static_cast<int>(plan_.stages.size()) == 0;
            if (plan_.v == 1 || whole_rounds) {
                choose_parallelism(0);
            }
        }
    }

    static int devices_of(const BruteStage& stage) {
        int devices = 0;
        for (const int on_node : stage.devices) {
            devices += on_node;
        }
        return devices;
    }

    void choose_parallelism(std::size_t s) {
        if (s == plan_.stages.size()) {
            choose_layers(0, 0);
            return;
        }
        BruteStage& stage = plan_.stages[s];
        const int devices = devices_of(stage);
        for (int tp = 1; tp <= devices; ++tp) {
            if (devices % tp != 0) {
                continue;
            }
            stage.tp = tp;
            stage.dp = devices / tp;
            if (parallelism_is_possible(stage)) {
                choose_parallelism(s + 1);
            }
        }
    }

    [[nodiscard]] bool parallelism_is_possible(const BruteStage& stage) const {
        if (problem_.gbs % (stage.dp * plan_.m) != 0) {
            return false;
        }
        const int batch = problem_.gbs / (stage.dp * plan_.m);
        for (std::size_t i = 0; i < problem_.nodes.size(); ++i) {
            const BruteNode& node = problem_.nodes[i];
            if (stage.devices[i] == 0) {
                continue;
            }
            const std::string& type = problem_.types[static_cast<std::size_t>(node.type)];
            if (stage.tp > node.devices ||
                problem_.profiles->find(type, stage.tp, batch) == nullptr) {
                return false;
            }
        }
        return true;
    }

    void choose_layers(std::size_t s, int first) {
        const int in_a_round = problem_.layers / plan_.v;
        if (s == plan_.stages.size()) {
            if (first == in_a_round) {
                visitor_(plan_);
            }
            return;
        }
        BruteStage& stage = plan_.stages[s];
        stage.first = first;
        for (int count = 1; first + count <= in_a_round; ++count) {
            stage.count = count;
            choose_layers(s + 1, first + count);
        }
    }

    const BruteProblem& problem_;
    bool distinct_;
    PlanVisitor visitor_;
    std::vector<std::vector<Row>> choices_;  ///< of each node
    std::vector<Row> rows_;                  ///< of the nodes so far
    BrutePlan plan_;
};

void visit_those_that_fit(const BruteProblem& problem, bool distinct, const PlanVisitor& visitor) {
    Enumeration(problem, distinct, [&](const BrutePlan& plan) {
        if (fits_in_memory(problem, plan)) {
            BrutePlan with_cost = plan;
            with_cost.step_ms = step_ms(problem, plan);
            visitor(with_cost);
        }
    }).run();
}

}  // namespace

void for_each_plan(const BruteProblem& problem, const PlanVisitor& visitor) {
    visit_those_that_fit(problem, false, visitor);
}

void for_each_distinct_plan(const BruteProblem& problem, const PlanVisitor& visitor) {
    visit_those_that_fit(problem, true, visitor);
}

std::vector<double> best_costs(const BruteProblem& problem, std::size_t k) {
    std::multiset<double> least;
    for_each_distinct_plan(problem, [&](const BrutePlan& plan) {
        least.insert(plan.step_ms);
        if (least.size() > k) {
            least.erase(std::prev(least.end()));
        }
    });
    return {least.begin(), least.end()};
}

std::uint64_t number_of_plans(const BruteProblem& problem) {
    std::uint64_t plans = 0;
    Enumeration(problem, true, [&](const BrutePlan& /*plan*/) { ++plans; }).run();
    return plans;
}

std::string text_of(const BrutePlan& plan) {
    std::ostringstream text;
    text << "m=" << plan.m << " v=" << plan.v;
    for (const BruteStage& stage : plan.stages) {
        text << " |";
        for (std::size_t i = 0; i < stage.devices.size(); ++i) {
            if (stage.devices[i] > 0) {
                text << ' ' << i << ':' << stage.devices[i];
            }
        }
        text << " tp=" << stage.tp << " dp=" << stage.dp << " layers " << stage.first << '-'
             << stage.first + stage.count - 1;
    }
    return text.str();
}

}  // namespace npunet::test
