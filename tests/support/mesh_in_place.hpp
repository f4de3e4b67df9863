#pragma once

#include "engine/cpu/fft3d.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::support
{

/// A mesh of real numbers that is transformed in its own memory.
template <class R>
class MeshInPlace {
public:
    explicit MeshInPlace(const Fft3d<R>& fft)
        : fft_(fft), planes_(static_cast<std::size_t>(fft.size()[0])),
          rows_(static_cast<std::size_t>(fft.size()[1])),
          points_(static_cast<std::size_t>(fft.size()[2])), pitch_(2 * fft.pitch()),
          plane_(Fft3d<R>::stride_of(rows_ * pitch_)), numbers_(planes_ * plane_)
    {
    }
    [[nodiscard]] MeshView<R> view() { return {numbers_.data(), pitch_, plane_}; }
    [[nodiscard]] SpectrumView<R> spectrum() { return fft_.in_place(view()); }
    /// Rows of `factor` are fft.pitch() apart, planes fft.plane().
    void along_x(typename Fft3d<R>::Way way, const R* factor, int threads)
    {
        fft_.along_x(spectrum(), rows_, static_cast<std::size_t>(fft_.half()), way,
                     {factor, fft_.pitch(), fft_.plane()}, threads);
    }
    void planes_forward(int threads) { fft_.planes_forward(view(), planes_, spectrum(), threads); }
    void planes_backward(int threads)
    {
        fft_.planes_backward(spectrum(), view(), planes_, threads);
    }
    void filter(const R* factor, int threads)
    {
        planes_forward(threads);
        along_x(Fft3d<R>::Way::filter, factor, threads);
        planes_backward(threads);
    }
    void put(const std::vector<R>& points)
    {
        for (std::size_t row = 0; row < planes_ * rows_; ++row) {
            std::copy_n(points.data() + row * points_, points_, numbers_.data() + place_of(row));
        }
    }
    [[nodiscard]] std::vector<R> points() const
    {
        std::vector<R> out(planes_ * rows_ * points_);
        for (std::size_t row = 0; row < planes_ * rows_; ++row) {
            std::copy_n(numbers_.data() + place_of(row), points_, out.data() + row * points_);
        }
        return out;
    }

private:
    [[nodiscard]] std::size_t place_of(std::size_t row) const
    {
        return row / rows_ * plane_ + row % rows_ * pitch_;
    }

    const Fft3d<R>& fft_;
    std::size_t planes_, rows_, points_, pitch_, plane_;
    AlignedVector<R> numbers_;
};

} // namespace tessera::support
