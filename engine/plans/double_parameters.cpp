#include "engine/plans/double_parameters.hpp"

#include "engine/base/fixed_point.hpp"
#include "engine/math/constants.hpp"
#include "engine/physics/pair/ewald.hpp"

#include <algorithm>
#include <cmath>

namespace tessera
{

namespace
{

constexpr int nodes = 40;
constexpr double largest_error = 1e-14; // of beta^3, or of beta: a pair's force stays below 2^-36

/// Fits a function of r^2 up to the cut-off: Chebyshev's series in t = 2 r^2/rc^2 - 1, cut after
/// `terms` and turned into powers of t. False where what is cut off is too much.
template <class Function>
bool fit(const Function& function, double cutoff2, double unit,
         std::array<double, DoubleForm::terms>& powers)
{
    constexpr std::size_t terms = DoubleForm::terms;
    double value[nodes], rest = 0;
    for (int k = 0; k < nodes; ++k) {
        value[k] = function(0.5 * cutoff2 * (1 + std::cos(constants::pi * (k + 0.5) / nodes)));
    }
    std::array<double, terms> before{}, now{};
    before[0] = 1;
    now[1] = 1;
    powers = {};
    for (int j = 0; j < nodes; ++j) {
        double c = 0;
        for (int k = 0; k < nodes; ++k) {
            c += 2.0 / nodes * value[k] * std::cos(constants::pi * j * (k + 0.5) / nodes);
        }
        if (static_cast<std::size_t>(j) >= terms) {
            // what is not rounding; T_j falls faster than geometrically
            rest = std::max(rest, std::fabs(c));
            continue;
        }
        std::array<double, terms> next{}; // T_{j+1} = 2 t T_j - T_{j-1}
        for (std::size_t k = 0; k < terms; ++k) {
            powers[k] += (j == 0 ? 0.5 : 1.0) * c * (j == 0 ? before[k] : now[k]);
            next[k] = (k > 0 ? 2 * now[k - 1] : 0.0) - before[k];
        }
        if (j > 0) {
            before = now;
            now = next;
        }
    }
    return rest <= largest_error * unit;
}

} // namespace

std::shared_ptr<const DoubleParameters> make_double_parameters(const PairForm& form,
                                                               std::span<const double> c6,
                                                               std::span<const double> c12,
                                                               bool has_c4)
{
    const bool has_coulomb = form.coulomb != CoulombForm::none;
    const bool is_plain = form.lj == LjModifier::none || form.lj == LjModifier::potential_shift;
    if (!is_plain || form.lj_ewald || has_c4 || !std::isfinite(form.lj_cutoff2) ||
        (has_coulomb && form.lj_cutoff2 != form.coulomb_cutoff2)) {
        return nullptr;
    }
    auto out = std::make_shared<DoubleParameters>();
    DoubleForm& f = out->form;
    f.cutoff2 = form.lj_cutoff2;
    f.charge_scale = std::sqrt(form.coulomb_constant);
    switch (form.coulomb) {
    case CoulombForm::none:
        break;
    case CoulombForm::reaction_field:
        f.coulomb = CoulombForm::reaction_field;
        f.field_k = form.field.k;
        f.field_c = form.field.c;
        break;
    case CoulombForm::ewald: {
        f.coulomb = CoulombForm::ewald;
        f.scale = 2.0 / f.cutoff2;
        f.ewald_shift = form.ewald_shift;
        const double beta = form.beta;
        const auto pair = [beta](double r2) { return ewald_excluded(1.0, r2, beta); };
        const bool fits =
            fit([&](double r2) { return pair(r2).force_over_r; }, f.cutoff2, beta * beta * beta,
                f.smooth_force) &&
            fit([&](double r2) { return pair(r2).energy; }, f.cutoff2, beta, f.smooth_energy);
        if (!fits) {
            return nullptr;
        }
        break;
    }
    }
    if (form.lj == LjModifier::potential_shift) {
        f.inv_rc6 = form.shift.inv_rc6;
        f.inv_rc12 = form.shift.inv_rc12;
    }
    const auto types =
        static_cast<std::size_t>(std::lrint(std::sqrt(static_cast<double>(c6.size()))));
    for (std::size_t k = 0; k < c6.size(); ++k) {
        out->six_c6.push_back(6 * c6[k]);
        out->twelve_c12.push_back(12 * c12[k]);
    }
    for (std::size_t t = 0; t < types; ++t) {
        const auto is_zero = [&](std::span<const double> table) {
            const auto row = table.subspan(t * types, types);
            return std::all_of(row.begin(), row.end(), [](double v) { return v == 0.0; });
        };
        out->has_lj.push_back(is_zero(c6) && is_zero(c12) ? 0 : 1);
    }
    f.six_c6 = out->six_c6.data();
    f.twelve_c12 = out->twelve_c12.data();
    f.has_lj = out->has_lj.data();
    f.types = static_cast<std::int32_t>(types);
    // eight pairs of that force still fit an atom's sum
    f.largest_force_over_r = std::ldexp(1.0, 23) / std::max(1.0, std::sqrt(f.cutoff2));
    return out;
}

} // namespace tessera
