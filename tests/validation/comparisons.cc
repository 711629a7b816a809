// Groups of tests, run by their own programs; how many cases each compared stands in their reports.

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "packet/make_packet_network.h"
#include "tests/support/counted_cases.h"
#include "tests/support/temporary_folder.h"
#include "validation_table.h"

namespace npunet::validation {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The filter of GoogleTest for what the expression of ctest -R selects: a text in the name, at its
/// end where a $ follows.
std::string filter_of(const std::string& tests) {
    return tests.back() == '$' ? '*' + tests.substr(0, tests.size() - 1) : '*' + tests + '*';
}

/// The suites of the ns-3 module run in ns-3's own framework.
const std::string ns3_runner = "ns3-module/suites/npunet-test-runner";

/// Tests of the report of GoogleTest.
Outcome outcome_of(const Json& report) {
    Outcome outcome;
    for (const Json& suite : report.at("testsuites")) {
        for (const Json& test : suite.at("testsuite")) {
            outcome.failed += test.contains("failures") ? 1 : 0;
            if (test.at("result") == "SKIPPED") {
                ++outcome.skipped;
            } else {
                outcome.cases += std::stoull(test.value(test::cases_property, std::string("1")));
            }
        }
    }
    return outcome;
}

/// Cases of the suite that ns-3's framework lists, each in a line of its own below the suite's.
Outcome outcome_of_suite(const std::string& printed) {
    Outcome outcome;
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
        outcome.cases += line.rfind("  PASS ", 0) == 0 || line.rfind("  FAIL ", 0) == 0 ? 1 : 0;
        outcome.failed += line.rfind("  FAIL ", 0) == 0 ? 1 : 0;
    }
    return outcome;
}

Outcome try_tests(const Comparison& comparison, const std::string& build) {
    const test::TemporaryFolder folder;
    const fs::path program = fs::path(build) / "tests" / comparison.program;
    if (!fs::exists(program)) {
        throw std::runtime_error(program.string() + " is not built");
    }
    const fs::path printed = folder / "printed";
    const fs::path report = folder / "report.json";
    const bool suite = comparison.program == ns3_runner;
    const std::string options =
        suite ? fmt::format("--suite={} --verbose", comparison.tests.substr(4))
              : fmt::format("--gtest_filter='{}' --gtest_output='json:{}'",
                            filter_of(comparison.tests), report.string());
    // Its exit status has no more information than the report ('!': GCC ignores a cast to void).
    static_cast<void>(!std::system(
        fmt::format("'{}' {} >'{}' 2>&1", program.string(), options, printed.string()).c_str()));
    if (suite) {
        return outcome_of_suite(test::bytes_of(printed));
    }
    if (!fs::exists(report)) {
        throw std::runtime_error(comparison.tests + ": no report\n" + test::bytes_of(printed));
    }
    return outcome_of(Json::parse(test::bytes_of(report)));
}

Table empty_table(const std::string& title) {
    return {title, {"what", "compared with", "cases", "failed tests", "`ctest -R`"}, {}, {}};
}

std::vector<std::string> row_of(const Comparison& comparison, const std::string& cases,
                                const std::string& failed) {
    return {comparison.what, comparison.with, cases, failed, '`' + comparison.tests + '`'};
}

}  // namespace

const std::vector<Comparison>& recordings() {
    static const std::string program = "study/study_tests";
    static const std::string recorded = "recorded results";
    static const std::vector<Comparison> all{
        {"analytical network, from recorded traces", recorded, program,
         "ReferenceResults.EveryCaseIsExact", 78, true},
        {"analytical network, traces of the stage dialect", recorded, program,
         "ReferenceResults.EveryGeneratedCaseIsExact", 21, true},
        {"congestion-aware network, from recorded traces", recorded, program,
         "ReferenceResults.EveryCongestionAwareCaseIsExact", 36, true},
        {"congestion-aware network, traces of the stage dialect", recorded, program,
         "ReferenceResults.EveryGeneratedCongestionAwareCaseIsExact", 9, true},
        {"issue order of March 2025, from recorded traces", recorded, program,
         "ReferenceResults.CasesOfTheEarlierIssueOrderAreExact", 9, true},
        {"issue order of March 2025, traces of the stage dialect", recorded, program,
         "ReferenceResults.GeneratedCasesOfTheEarlierIssueOrderAreExact", 17, true},
    };
    return all;
}

