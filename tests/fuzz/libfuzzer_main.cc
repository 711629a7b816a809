// The targets as a program of libFuzzer: the environment variable NPUNET_FUZZ_TARGET says which of
// them it is.
#include <et_def.pb.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz_target.h"

/// What Protobuf makes once, on first use, and keeps: it is not an input's memory.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
    return ChakraProtoMsg::Node::descriptor() == nullptr ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const char* const name = std::getenv("NPUNET_FUZZ_TARGET");
    static const npunet::fuzz::FuzzTarget& target =
        npunet::fuzz::fuzz_target(name == nullptr ? "" : name);
    target.run({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
