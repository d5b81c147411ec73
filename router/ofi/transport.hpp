// The interface of the transport that carries frames between processes.
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

/// Slot number of a buffer that takes whichever frame comes next.
inline constexpr std::uint32_t kAnySlot = UINT32_MAX;

/// Sends, receives or reads one buffer. The operation and its buffer must not move until the
/// operation has completed.
struct Operation {
  std::array<void*, 8> context;  ///< for the transport while the operation lasts; must be first
  std::span<std::byte> buffer;
  bool receives = false;
  bool reads = false;  ///< reads memory of another process; then it is a ReadOperation
  unsigned peer = 0;   ///< process to which the buffer is sent
  /// Slot of the receiver's window to which the frame is written. A transport that sends only
  /// messages ignores it.
  std::uint32_t slot = kAnySlot;
  std::size_t bytes = 0;   ///< bytes sent or received
  std::uint64_t user = 0;  ///< for the owner of the operation
};

/// How other processes address memory of this process.
struct Exposed {
  std::uint64_t address = 0;  ///< as libfabric's fi_read() expects it
  std::uint64_t key = 0;
};

/// Memory that other processes may read, or into which this process may read, while this object
/// exists.
class Region {
 public:
  virtual ~Region() = default;
  const Exposed& exposed() const { return exposed_; }

 protected:
  explicit Region(const Exposed& exposed) : exposed_(exposed) {}

 private:
  Exposed exposed_;
};

/// Reads bytes of process `peer` into the buffer.
struct ReadOperation : Operation {
  Exposed from;
  const Region* into;  ///< the region that contains the buffer
};

struct Completion {
  Operation* operation;  ///< null if a write arrived that names no valid buffer
  int error;             ///< 0 if there is no error
  /// Whether a peer has written the frame. Then its length is in the frame's header.
  bool was_written = false;
};
/// The error of a receive operation whose buffer was too short for the message. Any other error of
/// a receive operation only means that a connection has ended.
inline constexpr int kTooLong = -1;

/// Carries frames between processes: libfabric's endpoint, or in tests a network that loses, delays
/// and damages them. All calls come from one thread; none of them blocks.
///
/// **Messages or writes:** a message goes to any buffer that the receiver has posted. A write goes
/// to the buffer of the receiver's window that the operation's slot selects; the caller ensures
/// that this buffer is free. A frame without a slot is always a message.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Sends the first `operation.bytes` of the buffer to `operation.peer`. False if the transport is
  /// busy.
  [[nodiscard]] virtual bool try_send(Operation& operation) = 0;
  /// Receives the next frame from any process into the buffer. False if the transport is busy.
  [[nodiscard]] virtual bool try_receive(Operation& operation) = 0;
  /// Writes the operations that have completed to `completions` and returns their number.
  virtual std::size_t poll(std::span<Completion> completions) = 0;
  virtual std::string text_of(int error) const = 0;
  /// The clock for timeouts of frames. A simulated network has its own clock.
  virtual Clock::time_point now() const { return Clock::now(); }

  /// Bytes of the shortest put that is worth reading. 0 if the transport cannot read; then the
  /// functions below must not be called.
  virtual std::size_t least_read() const { return 0; }
  /// Maximum number of reads in flight.
  static constexpr std::size_t kMostReads = 64;
  /// Makes memory readable for processes that know its Exposed address and key. Throws RunFailed.
  virtual std::unique_ptr<Region> expose(std::span<const std::byte> memory);
  /// Prepares memory for reads into it. Throws RunFailed.
  virtual std::unique_ptr<Region> open(std::span<std::byte> memory);
  /// Begins to read into the buffer. False if the transport is busy. The process whose memory is
  /// read is not notified.
  [[nodiscard]] virtual bool try_read(ReadOperation& operation);
};

}  // namespace toroid::ofi
