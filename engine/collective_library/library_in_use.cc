#include "engine/collective_library/library_in_use.h"

#include "engine/collective_library/library_profile.h"

namespace npunet::engine {

LibraryInUse library_in_use(const LibraryProfile& profile, const LibraryGpu& gpu) {
    LibraryInUse library{profile.library + "-" + profile.version.text(),
                         LibraryModel(*gpu.architecture, profile.version, gpu.constants),
                         {},
                         {}};
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                      CollectiveKind::ReduceScatter, CollectiveKind::AllToAll}) {
        library.kinds[static_cast<std::size_t>(kind)] = true;
    }
    return library;
}

}  // namespace npunet::engine
