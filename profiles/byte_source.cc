#include "profiles/byte_source.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/errors.h"

namespace npunet::profiles {

class ByteSource::Format {
public:
    Format() = default;
    virtual ~Format() = default;
    Format(const Format&) = delete;
    Format& operator=(const Format&) = delete;

    virtual std::size_t read(char* bytes, std::size_t room) = 0;
    [[nodiscard]] bool cut_off() const { return cut_off_; }

protected:
    bool cut_off_ = false;
};

namespace {

constexpr unsigned gzip_buffer_bytes = 1U << 18;
constexpr std::array<unsigned char, 4> zstd_magic = {0x28, 0xB5, 0x2F, 0xFD};

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) {
        throw InputError(
            {path.string(), "", "no such file", "a profile of PyTorch", "Check the path"});
    }
    if (std::filesystem::is_directory(path)) {
        throw InputError({path.string(), "", "a folder", "one profile of PyTorch",
                          "Give a file; 'npunet analyze' takes folders"});
    }
    File file(std::fopen(path.c_str(), "rb"));
    if (!file) {
        throw MachineError(
            fmt::format("{} cannot be read: {}", path.string(), std::strerror(errno)));
    }
    return file;
}

std::size_t read_of(std::FILE* file, void* bytes, std::size_t room) {
    const std::size_t read = std::fread(bytes, 1, room, file);
    if (read < room && std::ferror(file) != 0) {
        throw MachineError(fmt::format("a profile cannot be read: {}", std::strerror(errno)));
    }
    return read;
}

class PlainFormat : public ByteSource::Format {
public:
    explicit PlainFormat(File file) : file_(std::move(file)) {
        std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    }
    std::size_t read(char* bytes, std::size_t room) override {
        return read_of(file_.get(), bytes, room);
    }

private:
    File file_;
};

class GzipFormat : public ByteSource::Format {
public:
    explicit GzipFormat(const std::filesystem::path& path) : file_(gzopen(path.c_str(), "rb")) {
        if (file_ == nullptr) {
            throw MachineError(path.string() + " cannot be read");
        }
        gzbuffer(file_, gzip_buffer_bytes);
    }
    ~GzipFormat() override { gzclose_r(file_); }

    std::size_t read(char* bytes, std::size_t room) override {
        const int read = cut_off_ ? 0 : gzread(file_, bytes, static_cast<unsigned>(room));
        int error = Z_OK;
        gzerror(file_, &error);
        if (error == Z_ERRNO) {
            throw MachineError(fmt::format("a profile cannot be read: {}", std::strerror(errno)));
        }
        cut_off_ = cut_off_ || error != Z_OK;
        return read > 0 ? static_cast<std::size_t>(read) : 0;
    }

private:
    gzFile file_;
};

struct FreeStream {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdFormat : public ByteSource::Format {
public:
    explicit ZstdFormat(File file)
        : file_(std::move(file)), stream_(ZSTD_createDStream()), buffer_(ZSTD_DStreamInSize()) {
        if (!stream_) {
            throw OutOfMemory("out of memory for decompression with zstd");
        }
    }

    std::size_t read(char* bytes, std::size_t room) override {
        ZSTD_outBuffer out{bytes, room, 0};
        while (out.pos < out.size && !cut_off_) {
            if (input_.pos == input_.size) {
                input_ = {buffer_.data(), read_of(file_.get(), buffer_.data(), buffer_.size()), 0};
            }
            if (input_.size == 0 && complete_) {
                break;
            }
            const std::size_t before = out.pos;
            const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &input_);
            complete_ = result == 0;
            cut_off_ =
                ZSTD_isError(result) != 0 || (input_.size == 0 && !complete_ && out.pos == before);
        }
        return out.pos;
    }

private:
    File file_;
    std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
    std::vector<char> buffer_;
    ZSTD_inBuffer input_{nullptr, 0, 0};
    bool complete_ = false;  ///< the frames read so far are whole
};

std::unique_ptr<ByteSource::Format> format_of(const std::filesystem::path& path) {
    File file = open(path);
    std::array<unsigned char, 4> first{};
    const std::size_t bytes = read_of(file.get(), first.data(), first.size());
    std::rewind(file.get());
    if (bytes >= 2 && first[0] == 0x1F && first[1] == 0x8B) {
        return std::make_unique<GzipFormat>(path);
    }
    if (bytes == first.size() && first == zstd_magic) {
        return std::make_unique<ZstdFormat>(std::move(file));
    }
    return std::make_unique<PlainFormat>(std::move(file));
}

}  // namespace

ByteSource::ByteSource(const std::filesystem::path& path) : format_(format_of(path)) {}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* bytes, std::size_t room) {
    return format_->read(bytes, room);
}

bool ByteSource::cut_off() const {
    return format_->cut_off();
}

}  // namespace npunet::profiles
