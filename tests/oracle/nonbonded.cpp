#include "tests/oracle/nonbonded.hpp"

#include "tests/oracle/pair_energies.hpp"

namespace tessera::oracle
{
namespace
{

const double pi = std::acos(-1.0);

bool excluded(const Topology& t, std::int32_t i, std::int32_t j)
{
    const auto row = static_cast<std::size_t>(i);
    return std::find(t.exclusions.begin(row), t.exclusions.end(row), j) != t.exclusions.end(row);
}

LennardJonesPair lj_of(const Topology& t, std::int32_t a, std::int32_t b)
{
    const std::size_t at = t.pairs.at(a, b);
    return {t.pairs.has_c4() ? t.pairs.c4[at] : 0.0, t.pairs.c6[at], t.pairs.c12[at]};
}

template <class R>
R coulomb_pair(const NonbondedSettings& s, bool is_excluded, const R& r)
{
    using std::erf;
    using std::erfc;
    const double rc = s.coulomb_cutoff;
    switch (s.electrostatics) {
    case Electrostatics::none:
        return R(0.0);
    case Electrostatics::cutoff:
        if (is_excluded) {
            return R(0.0);
        }
        return R(1.0) / r;
    case Electrostatics::reaction_field: {
        const double eps = s.reaction_field_permittivity;
        const double k = (std::isfinite(eps) ? (eps - 1) / (2 * eps + 1) : 0.5) / (rc * rc * rc);
        const R field = R(k) * r * r - R(1 / rc + k * rc * rc);
        return is_excluded ? field : R(1.0) / r + field;
    }
    case Electrostatics::pme:
    case Electrostatics::ewald:
        if (is_excluded) {
            return -erf(R(s.ewald_beta) * r) / r;
        }
        return erfc(R(s.ewald_beta) * r) / r -
               R(s.coulomb_potential_shift ? std::erfc(s.ewald_beta * rc) / rc : 0.0);
    }
    return R(0.0);
}

/// Cut-off with potential shift is a reaction field of k = 0.
double self_shift(const NonbondedSettings& s)
{
    const double rc = s.coulomb_cutoff;
    if (s.electrostatics == Electrostatics::reaction_field) {
        const double eps = s.reaction_field_permittivity;
        return 1 / rc + (std::isfinite(eps) ? (eps - 1) / (2 * eps + 1) : 0.5) / rc;
    }
    if (s.electrostatics == Electrostatics::cutoff && s.coulomb_potential_shift) {
        return 1 / rc;
    }
    return 0;
}

/// Wave vectors of one half space, their weight and their dependence on strain.
struct Wave {
    Vec3 k;
    Dual<9> k2, volume;
};
std::vector<Wave> waves(const Mat3& h, double largest)
{
    const Point<Dual<9>> a = strained<9>(h[0], 0);
    const Point<Dual<9>> b = strained<9>(h[1], 0);
    const Point<Dual<9>> c = strained<9>(h[2], 0);
    const Dual<9> volume = determinant(a, b, c);
    const Dual<9> unit = Dual<9>(2 * pi) / volume;
    const Point<Dual<9>> u = scaled(unit, crossed(b, c));
    const Point<Dual<9>> v = scaled(unit, crossed(c, a));
    const Point<Dual<9>> w = scaled(unit, crossed(a, b));
    const auto reach = [&](const Vec3& edge) {
        return static_cast<int>(std::ceil(largest * length(edge) / (2 * pi)));
    };
    std::vector<Wave> list;
    const std::array<int, 3> m = {reach(h[0]), reach(h[1]), reach(h[2])};
    for (int i = 0; i <= m[0]; ++i) {
        for (int j = (i == 0 ? 0 : -m[1]); j <= m[1]; ++j) {
            for (int l = (i == 0 && j == 0 ? 1 : -m[2]); l <= m[2]; ++l) {
                Point<Dual<9>> k;
                for (int d = 0; d < 3; ++d) {
                    k[d] = Dual<9>(i) * u[d] + Dual<9>(j) * v[d] + Dual<9>(l) * w[d];
                }
                const Dual<9> k2 = product(k, k);
                if (k2.v <= largest * largest) {
                    list.push_back({{k.x.v, k.y.v, k.z.v}, k2, volume});
                }
            }
        }
    }
    return list;
}

void add_strain(Answer& answer, const Dual<9>& u)
{
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            answer.virial[k][l] += 0.5 * u.d[static_cast<std::size_t>(3 * k + l)];
        }
    }
}

