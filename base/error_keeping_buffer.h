// The buffer of a file stream that remembers why a write failed. A stream says only that one did,
// long after the system has told the reason.
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

    /// The errno of the first write that failed; 0 for none.
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
