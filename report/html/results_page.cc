#include "report/html/report_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/simulated_timeline.h"
#include "base/units.h"
#include "report/html/drawings.h"
#include "report/html/page.h"
#include "report/html/results_tables.h"
#include "report/html/timeline_charts.h"
#include "report/results/npu_summary.h"
#include "report/results/step_rates.h"
#include "report/results/step_summary.h"

namespace npunet::report {

namespace {

using engine::Results;
using Kind = DataTable::Kind;

std::string short_and_exact(Time time) {
    return fmt::format("{} ({} ns)", format_time(time), format_ns(time));
}

/// The title of the page names the finish already; here it is exact.
std::vector<Fact> facts_of(const Results& results) {
    std::vector<Fact> facts{
        {results.partial ? "Stopped at" : "Finish time", short_and_exact(results.finish)}};
    if (results.partial) {
        facts.push_back({"Partial", engine::describe(*results.partial)});
    }
    if (results.rates) {
        for (const auto& [name, value] : step_rates_facts(*results.rates)) {
            facts.push_back({name, value});
        }
    }
    for (const auto& [name, value] : step_summary_facts(results)) {
        facts.push_back({name, value});
    }
    facts.push_back({"Fidelity", results.fidelity});
    facts.push_back({"Dialect", results.dialect});
    return facts;
}

/// "packet", "packet, PARTIAL"
std::string fidelity_of(const Results& results) {
    return results.fidelity + (results.partial ? ", PARTIAL" : "");
}

void add_notes(std::string& body, const std::vector<std::string>& notes) {
    if (!notes.empty()) {
        body += "<h3>Notes</h3>\n" + bullet_list(notes);
    }
}

void add_npus(Page& page, const Results& results) {
    if (!results.npus.empty()) {
        page.add({"npus", "NPUs", npu_columns(results) + npus_table(results).html()});
    }
}

void add_collectives_section(Page& page, const Results& results) {
    if (!results.collectives.empty()) {
        page.add({"collectives", "Collectives", collectives_table(results).html()});
    }
}

void add_timeline(Page& page, const analysis::RunTimeline& timeline) {
    const std::string chart = chart_html({{"", &timeline}});
    if (!chart.empty()) {
        page.add({"timeline", "Timeline", chart});
    }
}

void add_links(Page& page, const Results& results, const std::string& drawings = "") {
    if (!results.links.empty()) {
        page.add({"links", "Links",
                  drawings + link_classes_table(results).html() + links_table(results).html()});
    }
}

std::string jobs_table_html(const engine::JobsResults& results) {
    DataTable table("jobs-table", "Jobs",
                    {{"job"},
                     {"NPUs"},
                     {"start", "", Kind::Time},
                     {"finish", "", Kind::Time},
                     {"duration", "", Kind::Time}});
    for (const engine::JobResult& job : results.jobs) {
        std::vector<Rank> npus;
        for (const NodeId npu : job.npus) {
            npus.emplace_back(npu.value());
        }
        std::sort(npus.begin(), npus.end());
        table.add({job.name, format_ranks(npus), format_ns(job.start), format_ns(job.finish()),
                   format_ns(job.duration())});
    }
    return table.html();
}

}  // namespace

std::string results_page(const Results& results, const InputList& inputs) {
    return results_page(results, analysis::simulated_timeline(results), inputs);
}

std::string results_page(const Results& results, const analysis::RunTimeline& timeline,
                         const InputList& inputs) {
    Page page(
        fmt::format("Simulation ({}): {}", fidelity_of(results), format_time(results.finish)));
    std::vector<Fact> facts = facts_of(results);
    facts.push_back({"NPUs", fmt::format("{}", results.npus.size())});
    facts.push_back({"Collectives", fmt::format("{}", results.collectives.size())});
    facts.push_back({"Links", fmt::format("{}", results.links.size())});
    std::string body = fact_list(facts);
    add_notes(body, results.notes);
    page.add({"summary", "Summary", body + inputs_table(inputs)});
    add_npus(page, results);
    add_timeline(page, timeline);
    add_collectives_section(page, results);
    add_links(page, results, link_map_html(timeline) + link_matrix_html(timeline));
    return page.html();
}

std::string timeline_page(const analysis::RunTimeline& timeline, const InputList& inputs) {
    Page page(fmt::format("Timeline ({}): {}", timeline.label, format_time(timeline.length)));
    std::string body = fact_list(
        {{"Length", short_and_exact(timeline.length)},
         {"Run", timeline.source == analysis::RunSource::Measured ? "measured" : "simulated"},
         {"Ranks", fmt::format("{}", timeline.ranks().size())},
         {"Intervals", fmt::format("{}", timeline.intervals.size())}});
    add_notes(body, timeline.notes);
    page.add({"summary", "Summary", body + inputs_table(inputs)});
    add_timeline(page, timeline);
    const std::string links = link_map_html(timeline) + link_matrix_html(timeline);
    if (!links.empty()) {
        page.add({"links", "Links", links});
    }
    return page.html();
}

std::string results_page(const engine::JobsResults& results, const InputList& inputs) {
    Page page(fmt::format("Simulation of {} jobs ({}): {}", results.jobs.size(),
                          fidelity_of(results.all), format_time(results.all.finish)));
    std::string body = fact_list(facts_of(results.all));
    add_notes(body, results.all.notes);
    page.add({"summary", "Summary", body + inputs_table(inputs)});
    page.add({"jobs", "Jobs", jobs_table_html(results)});
    add_links(page, results.all);
    return page.html();
}

std::string job_page(const engine::JobResult& job, const analysis::RunTimeline& timeline,
                     const InputList& inputs) {
    Page page(fmt::format("Job {} ({}): {}", job.name, fidelity_of(job.results),
                          format_time(job.duration())));
    std::vector<Fact> facts = facts_of(job.results);
    facts.push_back({"Start", short_and_exact(job.start)});
    facts.push_back({"Duration", short_and_exact(job.duration())});
    facts.push_back({"NPUs", fmt::format("{}", job.npus.size())});
    std::string body = fact_list(facts);
    add_notes(body, job.results.notes);
    page.add({"summary", "Summary", body + inputs_table(inputs)});
    add_npus(page, job.results);
    add_timeline(page, timeline);
    add_collectives_section(page, job.results);
    return page.html();
}

}  // namespace npunet::report
