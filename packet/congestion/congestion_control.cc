#include "packet/congestion/congestion_control.h"

#include "packet/congestion/dcqcn.h"
#include "packet/congestion/dctcp.h"
#include "packet/congestion/hpcc.h"
#include "packet/congestion/swift.h"
#include "packet/congestion/timely.h"

namespace npunet::packet {

using topology::CongestionAlgorithm;

std::unique_ptr<CongestionControl> make_congestion_control(
    const topology::CongestionControlChoice& choice, const FlowPath& path) {
    switch (choice.algorithm) {
        case CongestionAlgorithm::None:
        case CongestionAlgorithm::ReceiverCredit:
            break;
        case CongestionAlgorithm::Dcqcn:
            return std::make_unique<Dcqcn>(choice, path);
        case CongestionAlgorithm::Hpcc:
            return std::make_unique<Hpcc>(choice, path);
        case CongestionAlgorithm::Timely:
            return std::make_unique<Timely>(choice, path);
        case CongestionAlgorithm::Swift:
            return std::make_unique<Swift>(choice, path);
        case CongestionAlgorithm::Dctcp:
            return std::make_unique<Dctcp>(choice, path);
        case CongestionAlgorithm::Custom:
            return dynamic_cast<const CustomSenders&>(*choice.custom).make_sender(path);
    }
    return nullptr;
}

}  // namespace npunet::packet
