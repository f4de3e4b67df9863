#include "engine/cpu/pair_tiles.hpp"

#include <cmath>

namespace tessera
{

std::optional<TileForm> make_tile_form(const PairForm& form, bool has_charges)
{
    constexpr double farthest = 200.0; // nm; 32 bits of 2^-23 nm hold differences up to 256
    const bool reaches =
        form.lj_cutoff2 < farthest * farthest && form.coulomb_cutoff2 < farthest * farthest;
    if (form.lj_ewald || !reaches) {
        return std::nullopt;
    }
    TileForm out;
    if (!has_charges) {
        out.force_bits = fixed::pair_force_bits_uncharged;
        out.largest_force = static_cast<float>(fixed::largest_pair_force_uncharged);
    }
    out.lj_cutoff2 = static_cast<float>(form.lj_cutoff2);
    out.coulomb_cutoff2 = static_cast<float>(form.coulomb_cutoff2);
    out.lj = form.lj;
    const auto power = [](const ForceSwitchPower<double>& p) {
        return ForceSwitchPower<float>{static_cast<float>(p.a), static_cast<float>(p.b),
                                       static_cast<float>(p.c)};
    };
    const ForceSwitch<double>& force = form.force_switch;
    out.force_switch = {static_cast<float>(force.r1), power(force.p4), power(force.p6),
                        power(force.p12)};
    out.potential_switch = {static_cast<float>(form.potential_switch.r1),
                            static_cast<float>(form.potential_switch.inv_width)};
    out.coulomb = form.coulomb;
    out.field = {static_cast<float>(form.field.k), static_cast<float>(form.field.c)};
    if (form.coulomb == CoulombForm::ewald) {
        auto smooth = make_smooth_ewald(form.beta, std::sqrt(form.coulomb_cutoff2));
        if (!smooth) {
            return std::nullopt;
        }
        out.smooth = std::move(*smooth);
    }
    return out;
}

} // namespace tessera
