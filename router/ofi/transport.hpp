// The interface of what carries frames between processes.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace toroid::ofi {

using Clock = std::chrono::steady_clock;

/// The place of a buffer that takes whatever frame comes next.
inline constexpr std::uint32_t kAnySlot = UINT32_MAX;

/// The sending or receiving of one buffer. Neither moves until the operation has completed.
struct Operation {
  std::array<void*, 8> context;  ///< for the transport while the operation lasts; the first member
  std::span<std::byte> buffer;
  bool receives = false;
  bool reads = false;  ///< from the memory of another process: it is a ReadOperation
  unsigned peer = 0;   ///< process to which a buffer is sent
  /// Where the peer writes, or is written to: the buffer's number in the window of the pair. A
  /// transport of messages takes no notice of it.
  std::uint32_t slot = kAnySlot;
  std::size_t bytes = 0;   ///< bytes sent or received
  std::uint64_t user = 0;  ///< for the owner of the operation
};

/// Memory of a process as others name it.
struct Exposed {
  std::uint64_t address = 0;  ///< as libfabric's fi_read() wants it
  std::uint64_t key = 0;
};

/// Memory that others may read, or that is read into, as long as this exists.
class Region {
 public:
  virtual ~Region() = default;
  const Exposed& exposed() const { return exposed_; }

 protected:
  explicit Region(const Exposed& exposed) : exposed_(exposed) {}

 private:
  Exposed exposed_;
};

/// The reading of bytes of process `peer` into the buffer.
struct ReadOperation : Operation {
  Exposed from;
  const Region* into;  ///< holds the buffer
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
  /// The time by which frames are late. A network in memory has a clock of its own.
  virtual Clock::time_point now() const { return Clock::now(); }

  /// The shortest put that is worth being read, bytes; 0: it cannot read, and what follows is not
  /// called.
  virtual std::size_t least_read() const { return 0; }
  /// Reads that may be outstanding.
  static constexpr std::size_t kMostReads = 64;
  /// Lets those read the memory who are told how it is called. Throws RunFailed.
  virtual std::unique_ptr<Region> expose(std::span<const std::byte> memory);
  /// Makes memory ready to be read into. Throws RunFailed.
  virtual std::unique_ptr<Region> open(std::span<std::byte> memory);
  /// Fills the buffer. False: not now. The sender's end notices nothing.
  [[nodiscard]] virtual bool try_read(ReadOperation& operation);
};

}  // namespace toroid::ofi