/// 4 pi ke/V sum over half of the k of exp(-k^2/4 beta^2)/k^2 |S|^2, and the neutralising
/// background.
void add_coulomb_waves(Answer& answer, const Topology& t, double beta, const Mat3& h,
                       std::span<const Vec3> x)
{
    const double ke = t.coulomb_constant;
    Dual<9> energy;
    Dual<9> volume;
    for (const Wave& wave : waves(h, 2 * beta * std::sqrt(40.0))) { // exp(-40) = 4e-18
        // phases k.x do not change under strain: both are seen from fractions of the cell
        double re = 0;
        double im = 0;
        std::vector<double> phase(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            phase[i] = wave.k.x * x[i].x + wave.k.y * x[i].y + wave.k.z * x[i].z;
            re += t.charge[i] * std::cos(phase[i]);
            im += t.charge[i] * std::sin(phase[i]);
        }
        const Dual<9> weight =
            Dual<9>(4 * pi * ke) / wave.volume * exp(-wave.k2 / Dual<9>(4 * beta * beta)) / wave.k2;
        energy += weight * Dual<9>(re * re + im * im);
        volume = wave.volume;
        for (std::size_t i = 0; i < x.size(); ++i) { // |S|^2 as one atom sees it
            const double q = t.charge[i];
            Dual<3> angle(phase[i]);
            angle.d = {wave.k.x, wave.k.y, wave.k.z};
            const Dual<3> c = Dual<3>(re - q * std::cos(phase[i])) + Dual<3>(q) * cos(angle);
            const Dual<3> s = Dual<3>(im - q * std::sin(phase[i])) + Dual<3>(q) * sin(angle);
            const Dual<3> square_of_s = c * c + s * s;
            for (int d = 0; d < 3; ++d) {
                answer.gradient[i][d] += weight.v * square_of_s.d[static_cast<std::size_t>(d)];
            }
        }
    }
    double charge = 0;
    for (const double q : t.charge) {
        charge += q;
    }
    energy -= Dual<9>(pi * ke * charge * charge / (2 * beta * beta)) / volume;
    answer.energy[static_cast<std::size_t>(EnergyKind::coulomb_reciprocal)] += energy.v;
    add_strain(answer, energy);
}

/// -pi^1.5 beta^3/(6V) sum_k f(|k|/2 beta) sum_ij c6_ij cos k.(x_i - x_j), k = 0 included: as a sum
/// over pairs, so that any mixing rule is the same code.
void add_dispersion_waves(Answer& answer, const Topology& t, const NonbondedSettings& s,
                          const Mat3& h, std::span<const Vec3> x)
{
    const double beta = s.lj_ewald_beta;
    const std::vector<Wave> list = waves(h, 2 * beta * std::sqrt(40.0));
    std::vector<Dual<9>> weight;
    const Dual<9> front = Dual<9>(-std::pow(pi, 1.5) * power(beta, 3) / 6) / list.front().volume;
    for (const Wave& wave : list) {
        const Dual<9> b = sqrt(wave.k2) / Dual<9>(2 * beta);
        weight.push_back(Dual<9>(2.0) * front *
                         ((Dual<9>(1.0) - Dual<9>(2.0) * b * b) * exp(-b * b) +
                          Dual<9>(2 * std::sqrt(pi)) * power(b, 3) * erfc(b)));
    }
    Dual<9> energy;
    std::vector<double> sum(list.size(), 0.0);
    double at_zero = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const double c6 = mesh_c6(t, s, t.type[i], t.type[j]) * (i == j ? 1 : 2);
            if (c6 == 0) {
                continue;
            }
            at_zero += c6;
            const Vec3 d{x[i].x - x[j].x, x[i].y - x[j].y, x[i].z - x[j].z};
            Dual<3> pair;
            for (std::size_t k = 0; k < list.size(); ++k) {
                Dual<3> angle(list[k].k.x * d.x + list[k].k.y * d.y + list[k].k.z * d.z);
                angle.d = {list[k].k.x, list[k].k.y, list[k].k.z};
                const Dual<3> wave = Dual<3>(c6) * cos(angle);
                sum[k] += wave.v;
                pair += Dual<3>(weight[k].v) * wave;
            }
            for (int c = 0; c < 3; ++c) {
                answer.gradient[i][c] += pair.d[static_cast<std::size_t>(c)];
                answer.gradient[j][c] -= pair.d[static_cast<std::size_t>(c)];
            }
        }
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
        energy += weight[k] * Dual<9>(sum[k]);
    }
    energy += front * Dual<9>(at_zero);
    answer.energy[static_cast<std::size_t>(EnergyKind::lj_reciprocal)] += energy.v;
    add_strain(answer, energy);
}

