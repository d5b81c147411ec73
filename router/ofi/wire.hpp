// What carries frames from process to process: libfabric's endpoint, or in tests something that
// loses, delays and damages them. All calls from one thread; none waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace toroid::ofi {

/// A buffer on its way out, or waiting to be filled. Stays where it is until it has completed.
struct Operation {
  std::array<void*, 8> context;  ///< the wire's own while the operation lasts; first
  std::span<std::byte> buffer;   ///< the whole of it
  bool receives = false;
  unsigned peer = 0;       ///< of what is sent: to whom
  std::size_t bytes = 0;   ///< sent, or received
  std::uint64_t user = 0;  ///< the owner's
};

struct Completion {
  Operation* operation;
  int error;  ///< 0: none
};
/// The error of a buffer into which somebody tried to send more than it holds. Any other error of
/// one that was to receive says only that a connection has ended.
inline constexpr int kTooLong = -1;

class Wire {
 public:
  virtual ~Wire() = default;
  /// The first `operation.bytes` of its buffer go to `operation.peer`. False: not now.
  [[nodiscard]] virtual bool try_send(Operation& operation) = 0;
  /// The buffer may be filled with a frame from anybody. False: not now.
  [[nodiscard]] virtual bool try_receive(Operation& operation) = 0;
  /// What has completed; how many.
  virtual std::size_t poll(std::span<Completion> completions) = 0;
  virtual std::string text_of(int error) const = 0;
};

}  // namespace toroid::ofi
