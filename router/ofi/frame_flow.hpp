// The two directions of the frames between a pair of processes.
//
// **Flow control:** an Outflow numbers its frames and sends no more than the other end has buffers
// for. **Order:** an Inflow sorts arriving frames by their numbers. **Authenticity:** a frame
// carries a token that only holders of the job key can compute. A frame of another run is refused
// because of its token, a copy of a frame of this run because of its sequence number. **Link
// errors:** frames are kept and resent until they have arrived; see KeptFrames. **Loss:** when the
// peer is lost, packets to it are dropped and counted.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/packet_crc.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/kept_frames.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// The memory that a process keeps for each peer, how frames between the two are checked, and when
/// the peer is suspected of being lost.
struct FlowLimits {
  std::size_t frame_bytes = std::size_t{256} << 10;
  unsigned window = 8;        ///< number of frames for which the other end has buffers
  unsigned send_buffers = 3;  ///< number of buffers for frames that are being filled or sent
  CrcScope crc = CrcScope::whole;
  bool checked = false;  ///< frames may be lost or damaged, so they are kept for resending
  /// Time without an acknowledgement after which the other end is suspected of being lost.
  std::chrono::milliseconds suspect_after{3000};
};

/// How an end of a flow signs and recognises frames.
struct FlowIdentity {
  unsigned self;
  unsigned peer;
  std::uint64_t token;        ///< token of the frames that this end sends
  std::uint64_t peers_token;  ///< token of the frames that this end accepts
};

/// The flow of frames from a peer. Only the worker that serves the gateway calls its functions.
class Inflow {
 public:
  Inflow(const FlowIdentity& identity, unsigned window)
      : token_(identity.peers_token), held_(window, nullptr), is_free_(window, false) {}

  bool knows(const FrameHeader& header) const { return header.token == token_; }
  /// Keeps a frame until next() returns it. Refuses a frame that has arrived before or for which no
  /// buffer has been announced; then the operation stays with the caller.
  FrameError hold(std::uint64_t sequence, Operation& operation);
  /// The next frame in order; null if it has not arrived.
  Operation* next();
  /// Marks the buffer of a frame that next() returned as free again.
  void free(std::uint64_t sequence);

  std::uint64_t received() const { return next_ - 1; }
  /// The frames that arrived after the first missing one, encoded as in FrameHeader::held.
  std::uint32_t held() const;
  /// chained_crc() of the frames that next() has returned. Used only if links are checked.
  std::uint32_t received_crc() const { return received_crc_; }
  void note_crc(std::uint32_t frame_crc) { received_crc_ = chained_crc(received_crc_, frame_crc); }
  /// Number of frames before the first frame whose buffer is in use. Once this number is announced,
  /// the peer may write to the slots of these frames again.
  std::uint64_t freed() const { return freed_; }

 private:
  std::uint64_t token_;
  std::uint64_t next_ = 1;  ///< sequence number of the next frame
  std::uint64_t freed_ = 0;
  std::uint32_t received_crc_ = 0;
  std::vector<Operation*> held_;  ///< [sequence modulo window]
  /// [sequence modulo window]: whether this frame is freed but an earlier one is not.
  std::vector<bool> is_free_;
};

/// The flow of frames to a peer. Only the worker that serves the gateway calls its functions.
class Outflow {
 public:
  /// `frames`: operations for frames; `acknowledgement`: operation for frames that consist of a
  /// header only. Only this flow uses them.
  Outflow(Transport& transport, const FlowIdentity& identity, const Inflow& inflow,
          const FlowLimits& limits, std::span<Operation> frames, Operation& acknowledgement);

  /// Number of full packets that may be written now; 0 if none. If the frame being filled is full,
  /// sends it to make room.
  std::uint32_t room() {
    const std::uint32_t room = writer_.room();
    return room > 0 ? room : make_room();
  }
  /// Number of packets, at most `most`, that may be packed as one part now; 0 if none. If the frame
  /// being filled has no room for `least` packets, sends it first. In an empty frame the number may
  /// be less than `least`.
  std::uint32_t part_room(std::uint32_t least, std::uint32_t most);
  /// The frame being filled. REQUIRES: room() > 0 or part_room() > 0.
  FrameWriter& writer() { return writer_; }
  /// Marks the peer as lost: from now on there is always room, and nothing is sent.
  void abandon();
  /// Drops the packets written since the previous call. REQUIRES: abandon() has been called.
  void discard();
  /// Number of packets in frames that have been numbered or dropped. After abandon(), packets count
  /// when discard() drops them.
  std::uint64_t packets() const { return packets_; }
  /// Adds a credit to the frame being filled. False if there is no room for it now.
  [[nodiscard]] bool try_add_credit(std::uint32_t link, std::uint64_t popped);

