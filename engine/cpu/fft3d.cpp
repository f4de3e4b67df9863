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

using Complex = std::complex<double>;

fftw_complex* raw(Complex* z)
{
    return reinterpret_cast<fftw_complex*>(z); // the layout FFTW documents
}

/// Aligned scratch of one thread for one block of lines.
class Scratch {
public:
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
    [[nodiscard]] double* real() const { return reinterpret_cast<double*>(data_); }

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

struct Fft3d::Plans {
    fftw_plan z_forward, z_backward;
    fftw_plan y_forward, y_backward, x_forward, x_backward;
};

Fft3d::Fft3d(const std::array<int, 3>& size) : n_(size), plans_(std::make_unique<Plans>())
{
    const std::lock_guard<std::mutex> lock(planner());
    const int longest = std::max({n_[0], n_[1], n_[2] + 2});
    const Scratch a(at(longest) * block), b(at(longest) * block);
    // ESTIMATE alone is a pure function of the length and the machine: no timing, no wisdom
    constexpr unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
    const int nz = n_[2];
    plans_->z_forward = fftw_plan_many_dft_r2c(1, &nz, block, a.real(), nullptr, 1, nz,
                                               raw(b.get()), nullptr, 1, half(), flags);
    plans_->z_backward = fftw_plan_many_dft_c2r(1, &nz, block, raw(b.get()), nullptr, 1, half(),
                                                a.real(), nullptr, 1, nz, flags);
    const auto interleaved = [&](int n, int sign) {
        return fftw_plan_many_dft(1, &n, block, raw(a.get()), nullptr, block, 1, raw(b.get()),
                                  nullptr, block, 1, sign, flags);
    };
    plans_->y_forward = interleaved(n_[1], FFTW_FORWARD);
    plans_->y_backward = interleaved(n_[1], FFTW_BACKWARD);
    plans_->x_forward = interleaved(n_[0], FFTW_FORWARD);
    plans_->x_backward = interleaved(n_[0], FFTW_BACKWARD);
}

Fft3d::~Fft3d()
{
    const std::lock_guard<std::mutex> lock(planner());
    for (const fftw_plan plan : {plans_->z_forward, plans_->z_backward, plans_->y_forward,
                                 plans_->y_backward, plans_->x_forward, plans_->x_backward}) {
        fftw_destroy_plan(plan);
    }
}

std::size_t Fft3d::points() const
{
    return at(n_[0]) * at(n_[1]) * at(n_[2]);
}

std::size_t Fft3d::spectrum_points() const
{
    return at(n_[0]) * at(n_[1]) * at(half());
}

void Fft3d::forward(const double* real, Complex* spectrum, int threads) const
{
    const std::int64_t lines = std::int64_t{n_[0]} * n_[1];
    const std::int64_t blocks = (lines + block - 1) / block;
    const std::size_t nz = at(n_[2]), nh = at(half());
#pragma omp parallel num_threads(threads)
    {
        const Scratch in(nz * block), out(nh * block);
#pragma omp for schedule(static)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::size_t count = at(std::min<std::int64_t>(block, lines - b * block));
            std::copy_n(real + at(b) * block * nz, count * nz, in.real());
            std::fill(in.real() + count * nz, in.real() + block * nz, 0.0);
            fftw_execute_dft_r2c(plans_->z_forward, in.real(), raw(out.get()));
            std::copy_n(out.get(), count * nh, spectrum + at(b) * block * nh);
        }
    }
    lines_along_y(spectrum, Direction::forward, threads);
    lines_along_x(spectrum, Direction::forward, threads);
}

void Fft3d::backward(Complex* spectrum, double* real, int threads) const
{
    lines_along_x(spectrum, Direction::backward, threads);
    lines_along_y(spectrum, Direction::backward, threads);
    const std::int64_t lines = std::int64_t{n_[0]} * n_[1];
    const std::int64_t blocks = (lines + block - 1) / block;
    const std::size_t nz = at(n_[2]), nh = at(half());
#pragma omp parallel num_threads(threads)
    {
        const Scratch in(nh * block), out(nz * block);
#pragma omp for schedule(static)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::size_t count = at(std::min<std::int64_t>(block, lines - b * block));
            std::copy_n(spectrum + at(b) * block * nh, count * nh, in.get());
            std::fill(in.get() + count * nh, in.get() + block * nh, Complex{});
            fftw_execute_dft_c2r(plans_->z_backward, raw(in.get()), out.real());
            std::copy_n(out.real(), count * nz, real + at(b) * block * nz);
        }
    }
}

namespace
{

/// Transforms `count` neighbouring lines: element k of the line l is lines[k * stride + l].
void transform(fftw_plan plan, Complex* lines, int n, std::size_t stride, std::size_t count,
               const Scratch& in, const Scratch& out)
{
    for (std::size_t k = 0; k < at(n); ++k) {
        std::copy_n(lines + k * stride, count, in.get() + k * block);
        std::fill(in.get() + k * block + count, in.get() + (k + 1) * block, Complex{});
    }
    fftw_execute_dft(plan, raw(in.get()), raw(out.get()));
    for (std::size_t k = 0; k < at(n); ++k) {
        std::copy_n(out.get() + k * block, count, lines + k * stride);
    }
}

} // namespace

void Fft3d::lines_along_y(Complex* spectrum, Direction direction, int threads) const
{
    const fftw_plan plan = direction == Direction::forward ? plans_->y_forward : plans_->y_backward;
    const std::size_t nh = at(half()), ny = at(n_[1]);
    const std::int64_t blocks = (half() + block - 1) / block;
#pragma omp parallel num_threads(threads)
    {
        const Scratch in(ny * block), out(ny * block);
#pragma omp for schedule(static)
        for (std::int64_t t = 0; t < blocks * n_[0]; ++t) {
            const std::size_t first = at(t % blocks) * block;
            transform(plan, spectrum + at(t / blocks) * ny * nh + first, n_[1], nh,
                      std::min<std::size_t>(block, nh - first), in, out);
        }
    }
}

void Fft3d::lines_along_x(Complex* spectrum, Direction direction, int threads) const
{
    const fftw_plan plan = direction == Direction::forward ? plans_->x_forward : plans_->x_backward;
    const std::size_t plane = at(half()) * at(n_[1]);
    const std::int64_t blocks = (static_cast<std::int64_t>(plane) + block - 1) / block;
#pragma omp parallel num_threads(threads)
    {
        const Scratch in(at(n_[0]) * block), out(at(n_[0]) * block);
#pragma omp for schedule(static)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::size_t first = at(b) * block;
            transform(plan, spectrum + first, n_[0], plane,
                      std::min<std::size_t>(block, plane - first), in, out);
        }
    }
}

} // namespace tessera
