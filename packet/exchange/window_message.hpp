// What a packet of a window says, in the first bytes of its payload. A packed part of a put begins
// with the same.
//
//   byte 0        8       12      16          20     21      24       32        40
//        +--------+-------+-------+-----------+------+-------+--------+---------+------
//        | offset | bytes | at    | operation | kind | boxed | stride | stretch | data
//        +--------+-------+-------+-----------+------+-------+--------+---------+------
//                                                            only where boxed
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/packet.hpp"
#include "packet/exchange/strided_box.hpp"

namespace toroid {

enum class WindowMessageKind : std::uint8_t {
  put,               ///< bytes for the window
  acknowledged_put,  ///< the same; when all have come, its origin is told
  acknowledgement,   ///< they have come
  get,               ///< asks for bytes of the window
  answer,            ///< these bytes
};

/// The label of a packet, and what it says of the whole message that the packet belongs to.
struct WindowMessage {
  WindowMessageKind kind;
  std::uint32_t operation;  ///< the put's or get's number at the node that began it
  std::uint32_t bytes;      ///< of the whole message's data
  std::uint32_t at;         ///< which byte of the message's data is the packet's first; as read
  StridedBox box;           ///< where the whole message belongs in the window; of an answer nothing

  static constexpr std::size_t kLabelBytes = 24;
  static constexpr std::size_t kBoxedLabelBytes = 40;
  /// Bytes that the label takes.
  std::size_t label_bytes() const { return label_bytes_of(box); }
  static std::size_t label_bytes_of(const StridedBox& box) {
    return box.is_stretch() ? kLabelBytes : kBoxedLabelBytes;
  }
  /// Data bytes of a full packet with such a label.
  static unsigned data_bytes(const StridedBox& box) {
    return kPayloadBytes - static_cast<unsigned>(label_bytes_of(box));
  }
  /// Writes the label of a packet whose data begins with byte `first` of the message's; returns the
  /// number of bytes. REQUIRES: there is room.
  std::size_t write(std::uint32_t first, std::span<std::byte> to) const;
  /// Reads a label and leaves the data in `data`. False: these bytes begin with no label, or its
  /// parts do not fit together.
  [[nodiscard]] bool read(std::span<const std::byte> from, std::span<const std::byte>& data);

 private:
  bool read_box(std::span<const std::byte> from);
};

}  // namespace toroid
