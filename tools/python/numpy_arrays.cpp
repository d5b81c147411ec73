// NumPy arrays as input and output of transforms.
#include <fmt/core.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "hal/check.hpp"
#include "tools/files/host_array.hpp"
#include "tools/python/module.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

BorrowedArray::Type type_of(const py::array& array) {
  using Type = BorrowedArray::Type;
  const py::dtype type =
      array.dtype();  // equal types may be different objects, e.g. in unpickled arrays
  const char kind = type.kind();
  const py::ssize_t bytes = type.itemsize();
  if (kind == 'f' && bytes == sizeof(float)) return Type::float32;
  if (kind == 'f' && bytes == sizeof(double)) return Type::float64;
  if (kind == 'c' && bytes == sizeof(std::complex<float>)) return Type::complex64;
  if (kind == 'c' && bytes == sizeof(std::complex<double>)) return Type::complex128;
  throw BadInput("elements of this type cannot be transformed; expected numbers");
}

}  // namespace

HostArray borrowed(const py::array& array, bool batched) {
  const py::ssize_t first = batched ? 1 : 0;
  const py::ssize_t axes = array.ndim() - first;
  if (axes < 1 || axes > static_cast<py::ssize_t>(fft::kMaxAxes))
    throw BadInput(
        fmt::format("the array has {} dimensions; expected 1 to {}", axes, fft::kMaxAxes));
  auto source = std::make_shared<BorrowedArray>();
  source->data = static_cast<const std::byte*>(array.data());
  source->type = type_of(array);
  HostArray whole;
  if (array.size() == 0)
    throw BadInput("the array has no elements; expected every extent to be at least 1");
  for (py::ssize_t d = 0; d < axes; ++d) {
    whole.size.push_back(array.shape(first + d));
    source->strides[static_cast<std::size_t>(d)] = array.strides(first + d);
  }
  if (batched) {
    whole.batch = array.shape(0);
    whole.has_batch_axis = true;
    source->strides[fft::kBatchAxis] = array.strides(0);
  }
  whole.borrowed = std::move(source);
  return whole;
}

py::array array_of(HostArray result) {
  auto values = std::make_unique<std::vector<fft::Complex>>(std::move(result.values));
  const fft::Complex* const data = values->data();
  const py::capsule owner(values.release(), [](void* memory) {
    delete static_cast<std::vector<fft::Complex>*>(memory);
  });
  Size shape = result.size;
  if (result.has_batch_axis) shape.insert(shape.begin(), result.batch);
  return py::array_t<fft::Complex>(shape, data, owner);
}

}  // namespace toroid::python
