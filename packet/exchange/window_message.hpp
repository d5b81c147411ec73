// The label of a window's packet: the first bytes of its payload. A packed part of a put begins
// with the same label.
//
//   byte 0        8       12      16          20     21      24       32        40
//        +--------+-------+-------+-----------+------+-------+--------+---------+------
//        | offset | bytes | at    | operation | kind | boxed | stride | stretch | data
//        +--------+-------+-------+-----------+------+-------+--------+---------+------
//                                                            only if boxed
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/packet.hpp"
#include "packet/exchange/strided_box.hpp"

namespace toroid {

enum class WindowMessageKind : std::uint8_t {
  put,               ///< bytes for the window
  acknowledged_put,  ///< the same; its origin is told when all bytes have come
  acknowledgement,   ///< tells the origin of such a put that all bytes have come
  get,               ///< asks for bytes of the window
  answer,            ///< the bytes asked for
};

/// The label of a packet. It describes the whole message that the packet belongs to.
struct WindowMessage {
  WindowMessageKind kind;
  std::uint32_t operation;  ///< the put's or get's number at the node that began it
  std::uint32_t bytes;      ///< data bytes of the whole message
  std::uint32_t at;         ///< index of the packet's first byte in the message's data; set by
                            ///< read()
  StridedBox box;           ///< place of the whole message in the window; unused in an answer

  static constexpr std::size_t kLabelBytes = 24;
  static constexpr std::size_t kBoxedLabelBytes = 40;
  /// Number of bytes of the label.
  std::size_t label_bytes() const { return label_bytes_of(box); }
  static std::size_t label_bytes_of(const StridedBox& box) {
    return box.is_stretch() ? kLabelBytes : kBoxedLabelBytes;
  }
  /// Data bytes of a full packet with such a label.
  static unsigned data_bytes(const StridedBox& box) {
    return kPayloadBytes - static_cast<unsigned>(label_bytes_of(box));
  }
  /// Writes the label of a packet whose data begins with byte `first` of the message's data;
  /// returns the number of bytes. REQUIRES: there is room.
  std::size_t write(std::uint32_t first, std::span<std::byte> to) const;
  /// Reads a label and points `data` to the bytes after it. Returns false if these bytes do not
  /// begin with a label, or if its parts contradict each other.
  [[nodiscard]] bool read(std::span<const std::byte> from, std::span<const std::byte>& data);

 private:
  bool read_box(std::span<const std::byte> from);
};

}  // namespace toroid
