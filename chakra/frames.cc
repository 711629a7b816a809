#include "chakra/frames.h"

namespace npunet::chakra {

void append_length(std::size_t bytes, std::string& frames) {
    while (bytes >= 0x80) {
        frames += static_cast<char>((bytes & 0x7FU) | 0x80U);
        bytes >>= 7;
    }
    frames += static_cast<char>(bytes);
}

void append_frame(const google::protobuf::MessageLite& message, std::string& frames) {
    append_length(message.ByteSizeLong(), frames);
    message.AppendToString(&frames);
}

}  // namespace npunet::chakra
