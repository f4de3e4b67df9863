#include "engine/app/printable_streams.hpp"

#include "engine/base/printable.hpp"

#include <iostream>
#include <streambuf>
#include <string>

namespace tessera
{

/// Takes a stream's place before the buffer that it had.
class PrintableStreams::Filter : public std::streambuf {
public:
    explicit Filter(std::ostream& stream) : stream_(stream), behind_(stream.rdbuf(this)) {}
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;
    ~Filter() override { stream_.rdbuf(behind_); }

protected:
    int_type overflow(int_type c) override
    {
        if (traits_type::eq_int_type(c, traits_type::eof())) {
            return traits_type::not_eof(c);
        }
        return behind_->sputc(printable(std::string(1, traits_type::to_char_type(c))).front());
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override
    {
        const std::string shown = printable(std::string(text, static_cast<std::size_t>(size)));
        return behind_->sputn(shown.data(), size);
    }
    int sync() override { return behind_->pubsync(); }

private:
    std::ostream& stream_;
    std::streambuf* behind_;
};

PrintableStreams::PrintableStreams()
    : out_(std::make_unique<Filter>(std::cout)), err_(std::make_unique<Filter>(std::cerr))
{
}

PrintableStreams::~PrintableStreams()
{
    std::cout.flush();
}

} // namespace tessera
