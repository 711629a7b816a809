#include "generators/flows/flow_workload.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "generators/role_builder.h"

namespace npunet::generators {

namespace {

/// The traces of one rank's flows.
class RankTrace {
public:
    void add_receive(std::size_t number, const RandomFlow& flow) {
        static_cast<void>(builder_.receive(fmt::format("receive_{}", number),
                                           message(number, flow, flow.source)));
    }

    /// Flows in order of their start; after all receives.
    void add_send(std::size_t number, const RandomFlow& flow) {
        if (flow.start_ns > now_) {
            builder_.recorded_compute(fmt::format("until_{}_ns", flow.start_ns),
                                      flow.start_ns - now_);
            now_ = flow.start_ns;
        }
        static_cast<void>(
            builder_.send(fmt::format("flow_{}", number), message(number, flow, flow.destination)));
    }

    Role take_role() { return builder_.take(); }
    std::vector<Rank> take_peers() { return std::move(peers_); }

private:
    Message message(std::size_t number, const RandomFlow& flow, Rank peer) {
        const auto [slot, is_new] =
            slots_.emplace(peer.value(), static_cast<std::int32_t>(peers_.size()));
        if (is_new) {
            peers_.push_back(peer);
        }
        return {slot->second, flow.bytes, static_cast<std::int32_t>(number)};
    }

    RoleBuilder builder_{{}};
    std::int64_t now_ = 0;
    std::map<std::int32_t, std::int32_t> slots_;
    std::vector<Rank> peers_;
};

}  // namespace

GeneratedWorkload workload_of(const std::vector<RandomFlow>& flows, std::int32_t npus) {
    std::vector<RankTrace> traces(static_cast<std::size_t>(npus));
    for (std::size_t number = 0; number < flows.size(); ++number) {
        traces[flows[number].destination.index()].add_receive(number, flows[number]);
    }
    for (std::size_t number = 0; number < flows.size(); ++number) {
        traces[flows[number].source.index()].add_send(number, flows[number]);
    }
    std::vector<Role> roles;
    std::vector<RankBinding> ranks;
    for (RankTrace& trace : traces) {
        ranks.push_back({static_cast<std::int32_t>(roles.size()), {}, trace.take_peers()});
        roles.push_back(trace.take_role());
    }
    return {{}, std::move(roles), std::move(ranks)};
}

}  // namespace npunet::generators