double net_square(const std::vector<double>& charge)
{
    double sum = 0;
    for (const double q : charge) {
        sum += q * q;
    }
    return sum;
}

} // namespace

void add_pairs(Answer& answer, const Topology& t, const NonbondedSettings& s, const Cell& cell,
               std::span<const Vec3> x)
{
    for (std::int32_t j = 1; j < t.atoms(); ++j) {
        for (std::int32_t i = 0; i < j; ++i) {
            const auto ai = static_cast<std::size_t>(i);
            const auto aj = static_cast<std::size_t>(j);
            const std::array<std::int32_t, 2> atom = {i, j};
            const std::array<Vec3, 2> at = {x[ai], image_near(cell, x[aj], x[ai])};
            const double r = separation(at[0], at[1]);
            const bool out = excluded(t, i, j);
            const double qq = t.coulomb_constant * t.charge[ai] * t.charge[aj];
            // the mesh knows nothing of exclusions: its share is taken back at any distance
            const bool mesh_correction = out && (s.electrostatics == Electrostatics::pme ||
                                                 s.electrostatics == Electrostatics::ewald);
            if (qq != 0 && (r < s.coulomb_cutoff || mesh_correction)) {
                add_interaction<2>(answer, EnergyKind::coulomb_real, atom, at, [&](const auto& p) {
                    using R = std::decay_t<decltype(p[0].x)>;
                    R u = coulomb_pair<R>(s, out, separation(p[0], p[1]));
                    if (s.electrostatics == Electrostatics::cutoff && s.coulomb_potential_shift) {
                        u = u - R(1 / s.coulomb_cutoff);
                    }
                    return R(qq) * u;
                });
            }
            const double grid = s.lj_pme ? mesh_c6(t, s, t.type[ai], t.type[aj]) : 0.0;
            if (!out && r < s.lj_cutoff) {
                const LennardJonesPair lj = lj_of(t, t.type[ai], t.type[aj]);
                add_interaction<2>(answer, EnergyKind::lj, atom, at, [&](const auto& p) {
                    using R = std::decay_t<decltype(p[0].x)>;
                    const R d = separation(p[0], p[1]);
                    R u = lj.energy(s, d);
                    if (grid != 0) {
                        u = u + R(grid) * lj_mesh_share(d, s.lj_ewald_beta) / power(d, 6);
                        if (s.lj_modifier == LjModifier::potential_shift) {
                            u = u - R(grid * lj_mesh_share(s.lj_cutoff, s.lj_ewald_beta) *
                                      std::pow(s.lj_cutoff, -6));
                        }
                    }
                    return u;
                });
            } else if (out && grid != 0) {
                add_interaction<2>(answer, EnergyKind::lj, atom, at, [&](const auto& p) {
                    using R = std::decay_t<decltype(p[0].x)>;
                    const R d = separation(p[0], p[1]);
                    return R(grid) * lj_mesh_share(d, s.lj_ewald_beta) / power(d, 6);
                });
            }
        }
    }
    double self = -0.5 * self_shift(s);
    if (s.electrostatics == Electrostatics::pme || s.electrostatics == Electrostatics::ewald) {
        self = -s.ewald_beta / std::sqrt(pi);
    }
    answer.energy[static_cast<std::size_t>(EnergyKind::coulomb_real)] +=
        t.coulomb_constant * self * net_square(t.charge);
    if (s.lj_pme) {
        for (const std::int32_t type : t.type) {
            answer.energy[static_cast<std::size_t>(EnergyKind::lj)] +=
                mesh_c6(t, s, type, type) * power(s.lj_ewald_beta, 6) / 12;
        }
    }
}

