// The two directions of a pair of processes. An Outflow numbers its frames and sends no more than
// the other end has buffers for; an Inflow puts what arrives in order and refuses the rest.
//
// Who wrote a frame is shown by its token, a number that only holders of the run's key can compute;
// a frame of another run, or a copy of one of this run, is refused by token or sequence number.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "router/ofi/frame.hpp"
#include "router/ofi/wire.hpp"

namespace toroid::ofi {

using Clock = std::chrono::steady_clock;

/// Sizes of everything that a pair of processes keeps: they do not grow.
struct FlowLimits {
  std::size_t frame_bytes = std::size_t{256} << 10;
  unsigned window = 8;        ///< frames that the other end has buffers for
  unsigned send_buffers = 3;  ///< frames being filled or on their way into the network
};

/// How an end signs and recognises frames.
struct FlowIdentity {
  unsigned self;
  unsigned peer;
  std::uint64_t token;        ///< of frames that it sends
  std::uint64_t peers_token;  ///< of frames that it takes
};

class Inflow {
 public:
  Inflow(const FlowIdentity& identity, unsigned window)
      : token_(identity.peers_token), held_(window, nullptr) {}

  bool knows(const FrameHeader& header) const { return header.token == token_; }
  /// Keeps a frame until next() gives it. The caller keeps what is refused.
  FrameError hold(std::uint64_t sequence, Operation& operation);
  /// Of the frames held the next in order; null: it has not come.
  Operation* next();
  /// A frame that next() gave has its buffer free again.
  void free() { ++freed_; }

  std::uint64_t received() const { return next_ - 1; }
  std::uint64_t freed() const { return freed_; }

 private:
  std::uint64_t token_;
  std::uint64_t next_ = 1;  ///< sequence number
  std::uint64_t freed_ = 0;
  std::vector<Operation*> held_;  ///< [sequence modulo window]
};

class Outflow {
 public:
  /// `frames` and the `small` buffer are its own; `small` takes a header.
  Outflow(Wire& wire, const FlowIdentity& identity, const Inflow& inflow, unsigned window,
          std::span<Operation> frames, Operation& small);

  /// Full packets that may be written now; a full frame is sent to make room. 0: not now.
  std::uint32_t room() {
    const std::uint32_t room = writer_.room();
    return room > 0 ? room : make_room();
  }
  /// REQUIRES: room().
  FrameWriter& writer() { return writer_; }
  /// Tries to note a return. False: not now.
  [[nodiscard]] bool try_return(std::uint32_t port, std::uint64_t popped);

  /// Something waits to be sent.
  bool waits() const { return sealed_ != nullptr || !writer_.empty(); }
  /// Sends what waits. False: not now, the other end has no buffer or the wire is busy.
  bool try_flush();
  /// Tells the other end what has been received and freed if it does not know. False: not now.
  bool try_acknowledge();
  bool owes_acknowledgement() const {
    return told_received_ != inflow_->received() || told_freed_ != inflow_->freed();
  }
  /// So many buffers of the other end's window are free and it does not know.
  std::uint64_t untold() const { return inflow_->freed() - told_freed_; }

  /// An operation of its own has completed.
  void completed(Operation& operation);
  /// The other end has received and freed so many.
  void acknowledged(std::uint64_t received, std::uint64_t freed);
  /// Frames that the other end is not known to have received.
  std::uint64_t in_flight() const { return sent_ - received_; }
  /// Since when in_flight() frames wait without any being acknowledged. REQUIRES: there are some.
  Clock::time_point waiting_since() const { return waiting_since_; }
  std::uint64_t window() const { return window_; }

 private:
  std::uint32_t make_room();
  bool provide_buffer();
  bool try_seal();
  bool try_send_sealed();
  FrameHeader header(std::uint64_t sequence);

  Wire* wire_;
  FlowIdentity identity_;
  const Inflow* inflow_;
  std::uint64_t window_;
  std::vector<Operation*> free_;
  Operation* filling_ = nullptr;  ///< whose buffer the writer has
  FrameWriter writer_;
  Operation* sealed_ = nullptr;  ///< numbered and signed, but the wire was busy
  Operation* small_;
  bool small_busy_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;  ///< of those, by the other end
  std::uint64_t freed_ = 0;     ///< likewise
  std::uint64_t told_received_ = 0;
  std::uint64_t told_freed_ = 0;
  Clock::time_point waiting_since_{};
};

}  // namespace toroid::ofi
