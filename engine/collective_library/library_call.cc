#include "engine/collective_library/library_call.h"

namespace npunet::engine {

const char* name_of(LibraryAlgorithm algorithm) {
    switch (algorithm) {
        case LibraryAlgorithm::Tree:
            return "Tree";
        case LibraryAlgorithm::Ring:
            return "Ring";
        case LibraryAlgorithm::CollNetDirect:
            return "CollNetDirect";
        case LibraryAlgorithm::CollNetChain:
            return "CollNetChain";
        case LibraryAlgorithm::Nvls:
            return "NVLS";
        case LibraryAlgorithm::NvlsTree:
            return "NVLSTree";
        case LibraryAlgorithm::Pat:
            return "PAT";
        case LibraryAlgorithm::SendReceive:
            return "SendRecv";
    }
    return "";
}

const char* name_of(LibraryProtocol protocol) {
    return protocol == LibraryProtocol::LL      ? "LL"
           : protocol == LibraryProtocol::LL128 ? "LL128"
                                                : "Simple";
}

}  // namespace npunet::engine
