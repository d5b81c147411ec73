#include "fft/layout/local_array.hpp"

#include "hal/large_pages.hpp"

namespace toroid::fft {

LocalArray::LocalArray(std::size_t elements)
    : size_(elements),
      data_(static_cast<Complex*>(allocate_in_large_pages(elements * sizeof(Complex) + 1))) {}

void LocalArray::Free::operator()(Complex* data) const {
  free_large_pages(data);
}

}  // namespace toroid::fft
