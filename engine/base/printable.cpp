#include "engine/base/printable.hpp"

#include <cstddef>

namespace tessera
{

std::string printable(std::string text)
{
    for (std::size_t k = 0; k < text.size(); ++k) {
        const auto c = static_cast<unsigned char>(text[k]);
        const auto next = static_cast<unsigned char>(k + 1 < text.size() ? text[k + 1] : 0);
        if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) {
            text[k] = '?';
        } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
            text[k] = text[k + 1] = '?';
        }
    }
    return text;
}

} // namespace tessera
