#include "engine/collective_library/library_channels.h"

#include <algorithm>

namespace npunet::engine {

namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t least_traffic = 32 * kib;  // of a channel

/// Bytes of the call for each thread, at least, before channels and threads are saved.
std::int64_t bytes_a_thread(const LibraryCall& call, const LibraryChoice& choice) {
    switch (choice.protocol) {
        case LibraryProtocol::LL:
            return choice.algorithm == LibraryAlgorithm::Ring ? 8 * call.members : 8;
        case LibraryProtocol::LL128:
            return 8;
        case LibraryProtocol::Simple:
            break;
    }
    return 64;
}

std::int32_t most_threads(const LibraryChoice& choice) {
    return choice.protocol == LibraryProtocol::LL128 ? 640 : 512;
}

}  // namespace

ChannelUse channels_used(const LibraryCall& call, const LibraryChoice& choice, std::int32_t most) {
    ChannelUse use;
    use.channels = most;
    use.threads = most_threads(choice);
    if (choice.algorithm == LibraryAlgorithm::Ring || choice.algorithm == LibraryAlgorithm::Tree) {
        const std::int64_t least = bytes_a_thread(call, choice);
        while (use.channels > 1 && call.bytes < use.channels * use.threads * least) {
            --use.channels;
        }
        while (use.threads % 128 == 0 && use.threads / 2 >= 96 &&
               call.bytes < use.channels * use.threads * least) {
            use.threads /= 2;
        }
    }
    const std::int64_t traffic = launch_traffic(call, choice.protocol);
    const std::int64_t cells = (traffic + least_traffic - 1) / least_traffic;
    use.channels = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(cells, 1, static_cast<std::int64_t>(use.channels)));
    use.bytes = (call.bytes + use.channels - 1) / use.channels;
    return use;
}

std::int64_t launch_traffic(const LibraryCall& call, LibraryProtocol protocol) {
    return call.bytes * (call.kind == CollectiveKind::AllReduce ? 2 : 1) *
           (protocol == LibraryProtocol::LL ? 4 : 1);
}

std::vector<LaunchShare> launch_shares(const std::vector<std::int64_t>& traffic,
                                       std::int32_t most) {
    std::int64_t total = 0;
    for (const std::int64_t one : traffic) {
        total += one;
    }
    const std::int64_t each = std::max(least_traffic, (total + most - 1) / most);
    std::vector<LaunchShare> shares;
    std::int64_t before = 0;
    for (const std::int64_t one : traffic) {
        LaunchShare share;
        share.first = static_cast<std::int32_t>(before / each);
        before += one;
        const auto last = static_cast<std::int32_t>((before - 1) / each);
        share.channels = last - share.first + 1;
        shares.push_back(share);
    }
    for (LaunchShare& share : shares) {
        share.of_all = shares.back().first + shares.back().channels;
    }
    return shares;
}

std::int64_t nvls_chunk(std::int64_t channel_bytes, std::int32_t heads) {
    std::int64_t chunk = 128 * kib;
    if (channel_bytes < 64 * heads * chunk) {
        chunk = std::min(chunk, 64 * kib);
    }
    if (channel_bytes < 8 * heads * chunk) {
        chunk = std::min(chunk, 32 * kib);
    }
    if (channel_bytes < 2 * heads * chunk) {
        chunk = std::min(chunk, 16 * kib);
    }
    return chunk;
}

std::int64_t nvls_tree_chunk(std::int64_t channel_bytes, std::int32_t heads, std::int32_t nodes) {
    std::int64_t chunk = nodes >= 4 ? 64 * kib : 128 * kib;
    const auto lower = [&](std::int64_t chunks, std::int64_t to) {
        if (channel_bytes < chunks * heads * chunk) {
            chunk = std::min(chunk, to);
        }
    };
    lower(32, 256 * kib);
    lower(16, 128 * kib);
    lower(4, 64 * kib);
    lower(1, 32 * kib);
    return chunk;
}

std::int64_t collnet_chunk(LibraryAlgorithm algorithm, std::int64_t part_bytes,
                           std::int32_t per_node) {
    const bool direct = algorithm == LibraryAlgorithm::CollNetDirect;
    const std::int64_t depth = direct ? 2 : per_node;
    std::int64_t chunk = direct ? 512 * kib : 256 * kib;
    const auto lower = [&](std::int64_t chunks, std::int64_t least) {
        while (chunk > least && part_bytes < chunks * depth * chunk) {
            chunk /= 2;
        }
    };
    lower(64, 128 * kib);
    lower(8, 64 * kib);
    lower(direct ? 8 : 1, 32 * kib);
    return chunk;
}

std::int64_t ring_chunk(LibraryProtocol protocol) {
    switch (protocol) {
        case LibraryProtocol::LL:
            return 32 * kib;
        case LibraryProtocol::LL128:
            return 576'000;
        case LibraryProtocol::Simple:
            break;
    }
    return 2048 * kib;
}

std::int64_t pat_chunk(const LibraryCall& call, std::int32_t channels) {
    const std::int64_t chunks = call.kind == CollectiveKind::AllGather ? 32 : 16;
    std::int64_t chunk = 512 * kib;
    while (chunk > 64 * kib && chunk * channels * chunks > call.bytes) {
        chunk /= 2;
    }
    return chunk;
}

std::int64_t tree_chunk(LibraryProtocol protocol, std::int64_t channel_bytes, std::int32_t nodes,
                        std::int32_t per_node) {
    if (protocol == LibraryProtocol::LL) {
        return 32 * kib;
    }
    if (protocol == LibraryProtocol::Simple) {
        return 512 * kib;
    }
    std::int64_t chunk = 576'000;
    const double steps = 1 + tree_depth(nodes) + 0.1 * per_node;
    const auto is_below = [&](double factor) {
        return static_cast<double>(channel_bytes) <
               factor * steps / per_node * static_cast<double>(chunk);
    };
    while (is_below(64) && chunk > 128 * kib) {
        chunk /= 2;
    }
    while (is_below(16) && chunk > 32 * kib) {
        chunk /= 2;
    }
    return chunk;
}

}  // namespace npunet::engine
