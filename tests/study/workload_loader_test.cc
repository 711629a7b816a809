// Files of ranks that are alike are not read in full, and their programs not built anew when they
// are generated in memory. Whatever is left out, the workload is that of all nodes of all files.

#include "engine/program/workload_loader.h"

#include <gtest/gtest.h>

#include <array>

#include "base/errors.h"
#include "chakra/files/trace_reader.h"
#include "chakra/files/trace_writer.h"
#include "chakra/trace/trace_set.h"
#include "generators/stage/stage_workload.h"
#include "generators/transformer/training_step.h"
#include "generators/workload_files.h"
#include "study/generated_workload.h"
#include "tests/support/models.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"
#include "topology/builders/builder.h"

namespace npunet::study {
namespace {

class WorkloadLoader : public ::testing::Test {
protected:
    [[nodiscard]] std::string prefix() const { return (folder_ / "w").string(); }

    void write(const std::vector<std::vector<chakra::Node>>& ranks) const {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            chakra::write_trace(chakra::trace_path(prefix(), Rank(rank)), ranks[rank]);
        }
    }

    /// Of each rank in full.
    [[nodiscard]] engine::Workload plain(const engine::Workload& loaded,
                                         const engine::WorkloadOptions& options) const {
        const std::vector<engine::Group> named(
            loaded.groups.begin(),
            loaded.groups.begin() + static_cast<std::ptrdiff_t>(loaded.world));
        return engine::make_workload(
            loaded.ranks(),
            [this](Rank rank) { return chakra::read_trace(chakra::trace_path(prefix(), rank)); },
            [](Rank) { return std::string("a trace"); }, named, options);
    }

    void expect_plain(const engine::Workload& loaded,
                      const engine::WorkloadOptions& options) const {
        const engine::Workload expected = plain(loaded, options);
        EXPECT_EQ(loaded.programs.size(), expected.programs.size());
        ASSERT_EQ(loaded.ranks(), expected.ranks());
        EXPECT_EQ(loaded.notes, expected.notes);
        for (std::size_t rank = 0; rank < loaded.ranks(); ++rank) {
            EXPECT_TRUE(loaded.program(Rank(rank)) == expected.program(Rank(rank))) << rank;
            EXPECT_EQ(loaded.bindings[rank].groups, expected.bindings[rank].groups) << rank;
            EXPECT_EQ(loaded.bindings[rank].peers, expected.bindings[rank].peers) << rank;
            EXPECT_EQ(loaded.bindings[rank].first_id, expected.bindings[rank].first_id) << rank;
        }
    }

    /// In every way to order, with and without tensors.
    void expect_plain(const generators::GeneratedWorkload& generated) const {
        generators::write_workload(generated, {folder_.path(), "w", "groups.json"});
        for (const engine::IssueOrder order :
             {engine::IssueOrder::AscendingId, engine::IssueOrder::HashWalk}) {
            engine::WorkloadOptions options;
            options.issue_order = order;
            options.collectives_in_program_order = order == engine::IssueOrder::AscendingId;
            options.tensors = order == engine::IssueOrder::AscendingId;
            expect_plain(
                engine::load_workload(prefix(), (folder_ / "groups.json").string(),
                                      static_cast<std::size_t>(generated.rank_count()), options),
                options);
            expect_plain(workload_from(generated, options), options);
        }
    }

