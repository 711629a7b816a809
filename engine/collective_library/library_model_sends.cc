// LibraryModel: all-to-alls, equal and unequal ones.

#include <algorithm>
#include <vector>

#include "engine/collective_library/library_model.h"
#include "engine/collective_library/library_units.h"

namespace npunet::engine {

namespace {

constexpr std::int64_t slot = 512 << 10;  ///< of a connection in a node
constexpr std::int64_t most_ll = 16 << 10;

}  // namespace

struct LibraryModel::SendLoad {
    std::int64_t near = 0;  ///< bytes to or from others of its node
    std::int64_t far = 0;   ///< of other nodes
    std::int64_t own = 0;   ///< for itself
    std::int64_t all = 0;
    std::int64_t parts = 0;       ///< of all transfers
    double filled = 0;            ///< of a slot, by the largest part
    std::int64_t largest_ll = 0;  ///< transfer by LL
    bool simple = false;          ///< has transfers by Simple

    /// A number of transfers of `bytes` each, counted in `place`: near, far or own.
    void add(std::int64_t SendLoad::*place, std::int64_t bytes, std::int64_t transfers,
             std::int32_t channels, bool may_be_ll) {
        if (bytes == 0 || transfers == 0) {
            return;
        }
        this->*place += transfers * bytes;
        all += transfers * bytes;
        const std::int64_t cut = std::clamp<std::int64_t>(ceil_of(bytes, slot / 8), 1, channels);
        parts += transfers * cut;
        if (may_be_ll && bytes <= most_ll) {
            largest_ll = std::max(largest_ll, bytes);
            return;
        }
        simple = true;
        const double part = static_cast<double>(bytes) / static_cast<double>(cut);
        filled = std::max(filled, std::min(1.0, part / static_cast<double>(slot)));
    }
};

std::vector<LibraryModel::SendLoad> LibraryModel::send_loads(const LibraryCall& call) const {
    const std::int32_t channels = architecture_.p2p_channels;
    const bool may_be_ll = call.nodes == 1;
    if (call.sizes == nullptr) {
        const std::int64_t each = ceil_of(call.bytes, call.members);
        SendLoad load;
        load.add(&SendLoad::own, each, 1, channels, may_be_ll);
        load.add(&SendLoad::near, each, call.per_node() - 1, channels, may_be_ll);
        load.add(&SendLoad::far, each, call.members - call.per_node(), channels, may_be_ll);
        load.all = call.bytes;
        return {load};
    }
    const auto members = static_cast<std::size_t>(call.members);
    const std::vector<std::int32_t>& nodes = call.sizes->node_of_member;
    std::vector<SendLoad> loads(2 * members);  // what goes out, then what comes in
    for (std::size_t from = 0; from < members; ++from) {
        for (std::size_t to = 0; to < members; ++to) {
            const auto place = from == to                 ? &SendLoad::own
                               : nodes[from] == nodes[to] ? &SendLoad::near
                                                          : &SendLoad::far;
            const std::int64_t bytes = call.sizes->bytes(from, to);
            loads[from].add(place, bytes, 1, channels, may_be_ll);
            loads[members + to].add(place, bytes, 1, channels, may_be_ll);
        }
    }
    return loads;
}

LibraryModel::SendTimes LibraryModel::send_times_of(const SendLoad& load, const LibraryCall& call,
                                                    const LibraryMachine& machine,
                                                    ChannelUse& use) const {
    use.channels = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(load.parts, 1, architecture_.p2p_channels));
    use.bytes = ceil_of(load.all, use.channels);
    if (!load.simple) {
        const auto bytes = static_cast<double>(load.largest_ll);
        return {constants_.send_base[0], 0, bytes / (constants_.block[0] * bytes_a_us)};
    }
    double wire = static_cast<double>(load.near) / (constants_.send_link * bytes_a_us) +
                  static_cast<double>(load.own) / (constants_.send_copy * bytes_a_us);
    double hop = 0;
    if (load.far > 0) {
        const double nic =
            machine.nics * machine.nic_rate * constants_.network_share / call.per_node();
        wire = std::max(wire, static_cast<double>(load.far) / (nic * bytes_a_us));
        hop = constants_.network_hop;
    }
    const double blocks = static_cast<double>(use.bytes) / (constants_.send_block * bytes_a_us);
    return {constants_.send_base[1], hop,
            std::max(wire, blocks) + constants_.send_slot * load.filled};
}

LibraryModel::SendTimes LibraryModel::send_times(const LibraryCall& call,
                                                 const LibraryMachine& machine,
                                                 LibraryChoice& choice, ChannelUse& use) const {
    choice = {LibraryAlgorithm::SendReceive, LibraryProtocol::LL};
    SendTimes longest;
    for (const SendLoad& load : send_loads(call)) {
        ChannelUse own;
        const SendTimes times = send_times_of(load, call, machine, own);
        if (times.all() > longest.all()) {
            longest = times;
        }
        use.channels = std::max(use.channels, own.channels);
        use.bytes = std::max(use.bytes, own.bytes);
        if (load.simple) {
            choice.protocol = LibraryProtocol::Simple;
        }
    }
    return longest;
}

}  // namespace npunet::engine