const std::vector<Comparison>& oracles() {
    static const std::vector<Comparison> all{
        {"packets on fixed routes", "a network in which every arrival, end and credit is an event",
         "packet/packet_tests", "PacketMachineOracle", 600},
        {"adaptive choice of paths", "the same", "packet/packet_tests", "MultipathOracle", 300},
        {"Ethernet-like switches: pauses, drops, marks, transport, congestion control",
         "a network of its own, as plain", "packet/packet_tests", "EthernetOracleOfRandom", 400},
        {"the same where windows close after losses", "the same", "packet/packet_tests",
         "EthernetOracle.AgreesWhereWindowsCloseAfterLosses", 18},
        {"the same where small buffers drop packets", "the rules in full of docs/transport.md",
         "packet/packet_tests", "LossyNetworkOracle", 1000},
        {"congestion-aware network", "a network without events or queues",
         "analytical/analytical_tests", "CongestionAwareOracle.EqualsThePlainNetwork$", 300},
        {"the same while links are slow, late or down", "the same", "analytical/analytical_tests",
         "CongestionAwareOracle.EqualsThePlainNetworkUnderFaults", 60},
        {"NPUs that behave alike, simulated once", "every NPU simulated", "study/study_tests",
         "Fold.RandomProgramsOnRandomMachines", 1000},
        {"parts of the difference of two fidelities", "their sum, and 0 where a cause is absent",
         "study/study_tests", "RandomEffectLevels", 500},
        {"its steps below flow control", "the same under other transports and congestion control",
         "study/study_tests", "RandomTransportOfEffectLevels", 100},
        {"least time of the busiest link", "a plain integral; runs in which messages share links",
         "study/study_tests", "LinkBound.OfRandomRunsOnRandomNetworks", 300},
        {"fabric in ns-3's simulator", "closed forms and hand-made schedules", ns3_runner,
         "ns3.npu-fabric", 4},
        {"collectives over ns-3's TCP and UDP on its own links",
         "closed forms; bytes also by its FlowMonitor", ns3_runner, "ns3.npu-socket", 5},
        {"ns-3's IP traffic through the fabric", "closed forms and its FlowMonitor", ns3_runner,
         "ns3.npu-internet", 5},
    };
    return all;
}

const std::vector<Comparison>& generated() {
    static const std::vector<Comparison> all{
        {"traces and groups of the stage dialect", "STAGE's files, byte for byte",
         "generators/generators_tests", "Stage.WritesTheFilesOfStageByteForByte", 21, true},
        {"traces of text workloads", "files of Chakra's converter, byte for byte",
         "generators/generators_tests", "TextTest.WritesTheFilesOfTheConverterByteForByte", 14,
         true},
        {"logs of the genstack dialect", "recorded logs, by SHA-256",
         "generators/megatron/megatron_tests", "GenstackLogs.EqualTheRecordedOnes", 56, true},
        {"logs of whole runs in the genstack dialect", "the original's, by SHA-256",
         "generators/megatron/megatron_tests", "GenstackLogs.HaveTheSumsOfTheDerivedCases", 8,
         true},
        {"permutations of recorded logs", "what the original printed",
         "generators/megatron/megatron_tests", "RecordedPermutations.AreThoseOfTheOriginal", 2,
         true},
        {"permutations of logs that npunet writes", "what the original printed",
         "generators/megatron/megatron_tests",
         "PermutationsCommand.DerivedCasesAreThoseOfTheOriginal", 7, true},
        {"files of Megatron-LM's parallel groups", "the original writer's, byte for byte",
         "generators/megatron/megatron_tests", "ParallelGroupsData.IsReproducedByteForByte", 4,
         true},
        {"Metis's search, both strategies", "runs of the original, bit for bit",
         "planner/planner_tests", "OriginalRun.IsRepeatedBitForBit", 52, true},
        {"Metis's search for uniform plans", "runs of the original, bit for bit",
         "planner/planner_tests", "UniformRun.IsRepeatedBitForBit", 3, true},
        {"classes of kernels in profiles", "TraceViz's nine tables, every row",
         "analysis/analysis_tests", "OverlappingTablesOf.AreTheReferences", 20, true},
        {"lengths of unions and overlaps", "TraceViz's", "analysis/analysis_tests",
         "TimeSpans.AreTheReferences", 23, true},
        {"layout, colours and labels of figures", "TraceViz's", "report/report_tests",
         "ReferenceVectors", 5, true},
        {"findings in Chakra traces, recorded and made ones", "counts of an independent reader",
         "chakra/chakra_tests", "ValidationOfRealTraces.CountsAgree", 463, true},
    };
    return all;
}

Table stated(const std::string& title, const std::vector<Comparison>& comparisons) {
    Table table = empty_table(title);
    for (const Comparison& comparison : comparisons) {
        table.add(row_of(comparison, std::to_string(comparison.cases), "0"), true);
    }
    return table;
}

Table tried(const std::string& title, const std::vector<Comparison>& comparisons,
            const std::string& build) {
    Table table = empty_table(title);
    for (const Comparison& comparison : comparisons) {
        if (comparison.needs_shared && !fs::exists(NPUNET_SHARED_DIR)) {
            table.add(row_of(comparison, "skipped: no recordings", "-"), true);
        } else if (comparison.program == ns3_runner &&
                   !fs::exists(fs::path(build) / "tests" / ns3_runner)) {
            table.add(row_of(comparison, "skipped: no ns-3", "-"), true);
        } else {
            const Outcome outcome = try_tests(comparison, build);
            table.add(
                row_of(comparison, std::to_string(outcome.cases), std::to_string(outcome.failed)),
                outcome.failed == 0 && outcome.cases == comparison.cases);
        }
    }
    return table;
}

}  // namespace npunet::validation
