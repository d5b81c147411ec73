// The two directions of the frames between a pair of processes.
//
// **Flow control:** an Outflow numbers its frames and sends no more than the other end has buffers
// for. **Order:** an Inflow puts the frames that arrive in the order of their numbers.
// **Authenticity:** a frame carries a token, which only holders of the job key can compute. A frame
// of another run, or a copy of one of this run, is refused by its token or its sequence number.
// **Links that err:** frames are kept and sent again until they have arrived; see KeptFrames.
// **Loss:** when the peer is lost, what was to be sent to it is dropped and counted.
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

/// Limits of what a process keeps for another one.
struct FlowLimits {
  std::size_t frame_bytes = std::size_t{256} << 10;
  unsigned window = 8;        ///< frames that the other end has buffers for
  unsigned send_buffers = 3;  ///< frames being filled or on their way into the network
  CrcScope crc = CrcScope::whole;
  bool checked = false;  ///< frames may be lost and damaged: they are kept, and sent again
  /// Time without an acknowledgement after which the other end is suspected.
  std::chrono::milliseconds suspect_after{3000};
};

/// How an end of a flow signs and recognises frames.
struct FlowIdentity {
  unsigned self;
  unsigned peer;
  std::uint64_t token;        ///< token of the frames that this end sends
  std::uint64_t peers_token;  ///< token of the frames that this end accepts
};

/// The frames from a peer. Called by the worker that serves the gateway.
class Inflow {
 public:
  Inflow(const FlowIdentity& identity, unsigned window)
      : token_(identity.peers_token), held_(window, nullptr), is_free_(window, false) {}

  bool knows(const FrameHeader& header) const { return header.token == token_; }
  /// Keeps a frame until next() returns it. A frame that is refused stays with the caller: one that
  /// has come before, or for which no buffer has been announced.
  FrameError hold(std::uint64_t sequence, Operation& operation);
  /// The next frame in order; null if it has not arrived.
  Operation* next();
  /// The buffer of a frame that next() returned is free again.
  void free(std::uint64_t sequence);

  std::uint64_t received() const { return next_ - 1; }
  /// The frames behind the first that is missing, as FrameHeader::held has them.
  std::uint32_t held() const;
  /// chained_crc() of the frames that next() returned, where links are checked.
  std::uint32_t received_crc() const { return received_crc_; }
  void note_crc(std::uint32_t frame_crc) { received_crc_ = chained_crc(received_crc_, frame_crc); }
  /// The frames before the first whose buffer is in use: a slot that is announced may be written.
  std::uint64_t freed() const { return freed_; }

 private:
  std::uint64_t token_;
  std::uint64_t next_ = 1;  ///< sequence number of the next frame
  std::uint64_t freed_ = 0;
  std::uint32_t received_crc_ = 0;
  std::vector<Operation*> held_;  ///< [sequence modulo window]
  std::vector<bool> is_free_;     ///< [sequence modulo window]; those before are announced
};

/// The frames to a peer. Called by the worker that serves the gateway.
class Outflow {
 public:
  /// `frames`: operations for frames; `acknowledgement`: one for frames that consist of a header.
  /// Both are for this flow alone.
  Outflow(Transport& transport, const FlowIdentity& identity, const Inflow& inflow,
          const FlowLimits& limits, std::span<Operation> frames, Operation& acknowledgement);

  /// Number of full packets that may be written now. Sends a full frame to make room. 0: not now.
  std::uint32_t room() {
    const std::uint32_t room = writer_.room();
    return room > 0 ? room : make_room();
  }
  /// Number of packets, at most `most`, that may be packed as one part now. Sends a frame that has
  /// no room for `least` of them; an empty frame takes as many as it can. 0: not now.
  std::uint32_t part_room(std::uint32_t least, std::uint32_t most);
  /// REQUIRES: room() or part_room().
  FrameWriter& writer() { return writer_; }
  /// The peer is lost: from now on there is always room, and nothing is sent.
  void abandon();
  /// Drops what has been written since. REQUIRES: abandon().
  void discard();
  /// Packets that have been written into frames, whatever became of them. After abandon() all
  /// before the last discard().
  std::uint64_t packets() const { return packets_; }
  /// Adds a credit to the frame. False: not now.
  [[nodiscard]] bool try_add_credit(std::uint32_t link, std::uint64_t popped);

  /// Whether anything waits to be sent.
  bool has_unsent() const { return sealed_ != nullptr || !writer_.empty(); }
  /// Sends what waits. False: not now, because the other end has no buffer or the transport is
  /// busy.
  bool try_flush();
  /// Sends a frame that announces what has been received and freed. False: not now.
  bool try_acknowledge(bool asks = false);
  bool owes_acknowledgement() const {
    return answers_ != Answer::none || announced_received_ != inflow_->received() ||
           announced_freed_ != inflow_->freed();
  }
  /// Number of buffers that are free again without the other end's knowing it.
  std::uint64_t unannounced() const { return inflow_->freed() - announced_freed_; }

  /// An operation of this flow has completed.
  void completed(Operation& operation);
  /// Takes in what a frame of the other end says of those that it has received and freed. True: it
  /// has received or freed more.
  bool acknowledged(const FrameHeader& header);

  /// Why the other end is to hear at once what has arrived, though nothing is new.
  enum class Answer : std::uint8_t {
    none,
    state,   ///< it has sent a frame again, or one behind a gap, or asked
    damage,  ///< a damaged frame has been refused
  };
  void answer(Answer answer) { answers_ = std::max(answers_, answer); }
  bool must_answer() const { return answers_ != Answer::none; }
  /// Sends again what is missing or late at the other end. REQUIRES: links are checked.
  void repeat(Clock::time_point now);
  /// Null: links are not checked.
  const KeptFrames* kept() const { return kept_.get(); }
  std::uint64_t sent() const { return sent_; }
  /// Number of frames whose buffers the other end is known to have freed.
  std::uint64_t freed() const { return freed_; }

  /// Number of frames that the other end is not known to have received.
  std::uint64_t in_flight() const { return sent_ - received_; }
  /// Whether no frame in flight has been acknowledged for `patience`, nor does chance explain that
  /// where links err; in any case after three times as long.
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
  Operation* sealed_ = nullptr;  ///< numbered and signed, but the transport was busy
  Operation* acknowledgement_;
  bool acknowledging_ = false;
  std::size_t frame_bytes_;
  std::vector<Packet> waste_;  ///< where is written what nobody gets; empty: the peer is there
  std::uint64_t packets_ = 0;  ///< in the frames that are sealed or dropped
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;  ///< frames that the other end has acknowledged
  std::uint64_t freed_ = 0;     ///< frames whose buffers the other end has freed, in order
  std::uint64_t announced_received_ = 0;
  std::uint64_t announced_freed_ = 0;
  Clock::time_point waiting_since_{};
  Answer answers_ = Answer::none;     ///< what the next acknowledgement is for
  std::unique_ptr<KeptFrames> kept_;  ///< null: links are not checked
};

}  // namespace toroid::ofi
