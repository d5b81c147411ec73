#include "tools/files/host_array.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "hal/random.hpp"
#include "tools/files/npy_elements.hpp"

namespace toroid {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;

void check_size(const Size& size, std::int64_t batch, const std::string& what) {
  std::int64_t volume = batch;
  for (const std::int64_t n : size) {
    if (n < 1) throw BadInput(fmt::format("{}: expected every extent to be at least 1", what));
    if (n > kMaxElements / volume)
      throw BadInput(fmt::format("{}: more than {} elements", what, kMaxElements));
    volume *= n;
  }
}

void check_finite(const HostArray& array, const std::string& name) {
  if (const auto found = find_not_finite(array))
    throw BadInput(fmt::format("{}: element {} in C order is not finite", name, *found));
}

/// The last axis that is longer than 1. Rows lie along it, so that they are long.
unsigned fast_axis(const fft::Index& extents) {
  unsigned fast = fft::kMaxAxes - 1;
  while (fast > 0 && extents[fast] == 1) --fast;
  return fast;
}

/// Moves `at` to the next row of a box; returns false after the last row. Rows lie along `fast`;
/// all axes after it have length 1.
bool next_row(fft::Index& at, const fft::Box& box, unsigned fast) {
  for (unsigned level = fft::kAxes; level-- > 0;) {
    const unsigned axis = fft::kCOrder[level];
    if (axis != fft::kBatchAxis && axis >= fast) continue;
    if (++at[axis] < box.hi[axis]) return true;
    at[axis] = box.lo[axis];
  }
  return false;
}

/// Calls visit(global offset, local offset) for every element of a node's part.
template <typename Whole, typename Visit>
void for_each_element(const fft::Index& extents, const Whole& whole, const fft::NodeLayout& layout,
                      const Visit& visit) {
  const unsigned fast = fast_axis(extents);
  for (const fft::Box& box : layout.boxes()) {
    fft::Index at = box.lo;
    do {
      const auto global = static_cast<std::ptrdiff_t>(whole.offset(at));
      const std::int64_t local = layout.offset(at);
      for (std::int64_t i = 0; i < box.length(fast); ++i)
        visit(global + static_cast<std::ptrdiff_t>(i * whole.stride(fast)),
              static_cast<std::size_t>(local + i * layout.stride(fast)));
    } while (next_row(at, box, fast));
  }
}

fft::NodeLayout dense(const HostArray& array) {
  return fft::NodeLayout::dense(fft::Box::of(array.extents()));
}

template <typename T>
T element(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);  // borrowed memory need not be aligned
  return value;
}

}  // namespace

fft::Complex BorrowedArray::at(std::ptrdiff_t offset) const {
  const std::byte* const place = data + offset;
  switch (type) {
    case Type::float32:
      return element<float>(place);
    case Type::float64:
      return element<double>(place);
    case Type::complex64:
      return fft::Complex(element<std::complex<float>>(place));
    case Type::complex128:
      break;
  }
  return element<fft::Complex>(place);
}

std::ptrdiff_t BorrowedArray::offset(const fft::Index& index) const {
  std::ptrdiff_t sum = 0;
  for (unsigned axis = 0; axis < index.size(); ++axis)
    sum += static_cast<std::ptrdiff_t>(index[axis] * strides[axis]);
  return sum;
}

std::size_t HostArray::elements() const {
  if (raw) return raw->data.size() / raw->bytes;
  if (!borrowed) return values.size();
  return static_cast<std::size_t>(fft::Box::of(extents()).volume());
}

fft::Complex HostArray::at(const fft::Index& index) const {
  if (borrowed) return borrowed->at(borrowed->offset(index));
  const fft::Index all = extents();
  std::int64_t place = 0;
  for (const unsigned axis : fft::kCOrder) place = place * all[axis] + index[axis];
  return values[static_cast<std::size_t>(place)];
}

void HostArray::hold_values() {
  if (!borrowed) return;
  values.reserve(elements());
  for_each_value(*this, [this](const fft::Complex& value) { values.push_back(value); });
  borrowed.reset();
}

std::vector<std::size_t> HostArray::shape_in_file() const {
  std::vector<std::size_t> shape(size.begin(), size.end());
  if (batch > 1 || has_batch_axis) shape.insert(shape.begin(), static_cast<std::size_t>(batch));
  return shape;
}

