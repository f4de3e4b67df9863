#include "tests/oracle/virtual_sites.hpp"

#include "tests/oracle/term_energies.hpp"

namespace tessera::oracle
{
namespace
{

template <class R>
Point<R> sum(const Point<R>& a, const R& s, const Point<R>& b)
{
    return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
template <class R>
Point<R> unit_of(const Point<R>& a)
{
    return scaled(R(1.0) / length(a), a);
}

/// The site from its parents (images near the first), as topology.hpp states each kind.
template <class R>
Point<R> built(const VirtualSite& site, const std::vector<Point<R>>& p)
{
    const auto v = [&](std::size_t k) { return R(site.parameters[k]); };
    switch (site.kind) {
    case VirtualSiteKind::site2:
        return sum(scaled(R(1.0) - v(0), p[0]), v(0), p[1]);
    case VirtualSiteKind::site2fd:
        return sum(p[0], v(0), unit_of(between(p[0], p[1])));
    case VirtualSiteKind::site3:
        return sum(sum(scaled(R(1.0) - v(0) - v(1), p[0]), v(0), p[1]), v(1), p[2]);
    case VirtualSiteKind::site3fd: {
        const Point<R> target = sum(scaled(R(1.0) - v(0), p[1]), v(0), p[2]); // on the line p1 p2
        return sum(p[0], v(1), unit_of(between(p[0], target)));
    }
    case VirtualSiteKind::site3fad: {
        using std::cos;
        using std::sin;
        const Point<R> e = unit_of(between(p[0], p[1]));
        const Point<R> r12 = between(p[1], p[2]);
        const Point<R> f = unit_of(between(scaled(product(r12, e), e), r12));
        return sum(sum(p[0], v(0) * cos(v(1)), e), v(0) * sin(v(1)), f);
    }
    case VirtualSiteKind::site3out: {
        const Point<R> a = between(p[0], p[1]);
        const Point<R> b = between(p[0], p[2]);
        return sum(sum(sum(p[0], v(0), a), v(1), b), v(2), crossed(a, b));
    }
    case VirtualSiteKind::site4fdn: {
        const Point<R> r1 = between(p[0], p[1]);
        const Point<R> a = between(r1, scaled(v(0), between(p[0], p[2])));
        const Point<R> b = between(r1, scaled(v(1), between(p[0], p[3])));
        return sum(p[0], v(2), unit_of(crossed(a, b)));
    }
    case VirtualSiteKind::siten: {
        Point<R> x{R(0.0), R(0.0), R(0.0)};
        for (std::size_t k = 0; k < p.size(); ++k) {
            x = sum(x, v(k), p[k]);
        }
        return x;
    }
    }
    return p[0];
}

std::vector<Vec3> parents_of(const VirtualSite& site, const Cell& cell, const std::vector<Vec3>& x)
{
    std::vector<Vec3> p;
    for (const std::int32_t parent : site.parents) {
        const Vec3& here = x[static_cast<std::size_t>(parent)];
        p.push_back(p.empty() ? here : image_near(cell, here, p.front()));
    }
    return p;
}

} // namespace

std::vector<Vec3> with_sites_built(const Topology& topology, const Cell& cell, std::vector<Vec3> x)
{
    for (const VirtualSite& site : topology.virtual_sites) {
        x[static_cast<std::size_t>(site.site)] = built(site, parents_of(site, cell, x));
    }
    return x;
}

void spread_sites(Answer& answer, const Topology& topology, const Cell& cell,
                  const std::vector<Vec3>& x)
{
    for (std::size_t n = topology.virtual_sites.size(); n-- > 0;) {
        const VirtualSite& site = topology.virtual_sites[n];
        const std::vector<Vec3> p = parents_of(site, cell, x);
        Vec3& g = answer.gradient[static_cast<std::size_t>(site.site)];
        // along strain: the site as built, less the site as a free point
        std::vector<Point<Dual<9>>> moved;
        for (const Vec3& parent : p) {
            moved.push_back(strained<9>(parent, 0));
        }
        const Point<Dual<9>> as_built = built(site, moved);
        const Point<Dual<9>> as_free = strained<9>({as_built.x.v, as_built.y.v, as_built.z.v}, 0);
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                const auto e = static_cast<std::size_t>(3 * k + l);
                for (int d = 0; d < 3; ++d) {
                    answer.virial[k][l] += 0.5 * g[d] * (as_built[d].d[e] - as_free[d].d[e]);
                }
            }
        }
        for (std::size_t a = 0; a < p.size(); ++a) { // one parent moves at a time
            std::vector<Point<Dual<3>>> q;
            for (const Vec3& parent : p) {
                q.push_back({Dual<3>(parent.x), Dual<3>(parent.y), Dual<3>(parent.z)});
            }
            for (int d = 0; d < 3; ++d) {
                q[a][d] = Dual<3>::along(p[a][d], d);
            }
            const Point<Dual<3>> s = built(site, q);
            Vec3& to = answer.gradient[static_cast<std::size_t>(site.parents[a])];
            for (int d = 0; d < 3; ++d) {
                const auto e = static_cast<std::size_t>(d);
                to[d] += g.x * s.x.d[e] + g.y * s.y.d[e] + g.z * s.z.d[e];
            }
        }
        g = {0, 0, 0};
    }
}

} // namespace tessera::oracle
