// Whole arrays on the host: the input and output of transforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/npy.hpp"

namespace toroid {

/// Extents, slowest first.
using Size = std::vector<std::int64_t>;

/// An input array in the caller's memory or in a file's bytes, in any layout.
struct BorrowedArray {
  enum class Type : std::uint8_t { float32, float64, complex64, complex128 };

  const std::byte* data = nullptr;  ///< address of element (0, 0, ...)
  Type type = Type::complex128;
  fft::Index strides{};  ///< bytes from one element to the next along each axis; may be negative
  std::shared_ptr<const void> owner{};  ///< owner of the memory; null if the caller owns it

  fft::Complex at(std::ptrdiff_t offset) const;
  std::ptrdiff_t offset(const fft::Index& index) const;
  std::ptrdiff_t stride(unsigned axis) const { return strides[axis]; }
};

/// Elements that are moved and never computed with, as bit patterns in C order.
struct RawElements {
  std::string dtype;  ///< as NumPy names it, e.g. ">i8"
  /// Bytes of an element here, 4, 8 or 16; shorter elements are padded with zeros.
  std::size_t bytes = 16;
  std::vector<std::byte> data{};
};

/// One array, or the arrays of a batch one after the other. It holds its elements in double
/// precision, borrows them, which avoids a copy of a large file, or holds them as bit patterns.
struct HostArray {
  Size size;
  std::int64_t batch = 1;
  std::vector<fft::Complex> values;  ///< in C order; empty if the elements are borrowed
  std::shared_ptr<const BorrowedArray> borrowed{};
  std::optional<RawElements> raw{};
  bool has_batch_axis = false;  ///< whether files have an axis for the batch although it is 1
  std::shared_ptr<const MapFrame> frame{};  ///< null if the array comes from no map
  std::string dtype{};  ///< of the file from which the array was loaded, e.g. "<f2"; else empty

  std::size_t elements() const;  ///< in all arrays of the batch
  std::size_t volume() const { return elements() / static_cast<std::size_t>(batch); }
  fft::Index extents() const { return fft::extents_of(size, batch); }
  fft::Complex at(const fft::Index& index) const;
  /// Copies borrowed elements to `values`.
  void hold_values();
  /// The extents in a file, with that of the batch if files have an axis for it.
  std::vector<std::size_t> shape_in_file() const;
};

/// Returns the number of the first element for which holds(value) is false; nothing if there is
/// none. Elements are numbered in C order, the arrays of a batch one after the other. `holds` is
/// not called for later elements.
std::optional<std::size_t> find_element_that_fails(
    const HostArray& array, const std::function<bool(const fft::Complex&)>& holds);
/// The number of the first element that is infinite or NaN; nothing if there is none.
std::optional<std::size_t> find_not_finite(const HostArray& array);
/// Calls visit(value) for every element, in the same order as find_element_that_fails().
void for_each_value(const HostArray& array, const std::function<void(const fft::Complex&)>& visit);

/// How to read an array from a file.
struct ArrayRequest {
  std::int64_t batch = 1;       ///< if above 1, the first axis of the file has this many arrays
  bool may_have_batch = false;  ///< a first axis of 1 is that of a batch of 1
  ReadingRules rules{};         ///< see read_stored_array()
  bool is_exact = false;        ///< elements may be infinite or NaN, but none may be rounded
};

/// Returns the extents of "64x64x64", "4x4x4x4", "64" for a cube, or "64x" for one axis. Throws
/// BadInput.
Size parse_size(const std::string& text);
/// The text for which parse_size() returns this size.
std::string size_text(const Size& size);
/// Loads an array of 1 to 6 axes from a file of any format that read_array() reads; "-" is standard
/// input. Throws BadInput.
HostArray load_array(const std::string& path, const ArrayRequest& request = {});
/// The same without conversion: the result has raw elements. Throws BadInput also if elements have
/// more than 16 bytes.
HostArray load_raw_array(const std::string& path, const ArrayRequest& request = {});
/// The array of a .npy file with these raw elements; it owns its bytes.
StoredArray stored_from(const HostArray& array);
/// Random numbers from the seed. Real and imaginary parts are uniform in [0, 1); imaginary parts
/// are 0 if `real`.
HostArray random_array(const Size& size, std::int64_t batch, bool real, std::uint64_t seed);

/// The local array of a node, with elements of any type.
class NodeArray {
 public:
  NodeArray(std::size_t elements, bool real, fft::Precision precision);

  fft::ConstArray view() const;
  fft::Array view();
  std::span<const std::byte> bytes() const;
  std::size_t element_bytes() const;
  /// The bytes of element i.
  std::byte* place(std::size_t i);
  const std::byte* place(std::size_t i) const;
  fft::Complex get(std::size_t i) const;
  void set(std::size_t i, fft::Complex value);

 private:
  std::size_t elements_;
  bool real_;
  fft::Precision precision_;
  fft::LocalArray memory_;
};

// Copies between the whole array and the local part of one node.
void take_part(const HostArray& whole, const fft::NodeLayout& layout, NodeArray& part);
void put_part(HostArray& whole, const fft::NodeLayout& layout, const NodeArray& part);

/// Both are NaN if an element of a or b is NaN.
struct ArrayError {
  double max = 0;  ///< largest |a - b|
  double l2 = 0;   ///< |a - b| / |b|, both in the Euclidean norm
};
ArrayError compare(std::span<const fft::Complex> a, std::span<const fft::Complex> b);

}  // namespace toroid
