// Congestion control: where each algorithm leads on one bottleneck, and the scenarios of the
// papers.

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/packet/bottleneck.h"
#include "tests/support/temporary_folder.h"
#include "topology/parameters/congestion_control.h"
#include "topology/parameters/congestion_parameters.h"
#include "validation_table.h"

namespace npunet::validation {
namespace {

using packet_test::Sharing;
using topology::CongestionAlgorithm;

/// One run of the bottleneck, and what it has to come to.
struct SharingBounds {
    const char* name;
    packet_test::SharingScenario scenario;
    double least_utilisation;
    double least_fairness;
    double most_queue;  ///< bytes
};

std::string bounds_text(double utilisation, double fairness, double queue) {
    std::string text = fmt::format("utilisation >= {}", utilisation);
    if (fairness > 0) {
        text += fmt::format(", Jain >= {}", fairness);
    }
    if (std::isfinite(queue)) {
        text += fmt::format(", queue <= {} kB", queue / 1000);
    }
    return text;
}

/// The numbers of the line that begins with this, behind it.
std::vector<double> numbers_behind(const std::string& text, const std::string& begin) {
    const std::size_t at = ('\n' + text).find('\n' + begin + ' ');
    if (at == std::string::npos) {
        throw std::runtime_error("no line begins with " + begin);
    }
    std::istringstream line(
        text.substr(at + begin.size(), text.find('\n', at) - at - begin.size()));
    std::vector<double> numbers;
    for (double number = 0; line >> number;) {
        numbers.push_back(number);
    }
    return numbers;
}

/// What an example of the ns-3 module prints; its own test holds the program against this.
std::string printed_by(const std::string& example) {
    return test::bytes_of(NPUNET_SOURCE_DIR "/ns3-module/examples/" + example + ".expected");
}

/// The rows of one example.
class Scenario {
public:
    Scenario(Table& table, std::string name, const std::string& example)
        : table_(table), name_(std::move(name)), text_(printed_by(example)) {}

