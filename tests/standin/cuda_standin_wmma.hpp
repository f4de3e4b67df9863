// nvcuda::wmma of the stand-in: tensor-core products of tf32 numbers. Read by cuda_standin.hpp.
#pragma once
#pragma GCC system_header

#include "tests/standin/cuda_standin.hpp"

// ---------------------------------------------------------------- nvcuda::wmma (tf32 16x16x8)
namespace nvcuda::wmma
{
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision
{
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };
template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
    static_assert(M == 16 && N == 16 && K == 8, "the stand-in knows m16n16k8 only");
    static constexpr bool isA = std::is_same_v<Use, matrix_a>, isB = std::is_same_v<Use, matrix_b>;
    static constexpr int rows = isB ? K : M, cols = isA ? K : N, num_elements = rows * cols / 32;
    float x[num_elements];
};
inline float __float_to_tf32(float v)
{ // round to nearest, ties away, 10-bit mantissa (cvt.rna.tf32.f32)
    unsigned u = std::bit_cast<unsigned>(v);
    if ((u & 0x7f800000u) == 0x7f800000u)
        return v;
    return std::bit_cast<float>((u + 0x1000u) & 0xffffe000u);
}
// The element <-> (lane, i) mapping is unspecified by CUDA; a scrambled one is used so that no code
// can lean on it.
inline int standinElem(int lane, int i, int n)
{
    return (i * 32 + (lane * 13 + 5 * i) % 32) % (32 * n);
}
template <class F>
inline void fill_fragment(F& f, float v)
{
    for (float& e : f.x)
        e = v;
}
template <class U, int M, int N, int K, class T, class L>
inline void load_matrix_sync(fragment<U, M, N, K, T, L>& f, const float* p, unsigned ld)
{
    standin::collective(0xffffffffu, standin::Op::mma, nullptr, nullptr);
    using F = fragment<U, M, N, K, T, L>;
    for (int i = 0; i < F::num_elements; ++i) {
        int e = standinElem(int(standin::laneId()), i, F::num_elements), r = e / F::cols,
            c = e % F::cols;
        f.x[i] = std::is_same_v<L, col_major> ? p[c * ld + r] : p[r * ld + c];
    }
}
template <int M, int N, int K>
inline void store_matrix_sync(float* p, const fragment<accumulator, M, N, K, float>& f, unsigned ld,
                              layout_t l)
{
    standin::collective(0xffffffffu, standin::Op::mma, nullptr, nullptr);
    for (int i = 0; i < f.num_elements; ++i) {
        int e = standinElem(int(standin::laneId()), i, f.num_elements), r = e / 16, c = e % 16;
        (l == mem_row_major ? p[r * ld + c] : p[c * ld + r]) = f.x[i];
    }
    standin::collective(0xffffffffu, standin::Op::mma, nullptr, nullptr);
}
template <class LA, class LB>
inline void mma_sync(fragment<accumulator, 16, 16, 8, float>& d,
                     const fragment<matrix_a, 16, 16, 8, precision::tf32, LA>& a,
                     const fragment<matrix_b, 16, 16, 8, precision::tf32, LB>& b,
                     const fragment<accumulator, 16, 16, 8, float>& c)
{
    struct Args {
        float* d;
        const float *a, *b, *c;
    } me{d.x, a.x, b.x, c.x};
    standin::collective(0xffffffffu, standin::Op::mma, &me,
                        [](void* const(&p)[32], unsigned lanes, void*) STANDIN_NOTSAN {
                            if (lanes != 0xffffffffu)
                                standin::fail("mma_sync by a partial warp (lanes %08x)", lanes);
                            float A[16][8], B[8][16], C[16][16];
                            auto tf = [](float v) {
                                return std::bit_cast<float>(std::bit_cast<unsigned>(v) &
                                                            0xffffe000u);
                            }; // hardware drops low bits
                            for (int l = 0; l < 32; ++l) {
                                auto* q = static_cast<Args*>(p[l]);
                                for (int i = 0; i < 4; ++i) {
                                    int e = standinElem(l, i, 4);
                                    A[e / 8][e % 8] = tf(q->a[i]);
                                    B[e / 16][e % 16] = tf(q->b[i]);
                                }
                                for (int i = 0; i < 8; ++i) {
                                    int e = standinElem(l, i, 8);
                                    C[e / 16][e % 16] = q->c[i];
                                }
                            }
                            for (int r = 0; r < 16; ++r)
                                for (int n = 0; n < 16; ++n) {
                                    float s = C[r][n];
                                    for (int k = 0; k < 8; ++k)
                                        s += A[r][k] * B[k][n];
                                    C[r][n] = s;
                                }
                            for (int l = 0; l < 32; ++l)
                                for (int i = 0; i < 8; ++i) {
                                    int e = standinElem(l, i, 8);
                                    static_cast<Args*>(p[l])->d[i] = C[e / 16][e % 16];
                                }
                        });
}
} // namespace nvcuda::wmma
