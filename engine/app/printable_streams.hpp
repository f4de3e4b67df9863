#pragma once

#include <memory>

namespace tessera
{

/// While it lives, standard output and standard error show control characters as '?' (printable()):
/// what files hold and how they are named reaches no terminal raw. RunProgress clears its line past
/// it.
class PrintableStreams {
public:
    PrintableStreams();
    PrintableStreams(const PrintableStreams&) = delete;
    PrintableStreams& operator=(const PrintableStreams&) = delete;
    ~PrintableStreams();

private:
    class Filter;
    std::unique_ptr<Filter> out_, err_;
};

} // namespace tessera
