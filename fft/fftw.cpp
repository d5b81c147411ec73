#include <fftw3.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

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

/// A shape that is transformed part by part, in place.
struct Tiling {
  LocalShape tile;
  std::int64_t tiles = 1;
  std::int64_t step = 0;  ///< elements from one to the next
};

/// Measuring repeats one transform, which keeps an array of some MB in the last cache, where it
/// will not be in use: what wins there passes over memory too often. Lines that stand side by side,
/// one element of each after the other, are measured in tiles that fit the nearer caches. Beyond
/// the last cache what is measured is what happens.
Tiling tiling(const LocalShape& shape) {
  constexpr std::int64_t kColumns = 32;
  constexpr std::int64_t kLeast = (2 << 20) / sizeof(Complex);
  constexpr std::int64_t kMost = (32 << 20) / sizeof(Complex);
  const auto& [line, rows, row] = shape.axes;
  const std::int64_t columns = rows.length * row.length;
  const bool side_by_side = shape.in_place && line.transformed && !rows.transformed &&
                            !row.transformed && row.in_stride == 1 &&
                            rows.in_stride == row.length && line.in_stride >= columns;
  const std::int64_t elements = line.length * columns;
  if (!side_by_side || columns % kColumns != 0 || elements < kLeast || elements > kMost)
    return {shape};
  return {{{line, {kColumns, 1, 1, false}, {}}, true}, columns / kColumns, kColumns};
}

class FftwTransform final : public LocalTransform {
 public:
  /// Measuring overwrites the arrays that it plans on: these are scratch.
  FftwTransform(const Tiling& tiling, Sign sign, unsigned flags)
      : in_place_(tiling.tile.in_place), tiles_(tiling.tiles), step_(tiling.step) {
    const LocalShape& shape = tiling.tile;
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
    for (std::int64_t tile = 0; tile < tiles_; ++tile)
      fftw_execute_dft(plan_.get(), raw(in + tile * step_), raw(out + tile * step_));
  }

 private:
  bool in_place_;
  std::int64_t tiles_;
  std::int64_t step_;
  Plan plan_;
};

class FftwLibrary final : public TransformLibrary {
 public:
  std::unique_ptr<LocalTransform> plan(const LocalShape& shape, Sign sign,
                                       Rigor rigor) const override {
    if (rigor == Rigor::estimate)
      return std::make_unique<FftwTransform>(Tiling{shape}, sign, FFTW_ESTIMATE);
    return std::make_unique<FftwTransform>(tiling(shape), sign, FFTW_MEASURE);
  }
};

}  // namespace

const TransformLibrary& fftw_library() {
  static const FftwLibrary library;
  return library;
}

bool load_wisdom(const std::filesystem::path& path) {
  std::error_code error;  // shows below
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return false;
  if (!std::filesystem::is_regular_file(status))  // reading a FIFO or a device might never end
    throw BadInput(fmt::format("{}: is no regular file", path.string()));
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw BadInput(fmt::format("{}: cannot be read", path.string()));
  if (text.empty()) return false;
  if (fftw_import_wisdom_from_string(text.c_str()) == 0)
    throw BadInput(fmt::format("{}: is no wisdom of {}", path.string(), fftw_version));
  return true;
}

std::string wisdom() {
  const std::unique_ptr<char, decltype(&std::free)> text(fftw_export_wisdom_to_string(),
                                                         &std::free);
  CHECK(text != nullptr);
  return text.get();
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
