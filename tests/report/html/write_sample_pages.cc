// Writes the pages that the test in a browser opens: write_sample_pages DIR.
#include <fstream>
#include <iostream>
#include <string>

#include "report/comparison/side_by_side.h"
#include "report/html/data_table.h"
#include "report/html/page.h"
#include "report/html/report_pages.h"
#include "tests/report/html/sample_pages.h"
#include "tests/report/sample_results.h"
#include "tests/report/sample_timeline.h"

namespace npunet::report {
namespace {

/// Numbers that doubles cannot tell apart, negative ones, and what is no number.
std::string numbers_page() {
    DataTable table(
        "numbers-table", "Numbers",
        {{"name"}, {"exact", "ns", DataTable::Kind::Exact}, {"real", "", DataTable::Kind::Real}});
    table.add({"b", "9223372036854775.807", "0.1"});
    table.add({"a", "9223372036854775.806", "1e+22"});
    table.add({"a10", "nan", "inf"});
    table.add({"a9", "-12345.5", "-3"});
    table.add({"c", "9223372036854775.8065", "12345.678"});
    table.add({"d", "0", "5e-324"});
    table.add({"e", "-12345.25", "2.5"});
    table.add({"f", "", "2.25"});
    Page page("Numbers");
    page.add({"numbers", "Numbers", table.html()});
    return page.html();
}

int write_all(const std::string& folder) {
    const SampleComparison comparison = sample_comparison();
    const SampleComparison large = large_comparison(1024, 20'000);
    const InputList inputs{{"--network", hostile_texts()[1]}};
    const std::pair<const char*, std::string> pages[] = {
        {"numbers", numbers_page()},
        {"hostile", results_page(hostile_results(), inputs)},
        {"comparison", comparison_page(comparison.runs, comparison.why, inputs)},
        {"timeline", results_page(sample_results(), step_timeline({2, 2, 1, 4, 2, 2}), inputs)},
        {"hostile-timeline", results_page(sample_results(), hostile_timeline(), inputs)},
        {"large-timeline",
         results_page(sample_results(), step_timeline({8, 8, 16, 32, 14, 32}), inputs)},
        {"side-by-side",
         side_by_side_page({step_timeline({2, 2, 1, 4, 2, 0}), step_timeline({2, 2, 1, 5, 2, 0})})},
        {"large", results_page(large.runs[1], inputs)},
        {"large-comparison", comparison_page(large.runs, large.why, inputs)}};
    for (const auto& [name, html] : pages) {
        std::ofstream file(folder + "/" + name + ".html");
        file << html;
        if (!file.flush()) {
            std::cerr << "cannot write to " << folder << '\n';
            return 1;
        }
    }
    return 0;
}

}  // namespace
}  // namespace npunet::report

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: write_sample_pages DIR\n";
        return 2;
    }
    return npunet::report::write_all(arguments[1]);
}
