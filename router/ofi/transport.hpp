// The interface of what carries frames between processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace toroid::ofi {

/// The place of a buffer that takes whatever frame comes next.
inline constexpr std::uint32_t kAnySlot = UINT32_MAX;

/// The sending or receiving of one buffer. Neither moves until the operation has completed.
struct Operation {
  std::array<void*, 8> context;  ///< for the transport while the operation lasts; the first member
  std::span<std::byte> buffer;
  bool receives = false;
  unsigned peer = 0;  ///< process to which a buffer is sent
  /// Where the peer writes, or is written to: the buffer's number in the window of the pair. A
  /// transport of messages takes no notice of it.
  std::uint32_t slot = kAnySlot;
  std::size_t bytes = 0;   ///< bytes sent or received
  std::uint64_t user = 0;  ///< for the owner of the operation
};

struct Completion {
  Operation* operation;      ///< null: something has come that names no buffer
  int error;                 ///< 0: none
  bool was_written = false;  ///< by a peer, as many bytes as the frame says
};
/// The error of a receiving operation to which a sender sent more than its buffer holds. Any other
/// error of a receiving operation says only that a connection has ended.
inline constexpr int kTooLong = -1;

/// Carries frames between processes: libfabric's endpoint, or in tests a network that loses, delays
/// and damages them. All calls come from one thread; none waits.
///
/// **Messages or writes:** it sends a frame to whichever buffer the receiver has posted, or writes
/// it into the buffer of the window that the operation's slot names. The caller sees to it that
/// that buffer is free. What has no slot is always a message.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Sends the first `operation.bytes` of the buffer to `operation.peer`. False: not now.
  [[nodiscard]] virtual bool try_send(Operation& operation) = 0;
  /// Receives the next frame from any process into the buffer. False: not now.
  [[nodiscard]] virtual bool try_receive(Operation& operation) = 0;
  /// Writes the operations that have completed to `completions` and returns their number.
  virtual std::size_t poll(std::span<Completion> completions) = 0;
  virtual std::string text_of(int error) const = 0;
};

}  // namespace toroid::ofi
