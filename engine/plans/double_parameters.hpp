#pragma once

#include "engine/physics/pair/double_form.hpp"
#include "engine/plans/pair_form.hpp"

#include <memory>
#include <span>
#include <vector>

namespace tessera
{

/// What the FP64 kernel needs of a system; `form` points into the tables.
struct DoubleParameters {
    DoubleForm form;
    std::vector<double> six_c6, twelve_c12;
    std::vector<std::uint8_t> has_lj;
};

/// None where forces are evaluated pair by pair, with erfc itself: switched forces, LJ-PME, 12-6-4,
/// two cut-offs or none, an Ewald sum whose cut-off is so many 1/beta that 24 terms will not do.
/// Held by pointer, as it points into itself.
std::shared_ptr<const DoubleParameters> make_double_parameters(const PairForm& form,
                                                               std::span<const double> c6,
                                                               std::span<const double> c12,
                                                               bool has_c4);

} // namespace tessera
