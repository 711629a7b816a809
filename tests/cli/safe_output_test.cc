// Untrusted names never reach a terminal as control sequences or a spreadsheet as formulas.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>

#include "base/printable.h"
#include "cli/console/safe_output.h"
#include "tests/cli/bad_input.h"

namespace npunet::cli {
namespace {

using ::testing::HasSubstr;

/// Written in pieces of this many bytes.
std::string shown(const std::string& text, std::size_t piece) {
    std::ostringstream target;
    {
        SafeOutput safe(target);
        std::ostream out(&safe);
        for (std::size_t at = 0; at < text.size(); at += piece) {
            out << text.substr(at, piece);
        }
    }
    return target.str();
}

TEST(SafeOutput, EscapesWhatATerminalWouldObey) {
    const std::string esc = "\x1b";
    for (const std::size_t piece : {1, 2, 3, 100}) {
        EXPECT_EQ(shown("plain\ttext\n", piece), "plain\ttext\n");
        EXPECT_EQ(shown(esc + "[31m\r\x7F\n", piece), "\\u001b[31m\\u000d\\u007f\n");
        EXPECT_EQ(shown("\xC2\x9B"
                        "31m",
                        piece),
                  "\\u009b31m");
        EXPECT_EQ(shown("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", piece),
                  "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
        EXPECT_EQ(shown("\xFF\x9B\xC3\n", piece), "\\xff\\x9b\\xc3\n");
    }
}

// 2000 random strings: the output is UTF-8 without control characters however the input is split,
// and as part of a JSON document it keeps its meaning.
TEST(SafeOutput, IsSafeForAnyBytes) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (std::size_t left = random() % 40; left > 0; --left) {
            const std::uint64_t draw = random();
            text += draw % 4 == 0   ? static_cast<char>(draw >> 8)
                    : draw % 4 == 1 ? static_cast<char>((draw >> 8) % 32)
                    : draw % 4 == 2 ? '\xC2'
                                    : static_cast<char>(0x80 + (draw >> 8) % 32);
        }
        const std::string safe = shown(text, 1 + random() % 5);
        EXPECT_EQ(safe, shown(text, 1000));
        for (std::size_t at = 0; at < safe.size();) {
            const std::size_t length = character_length(safe, at);
            const bool kept = safe[at] == '\n' || safe[at] == '\t';
            ASSERT_TRUE(kept || (length > 0 && !is_late_control(safe, at))) << at;
            at += kept ? 1 : length;
        }
        const std::string document =
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        EXPECT_EQ(nlohmann::json::parse(shown(document, 3)), nlohmann::json::parse(document));
    }
}

class Printers : public BadInput {
protected:
    /// A name with colour codes and line ends that is also a formula.
    const std::string evil_ =
        "=1+2\x1b[31m\n\x07\xC2\x9B"
        "31m";

    void SetUp() override {
        BadInput::SetUp();
        for (std::int32_t rank = 0; rank < 2; ++rank) {
            chakra::Node node = test::collective_node(1, chakra::CollectiveType::AllReduce, 4096);
            node.name = evil_;
            node.set_integer(evil_, 7);
            chakra::Node wrong = test::compute_node(2, 5, {1, 99});
            wrong.name = evil_;
            chakra::write_trace(folder_ / ("w." + std::to_string(rank) + ".et"), {node});
            chakra::write_trace(folder_ / ("x." + std::to_string(rank) + ".et"), {node, wrong});
        }
    }
    static void expect_safe(const std::string& text) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            const bool control = static_cast<unsigned char>(text[at]) < 0x20 ||
                                 text[at] == '\x7F' || is_late_control(text, at);
            ASSERT_TRUE(!control || text[at] == '\n' || text[at] == '\t')
                << "at byte " << at << ": " << printable(text, 4096);
        }
    }
};

// All commands that print names from traces.
TEST_F(Printers, OfTracesAreSafe) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"trace", "info", path("w.0.et")},
             {"trace", "info", path("w")},
             {"trace", "info", path("w.0.et"), "--json"},
             {"trace", "print", path("w.0.et")},
             {"trace", "print", path("w.0.et"), "--form", "json"},
             {"trace", "print", path("w.0.et"), "--form", "jsonizer"},
             {"trace", "validate", path("x")},
             {"trace", "validate", path("x"), "--json"},
             {"simulate", "--workload", path("w"), "--network", path("ring2.yml")},
             {"simulate", "--workload", path("w"), "--network", path("ring2.yml"), "--json"},
             {"simulate", "--workload", path("x"), "--network", path("ring2.yml")},
             {"compare", "--workload", path("w"), "--network", path("ring2.yml"), "--fidelities",
              "analytical,congestion-aware"},
             {"simulate", "--workload", path(evil_), "--network", path("ring2.yml")},
             {"simulate", "--workload", path("w"), "--network", path(evil_)},
             {"topology", path("ring2.yml"), "--route", evil_, evil_},
         }) {
        const Outcome outcome = run(command);
        SCOPED_TRACE(command[0] + ' ' + command[1]);
        expect_safe(outcome.out);
        expect_safe(outcome.log);
    }
    // A name stays within one cell of one row.
    const std::string info = run({"trace", "info", path("w.0.et")}).out;
    EXPECT_THAT(info, HasSubstr("=1+2\\x1b[31m\\n\\x07\\xc2\\x9b31m  int64_val "));
    // --json preserves the name of the file.
    const auto json = nlohmann::json::parse(run({"trace", "info", path("w.0.et"), "--json"}).out);
    EXPECT_TRUE(json["files"][0]["attributes"].contains(evil_ + ":int64_val"));
}

TEST_F(Printers, OfResultsAreSafe) {
    ASSERT_EQ(simulate("ring2.yml", {"--fidelity", "congestion-aware", "--flows"}).code, 0);
    ASSERT_EQ(run({"report", path("out"), "--quiet"}).code, 0);
    for (const char* name : {"results.json", "npus.csv", "collectives.csv", "links.csv",
                             "flows.csv", "report.html", "figures/gantt.svg"}) {
        SCOPED_TRACE(name);
        expect_safe(test::bytes_of(folder_ / "out" / name));
    }
    EXPECT_THAT(test::bytes_of(folder_ / "out/collectives.csv"),
                HasSubstr("0,'=1+2\\x1b[31m\\n\\x07\\xc2\\x9b31m,all_reduce,"));
    const auto json = nlohmann::json::parse(test::bytes_of(folder_ / "out/results.json"));
    EXPECT_EQ(json["collectives"][0]["name"], evil_);
}

}  // namespace
}  // namespace npunet::cli
