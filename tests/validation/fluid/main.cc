// Holds a fidelity against packets on many pairs of a network and traffic, prints tables in
// Markdown and ends with 1 when a bar does not hold; 2 for bad options.
//
//     fluid_against_packets --sample              # what the test runs
//     fluid_against_packets --all --csv pairs.csv # the product; goes on where it was interrupted
//     fluid_against_packets --hold-out --csv pairs.csv
//     fluid_against_packets --all --csv pairs.csv --again      # the model was changed, packets not
//     fluid_against_packets --all --csv pairs.csv --no-runs    # tables of what is there
//     fluid_against_packets --only ring-8/all-to-all --show    # the network.yml of pairs
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/thread_pool.h"
#include "pair_report.h"
#include "pair_runs.h"
#include "pairs.h"

namespace npunet::validation {
namespace {

struct Options {
    bool sample = false;
    bool all = false;
    bool hold_out = false;
    std::vector<std::string> only;  ///< parts of names
    std::size_t jobs = 1;
    std::string fidelity = "fluid";
    std::string csv;
    std::string outcomes;  ///< a file
    double limit = 600;    ///< seconds of the processor for a run
    bool again = false;
    bool no_runs = false;
    bool list = false;
    bool show = false;
};

void declare(CLI::App& app, Options& options) {
    app.add_flag("--sample", options.sample, "The fixed sample of the test");
    app.add_flag("--all", options.all, "The whole product (the default with --only)");
    app.add_flag("--hold-out", options.hold_out, "100 pairs that no rule of the model was made on");
    app.add_option("--only", options.only, "Pairs with this in their names; may be repeated");
    app.add_option("--jobs", options.jobs, "Pairs at a time")->check(CLI::Range(1, 64));
    app.add_option("--fidelity", options.fidelity,
                   "What is compared with packets, or 'none' to "
                   "run only estimate and packets");
    app.add_option("--csv", options.csv, "Runs are kept in this file, and not done again");
    app.add_option("--outcomes", options.outcomes, "Writes errors by pair to this file");
    app.add_option("--limit", options.limit, "Most seconds of the processor for a run");
    app.add_flag("--again", options.again, "Runs the compared fidelity again");
    app.add_flag("--no-runs", options.no_runs, "Tables of the runs in --csv");
    app.add_flag("--list", options.list, "Names of the pairs, with why some cannot run");
    app.add_flag("--show", options.show, "The network.yml of each pair");
}

bool is_wanted(const Pair& pair, const Options& options) {
    return options.only.empty() ||
           std::any_of(options.only.begin(), options.only.end(), [&](const std::string& part) {
               return pair.name.find(part) != std::string::npos;
           });
}

std::vector<Pair> wanted_pairs(const Options& options) {
    std::vector<Pair> pairs;
    const auto add = [&](const std::vector<Pair>& some) {
        std::copy_if(some.begin(), some.end(), std::back_inserter(pairs),
                     [&](const Pair& pair) { return is_wanted(pair, options); });
    };
    if (options.sample) {
        add(sample_pairs());
    } else if (options.all || !options.hold_out) {
        add(product_pairs());
    }
    if (options.hold_out) {
        add(hold_out_pairs());
    }
    return pairs;
}

std::vector<RunKind> runs_of(const Options& options) {
    std::vector<RunKind> runs{run_at("analytical"), run_at("packet"), deep_packet_run()};
    if (options.fidelity != "none") {
        runs.push_back(run_at(options.fidelity));
    }
    return runs;
}

/// Cheapest first, so that a run that is interrupted has compared as much as it can.
std::vector<const Pair*> by_cost(const std::vector<Pair>& pairs) {
    std::vector<const Pair*> order;
    for (const Pair& pair : pairs) {
        order.push_back(&pair);
    }
    const auto cost = [](const Pair* pair) {
        return pair->traffic.bytes * static_cast<std::int64_t>(pair->network.npus);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Pair* a, const Pair* b) { return cost(a) < cost(b); });
    return order;
}

void run_all(const std::vector<Pair>& pairs, const Options& options, RunFile& file) {
    const std::vector<RunKind> runs = runs_of(options);
    const std::vector<const Pair*> order = by_cost(pairs);
    std::mutex mutex;
    std::size_t done = 0;
    for_each_in_parallel(
        order.size(),
        [&](std::size_t i) {
            const Pair& pair = *order[i];
            for (const RunKind& run : runs) {
                if (!file.has(pair.name, run.name) ||
                    (options.again && run.name == options.fidelity)) {
                    file.add(run_pair(pair, run, options.limit));
                }
            }
            const std::lock_guard lock(mutex);
            if (++done % 100 == 0) {
                std::cerr << done << " of " << order.size() << " pairs\n";
            }
        },
        options.jobs);
}

int report(const std::vector<Pair>& pairs, const Options& options, const RunFile& file) {
    const Outcomes outcomes = outcomes_of(pairs, file, options.fidelity);
    const Table bars = bar_table(outcomes);
    for (const Table& table :
         {bars, error_table(outcomes, options.fidelity), worst_table(outcomes, 10),
          left_out_table(outcomes), time_table(outcomes, file, options.fidelity)}) {
        std::cout << "### " << table.title << "\n\n" << markdown(table) << '\n';
    }
    if (!options.outcomes.empty()) {
        std::ofstream(options.outcomes) << outcomes_csv(outcomes);
    }
    std::cout << outcomes.pairs.size() << " of " << pairs.size() << " pairs compared, "
              << outcomes.left_out.size() << " cannot run, " << outcomes.not_run
              << " were not run; " << bars.failures.size() << " of " << bars.rows.size()
              << " bars do not hold\n";
    return bars.failures.empty() && outcomes.not_run == 0 ? 0 : 1;
}

int run(const Options& options) {
    const std::vector<Pair> pairs = wanted_pairs(options);
    if (options.list || options.show) {
        for (const Pair& pair : pairs) {
            std::cout << pair.name
                      << (pair.traffic.unable.empty() ? "" : ": " + pair.traffic.unable) << '\n';
            if (options.show) {
                std::cout << network_text(pair, Buffers::AsTheyAre) << '\n';
            }
        }
        return 0;
    }
    RunFile file(options.csv);
    if (!options.no_runs) {
        run_all(pairs, options, file);
    }
    return options.fidelity == "none" ? 0 : report(pairs, options, file);
}

}  // namespace
}  // namespace npunet::validation

int main(int argc, char** argv) {
    CLI::App app("Compares a fidelity with packets");
    npunet::validation::Options options;
    npunet::validation::declare(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        return npunet::validation::run(options);
    } catch (const npunet::InputError& error) {
        std::cerr << "fluid_against_packets: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "fluid_against_packets: " << error.what() << '\n';
        return 1;
    }
}
