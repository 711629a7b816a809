// A stream buffer that compresses with gzip what is written to it.
//
//     GzipOutput compressed(file.stream());
//     std::ostream out(&compressed);
//     out << text;
//     compressed.finish();
//
// The same bytes give the same file: its header holds neither a name nor a time.
// For the sources of chakra only.
#pragma once

#include <zlib.h>

#include <array>
#include <ostream>
#include <streambuf>

namespace npunet::chakra {

class GzipOutput : public std::streambuf {
public:
    /// Compressed bytes go to `out`.
    explicit GzipOutput(std::ostream& out);
    ~GzipOutput() override;
    GzipOutput(const GzipOutput&) = delete;
    GzipOutput& operator=(const GzipOutput&) = delete;

    /// Writes what is still held back, and the end of the gzip data. Call once.
    void finish();

protected:
    int_type overflow(int_type byte) override;
    std::streamsize xsputn(const char* bytes, std::streamsize count) override;

private:
    void compress(const char* bytes, std::size_t count, int flush);

    std::ostream& out_;
    z_stream stream_{};
    std::array<char, std::size_t{1} << 16> buffer_{};
};

}  // namespace npunet::chakra
