// A file stream buffer that remembers why a write failed: a stream only has a failure bit, and
// errno has been overwritten by the time it is checked.
//
//     ErrorKeepingBuffer<std::filebuf> buffer;
//     buffer.open(path, std::ios::out);
//     std::ostream stream(&buffer);
//     ...
//     if (!stream) { std::strerror(buffer.error()); }
//
// C++17-clean.
#pragma once

#include <cerrno>
#include <ios>

namespace npunet {

template <class Filebuf>
class ErrorKeepingBuffer : public Filebuf {
public:
    using Filebuf::Filebuf;

    /// The errno of the first failed write; 0 if none failed.
    [[nodiscard]] int error() const { return error_; }

protected:
    using typename Filebuf::char_type;
    using typename Filebuf::int_type;
    using typename Filebuf::traits_type;

    int_type overflow(int_type character) override {
        errno = 0;
        const int_type result = Filebuf::overflow(character);
        note(traits_type::eq_int_type(result, traits_type::eof()));
        return result;
    }
    std::streamsize xsputn(const char_type* text, std::streamsize size) override {
        errno = 0;
        const std::streamsize written = Filebuf::xsputn(text, size);
        note(written != size);
        return written;
    }
    int sync() override {
        errno = 0;
        const int result = Filebuf::sync();
        note(result != 0);
        return result;
    }

private:
    void note(bool failed) {
        if (failed && error_ == 0) {
            error_ = errno;
        }
    }

    int error_ = 0;
};

}  // namespace npunet
