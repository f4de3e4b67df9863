#include "engine/cpu/block_form.hpp"

#include "engine/math/constants.hpp"
#include "engine/physics/pair/ewald.hpp"

#include <algorithm>
#include <cmath>

namespace tessera
{

namespace
{

constexpr double largest_cubic_error = 1.2e-6; // of beta^3; 0.75 beta^3 is the smooth part's size

double smooth(double r2, double beta)
{
    return ewald_excluded(1.0, r2, beta).force_over_r; // negative
}

struct Rule {
    std::vector<std::array<float, 2>> of_type;
    std::vector<std::uint8_t> is_other;
    [[nodiscard]] auto others() const { return std::count(is_other.begin(), is_other.end(), 1); }
};

bool is_near(double a, double b)
{
    return std::fabs(a - b) <= 2e-7 * std::fabs(b);
}

/// Parameters by the rule, and where the table has something else.
Rule try_rule(LjRule rule, std::span<const double> c6, std::span<const double> c12,
              std::span<const double> c4, double scale)
{
    const auto types =
        static_cast<std::size_t>(std::lrint(std::sqrt(static_cast<double>(c6.size()))));
    Rule out;
    std::vector<std::array<double, 2>> own; // as in the kernel, without factors
    for (std::size_t t = 0; t < types; ++t) {
        const double a = c6[t * types + t], b = c12[t * types + t];
        if (rule == LjRule::geometric) {
            own.push_back({a > 0 ? std::sqrt(a) : 0.0, b > 0 ? std::sqrt(b) : 0.0});
            out.of_type.push_back({static_cast<float>(std::sqrt(6.0) * scale * own.back()[0]),
                                   static_cast<float>(std::sqrt(12.0) * scale * own.back()[1])});
        } else {
            const bool has_well = a > 0 && b > 0;
            own.push_back({has_well ? 0.5 * std::pow(b / a, 1.0 / 6.0) : 0.0,
                           has_well ? std::sqrt(0.25 * a * a / b) : 0.0});
            out.of_type.push_back({static_cast<float>(own.back()[0]),
                                   static_cast<float>(std::sqrt(24.0) * scale * own.back()[1])});
        }
    }
    for (std::size_t t = 0; t < types; ++t) {
        for (std::size_t u = 0; u < types; ++u) {
            double a = own[t][0] * own[u][0], b = own[t][1] * own[u][1];
            if (rule == LjRule::lorentz_berthelot) {
                const double s6 = std::pow(own[t][0] + own[u][0], 6.0), epsilon = b;
                a = 4 * epsilon * s6;
                b = a * s6;
            }
            const std::size_t k = t * types + u;
            const bool fits =
                is_near(a, c6[k]) && is_near(b, c12[k]) && (c4.empty() || c4[k] == 0.0);
            out.is_other.push_back(fits ? 0 : 1);
        }
    }
    return out;
}

} // namespace

double set_cubics(double beta, double cutoff, BlockForm& form)
{
    constexpr int nodes = 4;
    form.cell_scale = static_cast<float>(31.4 / (cutoff * cutoff));
    const double scale = static_cast<double>(form.cell_scale);
    double error = 0;
    for (int cell = 0; cell < BlockForm::cells; ++cell) {
        const double low = std::max((cell - 0.5) / scale, 0.0), high = (cell + 0.5) / scale;
        // Newton's divided differences at Chebyshev's nodes, then powers of r^2 itself
        double x[nodes], y[nodes], p[nodes] = {};
        for (int k = 0; k < nodes; ++k) {
            x[k] = 0.5 * (low + high) +
                   0.5 * (high - low) * std::cos(constants::pi * (k + 0.5) / nodes);
            y[k] = smooth(x[k], beta);
        }
        for (int order = 1; order < nodes; ++order) {
            for (int k = nodes - 1; k >= order; --k) {
                y[k] = (y[k] - y[k - 1]) / (x[k] - x[k - order]);
            }
        }
        p[0] = y[nodes - 1];
        for (int k = nodes - 2; k >= 0; --k) {
            for (int d = nodes - 1; d > 0; --d) {
                p[d] = p[d - 1] - x[k] * p[d];
            }
            p[0] = y[k] - x[k] * p[0];
        }
        for (int d = 0; d < nodes; ++d) {
            form.cubic[d][cell] = static_cast<float>(p[d]);
        }
        const auto c = [&](int d) { return form.cubic[d][cell]; };
        for (int k = 0; k <= 40; ++k) {
            const auto r2 = static_cast<float>(low + (high - low) * k / 40.0);
            const float value = std::fma(std::fma(std::fma(c(3), r2, c(2)), r2, c(1)), r2, c(0));
            const double exact = smooth(static_cast<double>(r2), beta);
            error = std::max(error, std::fabs(static_cast<double>(value) - exact));
        }
    }
    return error / (beta * beta * beta);
}

std::optional<BlockParameters> make_block_parameters(const PairForm& form, const TileForm& tiles,
                                                     std::span<const double> c6,
                                                     std::span<const double> c12,
                                                     std::span<const double> c4)
{
    const bool has_coulomb = form.coulomb != CoulombForm::none;
    const bool is_plain = form.lj == LjModifier::none || form.lj == LjModifier::potential_shift;
    if (!is_plain || (has_coulomb && form.lj_cutoff2 != form.coulomb_cutoff2)) {
        return std::nullopt;
    }
    BlockParameters out;
    out.charge_scale = std::ldexp(1.0, tiles.force_bits / 2);
    out.form.cutoff2 = tiles.lj_cutoff2;
    // 1e-5 nm is more than FP32 errs
    const double exact_reach = 2.0 - 1e-5 - std::sqrt(form.lj_cutoff2);
    out.form.exact_reach =
        static_cast<std::int32_t>(std::max(0.0, exact_reach) * fixed::kernel_position_scale);
    out.form.largest_force = std::ldexp(tiles.largest_force, tiles.force_bits);
    const double cutoff = std::sqrt(form.lj_cutoff2);
    out.form.largest_force_over_r =
        static_cast<float>(std::ldexp(1.0, 30) * std::min(1.0, 1.9 / cutoff));
    switch (form.coulomb) {
    case CoulombForm::none:
        break;
    case CoulombForm::reaction_field:
        out.form.coulomb = CoulombForm::reaction_field;
        out.form.two_k = static_cast<float>(2.0 * form.field.k);
        break;
    case CoulombForm::ewald:
        out.form.coulomb = CoulombForm::ewald;
        if (set_cubics(form.beta, cutoff, out.form) > largest_cubic_error) {
            return std::nullopt;
        }
        break;
    }
    const Rule geometric = try_rule(LjRule::geometric, c6, c12, c4, out.charge_scale);
    const Rule mean = try_rule(LjRule::lorentz_berthelot, c6, c12, c4, out.charge_scale);
    const bool is_geometric = geometric.others() <= mean.others(); // which costs less
    const Rule& chosen = is_geometric ? geometric : mean;
    out.form.lj = is_geometric ? LjRule::geometric : LjRule::lorentz_berthelot;
    out.of_type = chosen.of_type;
    if (chosen.others() > 0) {
        out.is_other = chosen.is_other;
    }
    return out;
}

} // namespace tessera
