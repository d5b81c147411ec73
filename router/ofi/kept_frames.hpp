// With link errors, a sender keeps its frames until the other end has them.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// The smoothed time from sending a frame to its acknowledgement, and the timeout after which a
/// frame is resent. Source: RFC 6298.
class RoundTrip {
 public:
  static constexpr std::chrono::milliseconds kLeastTimeout{5};
  static constexpr std::chrono::milliseconds kMostTimeout{80};

  void add(Clock::duration sample);
  Clock::duration smoothed() const { return smoothed_; }
  /// The timeout. Each back_off() doubles it, up to kMostTimeout; the next sample ends the
  /// doubling.
  Clock::duration timeout() const;
  void back_off() { backed_off_ += backed_off_ < kMostDoublings ? 1 : 0; }

 private:
  static constexpr unsigned kMostDoublings = 10;
  static constexpr std::chrono::milliseconds kMostSample{500};

  Clock::duration smoothed_{};  ///< 0 before the first sample
  Clock::duration deviation_{};
  unsigned backed_off_ = 0;
};

/// The frames of an Outflow that the other end is not known to have, and the times to resend them.
///
/// **Kept:** a frame's buffer is not changed until the frame is acknowledged and the transport has
/// completed it. **Overtaken:** a frame is resent if a frame that was sent later has arrived. The
/// oldest frame is also resent if the other end has refused a damaged frame. Both happen only after
/// 1.25 round trips, so that a network that reorders frames does not cause repeats. **Late:** the
/// oldest frame is resent after a timeout. **Held:** frames that the other end holds after a gap
/// are not resent.
/// Source: RFC 8985 (RACK). Called by the worker that serves the gateway.
class KeptFrames {
 public:
  /// `window`: maximum number of frames in flight.
  explicit KeptFrames(std::uint64_t window) : frames_(window), sent_crcs_(window + 1) {}

  /// Keeps the next frame, which is numbered and has its CRC; stores its number in
  /// Operation::user.
  void add(std::uint64_t sequence, Operation& operation);
  /// Notes that the frame has been handed to the transport, for the first time or again.
  void sent(const Operation& operation, Clock::time_point now);
  /// Notes that the transport has completed the operation. True if its frame is no longer kept, so
  /// that its buffer is free.
  [[nodiscard]] bool completed(const Operation& operation);
  /// Notes that the other end has the frames up to `received`. Appends the operations whose buffers
  /// are now free to `free`.
  void acknowledged(std::uint64_t received, Clock::time_point now, std::vector<Operation*>& free);
  /// Processes the other end's reports of frames held after a gap and of damaged frames.
  void told(const FrameHeader& header, Clock::time_point now);
  /// Notes that the other end has received or freed frames, which shows that it is alive.
  void progressed(Clock::time_point now);
  /// The frame that must be resent now; null if there is none.
  Operation* due(Clock::time_point now) const;

  /// Whether it is time to ask a silent other end for an acknowledgement.
  bool is_late(Clock::time_point now) const { return now - progressed_at_ >= trip_.timeout(); }
  void asked(Clock::time_point now);

  /// Whether link errors no longer explain why the oldest frame is not acknowledged: it has been
  /// sent kManyTimes, or the transport has not completed it within `patience`.
  bool is_unanswered(Clock::time_point now, Clock::duration patience) const;

  /// Whether the other end has reported that it holds this frame, which is not acknowledged yet.
  bool is_held(std::uint64_t sequence) const {
    return sequence >= first_ && sequence <= last_ && frame(sequence).is_held;
  }
  std::uint64_t repeats() const { return repeats_; }
  /// [sequence modulo (window + 1)]: chained_crc() of the frames up to `sequence`, for each of the
  /// last `window` + 1 numbers.
  const std::vector<std::uint32_t>& sent_crcs() const { return sent_crcs_; }

 private:
  /// If 30 % of frames and of acknowledgements are lost, one frame in 50,000 is sent this many
  /// times without an answer. With short round trips, 16 transmissions take up to two seconds.
  static constexpr unsigned kManyTimes = 16;

  struct Frame {
    Operation* operation = nullptr;  ///< null if no frame is kept here
    /// Number of its latest transmission, counted over all frames; 0 if it has not been sent yet.
    std::uint64_t transmission = 0;
    unsigned times = 0;         ///< how often it has been sent
    Clock::time_point at{};     ///< time of its latest transmission
    bool rests = false;         ///< the transport is not using the buffer
    bool is_held = false;       ///< the other end holds it
    bool is_overtaken = false;  ///< overtaken since its latest transmission
  };

  Frame& frame(std::uint64_t sequence) { return frames_[sequence % frames_.size()]; }
  const Frame& frame(std::uint64_t sequence) const { return frames_[sequence % frames_.size()]; }
  void arrived(const Frame& frame, Clock::time_point now);
  void note_overtaken();
  bool is_due(const Frame& frame, Clock::time_point now) const;

  std::vector<Frame> frames_;             ///< [sequence modulo window]
  std::vector<std::uint32_t> sent_crcs_;  ///< [sequence modulo (window + 1)]
  std::uint64_t first_ = 1;               ///< first frame that is kept
  std::uint64_t last_ = 0;                ///< last frame that is kept
  std::uint64_t transmissions_ = 0;
  std::uint64_t latest_arrived_ = 0;  ///< the latest transmission known to have arrived
  std::uint64_t repeats_ = 0;
  Clock::time_point progressed_at_{};
  RoundTrip trip_;
};

}  // namespace toroid::ofi