void add_reciprocal(Answer& answer, const Topology& t, const NonbondedSettings& s, const Cell& cell,
                    std::span<const Vec3> x)
{
    if (s.electrostatics == Electrostatics::pme || s.electrostatics == Electrostatics::ewald) {
        add_coulomb_waves(answer, t, s.ewald_beta, *cell, x);
    }
    if (s.lj_pme) {
        add_dispersion_waves(answer, t, s, *cell, x);
    }
}

void add_dispersion_correction(Answer& answer, const Topology& t, const NonbondedSettings& s,
                               const Cell& cell)
{
    if (s.dispersion_correction == DispersionCorrection::none || s.lj_pme) {
        return;
    }
    double c6 = 0;
    double count = 0;
    for (std::int32_t j = 1; j < t.atoms(); ++j) {
        for (std::int32_t i = 0; i < j; ++i) {
            if (!excluded(t, i, j)) {
                c6 += t.pairs.c6[t.pairs.at(t.type[static_cast<std::size_t>(i)],
                                            t.type[static_cast<std::size_t>(j)])];
                count += 1;
            }
        }
    }
    c6 /= count;
    const double rc = s.lj_cutoff;
    const CutPower modified{6, s.lj_modifier, s.lj_switch, rc};
    // what r^-6 lacks inside the cut-off; constant below the switch (so that r = 0 is harmless)
    const double flat = s.lj_modifier == LjModifier::force_switch ? modified.force_switch().constant
                        : s.lj_modifier == LjModifier::potential_shift ? std::pow(rc, -6)
                                                                       : 0.0;
    const bool switches =
        s.lj_modifier == LjModifier::force_switch || s.lj_modifier == LjModifier::potential_switch;
    const double start = switches ? s.lj_switch : rc;
    double inside = -flat * start * start * start / 3;
    constexpr int steps = 20000;
    for (int k = 0; switches && k <= steps; ++k) { // Simpson
        const double r = start + (rc - start) * k / steps;
        const double lacking = modified(r) - std::pow(r, -6);
        const double w = (k == 0 || k == steps) ? 1 : (k % 2 == 1 ? 4 : 2);
        inside += w * lacking * r * r * (rc - start) / steps / 3;
    }
    const double n = t.atoms();
    const double volume = determinant((*cell)[0], (*cell)[1], (*cell)[2]);
    const double integral = 4 * pi * (inside - 1 / (3 * rc * rc * rc));
    answer.energy[static_cast<std::size_t>(EnergyKind::dispersion_correction)] +=
        n / 2 * c6 * (n / volume * integral + flat);
    if (s.dispersion_correction == DispersionCorrection::energy_and_pressure) {
        // the force of the full r^-6 where the cut one lacks it, at the pairs of a uniform fluid:
        // all beyond rc, the rest of it where a switch acts. No pair crosses rc in this count, so
        // an energy that jumps there lends no force.
        double lacking = 6 / (3 * rc * rc * rc);
        for (int k = 0; switches && k <= steps; ++k) { // Simpson
            const Dual<1> r = Dual<1>::along(start + (rc - start) * k / steps, 0);
            const Dual<1> missing = modified(r) - Dual<1>(1.0) / power(r, 6);
            const double w = (k == 0 || k == steps) ? 1 : (k % 2 == 1 ? 4 : 2);
            lacking += w * missing.d[0] * r.v * r.v * r.v * (rc - start) / steps / 3;
        }
        for (int k = 0; k < 3; ++k) { // -1/2 N^2/(2V) <c6> 4 pi int r^2 r n_k^2 F dr
            answer.virial[k][k] += pi / 3 * n * n / volume * c6 * lacking;
        }
    }
}

