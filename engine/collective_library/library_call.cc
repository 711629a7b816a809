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

const std::vector<LibraryAlgorithm>& library_algorithms() {
    static const std::vector<LibraryAlgorithm> all{
        LibraryAlgorithm::Tree,         LibraryAlgorithm::Ring, LibraryAlgorithm::CollNetDirect,
        LibraryAlgorithm::CollNetChain, LibraryAlgorithm::Nvls, LibraryAlgorithm::NvlsTree,
        LibraryAlgorithm::Pat};
    return all;
}

const std::vector<LibraryProtocol>& library_protocols() {
    static const std::vector<LibraryProtocol> all{LibraryProtocol::LL, LibraryProtocol::LL128,
                                                  LibraryProtocol::Simple};
    return all;
}

}  // namespace npunet::engine