std::optional<std::size_t> find_element_that_fails(
    const HostArray& array, const std::function<bool(const fft::Complex&)>& holds) {
  std::size_t number = 0;
  if (!array.borrowed) {
    for (const fft::Complex& value : array.values) {
      if (!holds(value)) return number;
      ++number;
    }
    return std::nullopt;
  }
  const fft::Box box = fft::Box::of(array.extents());
  const unsigned fast = fast_axis(array.extents());
  fft::Index at = box.lo;
  do {
    std::ptrdiff_t offset = array.borrowed->offset(at);
    for (std::int64_t i = 0; i < box.length(fast); ++i, ++number) {
      if (!holds(array.borrowed->at(offset))) return number;
      offset += array.borrowed->stride(fast);
    }
  } while (next_row(at, box, fast));
  return std::nullopt;
}

std::optional<std::size_t> find_not_finite(const HostArray& array) {
  return find_element_that_fails(array, [](const fft::Complex& value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  });
}

void for_each_value(const HostArray& array, const std::function<void(const fft::Complex&)>& visit) {
  (void)find_element_that_fails(array, [&](const fft::Complex& value) {
    visit(value);
    return true;
  });
}

Size parse_size(const std::string& text) {
  const auto refuse = [&text] {
    throw BadInput(
        fmt::format("'{}' is not a size; expected 64x64x64, 4x4x4x4, 64 for a cube, or 64x for one "
                    "axis",
                    shortened(text)));
  };
  Size size;
  bool is_line = false;  // an x without a second extent says that there is one axis
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    const auto [next, error] = std::from_chars(at, end, size.emplace_back());
    if (error != std::errc()) refuse();
    at = next;
    if (at == end) break;
    if (*at != 'x' || size.size() == fft::kMaxAxes) refuse();
    is_line = size.size() == 1 && at + 1 == end;
    if (is_line) break;
  }
  if (size.size() == 1 && !is_line) size.assign(3, size[0]);
  check_size(size, 1, fmt::format("size '{}'", shortened(text)));
  return size;
}

std::string size_text(const Size& size) {
  return fmt::format("{}{}", fmt::join(size, "x"), size.size() == 1 ? "x" : "");
}

namespace {

/// The type of the elements, if they can be read in place.
std::optional<BorrowedArray::Type> borrowed_type(const StoredArray& file) {
  using Type = BorrowedArray::Type;
  if (file.fortran_order || npy::format_of(file.dtype).is_swapped) return std::nullopt;
  const std::string_view code = std::string_view(file.dtype).substr(1);
  constexpr std::array<std::pair<std::string_view, Type>, 4> kTypes = {{{"f4", Type::float32},
                                                                        {"f8", Type::float64},
                                                                        {"c8", Type::complex64},
                                                                        {"c16", Type::complex128}}};
  for (const auto& [name, type] : kTypes)
    if (code == name) return type;
  return std::nullopt;
}

/// The array of a file in C order, read in place.
std::shared_ptr<const BorrowedArray> borrowed_from(const StoredArray& file,
                                                   BorrowedArray::Type type,
                                                   const fft::Index& extents) {
  auto array = std::make_shared<BorrowedArray>(
      BorrowedArray{.data = file.data.data(), .type = type, .owner = file.owner});
  auto stride = static_cast<std::int64_t>(npy::format_of(file.dtype).size());
  for (unsigned level = fft::kAxes; level-- > 0;) {
    array->strides[fft::kCOrder[level]] = stride;
    stride *= extents[fft::kCOrder[level]];
  }
  return array;
}

}  // namespace

