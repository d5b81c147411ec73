#include "packet/exchange/window_message.hpp"

#include <cstring>

namespace toroid {

namespace {

/// Labels are written in words, not in fields, because bytes that have just been written in smaller
/// pieces are slow to copy.
void put_word(std::byte* to, std::uint64_t word) {
  std::memcpy(to, &word, sizeof word);
}

std::uint64_t word_at(const std::byte* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

std::size_t WindowMessage::write(std::uint32_t first, std::span<std::byte> to) const {
  const bool is_boxed = !box.is_stretch();
  put_word(to.data(), box.offset);
  put_word(to.data() + 8, std::uint64_t{bytes} | std::uint64_t{first} << 32);
  put_word(to.data() + 16,
           std::uint64_t{operation} | std::uint64_t(kind) << 32 | std::uint64_t{is_boxed} << 40);
  if (!is_boxed) return kLabelBytes;
  put_word(to.data() + 24, box.stride);
  put_word(to.data() + 32, box.bytes);
  return kBoxedLabelBytes;
}

bool WindowMessage::read(std::span<const std::byte> from, std::span<const std::byte>& data) {
  if (from.size() < kLabelBytes) return false;
  const std::uint64_t lengths = word_at(from.data() + 8);
  const std::uint64_t which = word_at(from.data() + 16);
  const std::uint64_t code = which >> 32 & 0xff;
  const std::uint64_t boxed = which >> 40;
  if (code > static_cast<std::uint64_t>(WindowMessageKind::answer) || boxed > 1) return false;
  kind = static_cast<WindowMessageKind>(code);
  operation = static_cast<std::uint32_t>(which);
  bytes = static_cast<std::uint32_t>(lengths);
  at = static_cast<std::uint32_t>(lengths >> 32);
  box = StridedBox::stretch(word_at(from.data()), bytes);
  if (boxed == 1 && !read_box(from)) return false;
  data = from.subspan(boxed == 1 ? kBoxedLabelBytes : kLabelBytes);
  return std::uint64_t{at} + data.size() <= bytes;
}

bool WindowMessage::read_box(std::span<const std::byte> from) {
  if (from.size() < kBoxedLabelBytes) return false;
  const std::uint64_t stretch = word_at(from.data() + 32);
  if (stretch == 0 || bytes % stretch != 0) return false;
  box.count = bytes / stretch;
  box.bytes = stretch;
  box.stride = word_at(from.data() + 24);
  return true;
}

}  // namespace toroid
