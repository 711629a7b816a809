#include "engine/collective_files/file_algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace npunet::engine {

std::string FileAlgorithm::place(std::size_t gpu, std::size_t block, std::size_t step) const {
    return is_trace ? fmt::format("rank {}, node {}", gpu, gpus[gpu].blocks[block].node)
                    : fmt::format("gpu {}, thread block {}, step {}", gpu, block, step);
}

std::int32_t chunks_per_call(const FifoProtocol& protocol, Bytes largest_chunk) {
    const std::int64_t chunk = std::max<std::int64_t>(1, largest_chunk.value());
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        protocol.call_bytes.value() / chunk, 1, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace npunet::engine