namespace {

/// The array of this file without its elements.
HostArray shaped_like(const StoredArray& file, const std::string& name,
                      const ArrayRequest& request) {
  const std::int64_t batch = request.batch;
  Size shape(file.shape.begin(), file.shape.end());
  if (batch > 1 && (shape.empty() || shape[0] != batch))
    throw BadInput(
        fmt::format("{}: the first extent must be {}, the size of the batch", name, batch));
  // With a batch of 1, an array of the usual three axes has none for the batch.
  constexpr std::size_t kUsualAxes = 3;
  const bool has_batch_axis = batch > 1 || (request.may_have_batch && shape.size() > 1 &&
                                            shape.size() != kUsualAxes && shape[0] == 1);
  if (has_batch_axis) shape.erase(shape.begin());
  if (shape.empty() || shape.size() > fft::kMaxAxes)
    throw BadInput(
        fmt::format("{}: has {} dimensions; expected 1 to {}", name, shape.size(), fft::kMaxAxes));
  check_size(shape, batch, name);
  HostArray array{std::move(shape), batch, {}};
  array.has_batch_axis = has_batch_axis;
  array.frame = file.frame;
  return array;
}

/// The elements of a file in C order, each padded to `kBytes`.
template <std::size_t kBytes>
std::vector<std::byte> padded_elements(const StoredArray& file) {
  using Item = std::array<std::byte, kBytes>;
  const std::size_t size = npy::format_of(file.dtype).size();
  const auto load = [&](std::size_t i) {
    Item item{};
    std::memcpy(item.data(), file.data.data() + i * size, size);
    return item;
  };
  const std::vector<std::size_t> in_file(file.shape.rbegin(), file.shape.rend());
  const std::vector<Item> items = file.fortran_order ? npy::reverse_axes(in_file, load)
                                                     : npy::in_order(file.data.size() / size, load);
  const auto bytes = std::as_bytes(std::span(items));
  return {bytes.begin(), bytes.end()};
}

RawElements raw_elements(const StoredArray& file, const std::string& name) {
  const std::size_t size = npy::format_of(file.dtype).size();
  if (size > 16)
    throw BadInput(fmt::format("{}: elements of type {} have {} bytes; expected at most 16", name,
                               file.dtype, size));
  if (size <= 4) return {file.dtype, 4, padded_elements<4>(file)};
  if (size == 8) return {file.dtype, 8, padded_elements<8>(file)};
  return {file.dtype, 16, padded_elements<16>(file)};
}

}  // namespace

HostArray load_array(const std::string& path, const ArrayRequest& request) {
  const std::string name = input_name(path);
  const StoredArray file = read_stored_array(path, request.rules);
  HostArray array = shaped_like(file, name, request);
  array.dtype = file.dtype;
  if (const auto type = borrowed_type(file))
    array.borrowed = borrowed_from(file, *type, array.extents());
  else
    array.values = decoded(file).values;
  if (!request.is_exact)
    check_finite(array, name);
  else if (npy::is_rounded(file.data, npy::format_of(file.dtype)))
    throw BadInput(name +
                   ": a number does not fit double precision, through which --type converts; leave "
                   "out --type to move the bits as they are");
  return array;
}

HostArray load_raw_array(const std::string& path, const ArrayRequest& request) {
  const std::string name = input_name(path);
  const StoredArray file = read_stored_array(path, request.rules);
  HostArray array = shaped_like(file, name, request);
  array.raw = raw_elements(file, name);
  return array;
}

StoredArray stored_from(const HostArray& array) {
  const RawElements& raw = array.raw.value();
  const std::size_t size = npy::format_of(raw.dtype).size();
  std::vector<std::byte> bytes(array.elements() * size);
  for (std::size_t i = 0; i < array.elements(); ++i)
    std::memcpy(bytes.data() + i * size, raw.data.data() + i * raw.bytes, size);
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {raw.dtype, false, {array.size.begin(), array.size.end()}, *owner, owner};
}

HostArray random_array(const Size& size, std::int64_t batch, bool real, std::uint64_t seed) {
  check_size(size, batch, "the batch");
  std::size_t count = static_cast<std::size_t>(batch);
  for (const std::int64_t n : size) count *= static_cast<std::size_t>(n);
  HostArray array{size, batch, std::vector<fft::Complex>(count)};
  Random random(seed);
  const auto uniform = [&random] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  for (fft::Complex& value : array.values) {
    const double part = uniform();
    value = {part, real ? 0 : uniform()};
  }
  return array;
}

NodeArray::NodeArray(std::size_t elements, bool real, fft::Precision precision)
    : elements_(elements),
      real_(real),
      precision_(precision),
      memory_(fft::LocalArray::of_bytes(elements * (real ? 1 : 2) *
                                        (precision == fft::Precision::single ? 4 : 8))) {}

