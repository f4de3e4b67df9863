#pragma once

#include "cuda/check.hpp"

#include <cstddef>
#include <type_traits>

namespace tessera
{

/// Page-locked memory of the host, owned: copies between it and the GPU run beside other work.
/// Content of undefined value.
template <class T>
class PinnedArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit PinnedArray(std::size_t size)
    {
        if (size > 0) {
            check(cudaMallocHost(&data_, size * sizeof(T)), "reserving page-locked memory");
        }
    }
    ~PinnedArray()
    {
        if (data_ != nullptr) {
            cudaFreeHost(data_);
        }
    }
    PinnedArray(const PinnedArray&) = delete;
    PinnedArray& operator=(const PinnedArray&) = delete;

    [[nodiscard]] T* data() { return data_; }

private:
    T* data_ = nullptr;
};

} // namespace tessera
