#pragma once

#include "engine/model/topology.hpp"
#include "tests/oracle/dual.hpp"
#include "tests/oracle/lattice.hpp"

#include <array>
#include <cmath>
#include <vector>

// Textbook energies of every listed term, from the positions of its atoms (images chosen). Angles
// after Kahan, dihedrals from projected bonds, polynomials of cosines from complex powers: written
// on purpose in other forms than the engine's.
namespace tessera::oracle
{

template <class R, std::size_t N>
using Points = std::array<Point<R>, N>;

template <class R>
Point<R> between(const Point<R>& from, const Point<R>& to)
{
    return {to.x - from.x, to.y - from.y, to.z - from.z};
}
template <class R>
R product(const Point<R>& a, const Point<R>& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class R>
Point<R> scaled(const R& s, const Point<R>& a)
{
    return {s * a.x, s * a.y, s * a.z};
}
template <class R>
Point<R> crossed(const Point<R>& a, const Point<R>& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class R>
R length(const Point<R>& a)
{
    using std::sqrt;
    return sqrt(product(a, a));
}
template <class R>
R separation(const Point<R>& a, const Point<R>& b)
{
    return length(between(a, b));
}

/// Angle between two vectors, 2 atan(|u - v| / |u + v|) of the unit vectors (W. Kahan).
template <class R>
R opening(const Point<R>& a, const Point<R>& b)
{
    using std::atan2;
    const R la = length(a);
    const R lb = length(b);
    const Point<R> u = scaled(lb, a);
    const Point<R> v = scaled(la, b);
    const Point<R> less = between(v, u);
    const Point<R> more{u.x + v.x, u.y + v.y, u.z + v.z};
    return R(2.0) * atan2(length(less), length(more));
}
template <class R>
R bend(const Point<R>& i, const Point<R>& j, const Point<R>& k)
{
    return opening(between(j, i), between(j, k));
}

/// cos and sin of a dihedral: the outer bonds seen along the middle one. Trans: cos = -1.
template <class R>
struct Turn {
    R cosine, sine;
};
template <class R>
Turn<R> turn(const Point<R>& i, const Point<R>& j, const Point<R>& k, const Point<R>& l)
{
    const Point<R> axis = scaled(R(1.0) / separation(j, k), between(j, k));
    const Point<R> front = between(j, i);
    const Point<R> back = between(k, l);
    const Point<R> f = between(scaled(product(front, axis), axis), front);
    const Point<R> b = between(scaled(product(back, axis), axis), back);
    const R size = length(f) * length(b);
    return {product(f, b) / size, product(axis, crossed(f, b)) / size};
}
template <class R>
R twist(const Points<R, 4>& x)
{
    using std::atan2;
    const Turn<R> t = turn(x[0], x[1], x[2], x[3]);
    return atan2(t.sine, t.cosine);
}
/// cos(n phi - phi0) by complex powers.
template <class R>
R cosine_of_multiple(const Turn<R>& t, int n, double phi0)
{
    R re(1.0);
    R im(0.0);
    for (int k = 0; k < n; ++k) {
        const R next = re * t.cosine - im * t.sine;
        im = re * t.sine + im * t.cosine;
        re = next;
    }
    return re * R(std::cos(phi0)) + im * R(std::sin(phi0));
}

template <class R>
R square(const R& a)
{
    return a * a;
}

// --- two atoms
template <class R>
R energy_of(const HarmonicBond& p, const Points<R, 2>& x)
{
    return R(0.5 * p.k) * square(separation(x[0], x[1]) - R(p.r0));
}
template <class R>
R energy_of(const G96Bond& p, const Points<R, 2>& x)
{
    const Point<R> d = between(x[0], x[1]);
    return R(p.k / 4) * square(product(d, d) - R(p.r0 * p.r0));
}
template <class R>
R energy_of(const MorseBond& p, const Points<R, 2>& x)
{
    using std::exp;
    const R e = exp(R(p.steepness) * (R(p.r0) - separation(x[0], x[1])));
    return R(p.depth) * (R(1.0) - R(2.0) * e + e * e);
}
template <class R>
R energy_of(const CubicBond& p, const Points<R, 2>& x)
{
    const R d = separation(x[0], x[1]) - R(p.r0);
    return R(p.k) * d * d * (R(1.0) + R(p.k_cubic) * d);
}
template <class R>
R energy_of(const FeneBond& p, const Points<R, 2>& x)
{
    using std::log;
    const R part = separation(x[0], x[1]) / R(p.r_max);
    return R(-0.5 * p.k * p.r_max * p.r_max) * log((R(1.0) - part) * (R(1.0) + part));
}
template <class R>
R energy_of(const RestraintBond& p, const Points<R, 2>& x)
{
    const R r = separation(x[0], x[1]);
    if (r < R(p.low)) {
        return R(0.5 * p.k) * square(R(p.low) - r);
    }
    if (r < R(p.up1)) {
        return R(0.0);
    }
    if (r < R(p.up2)) {
        return R(0.5 * p.k) * square(r - R(p.up1));
    }
    // the tangent at up2
    const double width = p.up2 - p.up1;
    return R(0.5 * p.k * width * width) + R(p.k * width) * (r - R(p.up2));
}
template <class R>
R lennard_jones_energy(double c6, double c12, const R& r)
{
    const R third = power(R(1.0) / r, 3);
    return (R(c12) * third * third - R(c6)) * third * third;
}
template <class R>
R energy_of(const LennardJones14& p, const Points<R, 2>& x)
{
    return lennard_jones_energy(p.c6, p.c12, separation(x[0], x[1]));
}
template <class R>
R energy_of(const PairLennardJones& p, const Points<R, 2>& x)
{
    return lennard_jones_energy(p.c6, p.c12, separation(x[0], x[1]));
}
template <class R>
R energy_of(const Coulomb14& p, const Points<R, 2>& x)
{
    return R(p.strength) / separation(x[0], x[1]);
}
template <class R>
R energy_of(const PairCoulomb& p, const Points<R, 2>& x)
{
    return R(p.strength) / separation(x[0], x[1]);
}
template <class R>
R energy_of(const Polarization& p, const Points<R, 2>& x)
{
    const Point<R> d = between(x[0], x[1]);
    return R(p.k / 2) * product(d, d);
}
template <class R>
R energy_of(const AnharmonicPolarization& p, const Points<R, 2>& x)
{
    const R r = separation(x[0], x[1]);
    const R spring = R(p.k / 2) * r * r;
    if (value_of(r) < p.r_cut) {
        return spring;
    }
    return spring + R(p.k_hyper) * power(r - R(p.r_cut), 4);
}

// --- three atoms
template <class R>
R energy_of(const HarmonicAngle& p, const Points<R, 3>& x)
{
    return R(p.k / 2) * square(bend(x[0], x[1], x[2]) - R(p.theta0));
}
template <class R>
R energy_of(const G96Angle& p, const Points<R, 3>& x)
{
    using std::cos;
    return R(p.k / 2) * square(cos(bend(x[0], x[1], x[2])) - R(p.cos_theta0));
}
template <class R>
R energy_of(const CrossBondBond& p, const Points<R, 3>& x)
{
    return R(p.k) * (separation(x[0], x[1]) - R(p.r1)) * (separation(x[2], x[1]) - R(p.r2));
}
template <class R>
R energy_of(const CrossBondAngle& p, const Points<R, 3>& x)
{
    const R stretch = separation(x[0], x[1]) + separation(x[2], x[1]) - R(p.r1 + p.r2);
    return R(p.k) * (separation(x[0], x[2]) - R(p.r3)) * stretch;
}
template <class R>
R energy_of(const UreyBradley& p, const Points<R, 3>& x)
{
    return R(p.k / 2) * square(bend(x[0], x[1], x[2]) - R(p.theta0)) +
           R(p.k_ub / 2) * square(separation(x[0], x[2]) - R(p.r13));
}
template <class R>
R energy_of(const QuarticAngle& p, const Points<R, 3>& x)
{
    const R d = bend(x[0], x[1], x[2]) - R(p.theta0);
    return R(p.c0) + R(p.c1) * d + R(p.c2) * power(d, 2) + R(p.c3) * power(d, 3) +
           R(p.c4) * power(d, 4);
}
template <class R>
R energy_of(const LinearAngle& p, const Points<R, 3>& x)
{
    const Point<R> i = between(x[1], x[0]);
    const Point<R> k = between(x[1], x[2]);
    const Point<R> sum{R(p.a) * i.x + R(1 - p.a) * k.x, R(p.a) * i.y + R(1 - p.a) * k.y,
                       R(p.a) * i.z + R(1 - p.a) * k.z};
    return R(p.k / 2) * product(sum, sum);
}
template <class R>
R energy_of(const RestrictedAngle& p, const Points<R, 3>& x)
{
    using std::cos;
    using std::sin;
    const R theta = bend(x[0], x[1], x[2]);
    return R(p.k / 2) * square((cos(theta) - R(p.cos_theta0)) / sin(theta));
}

// --- four and five atoms
template <class R>
R energy_of(const PeriodicDihedral& p, const Points<R, 4>& x)
{
    const int n = static_cast<int>(std::lround(p.multiplicity));
    return R(p.k) + R(p.k) * cosine_of_multiple(turn(x[0], x[1], x[2], x[3]), n, p.phi0);
}
template <class R>
R energy_of(const PeriodicImproper& p, const Points<R, 4>& x)
{
    const int n = static_cast<int>(std::lround(p.multiplicity));
    return R(p.k) + R(p.k) * cosine_of_multiple(turn(x[0], x[1], x[2], x[3]), n, p.phi0);
}
template <class R>
R energy_of(const HarmonicImproper& p, const Points<R, 4>& x)
{
    using std::atan2;
    using std::cos;
    using std::sin;
    const R d = twist(x) - R(p.xi0);
    return R(p.k / 2) * square(atan2(sin(d), cos(d))); // atan2 takes the turn nearest to zero
}
template <class R>
R energy_of(const RyckaertBellemans& p, const Points<R, 4>& x)
{
    using std::cos;
    const R c = cos(twist(x) - R(std::acos(-1.0)));
    return R(p.c0) + R(p.c1) * c + R(p.c2) * power(c, 2) + R(p.c3) * power(c, 3) +
           R(p.c4) * power(c, 4) + R(p.c5) * power(c, 5);
}
template <class R>
R energy_of(const RestrictedDihedral& p, const Points<R, 4>& x)
{
    const Turn<R> t = turn(x[0], x[1], x[2], x[3]);
    return R(p.k / 2) * square((t.cosine - R(p.cos_phi0)) / t.sine);
}
template <class R>
R energy_of(const CombinedBendingTorsion& p, const Points<R, 4>& x)
{
    using std::sin;
    const R c = turn(x[0], x[1], x[2], x[3]).cosine;
    const R bends = power(sin(bend(x[0], x[1], x[2])) * sin(bend(x[1], x[2], x[3])), 3);
    return bends * R(p.p0) *
           (R(p.p1) + R(p.p2) * c + R(p.p3) * power(c, 2) + R(p.p4) * power(c, 3) +
            R(p.p5) * power(c, 4));
}

/// Coefficients of the periodic cubic B-spline that runs through `values` (unit spacing): solves
/// c_(i-1)/6 + 4 c_i/6 + c_(i+1)/6 = v_i by elimination on the full matrix.
template <class R>
std::vector<R> spline_coefficients(const std::vector<R>& values)
{
    const std::size_t n = values.size();
    std::vector<double> matrix(n * n, 0.0);
    const auto m = [&](std::size_t row, std::size_t col) -> double& {
        return matrix[row * n + col];
    };
    for (std::size_t i = 0; i < n; ++i) {
        m(i, i) += 4.0 / 6;
        m(i, (i + 1) % n) += 1.0 / 6;
        m(i, (i + n - 1) % n) += 1.0 / 6;
    }
    std::vector<R> c = values;
    for (std::size_t i = 0; i < n; ++i) { // diagonally dominant: no pivoting needed
        for (std::size_t row = i + 1; row < n; ++row) {
            const double f = m(row, i) / m(i, i);
            if (f == 0) {
                continue;
            }
            for (std::size_t col = i; col < n; ++col) {
                m(row, col) -= f * m(i, col);
            }
            c[row] = c[row] - R(f) * c[i];
        }
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t col = i + 1; col < n; ++col) {
            c[i] = c[i] - R(m(i, col)) * c[col];
        }
        c[i] = c[i] / R(m(i, i));
    }
    return c;
}
/// The spline at u (in units of the spacing, any real number).
template <class R>
R spline_at(const std::vector<R>& c, const R& u)
{
    const long n = static_cast<long>(c.size());
    const long cell = static_cast<long>(std::floor(value_of(u)));
    const R t = u - R(static_cast<double>(cell));
    const R s = R(1.0) - t;
    const std::array<R, 4> w = {
        power(s, 3) / R(6.0), (R(4.0) - R(6.0) * power(t, 2) + R(3.0) * power(t, 3)) / R(6.0),
        (R(4.0) - R(6.0) * power(s, 2) + R(3.0) * power(s, 3)) / R(6.0), power(t, 3) / R(6.0)};
    R sum(0.0);
    for (long k = 0; k < 4; ++k) {
        const long i = ((cell + k - 1) % n + n) % n;
        sum = sum + w[static_cast<std::size_t>(k)] * c[static_cast<std::size_t>(i)];
    }
    return sum;
}

/// The surface is a spline of splines: first along psi in every row, then along phi through the
/// rows' values.
template <class R>
R energy_of(const Cmap& p, const Points<R, 5>& x)
{
    const std::size_t n = static_cast<std::size_t>(p.size);
    const double pi = std::acos(-1.0);
    const R phi = twist(Points<R, 4>{x[0], x[1], x[2], x[3]});
    const R psi = twist(Points<R, 4>{x[1], x[2], x[3], x[4]});
    const R u = (phi + R(pi)) * R(static_cast<double>(n) / (2 * pi));
    const R v = (psi + R(pi)) * R(static_cast<double>(n) / (2 * pi));
    std::vector<R> column(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> row(p.values.begin() + static_cast<long>(i * n),
                                p.values.begin() + static_cast<long>((i + 1) * n));
        const std::vector<double> c = spline_coefficients(row);
        column[i] = spline_at(std::vector<R>(c.begin(), c.end()), v);
    }
    return spline_at(spline_coefficients(column), u);
}

/// The image of the atom nearest to the reference point.
template <class R>
R energy_of(const PositionRestraint& p, const Points<R, 1>& x)
{
    return R(p.kx / 2) * square(x[0].x - R(p.x0)) + R(p.ky / 2) * square(x[0].y - R(p.y0)) +
           R(p.kz / 2) * square(x[0].z - R(p.z0));
}

/// Charges smeared over the shells: each of the four pairs damped alone.
template <class R>
R energy_of(const TholePolarization& p, const Points<R, 4>& x)
{
    using std::exp;
    const auto damped = [&](const Point<R>& a, const Point<R>& b) {
        const R r = separation(a, b);
        const R s = R(p.screening) * r;
        return R(p.strength) * (R(1.0) - exp(-s) - R(0.5) * s * exp(-s)) / r;
    };
    return damped(x[1], x[3]) + damped(x[0], x[2]) - damped(x[0], x[3]) - damped(x[1], x[2]);
}

/// The frame stands still, by definition of the model: only S - D is differentiated.
template <class R>
R energy_of(const WaterPolarization& p, const Points<R, 5>& x)
{
    const auto still = [](const Point<R>& a) {
        return Vec3{value_of(a.x), value_of(a.y), value_of(a.z)};
    };
    const Vec3 o = still(x[0]);
    const Vec3 h1 = still(x[1]);
    const Vec3 h2 = still(x[2]);
    const Vec3 axis = between(o, still(x[3]));
    const Vec3 normal = crossed(between(o, h1), between(o, h2));
    const auto along = [&](const Vec3& e, const Point<R>& s, double size) {
        return product(Point<R>{R(e.x / size), R(e.y / size), R(e.z / size)}, s);
    };
    Point<R> s = between(x[3], x[4]);
    const auto remove = [&](const Vec3& e, const R& amount, double size) {
        s = between(
            Point<R>{amount * R(e.x / size), amount * R(e.y / size), amount * R(e.z / size)}, s);
    };
    const R z = along(axis, s, length(axis));
    remove(axis, z, length(axis));
    const R u = along(normal, s, length(normal));
    remove(normal, u, length(normal));
    const R y = along(between(h1, h2), s, p.r_hh);
    return R(p.k_x / 2) * u * u + R(p.k_y / 2) * y * y + R(p.k_z / 2) * z * z;
}

} // namespace tessera::oracle
