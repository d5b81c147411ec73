// What a sender keeps where links err: its frames, until the other end has them.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// The time from sending a frame to its acknowledgement, smoothed, and the time after which a frame
/// is sent again. Source: RFC 6298.
class RoundTrip {
 public:
  static constexpr std::chrono::milliseconds kLeastTimeout{5};
  static constexpr std::chrono::milliseconds kMostTimeout{80};

  void add(Clock::duration sample);
  Clock::duration smoothed() const { return smoothed_; }
  /// Doubled by each back_off() until the next sample, as far as kMostTimeout.
  Clock::duration timeout() const;
  void back_off() { backed_off_ += backed_off_ < kMostDoublings ? 1 : 0; }

 private:
  static constexpr unsigned kMostDoublings = 10;
  static constexpr std::chrono::milliseconds kMostSample{500};

  Clock::duration smoothed_{};  ///< 0: nothing has been measured
  Clock::duration deviation_{};
  unsigned backed_off_ = 0;
};

/// The frames of an Outflow that the other end is not known to have, and when they are sent again.
///
/// **Kept:** a frame's buffer stays as it is until the frame is acknowledged and the transport has
/// completed it. **Overtaken:** a frame is sent again when one that was sent later has arrived, or
/// the other end has refused a damaged one, and an acknowledgement would have come since: so a
/// network that changes the order makes no repeats. **Late:** the oldest frame is sent again by
/// timeout. **Held:** what the other end holds behind a gap is not sent again.
/// Source: RFC 8985 (RACK). Called by the worker that serves the gateway.
class KeptFrames {
 public:
  /// `window`: frames that are under way at most.
  explicit KeptFrames(std::uint64_t window) : frames_(window), sent_crcs_(window + 1) {}

  /// The next frame is numbered and signed; its number is in Operation::user from now on.
  void add(std::uint64_t sequence, Operation& operation);
  /// It has been handed to the transport, for the first time or again.
  void sent(const Operation& operation, Clock::time_point now);
  /// The transport has completed it. True: its buffer is free, since it is not kept any more.
  [[nodiscard]] bool completed(const Operation& operation);
  /// The other end has the frames up to `received`. Those whose buffers are free go to `free`.
  void acknowledged(std::uint64_t received, Clock::time_point now, std::vector<Operation*>& free);
  /// What the other end says of frames behind a gap and of damaged ones.
  void told(const FrameHeader& header, Clock::time_point now);
  /// The other end has freed buffers, which shows that it is there.
  void progressed(Clock::time_point now);
  /// The frame that must be sent again now; null: none.
  Operation* due(Clock::time_point now) const;

  /// Whether it is time to ask an end that says nothing.
  bool is_late(Clock::time_point now) const { return now - progressed_at_ >= trip_.timeout(); }
  void asked(Clock::time_point now);

  /// Whether links that err do not explain any more that the oldest frame is not acknowledged: it
  /// has been sent kManyTimes, or the transport has had it for `patience`.
  bool is_unanswered(Clock::time_point now, Clock::duration patience) const;

  /// Whether the other end has said that it holds the frame, which is not acknowledged yet.
  bool is_held(std::uint64_t sequence) const {
    return sequence >= first_ && sequence <= last_ && frame(sequence).is_held;
  }
  std::uint64_t repeats() const { return repeats_; }
  /// chained_crc() of the frames up to `sequence`, one of the last `window` + 1.
  const std::vector<std::uint32_t>& sent_crcs() const { return sent_crcs_; }

 private:
  /// Of frames of which three in ten are lost, and as many acknowledgements, one in 50,000 is in
  /// vain so often. Where round trips are short, that is within two seconds.
  static constexpr unsigned kManyTimes = 16;

  struct Frame {
    Operation* operation = nullptr;  ///< null: not kept
    std::uint64_t transmission = 0;  ///< its latest, counted over all frames
    unsigned times = 0;              ///< that it has been sent
    Clock::time_point at{};          ///< of its latest transmission
    bool rests = false;              ///< the transport has nothing to do with it
    bool is_held = false;            ///< by the other end
    bool is_overtaken = false;       ///< since its latest transmission
  };

  Frame& frame(std::uint64_t sequence) { return frames_[sequence % frames_.size()]; }
  const Frame& frame(std::uint64_t sequence) const { return frames_[sequence % frames_.size()]; }
  void arrived(const Frame& frame, Clock::time_point now);
  void note_overtaken();
  bool is_due(const Frame& frame, Clock::time_point now) const;

  std::vector<Frame> frames_;             ///< [sequence modulo window]
  std::vector<std::uint32_t> sent_crcs_;  ///< [sequence modulo (window + 1)]
  std::uint64_t first_ = 1;               ///< of those that are kept
  std::uint64_t last_ = 0;
  std::uint64_t transmissions_ = 0;
  std::uint64_t latest_arrived_ = 0;  ///< the latest transmission that has arrived
  std::uint64_t repeats_ = 0;
  Clock::time_point progressed_at_{};
  RoundTrip trip_;
};

}  // namespace toroid::ofi
