// Sixteen FP32 or 32-bit lanes in plain arrays, for any machine.

struct Floats {
    float v[16];
};
struct Ints {
    std::uint32_t v[16];
};
using Mask = std::uint32_t;

template <class To, class Function>
inline To each_lane(Function function)
{
    To to;
    for (int k = 0; k < 16; ++k) {
        to.v[k] = function(k);
    }
    return to;
}
inline Floats operator+(const Floats& a, const Floats& b)
{
    return each_lane<Floats>([&](int k) { return a.v[k] + b.v[k]; });
}
inline Floats operator-(const Floats& a, const Floats& b)
{
    return each_lane<Floats>([&](int k) { return a.v[k] - b.v[k]; });
}
inline Floats operator*(const Floats& a, const Floats& b)
{
    return each_lane<Floats>([&](int k) { return a.v[k] * b.v[k]; });
}
inline Floats broadcast(float v)
{
    return each_lane<Floats>([&](int) { return v; });
}
inline Ints broadcast_int(std::int32_t v)
{
    return each_lane<Ints>([&](int) { return static_cast<std::uint32_t>(v); });
}
inline Ints zero()
{
    return broadcast_int(0);
}
/// The four numbers at `from`, for each of the row's four atoms.
inline Floats quad(const float* from)
{
    return each_lane<Floats>([&](int k) { return from[k % 4]; });
}
/// The four numbers at `from`, each for four lanes.
inline Floats four_times(const float* from)
{
    return each_lane<Floats>([&](int k) { return from[k / 4]; });
}
inline Ints load(const void* from)
{
    Ints v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
inline void store(std::int32_t* to, const Ints& v)
{
    std::memcpy(to, &v, sizeof v);
}
inline void store_line(float* to, const Ints& v)
{
    std::memcpy(to, &v, sizeof v);
}
inline void copy8(float* to, const float* from)
{
    std::copy(from, from + 8, to);
}
inline Ints as_ints(const Floats& v)
{
    return std::bit_cast<Ints>(v);
}
inline Floats to_float(const Ints& v)
{
    return each_lane<Floats>(
        [&](int k) { return static_cast<float>(static_cast<std::int32_t>(v.v[k])); });
}
inline Ints rounded(const Floats& v)
{
    return each_lane<Ints>([&](int k) {
        return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::nearbyint(v.v[k])));
    });
}
inline Ints add(const Ints& a, const Ints& b)
{
    return each_lane<Ints>([&](int k) { return a.v[k] + b.v[k]; });
}
inline Ints subtract(const Ints& a, const Ints& b)
{
    return each_lane<Ints>([&](int k) { return a.v[k] - b.v[k]; });
}
/// Unsigned.
inline Ints larger(const Ints& a, const Ints& b)
{
    return each_lane<Ints>([&](int k) { return std::max(a.v[k], b.v[k]); });
}
inline Floats load_floats(const float* from)
{
    return each_lane<Floats>([&](int k) { return from[k]; });
}
inline Floats larger_of(const Floats& a, const Floats& b)
{
    return each_lane<Floats>([&](int k) { return std::max(a.v[k], b.v[k]); });
}
/// a b + c, rounded once
inline Floats fused(const Floats& a, const Floats& b, const Floats& c)
{
    return each_lane<Floats>([&](int k) { return std::fma(a.v[k], b.v[k], c.v[k]); });
}
/// a b - c, rounded once
inline Floats fused_minus(const Floats& a, const Floats& b, const Floats& c)
{
    return each_lane<Floats>([&](int k) { return std::fma(a.v[k], b.v[k], -c.v[k]); });
}
inline Floats reciprocal(const Floats& v)
{
    return each_lane<Floats>([&](int k) { return 1.0F / v.v[k]; });
}
inline Floats square_root(const Floats& v)
{
    return each_lane<Floats>([&](int k) { return std::sqrt(v.v[k]); });
}
inline Mask is_less(const Floats& a, const Floats& b)
{
    Mask m = 0;
    for (int k = 0; k < 16; ++k) {
        m |= static_cast<Mask>(a.v[k] < b.v[k]) << k;
    }
    return m;
}
inline Mask both(Mask a, std::uint16_t bits)
{
    return a & bits;
}
inline std::uint32_t bits_of(Mask m)
{
    return m;
}
inline Floats value_if(Mask wanted, const Floats& v)
{
    return each_lane<Floats>([&](int k) { return (wanted >> k & 1U) != 0 ? v.v[k] : 0.0F; });
}
/// v with zeros where the charges stand.
inline Ints positions_of(const Ints& v)
{
    return each_lane<Ints>([&](int k) { return k < 12 ? v.v[k] : 0; });
}
inline Ints with_charge(const Floats& position, const Ints& line)
{
    const Ints x = as_ints(position);
    return each_lane<Ints>([&](int k) { return k < 12 ? x.v[k] : line.v[k]; });
}
/// Whether all lanes, doubled bits of |f|, are below those of `limit`.
inline bool all_below(const Ints& doubled, float limit)
{
    const std::uint32_t bound = std::bit_cast<std::uint32_t>(limit) * 2;
    return std::all_of(doubled.v, doubled.v + 16, [&](std::uint32_t k) { return k < bound; });
}

/// Sums of x, y and z over the four atoms of the row: lanes [x4|y4|z4|0].
inline Ints sum_over_row(const Ints& x, const Ints& y, const Ints& z)
{
    Ints s = zero();
    for (int k = 0; k < 16; ++k) {
        s.v[k % 4] += x.v[k];
        s.v[4 + k % 4] += y.v[k];
        s.v[8 + k % 4] += z.v[k];
    }
    return s;
}
/// The same over the four atoms of the column.
inline Ints sum_over_column(const Ints& x, const Ints& y, const Ints& z)
{
    Ints s = zero();
    for (int k = 0; k < 16; ++k) {
        s.v[k / 4] += x.v[k];
        s.v[4 + k / 4] += y.v[k];
        s.v[8 + k / 4] += z.v[k];
    }
    return s;
}

/// Adds x4, y4 and z4 of a line to the first lanes of three lines.
inline void add_to_lines(std::int32_t* lines, const Ints& v)
{
    for (int k = 0; k < 12; ++k) {
        std::int32_t& to = lines[16 * (k / 4) + k % 4];
        to = static_cast<std::int32_t>(static_cast<std::uint32_t>(to) + v.v[k]);
    }
}

struct CubicTable {
    const float (&c)[4][BlockForm::cells];
    explicit CubicTable(const float (&coefficients)[4][BlockForm::cells]) : c(coefficients) {}
    [[nodiscard]] Floats value(const Ints& cell, const Floats& x) const
    {
        return each_lane<Floats>([&](int k) {
            const std::uint32_t n = cell.v[k] % BlockForm::cells;
            return std::fma(std::fma(std::fma(c[3][n], x.v[k], c[2][n]), x.v[k], c[1][n]), x.v[k],
                            c[0][n]);
        });
    }
};
