// The two directions of the frames between a pair of processes.
//
// **Flow control:** an Outflow numbers its frames and sends no more than the other end has buffers
// for. **Order:** an Inflow sorts arriving frames by their numbers. **Authenticity:** a frame
// carries a token that only holders of the job key can compute. A frame of another run, or a copy
// of a frame of this run, is refused because of its token or its sequence number. **Link errors:**
// frames are kept and resent until they have arrived; see KeptFrames. **Loss:** when the peer is
// lost, packets to it are dropped and counted.
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

/// Limits of the memory that a process keeps for each peer.
struct FlowLimits {
  std::size_t frame_bytes = std::size_t{256} << 10;
  unsigned window = 8;        ///< frames that the other end has buffers for
  unsigned send_buffers = 3;  ///< frames being filled or being sent
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
  /// buffer has been announced; the caller keeps the operation of a refused frame.
  FrameError hold(std::uint64_t sequence, Operation& operation);
  /// The next frame in order; null if it has not arrived.
  Operation* next();
  /// Marks the buffer of a frame that next() returned as free again.
  void free(std::uint64_t sequence);

  std::uint64_t received() const { return next_ - 1; }
  /// The frames that arrived after the first missing one, encoded as in FrameHeader::held.
  std::uint32_t held() const;
  /// chained_crc() of the frames that next() returned, if links are checked.
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
  std::vector<bool> is_free_;     ///< [sequence modulo window]: freed before an earlier frame
};

/// The flow of frames to a peer. Only the worker that serves the gateway calls its functions.
class Outflow {
 public:
  /// `frames`: operations for frames; `acknowledgement`: operation for frames that consist of a
  /// header only. Only this flow uses them.
  Outflow(Transport& transport, const FlowIdentity& identity, const Inflow& inflow,
          const FlowLimits& limits, std::span<Operation> frames, Operation& acknowledgement);

  /// Number of full packets that may be written now. Sends a full frame to make room. 0: not now.
  std::uint32_t room() {
    const std::uint32_t room = writer_.room();
    return room > 0 ? room : make_room();
  }
  /// Number of packets, at most `most`, that may be packed as one part now; 0: not now. If the
  /// frame being filled has no room for `least` packets, sends it first. In an empty frame the
  /// number may be less than `least`.
  std::uint32_t part_room(std::uint32_t least, std::uint32_t most);
  /// The frame being filled. REQUIRES: room() or part_room().
  FrameWriter& writer() { return writer_; }
  /// Marks the peer as lost: from now on there is always room, and nothing is sent.
  void abandon();
  /// Drops the packets written since the last call. REQUIRES: abandon().
  void discard();
  /// Number of packets in sealed or dropped frames. After abandon() it includes all packets written
  /// before the last discard().
  std::uint64_t packets() const { return packets_; }
  /// Adds a credit to the frame. False: not now.
  [[nodiscard]] bool try_add_credit(std::uint32_t link, std::uint64_t popped);

  /// Whether anything waits to be sent.
  bool has_unsent() const { return sealed_ != nullptr || !writer_.empty(); }
  /// Sends the frames that wait. False: not now, because the other end has no buffer or the
  /// transport is busy.
  bool try_flush();
  /// Sends a frame that announces the frames received and freed; if `asks`, it also asks the other
  /// end for an acknowledgement. False: not now.
  bool try_acknowledge(bool asks = false);
  bool owes_acknowledgement() const {
    return answers_ != Answer::none || announced_received_ != inflow_->received() ||
           announced_freed_ != inflow_->freed();
  }
  /// Number of buffers that have been freed but not announced to the other end.
  std::uint64_t unannounced() const { return inflow_->freed() - announced_freed_; }

  /// Notes that an operation of this flow has completed.
  void completed(Operation& operation);
  /// Processes the counts of received and freed frames in a header from the other end. True: one of
  /// them has grown.
  bool acknowledged(const FrameHeader& header);

  /// Why the other end needs an immediate acknowledgement although no count has changed.
  enum class Answer : std::uint8_t {
    none,
    state,   ///< it has resent a frame, sent a frame after a gap, or asked
    damage,  ///< a damaged frame has been refused
  };
  void answer(Answer answer) { answers_ = std::max(answers_, answer); }
  bool must_answer() const { return answers_ != Answer::none; }
  /// Resends frames that are missing or late at the other end. REQUIRES: links are checked.
  void repeat(Clock::time_point now);
  /// The frames kept for resending; null: links are not checked.
  const KeptFrames* kept() const { return kept_.get(); }
  std::uint64_t sent() const { return sent_; }
  /// Number of frames whose buffers the other end is known to have freed.
  std::uint64_t freed() const { return freed_; }

  /// Number of frames that the other end is not known to have received.
  std::uint64_t in_flight() const { return sent_ - received_; }
  /// Whether no frame in flight has been acknowledged for `patience` and, if links are checked,
  /// link errors are not a likely reason. After three times `patience`: always true.
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
  std::vector<Packet> waste_;  ///< buffer for packets to a lost peer; empty: it is not lost
  std::uint64_t packets_ = 0;  ///< packets in sealed or dropped frames
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;  ///< frames that the other end has acknowledged
  std::uint64_t freed_ = 0;     ///< frames whose buffers the other end has freed, in order
  std::uint64_t announced_received_ = 0;
  std::uint64_t announced_freed_ = 0;
  Clock::time_point waiting_since_{};
  Answer answers_ = Answer::none;     ///< reason for the next acknowledgement
  std::unique_ptr<KeptFrames> kept_;  ///< null: links are not checked
};

}  // namespace toroid::ofi
