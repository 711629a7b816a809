#include "generators/collective_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/errors.h"
#include "generators/role_builder.h"

namespace npunet::generators {

namespace {

constexpr std::int32_t whole_group = 0;
constexpr std::int32_t next_member = 0;
constexpr std::int32_t previous_member = 1;
constexpr std::int32_t most_npus = 1 << 20;
constexpr std::int32_t most_repetitions = 1 << 20;

void check_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most) {
        throw InputError({option, "", fmt::format("{}", value),
                          fmt::format("a whole number from {} to {}", least, most), ""});
    }
}

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

chakra::CollectiveType collective_type(BenchmarkType type) {
    switch (type) {
        case BenchmarkType::AllGather:
            return chakra::CollectiveType::AllGather;
        case BenchmarkType::ReduceScatter:
            return chakra::CollectiveType::ReduceScatter;
        case BenchmarkType::AllToAll:
            return chakra::CollectiveType::AllToAll;
        default:
            return chakra::CollectiveType::AllReduce;
    }
}

const char* name_of(BenchmarkType type) {
    switch (type) {
        case BenchmarkType::AllReduce:
            return "all_reduce";
        case BenchmarkType::AllGather:
            return "all_gather";
        case BenchmarkType::ReduceScatter:
            return "reduce_scatter";
        case BenchmarkType::AllToAll:
            return "all_to_all";
        default:
            return "send_recv";
    }
}

Role collective_role(const CollectiveBenchmark& benchmark, std::size_t members) {
    RoleBuilder builder({static_cast<std::int64_t>(members)});
    for (std::int32_t i = 0; i < benchmark.repeat; ++i) {
        builder.collective(fmt::format("{}_{}", name_of(benchmark.type), i),
                           {whole_group, collective_type(benchmark.type), benchmark.size.value()});
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
    static const std::vector<std::pair<std::string, BenchmarkType>> types{
        {"all_reduce", BenchmarkType::AllReduce},
        {"all_gather", BenchmarkType::AllGather},
        {"reduce_scatter", BenchmarkType::ReduceScatter},
        {"all_to_all", BenchmarkType::AllToAll},
        {"send_recv", BenchmarkType::SendReceive}};
    return types;
}

GeneratedWorkload generate(const CollectiveBenchmark& benchmark) {
    check_range("--npus", benchmark.npus, 2, most_npus);
    check_range("--repeat", benchmark.repeat, 1, most_repetitions);
    check_range("--size", benchmark.size.value(), 1, std::int64_t{1} << 62);
    const std::vector<Rank> members = members_of(benchmark);
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
