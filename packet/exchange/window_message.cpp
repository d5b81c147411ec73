#include "packet/exchange/window_message.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "packet/exchange/strided_box.hpp"

namespace toroid {

std::size_t WindowMessage::write(std::span<std::byte> to) const {
  const Label label{.offset = box.offset,
                    .bytes = bytes,
                    .at = at,
                    .operation = operation,
                    .kind = static_cast<std::uint8_t>(kind),
                    .boxed = box.is_stretch() ? std::uint8_t{0} : std::uint8_t{1},
                    .reserved = 0};
  std::memcpy(to.data(), &label, sizeof label);
  if (box.is_stretch()) return sizeof label;
  const LabelOfBox of_box{
      .stride = box.stride, .stretch = static_cast<std::uint32_t>(box.bytes), .reserved = 0};
  std::memcpy(to.data() + sizeof label, &of_box, sizeof of_box);
  return sizeof label + sizeof of_box;
}

bool WindowMessage::read(std::span<const std::byte> from, std::span<const std::byte>& data) {
  Label label;
  if (from.size() < sizeof label) return false;
  std::memcpy(&label, from.data(), sizeof label);
  if (label.kind > static_cast<std::uint8_t>(WindowMessageKind::answer) || label.boxed > 1)
    return false;
  kind = static_cast<WindowMessageKind>(label.kind);
  operation = label.operation;
  bytes = label.bytes;
  at = label.at;
  box = StridedBox::stretch(label.offset, bytes);
  data = from.subspan(sizeof label);
  if (label.boxed == 1) {
    LabelOfBox of_box;
    if (data.size() < sizeof of_box) return false;
    std::memcpy(&of_box, data.data(), sizeof of_box);
    if (!read_box(of_box)) return false;
    data = data.subspan(sizeof of_box);
  }
  return std::uint64_t{at} + data.size() <= bytes;
}

bool WindowMessage::read_box(const LabelOfBox& label) {
  if (label.stretch == 0 || bytes % label.stretch != 0) return false;
  box.count = bytes / label.stretch;
  box.bytes = label.stretch;
  box.stride = label.stride;
  return true;
}

}  // namespace toroid
