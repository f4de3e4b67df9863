#include "cuda/make_backend.hpp"
#include "engine/base/error.hpp"

#include <gtest/gtest.h>

namespace tessera
{
namespace
{

TEST(GpuSeam, SaysInWordsWhatThisBuildAndMachineLack)
{
    const GpuReport report = gpu_report();

    if (report.devices > 0) {
        EXPECT_NO_THROW(require_gpu());
    } else if (report.built) {
        EXPECT_THROW(require_gpu(), DeviceError);
    } else {
        try {
            require_gpu();
            FAIL() << "a build without GPU parts found a GPU";
        } catch (const NotBuilt& error) {
            EXPECT_NE(std::string(error.what()).find("-DTESSERA_CUDA=ON"), std::string::npos);
        }
    }
    EXPECT_NE(report.description.find("GPU parts"), std::string::npos);
}

} // namespace
} // namespace tessera
