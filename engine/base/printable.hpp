#pragma once

#include <string>

namespace tessera
{

/// The text with a '?' for each byte of a control character (those below space but for tab and line
/// feed, DEL, and U+0080 to U+009F in UTF-8), as `ls` does: files and their names may hold what a
/// terminal would obey. Keeps the length.
std::string printable(std::string text);

} // namespace tessera
