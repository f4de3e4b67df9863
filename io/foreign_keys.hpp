#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// What to write here for a key of GROMACS's .mdp ("dt", "nstxout", "ref-t") or Amber's &cntrl
/// ("ntpr", "cut"), in words; empty for others. Small and capital letters, '-' and '_' count as the
/// same.
std::string hint_for_foreign_key(std::string_view word);

/// Every word that has such a hint.
std::vector<std::string_view> foreign_keys();

} // namespace tessera
