#include "cli/program.h"

namespace npunet::cli {

std::string version() {
    return NPUNET_VERSION;
}

std::string version_and_build() {
    return "npunet " NPUNET_VERSION " (" NPUNET_BUILD ")";
}

}  // namespace npunet::cli
