#include "engine/app/version.hpp"

namespace tessera
{

std::string version_text()
{
    return "Tessera " TESSERA_VERSION;
}

} // namespace tessera
