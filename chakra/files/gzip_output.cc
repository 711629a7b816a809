#include "chakra/files/gzip_output.h"

#include <algorithm>
#include <limits>

#include "base/errors.h"

namespace npunet::chakra {

namespace {

constexpr int gzip_window_bits =
    15 + 16;                     // zlib's way to say: the largest window, in gzip's format
constexpr int memory_level = 8;  // zlib's default

}  // namespace

GzipOutput::GzipOutput(std::ostream& out) : out_(out) {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window_bits, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw OutOfMemory("out of memory for compression with gzip");
    }
}

GzipOutput::~GzipOutput() {
    deflateEnd(&stream_);
}

void GzipOutput::finish() {
    compress(nullptr, 0, Z_FINISH);
}

GzipOutput::int_type GzipOutput::overflow(int_type byte) {
    if (byte != traits_type::eof()) {
        const char one = traits_type::to_char_type(byte);
        compress(&one, 1, Z_NO_FLUSH);
    }
    return traits_type::not_eof(byte);
}

std::streamsize GzipOutput::xsputn(const char* bytes, std::streamsize count) {
    constexpr std::streamsize most = std::numeric_limits<uInt>::max();
    for (std::streamsize done = 0; done < count;) {
        const std::streamsize part = std::min(count - done, most);
        compress(bytes + done, static_cast<std::size_t>(part), Z_NO_FLUSH);
        done += part;
    }
    return count;
}

void GzipOutput::compress(const char* bytes, std::size_t count, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));  // zlib does not write
    stream_.avail_in = static_cast<uInt>(count);
    do {
        stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
        stream_.avail_out = static_cast<uInt>(buffer_.size());
        if (deflate(&stream_, flush) == Z_STREAM_ERROR) {
            throw MachineError("compression with gzip failed");
        }
        out_.write(buffer_.data(),
                   static_cast<std::streamsize>(buffer_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
}

}  // namespace npunet::chakra
