#include "engine/cpu/fft3d.hpp"

#include <algorithm>
#include <cstdint>
#include <fftw3.h>
#include <mutex>

namespace tessera
{

namespace
{

constexpr int block = 8; // lines transformed together

/// FFTW's names for one number type.
template <class R>
struct Fftw;
template <>
struct Fftw<double> {
    using Plan = fftw_plan;
    using Raw = fftw_complex;
    static constexpr auto plan_r2c = fftw_plan_many_dft_r2c;
    static constexpr auto plan_c2r = fftw_plan_many_dft_c2r;
    static constexpr auto plan = fftw_plan_many_dft;
    static constexpr auto execute_r2c = fftw_execute_dft_r2c;
    static constexpr auto execute_c2r = fftw_execute_dft_c2r;
    static constexpr auto execute = fftw_execute_dft;
    static constexpr auto destroy = fftw_destroy_plan;
};
template <>
struct Fftw<float> {
    using Plan = fftwf_plan;
    using Raw = fftwf_complex;
    static constexpr auto plan_r2c = fftwf_plan_many_dft_r2c;
    static constexpr auto plan_c2r = fftwf_plan_many_dft_c2r;
    static constexpr auto plan = fftwf_plan_many_dft;
    static constexpr auto execute_r2c = fftwf_execute_dft_r2c;
    static constexpr auto execute_c2r = fftwf_execute_dft_c2r;
    static constexpr auto execute = fftwf_execute_dft;
    static constexpr auto destroy = fftwf_destroy_plan;
};

template <class R>
typename Fftw<R>::Raw* raw(std::complex<R>* z)
{
    return reinterpret_cast<typename Fftw<R>::Raw*>(z); // the layout FFTW documents
}

/// Aligned scratch of one thread for one block of lines.
template <class R>
class Scratch {
public:
    using Complex = std::complex<R>;
    explicit Scratch(std::size_t complex_numbers)
        : data_(static_cast<Complex*>(fftw_malloc(sizeof(Complex) * complex_numbers)))
    {
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
        std::fill_n(data_, complex_numbers, Complex{});
    }
    ~Scratch() { fftw_free(data_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    [[nodiscard]] Complex* get() const { return data_; }
    [[nodiscard]] R* real() const { return reinterpret_cast<R*>(data_); }

private:
    Complex* data_;
};

std::mutex& planner()
{
    static std::mutex mutex; // FFTW's planner is not re-entrant
    return mutex;
}

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

} // namespace

template <class R>
struct Fft3d<R>::Plans {
    typename Fftw<R>::Plan z_forward, z_backward;
    typename Fftw<R>::Plan y_forward, y_backward, x_forward, x_backward;
};

template <class R>
Fft3d<R>::Fft3d(const std::array<int, 3>& size) : n_(size), plans_(std::make_unique<Plans>())
{
    const std::lock_guard<std::mutex> lock(planner());
    const int longest = std::max({n_[0], n_[1], n_[2] + 2});
    const Scratch<R> a(at(longest) * block), b(at(longest) * block);
    // ESTIMATE alone is a pure function of the length and the machine: no timing, no wisdom
    constexpr unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
    const int nz = n_[2];
    plans_->z_forward = Fftw<R>::plan_r2c(1, &nz, block, a.real(), nullptr, 1, nz, raw(b.get()),
                                          nullptr, 1, half(), flags);
    plans_->z_backward = Fftw<R>::plan_c2r(1, &nz, block, raw(b.get()), nullptr, 1, half(),
                                           a.real(), nullptr, 1, nz, flags);
    const auto interleaved = [&](int n, int sign) {
        return Fftw<R>::plan(1, &n, block, raw(a.get()), nullptr, block, 1, raw(b.get()), nullptr,
                             block, 1, sign, flags);
    };
    plans_->y_forward = interleaved(n_[1], FFTW_FORWARD);
    plans_->y_backward = interleaved(n_[1], FFTW_BACKWARD);
    plans_->x_forward = interleaved(n_[0], FFTW_FORWARD);
    plans_->x_backward = interleaved(n_[0], FFTW_BACKWARD);
}

template <class R>
Fft3d<R>::~Fft3d()
{
    const std::lock_guard<std::mutex> lock(planner());
    for (const auto& plan : {plans_->z_forward, plans_->z_backward, plans_->y_forward,
                             plans_->y_backward, plans_->x_forward, plans_->x_backward}) {
        Fftw<R>::destroy(plan);
    }
}

template <class R>
std::size_t Fft3d<R>::points() const
{
    return at(n_[0]) * at(n_[1]) * at(n_[2]);
}

template <class R>
std::size_t Fft3d<R>::spectrum_points() const
{
    return at(n_[0]) * at(n_[1]) * at(half());
}

template <class R>
void Fft3d<R>::forward(const R* real, std::complex<R>* spectrum, int threads) const
{
    const std::int64_t lines = std::int64_t{n_[0]} * n_[1];
    const std::int64_t blocks = (lines + block - 1) / block;
    const std::size_t nz = at(n_[2]), nh = at(half());
#pragma omp parallel num_threads(threads)
    {
        const Scratch<R> in(nz * block), out(nh * block);
#pragma omp for schedule(static)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::size_t count = at(std::min<std::int64_t>(block, lines - b * block));
            std::copy_n(real + at(b) * block * nz, count * nz, in.real());
            std::fill(in.real() + count * nz, in.real() + block * nz, 0.0);
            Fftw<R>::execute_r2c(plans_->z_forward, in.real(), raw(out.get()));
            std::copy_n(out.get(), count * nh, spectrum + at(b) * block * nh);
        }
    }
    lines_along_y(spectrum, Direction::forward, threads);
    lines_along_x(spectrum, Direction::forward, threads);
}

template <class R>
void Fft3d<R>::backward(std::complex<R>* spectrum, R* real, int threads) const
{
    lines_along_x(spectrum, Direction::backward, threads);
    lines_along_y(spectrum, Direction::backward, threads);
    const std::int64_t lines = std::int64_t{n_[0]} * n_[1];
    const std::int64_t blocks = (lines + block - 1) / block;
    const std::size_t nz = at(n_[2]), nh = at(half());
#pragma omp parallel num_threads(threads)
    {
        const Scratch<R> in(nh * block), out(nz * block);
#pragma omp for schedule(static)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::size_t count = at(std::min<std::int64_t>(block, lines - b * block));
            std::copy_n(spectrum + at(b) * block * nh, count * nh, in.get());
            std::fill(in.get() + count * nh, in.get() + block * nh, std::complex<R>{});
            Fftw<R>::execute_c2r(plans_->z_backward, raw(in.get()), out.real());
            std::copy_n(out.real(), count * nz, real + at(b) * block * nz);
        }
    }
}

namespace
{

/// Transforms `count` neighbouring lines: element k of the line l is lines[k * stride + l].
template <class R>
void transform(typename Fftw<R>::Plan plan, std::complex<R>* lines, int n, std::size_t stride,
               std::size_t count, const Scratch<R>& in, const Scratch<R>& out)
{
    for (std::size_t k = 0; k < at(n); ++k) {
        std::copy_n(lines + k * stride, count, in.get() + k * block);
        std::fill(in.get() + k * block + count, in.get() + (k + 1) * block, std::complex<R>{});
    }
    Fftw<R>::execute(plan, raw(in.get()), raw(out.get()));
    for (std::size_t k = 0; k < at(n); ++k) {
        std::copy_n(out.get() + k * block, count, lines + k * stride);
    }
}

} // namespace

template <class R>
void Fft3d<R>::lines_along_y(std::complex<R>* spectrum, Direction direction, int threads) const
{
    const auto plan = direction == Direction::forward ? plans_->y_forward : plans_->y_backward;
    const std::size_t nh = at(half()), ny = at(n_[1]);
    const std::int64_t blocks = (half() + block - 1) / block;
#pragma omp parallel num_threads(threads)
    {
        const Scratch<R> in(ny * block), out(ny * block);
#pragma omp for schedule(static)
        for (std::int64_t t = 0; t < blocks * n_[0]; ++t) {
            const std::size_t first = at(t % blocks) * block;
            transform(plan, spectrum + at(t / blocks) * ny * nh + first, n_[1], nh,
                      std::min<std::size_t>(block, nh - first), in, out);
        }
    }
}

template <class R>
void Fft3d<R>::lines_along_x(std::complex<R>* spectrum, Direction direction, int threads) const
{
    const auto plan = direction == Direction::forward ? plans_->x_forward : plans_->x_backward;
    const std::size_t plane = at(half()) * at(n_[1]);
    const std::int64_t blocks = (static_cast<std::int64_t>(plane) + block - 1) / block;
#pragma omp parallel num_threads(threads)
    {
        const Scratch<R> in(at(n_[0]) * block), out(at(n_[0]) * block);
#pragma omp for schedule(static)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::size_t first = at(b) * block;
            transform(plan, spectrum + first, n_[0], plane,
                      std::min<std::size_t>(block, plane - first), in, out);
        }
    }
}

template class Fft3d<double>;
template class Fft3d<float>;

} // namespace tessera