  /// Whether anything waits to be sent.
  bool has_unsent() const { return sealed_ != nullptr || !writer_.empty(); }
  /// Sends the frames that wait. False if frames still wait, because the other end has no buffer or
  /// the transport is busy.
  bool try_flush();
  /// Sends a frame that announces the frames received and freed; if `asks`, it also asks the other
  /// end for an acknowledgement. False if the transport is busy or has not yet sent the previous
  /// acknowledgement.
  bool try_acknowledge(bool asks = false);
  bool owes_acknowledgement() const {
    return answers_ != Answer::none || announced_received_ != inflow_->received() ||
           announced_freed_ != inflow_->freed();
  }
  /// Number of buffers that this end has freed but not yet announced to the other end.
  std::uint64_t unannounced() const { return inflow_->freed() - announced_freed_; }

  /// Notes that an operation of this flow has completed.
  void completed(Operation& operation);
  /// Processes the counts of received and freed frames in a header from the other end. True if one
  /// of them has grown.
  bool acknowledged(const FrameHeader& header);

  /// Why the other end needs an immediate acknowledgement although no count has changed.
  enum class Answer : std::uint8_t {
    none,
    state,   ///< it has resent a frame, sent a frame after a gap, or asked for an acknowledgement
    damage,  ///< this end has refused a damaged frame
  };
  void answer(Answer answer) { answers_ = std::max(answers_, answer); }
  bool must_answer() const { return answers_ != Answer::none; }
  /// Resends a frame that seems to be lost, or asks a silent other end for an acknowledgement.
  /// REQUIRES: links are checked.
  void repeat(Clock::time_point now);
  /// The frames kept for resending; null if links are not checked.
  const KeptFrames* kept() const { return kept_.get(); }
  std::uint64_t sent() const { return sent_; }
  /// Number of frames whose buffers the other end is known to have freed.
  std::uint64_t freed() const { return freed_; }

  /// Number of frames that the other end is not known to have received.
  std::uint64_t in_flight() const { return sent_ - received_; }
  /// Whether frames are in flight and none of them has been acknowledged for longer than
  /// `patience`. If links are checked, link errors may be the reason. Then
  /// KeptFrames::is_unanswered() must also hold, or the time must be longer than three times
  /// `patience`.
  bool is_unanswered(Clock::time_point now, Clock::duration patience) const {
    const Clock::duration waited = now - waiting_since_;
    if (in_flight() == 0 || waited <= patience) return false;
    return kept_ == nullptr || waited > 3 * patience || kept_->is_unanswered(now, patience);
  }
  std::uint64_t window() const { return window_; }

 private:
  std::uint32_t make_room();
  bool provide_buffer();
  bool try_seal();
  bool try_send_sealed();
  FrameHeader header(std::uint64_t sequence);
  bool is_stuck() const { return in_flight() == 0 && has_unsent() && sent_ - freed_ >= window_; }

  Transport* transport_;
  FlowIdentity identity_;
  const Inflow* inflow_;
  std::uint64_t window_;
  CrcScope crc_;
  std::vector<Operation*> free_;
  Operation* filling_ = nullptr;  ///< the operation whose buffer writer_ fills
  FrameWriter writer_;
  Operation* sealed_ = nullptr;  ///< numbered frame that waits because the transport was busy
  Operation* acknowledgement_;
  bool acknowledging_ = false;
  std::size_t frame_bytes_;
  std::vector<Packet> waste_;  ///< buffer for packets to a lost peer; empty if the peer is not lost
  std::uint64_t packets_ = 0;  ///< number of packets in frames that have been numbered or dropped
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;  ///< number of frames that the other end has acknowledged
  /// Number of frames whose buffers the other end has freed, without a gap.
  std::uint64_t freed_ = 0;
  std::uint64_t announced_received_ = 0;
  std::uint64_t announced_freed_ = 0;
  Clock::time_point waiting_since_{};
  Answer answers_ = Answer::none;     ///< reason for the next acknowledgement
  std::unique_ptr<KeptFrames> kept_;  ///< null if links are not checked
};

}  // namespace toroid::ofi
