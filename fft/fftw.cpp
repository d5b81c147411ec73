#include <fftw3.h>

#include "fft/local_array.hpp"
#include "fft/local_transform.hpp"
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

/// The axes that are transformed, or those that are not, as FFTW wants them.
struct Dimensions {
  Dimensions(const LocalShape& shape, bool transformed) {
    for (const LocalAxis& axis : shape.axes)
      if (axis.transformed == transformed)
        dims[static_cast<std::size_t>(count++)] = {axis.length, axis.in_stride, axis.out_stride};
  }
  std::array<fftw_iodim64, 3> dims{};
  int count = 0;
};

/// Elements from the first to the last one, inclusive.
std::size_t reach(const LocalShape& shape, std::int64_t LocalAxis::*stride) {
  std::int64_t last = 0;
  for (const LocalAxis& axis : shape.axes) last += (axis.length - 1) * axis.*stride;
  return static_cast<std::size_t>(last + 1);
}

class FftwTransform final : public LocalTransform {
 public:
  /// Measuring overwrites the arrays that it plans on: these are scratch.
  FftwTransform(const LocalShape& shape, Sign sign, unsigned flags) : in_place_(shape.in_place) {
    const Dimensions transforms(shape, true);
    const Dimensions batches(shape, false);
    LocalArray in(reach(shape, &LocalAxis::in_stride));
    LocalArray out(in_place_ ? 0 : reach(shape, &LocalAxis::out_stride));
    plan_.reset(fftw_plan_guru64_dft(
        transforms.count, transforms.dims.data(), batches.count, batches.dims.data(),
        raw(in.data()), raw(in_place_ ? in.data() : out.data()), static_cast<int>(sign), flags));
    CHECK(plan_ != nullptr);
  }

  void run(const Complex* in, Complex* out) const override {
    CHECK_EQ(in == out, in_place_);
    CHECK_EQ(fftw_alignment_of(reinterpret_cast<double*>(raw(in))), 0);
    CHECK_EQ(fftw_alignment_of(reinterpret_cast<double*>(raw(out))), 0);
    fftw_execute_dft(plan_.get(), raw(in), raw(out));
  }

 private:
  bool in_place_;
  Plan plan_;
};

class FftwLibrary final : public TransformLibrary {
 public:
  std::unique_ptr<LocalTransform> plan(const LocalShape& shape, Sign sign,
                                       Rigor rigor) const override {
    const unsigned flags = rigor == Rigor::measure ? FFTW_MEASURE : FFTW_ESTIMATE;
    return std::make_unique<FftwTransform>(shape, sign, flags);
  }
};

}  // namespace

const TransformLibrary& fftw_library() {
  static const FftwLibrary library;
  return library;
}

bool load_wisdom(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return false;
  if (fftw_import_wisdom_from_filename(path.c_str()) == 0)
    throw BadInput(fmt::format("{}: is no wisdom of {}", path.string(), fftw_version));
  return true;
}

void save_wisdom(const std::filesystem::path& path) {
  if (fftw_export_wisdom_to_filename(path.c_str()) == 0)
    throw BadInput(fmt::format("{}: cannot be written", path.string()));
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
