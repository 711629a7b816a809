#include "generators/collective_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.h"
#include "generators/option_checks.h"
#include "generators/role_builder.h"

namespace npunet::generators {

namespace {

constexpr std::int32_t whole_group = 0;
constexpr std::int32_t next_member = 0;
constexpr std::int32_t previous_member = 1;

std::vector<Rank> members_of(const CollectiveBenchmark& benchmark) {
    std::vector<Rank> members = benchmark.group;
    if (members.empty()) {
        for (std::int32_t rank = 0; rank < benchmark.npus; ++rank) {
            members.emplace_back(rank);
        }
    }
    std::vector<bool> seen(static_cast<std::size_t>(benchmark.npus));
    for (const Rank member : members) {
        if (!member.valid() || member.value() >= benchmark.npus) {
            throw InputError({"--group", "", fmt::format("rank {}", member.value()),
                              fmt::format("ranks from 0 to {}", benchmark.npus - 1),
                              "Raise --npus or leave the rank out"});
        }
        if (seen[member.index()]) {
            throw InputError({"--group", "", fmt::format("rank {} twice", member.value()),
                              "each rank once", ""});
        }
        seen[member.index()] = true;
    }
    if (members.size() < 2) {
        throw InputError(
            {"--group", "", fmt::format("{} rank", members.size()), "two ranks or more", ""});
    }
    return members;
}

struct NamedType {
    const char* name;
    BenchmarkType benchmark;
    chakra::CollectiveType collective;  ///< not of send_recv
};

constexpr std::array<NamedType, 10> types{{
    {"all_reduce", BenchmarkType::AllReduce, chakra::CollectiveType::AllReduce},
    {"all_gather", BenchmarkType::AllGather, chakra::CollectiveType::AllGather},
    {"reduce_scatter", BenchmarkType::ReduceScatter, chakra::CollectiveType::ReduceScatter},
    {"all_to_all", BenchmarkType::AllToAll, chakra::CollectiveType::AllToAll},
    {"send_recv", BenchmarkType::SendReceive, {}},
    {"broadcast", BenchmarkType::Broadcast, chakra::CollectiveType::Broadcast},
    {"reduce", BenchmarkType::Reduce, chakra::CollectiveType::Reduce},
    {"gather", BenchmarkType::Gather, chakra::CollectiveType::Gather},
    {"scatter", BenchmarkType::Scatter, chakra::CollectiveType::Scatter},
    {"barrier", BenchmarkType::Barrier, chakra::CollectiveType::Barrier},
}};

const NamedType& named_type(BenchmarkType benchmark) {
    return *std::find_if(types.begin(), types.end(),
                         [benchmark](const NamedType& t) { return t.benchmark == benchmark; });
}

/// What the largest buffer holds, within what traces can say.
void check_size(const CollectiveBenchmark& benchmark, std::size_t members) {
    if (benchmark.type == BenchmarkType::Barrier) {
        return;
    }
    const bool gathers =
        benchmark.type == BenchmarkType::AllGather || benchmark.type == BenchmarkType::Gather;
    const std::int64_t parts = gathers ? static_cast<std::int64_t>(members) : 1;
    const std::int64_t most = chakra::largest_comm_size / parts;
    if (benchmark.size < Bytes(1) || benchmark.size > Bytes(most)) {
        throw InputError(
            {"--size", "", fmt::format("{} bytes", benchmark.size.value()),
             fmt::format("1 to {} bytes{}", most,
                         gathers ? ", so that the gathered result has 2^56 at most" : ", 2^56"),
             ""});
    }
}

Role collective_role(const CollectiveBenchmark& benchmark, std::size_t members) {
    const NamedType& type = named_type(benchmark.type);
    const std::int64_t bytes =
        benchmark.type == BenchmarkType::Barrier ? 0 : benchmark.size.value();
    RoleBuilder builder({static_cast<std::int64_t>(members)});
    for (std::int32_t i = 0; i < benchmark.repeat; ++i) {
        builder.collective(fmt::format("{}_{}", type.name, i),
                           {whole_group, type.collective, bytes});
    }
    return builder.take();
}

Role message_role(const CollectiveBenchmark& benchmark, bool sends, bool receives) {
    RoleBuilder builder({});
    for (std::int32_t i = 0; i < benchmark.repeat; ++i) {
        Pending sent;
        Pending received;
        if (sends) {
            sent =
                builder.send(fmt::format("send_{}", i), {next_member, benchmark.size.value(), i});
        }
        if (receives) {
            received = builder.receive(fmt::format("receive_{}", i),
                                       {previous_member, benchmark.size.value(), i});
        }
        builder.proceed_after({sent, received});
    }
    return builder.take();
}

/// Roles: 0 idle, 1 the first member, 2 those in the middle, 3 the last.
GeneratedWorkload messages(const CollectiveBenchmark& benchmark, const std::vector<Rank>& members) {
    std::vector<RankBinding> ranks(static_cast<std::size_t>(benchmark.npus));
    for (std::size_t i = 0; i < members.size(); ++i) {
        RankBinding& binding = ranks[members[i].index()];
        const bool last = i + 1 == members.size();
        binding.role = i == 0 ? 1 : last ? 3 : 2;
        binding.peers = {last ? Rank() : members[i + 1], i == 0 ? Rank() : members[i - 1]};
    }
    return {{},
            {Role{}, message_role(benchmark, true, false), message_role(benchmark, true, true),
             message_role(benchmark, false, true)},
            std::move(ranks)};
}

}  // namespace

const std::vector<std::pair<std::string, BenchmarkType>>& benchmark_types() {
    static const std::vector<std::pair<std::string, BenchmarkType>> list = [] {
        std::vector<std::pair<std::string, BenchmarkType>> pairs;
        for (const NamedType& type : types) {
            pairs.emplace_back(type.name, type.benchmark);
        }
        return pairs;
    }();
    return list;
}

GeneratedWorkload generate(const CollectiveBenchmark& benchmark) {
    check_range("--npus", benchmark.npus, 2, CollectiveBenchmark::most_npus);
    check_range("--repeat", benchmark.repeat, 1, CollectiveBenchmark::most_repetitions);
    const std::vector<Rank> members = members_of(benchmark);
    check_size(benchmark, members.size());
    if (benchmark.type == BenchmarkType::SendReceive) {
        return messages(benchmark, members);
    }
    std::vector<RankBinding> ranks(static_cast<std::size_t>(benchmark.npus));
    for (const Rank member : members) {
        ranks[member.index()] = {1, {0}, {}};
    }
    // Communicator "0" is the whole system, also where no group file is given.
    const char* const name = benchmark.group.empty() ? "0" : "1";
    return {{{name, "benchmark", whole_group, members}},
            {Role{}, collective_role(benchmark, members.size())},
            std::move(ranks)};
}

}  // namespace npunet::generators