    test::TemporaryFolder folder_;
};

TEST_F(WorkloadLoader, StepsOfEveryPlan) {
    const generators::ModelSpec model = test::tiny_model();
    for (const auto& [dp, tp, pp] :
         std::vector<std::array<std::int64_t, 3>>{{8, 1, 1}, {2, 2, 2}, {2, 4, 1}, {2, 1, 4}}) {
        generators::Plan plan;
        plan.dp = dp;
        plan.tp = tp;
        plan.pp = pp;
        plan.batch = 8;
        expect_plain(generators::generate(model, generators::resolve_plan(model, plan)));
    }
}

// Ids go on from rank to rank.
TEST_F(WorkloadLoader, StagesTraces) {
    for (const auto& [dp, tp, pp] :
         std::vector<std::array<std::int64_t, 3>>{{8, 1, 1}, {2, 2, 2}, {2, 4, 1}}) {
        generators::StageArguments arguments;
        arguments.dp = dp;
        arguments.tp = tp;
        arguments.pp = pp;
        arguments.num_stacks = 2;
        expect_plain(generators::generate(arguments));
    }
}

// Groups made of dimensions belong to the place of the rank, though the traces are equal; sends
// that go once round; a rank that does something else in between; roots; one rank sends to two
// others where its model sends to one twice.
TEST_F(WorkloadLoader, WhatOnlyLooksAlike) {
    const topology::NetworkDescription network =
        topology::make_network({topology::make_dimension(topology::DimensionKind::Ring, 2,
                                                         Rate(1'000'000'000), Time::ns(1)),
                                topology::make_dimension(topology::DimensionKind::Ring, 3,
                                                         Rate(1'000'000'000), Time::ns(1))});
    engine::WorkloadOptions options;
    options.network = &network;
    std::vector<std::vector<chakra::Node>> ranks;
    for (std::int32_t rank = 0; rank < 6; ++rank) {
        chakra::Node involved = test::collective_node(2, chakra::CollectiveType::AllReduce, 4096);
        involved.set("involve_dims", std::vector<bool>{true, false});
        chakra::Node root = test::collective_node(3, chakra::CollectiveType::Broadcast, 64);
        root.set_integer("comm_root", 2);
        ranks.push_back({test::compute_node(1, rank == 3 ? 5 : 4), involved,
                         test::send_node(4, (rank + 1) % 6, 100, 0, {2}),
                         test::receive_node(5, (rank + 5) % 6, 100, 0, {2}),
                         test::send_node(6, (rank + (rank % 2 == 0 ? 1 : 2)) % 6, 100, 1, {2})});
        if (rank % 3 == 0) {
            ranks.back().push_back(root);
        }
    }
    write(ranks);
    expect_plain(engine::load_workload(prefix(), "", 6, options), options);
}

// What is wrong with a rank that is otherwise like another is found.
TEST_F(WorkloadLoader, ErrorsOfARankLikeAnother) {
    const auto trace = [](const std::string& group, std::int32_t to) {
        return std::vector{test::collective_node(1, chakra::CollectiveType::AllReduce, 64, group),
                           test::send_node(2, to, 8)};
    };
    const auto error = [this] {
        return test::message_of<InputError>([this] {
            return engine::load_workload(prefix(), (folder_ / "groups.json").string(), 4, {});
        });
    };
    folder_.write("groups.json", R"({"7": [0, 1, 2, 3], "8": [0, 2]})");
    const auto good = std::vector{trace("7", 1), trace("7", 2), trace("7", 3), trace("7", 0)};
    write(good);
    EXPECT_EQ(error(), "no error");
    for (const auto& [bad, expected] :
         std::vector<std::pair<std::vector<chakra::Node>, std::string>>{
             {trace("9", 2), "communicator group '9'"},
             {trace("8", 2), "of which rank 1 is no member"},
             {trace("7", 1), "comm_dst 1, the rank itself"},
             {trace("7", 4), "comm_dst 4"}}) {
        std::vector<std::vector<chakra::Node>> ranks = good;
        ranks[1] = bad;
        write(ranks);
        EXPECT_NE(error().find(expected), std::string::npos) << error();
        EXPECT_NE(error().find("w.1.et"), std::string::npos) << error();
    }
}

// Traces without nodes are refused if no rank has any, unless allowed; else a note lists them.
TEST_F(WorkloadLoader, TracesWithoutNodes) {
    const auto load = [this](engine::EmptyTraces empty) {
        engine::WorkloadOptions options;
        options.empty_traces = empty;
        return engine::load_workload(prefix(), "", 4, options);
    };
    chakra::Node metadata = test::compute_node(1, 5);
    metadata.type = chakra::NodeType::Metadata;
    for (const std::vector<chakra::Node>& nothing :
         {std::vector<chakra::Node>{}, std::vector<chakra::Node>{metadata}}) {
        write({nothing, nothing, nothing, nothing});
        const InputProblem problem =
            test::problem_of([&] { return load(engine::EmptyTraces::Refused); });
        EXPECT_EQ(problem.file, prefix());
        EXPECT_EQ(problem.found, "4 traces without a node that does anything");
        EXPECT_NE(problem.remedy.find("--allow-empty-ranks"), std::string::npos);
        EXPECT_EQ(load(engine::EmptyTraces::Allowed).ranks(), 4U);

        write({nothing, nothing, {test::compute_node(1, 5)}, nothing});
        for (const engine::EmptyTraces empty :
             {engine::EmptyTraces::Refused, engine::EmptyTraces::Allowed}) {
            const std::vector<std::string> notes = load(empty).notes;
            ASSERT_EQ(notes.size(), 1U);
            EXPECT_NE(notes[0].find("of ranks 0-1, 3 have no node"), std::string::npos) << notes[0];
        }
    }
    write(std::vector<std::vector<chakra::Node>>(4, {test::compute_node(1, 5)}));
    EXPECT_TRUE(load(engine::EmptyTraces::Refused).notes.empty());
}

// A long list of ranks is cut off.
TEST_F(WorkloadLoader, NamesSoManyTracesWithoutNodes) {
    std::vector<std::vector<chakra::Node>> ranks(200);
    for (std::size_t rank = 1; rank < ranks.size(); rank += 2) {
        ranks[rank] = {test::compute_node(1, 5)};
    }
    write(ranks);
    const std::vector<std::string> notes = engine::load_workload(prefix(), "", 200, {}).notes;
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("0, 2, 4, 6"), std::string::npos) << notes[0];
    EXPECT_NE(notes[0].find(" more have no node"), std::string::npos) << notes[0];
    EXPECT_LT(notes[0].size(), 250U);
}

// As stoi: "0.0" is group 0, " 07x" group 7. In other dialects the full name counts.
TEST_F(WorkloadLoader, GroupsByTheirLeadingNumber) {
    const auto group_of = [this](const std::string& name, const std::string& groups, bool numbers,
                                 bool zero_is_all = false) {
        const chakra::Node node =
            test::collective_node(1, chakra::CollectiveType::AllReduce, 64, name);
        write({{node}, {node}, {}, {}});
        folder_.write("groups.json", groups);
        engine::WorkloadOptions options;
        options.group_names_are_numbers = numbers;
        options.group_zero_is_all = zero_is_all;
        const engine::Workload workload =
            engine::load_workload(prefix(), (folder_ / "groups.json").string(), 4, options);
        return workload.groups[workload.group_of(Rank(1), workload.program(Rank(1)).operations[0])]
            .name;
    };
    const std::string plain = R"({"0": [0, 1], "7": [0, 1, 2]})";
    EXPECT_EQ(group_of("0.0", plain, true), "0");
    EXPECT_EQ(group_of(" 07x", plain, true), "7");
    EXPECT_EQ(group_of("7", R"({"7.0": [1, 0]})", true), "7.0");
    EXPECT_EQ(group_of("tp", R"({"tp": [1, 0]})", true), "tp");
    EXPECT_EQ(group_of("0.0", "{}", true), "world");
    const auto refusal = [&](const std::string& name, const std::string& groups, bool numbers) {
        return test::message_of<InputError>([&] { return group_of(name, groups, numbers); });
    };
    EXPECT_NE(refusal("0.0", plain, false).find("communicator group '0.0'"), std::string::npos);
    EXPECT_NE(refusal("tp", plain, true).find("communicator group 'tp'"), std::string::npos);
    EXPECT_NE(refusal("7", R"({"7": [0, 1], "7.0": [2, 3]})", true).find("'7' and '7.0'"),
              std::string::npos);

    // "0": the file's group or, with the other rule, all ranks regardless of the file.
    EXPECT_EQ(group_of("0", plain, false), "0");
    EXPECT_EQ(group_of("0", "{}", false), "world");
    EXPECT_EQ(group_of("0", plain, false, true), "world");
    EXPECT_EQ(group_of("0.0", plain, true, true), "world");
    EXPECT_EQ(group_of("7", plain, true, true), "7");
}

}  // namespace
}  // namespace npunet::study