    [[nodiscard]] double number(const std::string& begin, std::size_t place) const {
        return numbers_behind(text_, begin).at(place);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

    void row(const std::string& algorithm, const std::string& shape, const std::string& figure,
             double value, double least, double most) {
        std::string bound;
        if (least == most) {
            bound = fmt::format("{}", least);
        } else if (!std::isfinite(most)) {
            bound = fmt::format(">= {}", least);
        } else if (!std::isfinite(least)) {
            bound = fmt::format("<= {}", most);
        } else {
            bound = fmt::format("{} to {}", least, most);
        }
        table_.add({name_, algorithm, shape, figure, decimals(value, 2), bound},
                   value >= least && value <= most);
    }

private:
    Table& table_;
    std::string name_;
    std::string text_;
};

constexpr double none = -HUGE_VAL;
constexpr double any = HUGE_VAL;

void add_incast(Table& table) {
    Scenario incast(table, "incast of 16", "npu-incast");
    // Columns: end, longest and mean queue, pauses, their time, marks.
    const double pauses = incast.number("none", 3);
    const std::string few = "few pauses once there are marks";
    const std::string share = "pauses / those without congestion control";
    incast.row("DCQCN", few, share, incast.number("dcqcn", 3) / pauses, none, 0.1);
    incast.row("DCQCN", "short queues but for the start", "mean queue / that without",
               incast.number("dcqcn", 2) / incast.number("none", 2), none, 0.1);
    incast.row("DCTCP", "queue between the thresholds of marks", "mean queue, kB",
               incast.number("dctcp", 2), 82, 328);
    incast.row("DCTCP", "no pauses", "pauses", incast.number("dctcp", 3), 0, 0);
    incast.row("HPCC", "next to no queue", "mean queue, kB", incast.number("hpcc", 2), none, 20.8);
    incast.row("HPCC", "no pauses", "pauses", incast.number("hpcc", 3), 0, 0);
    incast.row("Swift", "short queues", "mean queue, kB", incast.number("swift", 2), none, 100);
    incast.row("Swift", "no pauses", "pauses", incast.number("swift", 3), 0, 0);
    incast.row("TIMELY", "fewer pauses", share, incast.number("timely", 3) / pauses, none, 0.5);
}

void add_fair_shares(Table& table) {
    Scenario shares(table, "a second flow comes", "npu-fair-shares");
    for (const auto& [name, label] :
         {std::pair{"dcqcn", "DCQCN"}, std::pair{"hpcc", "HPCC"}, std::pair{"timely", "TIMELY"},
          std::pair{"swift", "Swift"}, std::pair{"dctcp", "DCTCP"}}) {
        shares.row(label, "both come to half", "Jain's index of the last quarter",
                   shares.number(name, 8), 0.95, 1);
        shares.row(label, "the link is full, or to eta", "utilisation of the last quarter",
                   shares.number(name, 9), 0.95, 1);
    }
}

void add_victim(Table& table) {
    Scenario line(table, "head-of-line blocking", "npu-head-of-line");
    const std::string shape = "a victim behind pauses is slow";
    const std::string freed = "the victim is freed";
    const std::string figure = "time / time alone";
    line.row("none", shape, figure, line.number("one class", 1), 2, any);
    line.row("none, two classes", freed, figure, line.number("two classes", 1), 1, 1);
    line.row("DCQCN", freed, figure, line.number("dcqcn", 1), none, 1.5);
    line.row("HPCC", freed, figure, line.number("hpcc", 1), none, 1.06);
}

/// Of all levels of a block of the pause storm: "level N of M PAUSES pauses, ...".
double pauses_of(const std::string& text, const std::string& algorithm) {
    double sum = 0;
    std::istringstream lines(text.substr(text.find('\n' + algorithm + ": ") + 1));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.rfind("    ", 0) == 0) {
        std::istringstream words(line.substr(line.find(" of ") + 4));
        double links = 0;
        double pauses = 0;
        words >> links >> pauses;
        sum += pauses;
    }
    return sum;
}

void add_storm(Table& table) {
    Scenario storm(table, "pause storm", "npu-pause-storm");
    const double without = pauses_of(storm.text(), "none");
    const std::string few = "few pauses";
    const std::string share = "pauses / those without congestion control";
    storm.row("none", "pauses spread to the senders", "pauses", without, 1000, any);
    storm.row("DCQCN", few, share, pauses_of(storm.text(), "dcqcn") / without, none, 0.1);
    storm.row("HPCC", few, share, pauses_of(storm.text(), "hpcc") / without, 0, 0);
}

}  // namespace

Table bottlenecks() {
    Table table{"One bottleneck",
                {"algorithm", "flows", "utilisation", "Jain's index", "longest queue, kB", "bound"},
                {},
                {}};
    for (const auto& [algorithm, label] : {std::pair{CongestionAlgorithm::Dcqcn, "DCQCN"},
                                           std::pair{CongestionAlgorithm::Hpcc, "HPCC"},
                                           std::pair{CongestionAlgorithm::Timely, "TIMELY"},
                                           std::pair{CongestionAlgorithm::Swift, "Swift"},
                                           std::pair{CongestionAlgorithm::Dctcp, "DCTCP"}}) {
        // HPCC leaves 5 % of the link free, but for what its additive increase takes of them.
        const double alone = algorithm == CongestionAlgorithm::Hpcc ? 0.953 : 0.997;
        for (const SharingBounds& row : {
                 SharingBounds{"1", packet_test::one_flow(), alone, 0, 0},
                 SharingBounds{"1, its link twice as fast", packet_test::one_fast_flow(), 0.94, 0,
                               400'000},
                 SharingBounds{"2, the second 100 us later", packet_test::two_flows(), 0.9, 0.99,
                               any},
                 SharingBounds{"8, one each 20 us", packet_test::eight_flows(), 0.9, 0.98, 400'000},
             }) {
            const Sharing result = row.scenario.run(topology::standard_choice(algorithm));
            table.add({label, row.name, decimals(result.utilisation, 3),
                       decimals(result.fairness(), 3), decimals(result.most_queue / 1000, 1),
                       bounds_text(row.least_utilisation, row.least_fairness, row.most_queue)},
                      result.utilisation >= row.least_utilisation &&
                          result.fairness() >= row.least_fairness &&
                          result.most_queue <= row.most_queue);
        }
    }
    return table;
}

Table scenarios() {
    Table table{"Shapes of the papers",
                {"scenario", "algorithm", "expected shape", "figure", "value", "bound"},
                {},
                {}};
    add_incast(table);
    add_fair_shares(table);
    add_victim(table);
    add_storm(table);
    return table;
}

}  // namespace npunet::validation
