// How block_kernel-inl adds forces up: each component of each pair as an integer. Read between the
// lanes and the kernel; tests/bench has another one, of FP32 sums, to tell what these cost.

inline Ints summand(const Floats& force)
{
    return rounded(force);
}
inline Ints plus(Ints a, Ints b)
{
    return add(a, b);
}
inline Ints minus(Ints a, Ints b)
{
    return subtract(a, b);
}
/// The largest |force over distance| met, doubled bits.
inline Ints larger_of(Ints largest, const Floats& over_r)
{
    return larger(largest, add(as_ints(over_r), as_ints(over_r))); // the sign is shifted out
}
inline Ints summed_over_row(Ints x, Ints y, Ints z)
{
    return sum_over_row(x, y, z);
}
inline Ints summed_over_column(Ints x, Ints y, Ints z)
{
    return sum_over_column(x, y, z);
}
inline void plus_lines(std::int32_t* lines, Ints v)
{
    add_to_lines(lines, v);
}