double crystal_coulomb_energy(const Topology& t, const Mat3& h, std::span<const Vec3> x,
                              double beta)
{
    Answer waves_only(x.size());
    add_coulomb_waves(waves_only, t, beta, h, x);
    const double ke = t.coulomb_constant;
    double sum = -ke * beta / std::sqrt(pi) * net_square(t.charge);
    const double radius = 6.2 / beta; // erfc(6.2) = 2e-18
    const double volume = determinant(h[0], h[1], h[2]);
    const auto reach = [&](const Vec3& a, const Vec3& b) {
        return static_cast<int>(std::ceil(radius * length(crossed(a, b)) / volume)) + 1;
    };
    const std::array<int, 3> n = {reach(h[1], h[2]), reach(h[2], h[0]), reach(h[0], h[1])};
    for (std::int32_t i = 0; i < t.atoms(); ++i) {
        for (std::int32_t j = 0; j < t.atoms(); ++j) {
            const auto ai = static_cast<std::size_t>(i);
            const auto aj = static_cast<std::size_t>(j);
            const Vec3 near = image_near(Cell(h), x[aj], x[ai]);
            const double qq = 0.5 * ke * t.charge[ai] * t.charge[aj];
            for (int a = -n[0]; a <= n[0]; ++a) {
                for (int b = -n[1]; b <= n[1]; ++b) {
                    for (int c = -n[2]; c <= n[2]; ++c) {
                        const Vec3 shift = lattice_vector(h, a, b, c);
                        const double r = separation(
                            x[ai], {near.x + shift.x, near.y + shift.y, near.z + shift.z});
                        const bool home = a == 0 && b == 0 && c == 0;
                        if (home && i == j) {
                            continue;
                        }
                        if (home && excluded(t, i, j)) {
                            sum -= qq * std::erf(beta * r) / r;
                        } else if (r < radius) {
                            sum += qq * std::erfc(beta * r) / r;
                        }
                    }
                }
            }
        }
    }
    return sum + waves_only.of(EnergyKind::coulomb_reciprocal);
}

double crystal_dispersion_energy(const Topology& t, const NonbondedSettings& s, const Mat3& h,
                                 std::span<const Vec3> x, double radius)
{
    const double volume = determinant(h[0], h[1], h[2]);
    const auto reach = [&](const Vec3& a, const Vec3& b) {
        return static_cast<int>(std::ceil(radius * length(crossed(a, b)) / volume)) + 1;
    };
    const std::array<int, 3> n = {reach(h[1], h[2]), reach(h[2], h[0]), reach(h[0], h[1])};
    double sum = 0;
    for (std::int32_t i = 0; i < t.atoms(); ++i) {
        for (std::int32_t j = 0; j < t.atoms(); ++j) {
            const auto ai = static_cast<std::size_t>(i);
            const auto aj = static_cast<std::size_t>(j);
            const double c6 = mesh_c6(t, s, t.type[ai], t.type[aj]);
            for (int a = -n[0]; a <= n[0]; ++a) {
                for (int b = -n[1]; b <= n[1]; ++b) {
                    for (int c = -n[2]; c <= n[2]; ++c) {
                        const Vec3 shift = lattice_vector(h, a, b, c);
                        const double r = separation(
                            x[ai], {x[aj].x + shift.x, x[aj].y + shift.y, x[aj].z + shift.z});
                        if (r > 1e-9 && r < radius) {
                            sum -= 0.5 * c6 / power(r, 6);
                        }
                    }
                }
            }
            sum -= 0.5 * c6 * 4 * pi / (3 * power(radius, 3)) / volume;
        }
    }
    return sum;
}

} // namespace tessera::oracle
