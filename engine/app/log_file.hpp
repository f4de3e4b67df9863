#pragma once

#include "engine/base/printable.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

namespace tessera
{

/// A text file that keeps the system's cause of the first write that failed: errno itself is lost
/// where other files are written before somebody looks at the stream. Control characters are
/// written as '?': logs are shown on terminals. A file that it made and could write nothing to (a
/// full disk) is removed.
class LogFile : public std::ostream {
public:
    LogFile() : std::ostream(nullptr) { rdbuf(&buffer_); }
    ~LogFile() override
    {
        buffer_.close();
        std::error_code fault;
        if (!made_.empty() && std::filesystem::file_size(made_, fault) == 0 && !fault) {
            std::filesystem::remove(made_, fault);
        }
    }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    void open(const std::filesystem::path& path, std::ios::openmode mode)
    {
        std::error_code ignored;
        const bool is_new = !std::filesystem::exists(path, ignored);
        if (buffer_.open(path, std::ios::out | mode) == nullptr) {
            setstate(failbit);
        } else if (is_new) {
            made_ = path;
        }
    }
    [[nodiscard]] bool is_open() const { return buffer_.is_open(); }
    [[nodiscard]] std::string cause() const
    {
        return buffer_.cause != 0 ? std::strerror(buffer_.cause) : "a write failed";
    }

private:
    struct Buffer : std::filebuf {
        int overflow(int c) override
        {
            errno = 0;
            return noted(std::filebuf::overflow(c), -1);
        }
        std::streamsize xsputn(const char* text, std::streamsize size) override
        {
            errno = 0;
            const std::string shown = printable(std::string(text, static_cast<std::size_t>(size)));
            const std::streamsize done = std::filebuf::xsputn(shown.data(), size);
            return noted(done, done < size ? done : -1);
        }
        int sync() override
        {
            errno = 0;
            return noted(std::filebuf::sync(), -1);
        }
        template <class Result>
        Result noted(Result result, Result failure)
        {
            if (result == failure && cause == 0) {
                cause = errno;
            }
            return result;
        }
        int cause = 0;
    };
    Buffer buffer_;
    std::filesystem::path made_; ///< empty: the file was there
};

} // namespace tessera
