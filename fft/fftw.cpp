#include <fftw3.h>

#include <vector>

#include "fft/line_transform.hpp"
#include "hal/check.hpp"

namespace toroid {
namespace {

fftw_complex* raw(const Complex* data) {
  return reinterpret_cast<fftw_complex*>(const_cast<Complex*>(data));
}

struct DestroyPlan {
  void operator()(fftw_plan_s* plan) const { fftw_destroy_plan(plan); }
};
using Plan = std::unique_ptr<fftw_plan_s, DestroyPlan>;

/// Line after line with the one plan: any number of lines, at any address.
class FftwLines final : public LineTransform {
 public:
  FftwLines(std::int64_t length, Sign sign) : length_(static_cast<std::size_t>(length)) {
    std::vector<Complex> line(length_);
    plan_.reset(fftw_plan_dft_1d(static_cast<int>(length), raw(line.data()), raw(line.data()),
                                 static_cast<int>(sign), FFTW_ESTIMATE | FFTW_UNALIGNED));
    CHECK(plan_ != nullptr);
  }

  void run(std::span<Complex> lines) const override {
    CHECK_EQ(lines.size() % length_, 0u);
    for (std::size_t at = 0; at < lines.size(); at += length_)
      fftw_execute_dft(plan_.get(), raw(&lines[at]), raw(&lines[at]));
  }

 private:
  std::size_t length_;
  Plan plan_;
};

class FftwLibrary final : public LineTransformLibrary {
 public:
  std::unique_ptr<LineTransform> plan(std::int64_t length, Sign sign) const override {
    return std::make_unique<FftwLines>(length, sign);
  }
};

}  // namespace

const LineTransformLibrary& fftw_lines() {
  static const FftwLibrary library;
  return library;
}

void fftw_reference(const Index& size, Sign sign, std::span<Complex> array) {
  CHECK_EQ(static_cast<std::int64_t>(array.size()), size[0] * size[1] * size[2]);
  const Plan plan(fftw_plan_dft_3d(static_cast<int>(size[0]), static_cast<int>(size[1]),
                                   static_cast<int>(size[2]), raw(array.data()), raw(array.data()),
                                   static_cast<int>(sign), FFTW_ESTIMATE));
  CHECK(plan != nullptr);
  fftw_execute(plan.get());
}

}  // namespace toroid
