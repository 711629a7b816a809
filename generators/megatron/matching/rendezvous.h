// Do all calls of a run meet? The k-th collective of a set of ranks has to be the same at each of
// them, the k-th send from a to b the k-th receive at b from a.
//
//     Rendezvous rendezvous(source, Dialect::Genstack);
//     for (Rank rank : ranks) rendezvous.add(digest_of(rank));       // rank_digest.h
//     const RendezvousResult result = rendezvous.check();
//
// or at once check_rendezvous(source, dialect). Each rank is read once; where ranks differ, those
// are read once more to say where. What is compared is in program/call_comparison.h; what waits for
// what is not.
//
// In the genstack dialect all ranks have to make the same groups in the same order. Its ranks of
// tensor place 0 meet three more barriers of the world, directly before the first broadcast there
// (reference: docs/megatron.md); where exactly these ranks have exactly these three it is no
// finding but a note.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "generators/megatron/groups/group_table.h"
#include "generators/megatron/matching/call_source.h"
#include "generators/megatron/matching/rank_digest.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

struct RendezvousResult {
    std::vector<std::string> findings;  ///< at most most_findings, in the order of ranks
    std::uint64_t more_findings = 0;
    std::vector<std::string> notes;
    std::uint64_t collectives = 0;  ///< that met, each counted once
    std::uint64_t messages = 0;

    [[nodiscard]] bool meets() const { return findings.empty(); }
};
constexpr std::size_t most_findings = 20;

class Rendezvous {
public:
    /// `tensor_parallel`: of the run, for the tolerated barriers. `source` has to outlive this.
    Rendezvous(const CallSource& source, Dialect dialect, std::int64_t tensor_parallel);

    /// Each rank once, in any order.
    void add(const RankDigest& digest);

    /// Once all ranks are there. Reads logs again; throws what the source does.
    [[nodiscard]] RendezvousResult check();

private:
    struct Member {
        Rank rank;
        CallChain chain;
        CallChain shortened;
        bool can_shorten = false;
    };
    struct Messages {
        CallChain sent;
        CallChain received;
    };

    void check_new_groups();
    void check_set(const std::vector<Rank>& ranks, std::vector<Member> calling);
    /// Those that call, and those that do not.
    static std::vector<Member> all_of(const std::vector<Rank>& ranks, std::vector<Member> calling);
    /// Leaves the tolerated barriers out, where that brings the members of the world together.
    bool shorten(std::vector<Member>& members);
    void check_same(const CallStream& stream, const std::vector<Member>& members, bool shortened);
    void check_balance(const std::vector<Rank>& ranks, const std::vector<Member>& members);
    void check_messages();
    /// Whether the rank's three barriers more are left out, where they are tolerated.
    [[nodiscard]] bool has_extra_barriers(Rank rank) const;
    /// Describes the finding only while findings are kept: that reads logs again.
    template <class Describe>
    void find(Describe&& describe);

    const CallSource& source_;
    Dialect dialect_;
    std::int64_t tensor_parallel_;
    GroupTable sets_;
    std::vector<std::vector<Member>> members_;            ///< by number of the set
    std::map<std::pair<Rank, Rank>, Messages> messages_;  ///< by sender and receiver
    std::vector<Member> new_groups_;
    std::vector<std::pair<Rank, std::string>> problems_;
    std::vector<bool> takes_from_anybody_;  ///< by rank
    std::uint64_t without_group_ = 0;
    std::int64_t ranks_with_extra_barriers_ = 0;
    RendezvousResult result_;
};

/// All of the source's ranks, on all cores.
[[nodiscard]] RendezvousResult check_rendezvous(const CallSource& source, Dialect dialect,
                                                std::int64_t tensor_parallel);

}  // namespace npunet::generators::megatron
