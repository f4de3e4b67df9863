// Eight FP64 or 64-bit lanes in plain arrays. Read behind the lanes of FP32, in their namespace.

struct Doubles {
    double v[8];
};
struct Longs {
    std::int64_t v[8];
};
using DoubleMask = std::uint32_t;

template <class To, class Function>
inline To each_of_eight(Function function)
{
    To to;
    for (int k = 0; k < 8; ++k) {
        to.v[k] = function(k);
    }
    return to;
}
inline Doubles operator+(const Doubles& a, const Doubles& b)
{
    return each_of_eight<Doubles>([&](int k) { return a.v[k] + b.v[k]; });
}
inline Doubles operator-(const Doubles& a, const Doubles& b)
{
    return each_of_eight<Doubles>([&](int k) { return a.v[k] - b.v[k]; });
}
inline Doubles operator*(const Doubles& a, const Doubles& b)
{
    return each_of_eight<Doubles>([&](int k) { return a.v[k] * b.v[k]; });
}
inline Doubles broadcast(double v)
{
    return each_of_eight<Doubles>([&](int) { return v; });
}
inline Longs zero_longs()
{
    return each_of_eight<Longs>([](int) { return 0; });
}
/// Four numbers from each place.
inline Doubles two_quads(const double* low, const double* high)
{
    return each_of_eight<Doubles>([&](int k) { return k < 4 ? low[k] : high[k - 4]; });
}
/// row[low[0..3]] and row[high[0..3]]
inline Doubles look_up(const double* row, const std::int32_t* low, const std::int32_t* high)
{
    return each_of_eight<Doubles>([&](int k) { return row[k < 4 ? low[k] : high[k - 4]]; });
}
/// a b + c, rounded once
inline Doubles fused(const Doubles& a, const Doubles& b, const Doubles& c)
{
    return each_of_eight<Doubles>([&](int k) { return std::fma(a.v[k], b.v[k], c.v[k]); });
}
/// a b - c, rounded once
inline Doubles fused_minus(const Doubles& a, const Doubles& b, const Doubles& c)
{
    return each_of_eight<Doubles>([&](int k) { return std::fma(a.v[k], b.v[k], -c.v[k]); });
}
inline Doubles reciprocal(const Doubles& v)
{
    return each_of_eight<Doubles>([&](int k) { return 1.0 / v.v[k]; });
}
inline Doubles square_root(const Doubles& v)
{
    return each_of_eight<Doubles>([&](int k) { return std::sqrt(v.v[k]); });
}
inline DoubleMask is_less(const Doubles& a, const Doubles& b)
{
    DoubleMask m = 0;
    for (int k = 0; k < 8; ++k) {
        m |= static_cast<DoubleMask>(a.v[k] < b.v[k]) << k;
    }
    return m;
}
inline Doubles value_if(DoubleMask wanted, const Doubles& v)
{
    return each_of_eight<Doubles>([&](int k) { return (wanted >> k & 1U) != 0 ? v.v[k] : 0.0; });
}
/// Lanes that were true, or where |v| is not below the limit.
inline DoubleMask or_beyond(DoubleMask known, const Doubles& v, const Doubles& limit)
{
    return known |
           (0xFFU &
            ~is_less(each_of_eight<Doubles>([&](int k) { return std::fabs(v.v[k]); }), limit));
}
inline DoubleMask no_lanes()
{
    return 0;
}
inline bool is_any(DoubleMask m)
{
    return m != 0;
}
/// To the nearest whole number, |v| below 2^59.
inline Longs rounded(const Doubles& v)
{
    return each_of_eight<Longs>([&](int k) { return std::int64_t{std::llrint(v.v[k])}; });
}
inline Longs add_longs(const Longs& a, const Longs& b)
{
    return each_of_eight<Longs>([&](int k) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a.v[k]) +
                                         static_cast<std::uint64_t>(b.v[k]));
    });
}
/// Takes the lower four lanes from one place, then the upper four from the other.
inline void subtract_quads(std::int64_t* low, std::int64_t* high, const Longs& v)
{
    const auto take = [](std::int64_t& from, std::int64_t w) {
        from = static_cast<std::int64_t>(static_cast<std::uint64_t>(from) -
                                         static_cast<std::uint64_t>(w));
    };
    for (int k = 0; k < 4; ++k) {
        take(low[k], v.v[k]);
    }
    for (int k = 0; k < 4; ++k) {
        take(high[k], v.v[4 + k]);
    }
}
inline std::int64_t sum_of(const Longs& v)
{
    std::uint64_t sum = 0;
    for (const std::int64_t lane : v.v) {
        sum += static_cast<std::uint64_t>(lane);
    }
    return static_cast<std::int64_t>(sum);
}
inline void add_lanes(ExactSum& sum, const Longs& v)
{
    for (const std::int64_t one : v.v) {
        sum.add_fixed(one);
    }
}
