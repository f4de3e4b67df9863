#pragma once

#include "cuda/check.hpp"

#include <utility>

namespace tessera
{

/// A queue of work for the GPU; ends with its work done.
class Stream {
public:
    Stream()
    {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a CUDA stream");
    }
    ~Stream()
    {
        if (stream_ != nullptr) {
            cudaStreamDestroy(stream_);
        }
    }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&& other) noexcept
    {
        std::swap(stream_, other.stream_);
        return *this;
    }

    [[nodiscard]] cudaStream_t get() const { return stream_; }
    void wait() const { check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }

private:
    cudaStream_t stream_ = nullptr;
};

} // namespace tessera