fft::Array NodeArray::view() {
  return {memory_.as<std::byte>(), elements_, real_, precision_};
}

fft::ConstArray NodeArray::view() const {
  return {memory_.as<std::byte>(), elements_, real_, precision_};
}

std::size_t NodeArray::element_bytes() const {
  return (precision_ == fft::Precision::single ? 4u : 8u) * (real_ ? 1u : 2u);
}

std::span<const std::byte> NodeArray::bytes() const {
  return {reinterpret_cast<const std::byte*>(memory_.data()), elements_ * element_bytes()};
}

std::byte* NodeArray::place(std::size_t i) {
  return memory_.as<std::byte>() + i * element_bytes();
}

const std::byte* NodeArray::place(std::size_t i) const {
  return bytes().data() + i * element_bytes();
}

fft::Complex NodeArray::get(std::size_t i) const {
  const void* const data = memory_.data();
  if (precision_ == fft::Precision::single)
    return real_ ? fft::Complex(static_cast<const float*>(data)[i])
                 : fft::Complex(static_cast<const std::complex<float>*>(data)[i]);
  return real_ ? fft::Complex(static_cast<const double*>(data)[i])
               : static_cast<const fft::Complex*>(data)[i];
}

void NodeArray::set(std::size_t i, fft::Complex value) {
  void* const data = memory_.data();
  if (precision_ == fft::Precision::single) {
    const std::complex<float> rounded(value);
    if (real_)
      static_cast<float*>(data)[i] = rounded.real();
    else
      static_cast<std::complex<float>*>(data)[i] = rounded;
  } else if (real_) {
    static_cast<double*>(data)[i] = value.real();
  } else {
    static_cast<fft::Complex*>(data)[i] = value;
  }
}

void take_part(const HostArray& whole, const fft::NodeLayout& layout, NodeArray& part) {
  if (whole.raw)
    return for_each_element(
        whole.extents(), dense(whole), layout, [&](std::ptrdiff_t global, std::size_t local) {
          std::memcpy(part.place(local),
                      whole.raw->data.data() + static_cast<std::size_t>(global) * whole.raw->bytes,
                      whole.raw->bytes);
        });
  if (const BorrowedArray* const borrowed = whole.borrowed.get())
    return for_each_element(
        whole.extents(), *borrowed, layout,
        [&](std::ptrdiff_t global, std::size_t local) { part.set(local, borrowed->at(global)); });
  for_each_element(whole.extents(), dense(whole), layout,
                   [&](std::ptrdiff_t global, std::size_t local) {
                     part.set(local, whole.values[static_cast<std::size_t>(global)]);
                   });
}

void put_part(HostArray& whole, const fft::NodeLayout& layout, const NodeArray& part) {
  if (whole.raw)
    return for_each_element(
        whole.extents(), dense(whole), layout, [&](std::ptrdiff_t global, std::size_t local) {
          std::memcpy(whole.raw->data.data() + static_cast<std::size_t>(global) * whole.raw->bytes,
                      part.place(local), whole.raw->bytes);
        });
  for_each_element(whole.extents(), dense(whole), layout,
                   [&](std::ptrdiff_t global, std::size_t local) {
                     whole.values[static_cast<std::size_t>(global)] = part.get(local);
                   });
}

namespace {

/// The larger of two numbers; NaN if one of them is NaN, which std::max might drop.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

double largest_of(std::span<const fft::Complex> values) {
  double largest = 0;
  for (const fft::Complex& value : values) largest = larger(largest, std::abs(value));
  return largest;
}

}  // namespace

ArrayError compare(std::span<const fft::Complex> a, std::span<const fft::Complex> b) {
  TOROID_CHECK_EQ(a.size(), b.size());
  // All values are divided by the largest, so that squares neither over- nor underflow.
  const double largest = largest_of(b);
  const double unit = largest > 0 ? largest : 1;
  double difference = 0;
  double norm = 0;
  ArrayError error;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error.max = larger(error.max, std::abs(a[i] - b[i]));
    difference += std::norm((a[i] - b[i]) / unit);
    norm += std::norm(b[i] / unit);
  }
  error.l2 = norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
  return error;
}

}  // namespace toroid
