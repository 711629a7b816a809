// npunet trace validate: which files it looks at, what it prints, how it ends; and that it agrees
// with what the engine accepts.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/errors.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "engine/program/workload_loader.h"
#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli::trace_validate_test {
namespace {

namespace fs = std::filesystem;
using chakra::Node;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class TraceValidate : public ::testing::Test {
protected:
    [[nodiscard]] std::string at(const std::string& name) const { return folder_ / name; }

    /// A small step on four NPUs, tensors split in two and two stages.
    void generate() {
        const Outcome made =
            run("generate transformer --dmodel 64 --dff 128 --head 4 --kvhead 4 --num-stacks 2 "
                "--dvocal "
                "128 --seq 32 --batch 2 --tp 2 --pp 2 --output-dir " +
                at(""));
        ASSERT_EQ(made.code, 0) << made.log;
        workload_ = at("workload");
        groups_ = at("comm_group.json");
    }

    std::vector<Node> nodes_of(int rank) const {
        return chakra::read_trace(fmt::format("{}.{}.et", workload_, rank));
    }
    void write(int rank, const std::vector<Node>& nodes) const {
        chakra::write_trace(fmt::format("{}.{}.et", workload_, rank), nodes,
                            chakra::TraceMetadata{});
    }
    [[nodiscard]] Outcome validate(const std::string& more = "") const {
        return run(fmt::format("trace validate {} --comm-group {} {}", workload_, groups_, more));
    }

    test::TemporaryFolder folder_;
    std::string workload_;
    std::string groups_;
};

TEST_F(TraceValidate, GeneratedWorkloadsHaveNoFindings) {
    generate();
    const Outcome all = validate("--strict");
    EXPECT_EQ(all.code, 0) << all.out << all.log;
    EXPECT_THAT(all.out, HasSubstr("4 traces, "));
    EXPECT_THAT(all.out, HasSubstr(" nodes: no findings\n"));
    const Json none = Json::parse(validate("--json").out);
    EXPECT_EQ(none.at("errors"), 0);
    EXPECT_EQ(none.at("warnings"), 0);
    EXPECT_TRUE(none.at("findings").empty());
    for (const char* type : {"all_reduce", "all_to_all", "send_recv", "broadcast"}) {
        const std::string folder = at(type);
        ASSERT_EQ(run(fmt::format("generate collective --type {} --size 1MiB --npus {} --repeat 3 "
                                  "--output-dir {}",
                                  type, type == std::string("send_recv") ? 2 : 4, folder))
                      .code,
                  0);
        const Outcome one = run(fmt::format(
            "trace validate {}/workload --comm-group {}/comm_group.json --strict", folder, folder));
        EXPECT_EQ(one.code, 0) << one.out << one.log;
        EXPECT_THAT(one.out, HasSubstr("no findings"));
    }
}

TEST_F(TraceValidate, ErrorsEndWithTwoAndSayWhere) {
    generate();
    std::vector<Node> nodes = nodes_of(2);
    for (std::size_t i = 0; i < 9; ++i) {
        nodes[i].data_deps.push_back(1'000'000);
    }
    write(2, nodes);
    const Outcome text = validate();
    EXPECT_EQ(text.code, 2);
    EXPECT_THAT(text.out, HasSubstr("error    rank 2  "));
    EXPECT_THAT(text.out, HasSubstr("and 4 more\n"));
    EXPECT_THAT(text.out, HasSubstr("9 errors\n"));
    EXPECT_THAT(text.log, HasSubstr("bad input"));
    const Outcome document = validate("--json");
    EXPECT_EQ(document.code, 2);
    const Json json = Json::parse(document.out);
    EXPECT_EQ(json.at("errors"), 9);
    ASSERT_EQ(json.at("findings").size(), 9U);
    const Json& first = json.at("findings")[0];
    EXPECT_EQ(first.at("severity"), "error");
    EXPECT_EQ(first.at("code"), "dangling-dependency");
    EXPECT_EQ(first.at("rank"), 2);
    EXPECT_EQ(first.at("node"), nodes[0].id);
}

TEST_F(TraceValidate, StrictFailsOnWarnings) {
    generate();
    std::vector<Node> nodes = nodes_of(0);
    nodes.back().ctrl_deps.push_back(1'000'000);
    write(0, nodes);
    EXPECT_EQ(validate().code, 0);
    EXPECT_EQ(validate("--strict").code, 2);
}

// Every finding has the same keys.
TEST_F(TraceValidate, FindingsNameTheirFile) {
    generate();
    std::vector<Node> nodes = nodes_of(1);
    nodes.front().data_deps.push_back(1'000'000);
    write(1, nodes);
    std::ofstream(groups_) << R"({"9": [0, 1, 2, 3, 4]})";
    const Json json = Json::parse(validate("--json").out);
    int of_the_workload = 0;
    for (const Json& finding : json.at("findings")) {
        const bool workload = finding.at("code") == "absent-rank";
        of_the_workload += workload ? 1 : 0;
        EXPECT_EQ(finding.at("file").is_null(), workload) << finding;
    }
    EXPECT_EQ(of_the_workload, 1);
}

TEST_F(TraceValidate, FilesAndPrefixes) {
    generate();
    const std::string all = fmt::format("{0}.0.et {0}.1.et {0}.2.et {0}.3.et", workload_);
    EXPECT_THAT(run("trace validate " + all + " --comm-group " + groups_).out,
                HasSubstr("no findings"));
    const Json one = Json::parse(run(fmt::format("trace validate {}.3.et --json", workload_)).out);
    EXPECT_EQ(one.at("traces"), 1);
    EXPECT_EQ(one.at("errors"), 0);
    fs::copy_file(workload_ + ".3.et", at("lonely.et"));
    EXPECT_EQ(run("trace validate " + at("lonely.et")).code, 0);
    const Outcome twice = run(fmt::format("trace validate {0}.0.et {0}.0.et", workload_));
    EXPECT_EQ(twice.code, 2);
    EXPECT_THAT(twice.log, HasSubstr("second trace of rank 0"));
    EXPECT_EQ(run("trace validate " + at("nothing")).code, 2);
    EXPECT_THAT(run(fmt::format("trace validate {}.0.et {}", workload_, at("nothing"))).log,
                HasSubstr("no such file"));
    EXPECT_EQ(run("trace validate --deps ctrl " + all).code, 2);
}

/// Something about a node that may make it wrong.
void spoil(std::vector<Node>& nodes, std::mt19937& random) {
    Node& node = nodes[random() % nodes.size()];
    static const std::vector<std::string> names{
        "comm_type",  "comm_size",   "comm_src", "comm_dst",      "comm_tag",
        "comm_root",  "pg_name",     "num_ops",  "comm_priority", "is_cpu_op",
        "comm_sizes", "tensor_size", "outputs",  "duration_ns"};
    const std::string& name = names[random() % names.size()];
    switch (random() % 8) {
        case 0:
            node.data_deps.push_back(nodes[random() % nodes.size()].id);
            return;
        case 1:
            node.data_deps.push_back(node.id + random() % 500);
            return;
        case 2:
            node.ctrl_deps.push_back(nodes[random() % nodes.size()].id);
            return;
        case 3:
            node.type = static_cast<chakra::NodeType>(random() % 8);
            return;
        case 4:
            std::erase_if(node.attributes, [&](const auto& a) { return a.name == name; });
            return;
        case 5:
            node.set_integer(name, static_cast<std::int64_t>(random() % 12) - 2);
            return;
        case 6:
            node.set_text(name, std::to_string(random() % 4));
            return;
        default:
            node.id = nodes[random() % nodes.size()].id;
    }
}

// What the engine refuses to load has an error.
TEST_F(TraceValidate, WhatTheEngineRefusesIsAnError) {
    generate();
    std::mt19937 random(23);
    int refused = 0;
    int accepted = 0;
    for (int round = 0; round < 400; ++round) {
        const int rank = static_cast<int>(random() % 4);
        const std::vector<Node> sound = nodes_of(rank);
        std::vector<Node> nodes = sound;
        spoil(nodes, random);
        write(rank, nodes);
        const Json json = Json::parse(validate("--json --deps data+ctrl").out);
        std::string refusal;
        try {
            (void)engine::load_workload(workload_, groups_, 4, engine::WorkloadOptions{});
        } catch (const InputError& error) {
            refusal = error.what();
        }
        EXPECT_TRUE(refusal.empty() || json.at("errors") > 0)
            << "round " << round << ": " << refusal;
        refused += refusal.empty() ? 0 : 1;
        accepted += json.at("errors") == 0 ? 1 : 0;
        write(rank, sound);
    }
    EXPECT_GT(refused, 50);
    EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace npunet::cli::trace_validate_test
