#pragma once

#include "cuda/stream.hpp"

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera
{

/// Memory on the GPU, owned. It cannot be read on the host: upload() and download() are the only
/// ways, and both only queue; the host's memory must live until the stream has been waited for.
template <class T>
class DeviceArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    DeviceArray() = default;
    ~DeviceArray() { release(); }
    DeviceArray(DeviceArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {
    }
    DeviceArray& operator=(DeviceArray&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    /// An address of the GPU; for kernel arguments only.
    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }

    /// New content of undefined value.
    void resize(std::size_t size)
    {
        if (size != size_) {
            release();
            if (size > 0) {
                check(cudaMalloc(&data_, size * sizeof(T)), "reserving memory on the GPU");
            }
            size_ = size;
        }
    }
    void upload(std::span<const T> from, const Stream& stream)
    {
        resize(from.size());
        if (size_ > 0) {
            check(cudaMemcpyAsync(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice,
                                  stream.get()),
                  "copying to the GPU");
        }
    }
    void download(std::span<T> to, const Stream& stream) const
    {
        if (!to.empty()) {
            check(cudaMemcpyAsync(to.data(), data_, to.size() * sizeof(T), cudaMemcpyDeviceToHost,
                                  stream.get()),
                  "copying from the GPU");
        }
    }
    void set_zero(const Stream& stream)
    {
        if (size_ > 0) {
            check(cudaMemsetAsync(data_, 0, size_ * sizeof(T), stream.get()),
                  "clearing memory of the GPU");
        }
    }

private:
    void release()
    {
        if (data_ != nullptr) {
            cudaFree(data_);
        }
        data_ = nullptr;
        size_ = 0;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace tessera
