// Stretches of memory at equal distances, such as a box of an array, and functions that copy them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "hal/check.hpp"
#include "hal/copy_bytes.hpp"

namespace toroid {

/// Stretches of equal length at equal distances, in bytes: the part of an array from which a put or
/// get takes its bytes, or to which it brings them, stretch after stretch.
struct StridedBox {
  std::uint64_t offset = 0;  ///< beginning of the first stretch in the memory
  std::uint64_t count = 1;   ///< number of stretches
  std::uint64_t bytes = 0;   ///< length of each stretch
  std::uint64_t stride = 0;  ///< from one stretch's beginning to the next one's; unused if there
                             ///< is only one

  static StridedBox stretch(std::uint64_t offset, std::uint64_t bytes) {
    return {.offset = offset, .bytes = bytes};
  }
  bool is_stretch() const { return count == 1; }
  bool is_empty() const { return count == 0 || bytes == 0; }
  /// Whether all of the box lies in a memory of `memory` bytes, and no two stretches overlap.
  bool lies_in(std::uint64_t memory) const;
  /// Bytes of all stretches. REQUIRES: their number fits into 64 bits.
  std::uint64_t total() const {
    TOROID_CHECK_IN_CHECKED_BUILD(count == 0 || bytes <= UINT64_MAX / count);
    return count * bytes;
  }
  /// The box as text for messages: "3 x 8 bytes, 100 apart, at offset 16".
  std::string text() const;
};

/// Goes through the bytes of a box, a piece of a stretch at a time. REQUIRES: it goes no further
/// than the last byte.
template <typename Byte>
class BoxCursor {
 public:
  /// Begins at byte `at` of the box, which lies in memory that begins at `memory`.
  BoxCursor(Byte* memory, const StridedBox& box, std::uint64_t at)
      : memory_(memory + box.offset), box_(&box), within_(at), rest_(box.total() - at) {
    TOROID_CHECK_IN_CHECKED_BUILD(at <= box.total());
    if (box.is_stretch() || box.is_empty()) return;
    memory_ += at / box.bytes * box.stride;
    within_ = at % box.bytes;
  }

  Byte* at() const { return memory_ + within_; }
  /// Bytes from here to the end of the stretch; 0 only if the box has no more bytes.
  std::uint64_t left() const { return box_->bytes - within_; }
  /// Bytes from here to the end of the box.
  std::uint64_t rest() const { return rest_; }
  void advance(std::uint64_t bytes) {
    TOROID_CHECK_IN_CHECKED_BUILD(bytes <= rest_);
    rest_ -= bytes;
    within_ += bytes;
    if (within_ < box_->bytes || box_->is_stretch()) return;
    memory_ += box_->stride;
    within_ = 0;
  }

 private:
  Byte* memory_;  ///< where the current stretch begins
  const StridedBox* box_;
  std::uint64_t within_;  ///< bytes of the stretch before the cursor
  std::uint64_t rest_;
};

/// copy_boxes() for bytes that are not contiguous at both ends.
void copy_pieces(BoxCursor<const std::byte> from, BoxCursor<std::byte> to, std::uint64_t bytes);

/// Copies `bytes` bytes from box to box. REQUIRES: both have that many bytes left.
inline void copy_boxes(const BoxCursor<const std::byte>& from, const BoxCursor<std::byte>& to,
                       std::uint64_t bytes) {
  TOROID_CHECK_IN_CHECKED_BUILD(bytes <= from.rest() && bytes <= to.rest());
  constexpr std::uint64_t kOften = 216;  // the data of a full packet of a window
  if (from.left() < bytes || to.left() < bytes)
    copy_pieces(from, to, bytes);
  else if (bytes == kOften)
    std::memcpy(to.at(), from.at(), kOften);
  else
    copy_bytes(to.at(), from.at(), bytes);
}

}  // namespace toroid
