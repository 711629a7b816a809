// Frames of a trace file in memory. For the sources of this folder only.
#pragma once

#include <google/protobuf/message_lite.h>

#include <string>
#include <string_view>

namespace npunet::chakra {

/// Appends the length of a frame: a varint.
void append_length(std::size_t bytes, std::string& frames);
/// Appends a message behind its length.
void append_frame(const google::protobuf::MessageLite& message, std::string& frames);

}  // namespace npunet::chakra
