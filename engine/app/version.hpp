#pragma once

#include <string>

namespace tessera
{

/// "Tessera 0.1.0"
std::string version_text();

} // namespace tessera
