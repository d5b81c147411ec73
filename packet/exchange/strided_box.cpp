#include "packet/exchange/strided_box.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace toroid {

/// None of the calculations overflows, whatever the numbers of the box are, because they may come
/// from any node.
bool StridedBox::lies_in(std::uint64_t memory) const {
  if (is_empty()) return offset <= memory;
  if (bytes > memory || offset > memory - bytes) return false;
  if (is_stretch()) return true;
  return stride >= bytes && count - 1 <= (memory - bytes - offset) / stride;
}

std::string StridedBox::text() const {
  if (is_stretch()) return fmt::format("{} bytes at offset {}", bytes, offset);
  return fmt::format("{} x {} bytes, {} apart, at offset {}", count, bytes, stride, offset);
}

void copy_pieces(BoxCursor<const std::byte> from, BoxCursor<std::byte> to, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t piece = std::min({from.left(), to.left(), bytes});
    copy_bytes(to.at(), from.at(), piece);
    from.advance(piece);
    to.advance(piece);
    bytes -= piece;
  }
}

}  // namespace toroid
