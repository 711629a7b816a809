#include "chakra/node.h"

namespace npunet::chakra {}
