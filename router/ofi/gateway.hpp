// The gateway between a process's nodes and the other processes.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/packet.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/frame_flow_health.hpp"
#include "router/ofi/transport.hpp"
#include "router/shm/worker.hpp"

namespace toroid::ofi {

/// Number of frames refused for each FrameError.
using RefusedFrames = std::array<std::uint64_t, kFrameErrorNames.size()>;

/// A frame that has been accepted and is being delivered.
struct ReceivedFrame {
  Operation* operation;
  FrameView view;
  std::uint32_t runs_left = 0;  ///< runs that have not been delivered yet
};

/// An error while sending to a peer, or reading from it. The peer itself need not have failed.
struct TransportError {
  unsigned peer;
  std::string what;
  Clock::time_point since;
};

/// The flows that a gateway has closed because their peers are lost.
struct ClosedFlows {
  std::uint32_t peers = 0;     ///< number of lost peers whose flows are closed
  std::uint64_t sent = 0;      ///< number of packets to them, including dropped ones
  std::uint64_t received = 0;  ///< number of packets from them
};

/// Sends and receives the frames of a process. The content of the frames and its delivery differ
/// between the routes: see DirectGateway and TorusGateway. Only the worker that serves the gateway
/// calls its functions, except where noted.
class Gateway : public ring::Pollable {
 public:
  /// `transport` and `buffers` must outlive the gateway. `processes`: number of processes of the
  /// job. `identities`: one for each peer; `buffers` must be made for that number of peers.
  Gateway(Transport& transport, FrameBuffers& buffers, unsigned processes,
          std::span<const FlowIdentity> identities);
  virtual ~Gateway() = default;

  bool step(bool idle) final;
  /// Closes all memory that is open for remote reads. REQUIRES: the run has failed and its workers
  /// have ended.
  virtual void abandon() {}

  /// Number of frames refused so far. May be called from any thread.
  RefusedFrames refused() const;
  /// Declares a peer lost: the next step() closes its flow, then its frames are ignored and packets
  /// to it are dropped. May be called from any thread, once for each peer.
  void lose(unsigned peer);
  /// The flows closed so far because of lose(). May be called from any thread. A packet to a lost
  /// peer is counted when it leaves its node; a packet from a lost peer is counted before it
  /// reaches its node.
  ClosedFlows closed() const;
  /// A process that has not acknowledged anything for too long; -1 if there is none. May be called
  /// from any thread.
  int suspect() const { return suspect_.load(std::memory_order_relaxed); }
  /// The first error of sending to or reading from a peer, if any. May be called from any thread.
  std::optional<TransportError> transport_error() const;
  /// Statistics of the frames to and from each peer; empty if links are not checked. REQUIRES: the
  /// run is over.
  std::vector<FlowHealth> health() const;

 protected:
  Outflow& out(unsigned peer) { return flows_[peer]->out; }
  const Inflow& in(unsigned peer) const { return flows_[peer]->in; }
  const Transport& transport() const { return *transport_; }
  /// Sends all waiting frames that the transport and the windows allow, even if they are not full.
  void flush();
  /// Notes that everything in `frame` has been delivered and that its buffer is free.
  void release(ReceivedFrame& frame);

 private:
  /// Whether a packet with this header may arrive from `peer` in this run.
  virtual bool is_valid(unsigned peer, const PacketRun& run, const PacketHeader& header) const = 0;
  /// Whether a part with this header may arrive. By default parts are refused, because the torus
  /// route does not use them.
  virtual bool is_valid_part(unsigned, const PacketRun&, const PartHeader&) const { return false; }
  /// Handles the completion of a ReadOperation of this gateway.
  virtual void read_completed(const Operation&) {}
  /// Delivers the content of a frame, and calls release() when all of it has been delivered.
  virtual void deliver(ReceivedFrame& frame) = 0;
  /// Moves packets that could not be moved before, in both directions. True if something has moved.
  virtual bool progress() = 0;

  struct Flow {
    Flow(Transport& transport, const FlowIdentity& identity, FrameBuffers& buffers, unsigned slot)
        : peer(identity.peer),
          first(FrameBuffers::window_index(slot, buffers.limits())),
          in(identity, buffers.limits().window),
          out(transport, identity, in, buffers.limits(), buffers.outward(slot),
              buffers.acknowledgement(slot)) {}
    unsigned peer;
    std::uint32_t first;  ///< index of the first buffer of the peer's window
    Inflow in;
    Outflow out;
    Clock::time_point owes_since{};
    std::uint64_t refused = 0;  ///< frames damaged or received twice, counted if links are checked
    std::uint64_t packets = 0;  ///< number of packets in delivered frames
    bool is_lost = false;
  };

  bool is_lost(unsigned peer) const { return flows_[peer] != nullptr && flows_[peer]->is_lost; }
  bool is_of_lost(const Completion& completion) const;
  void close_lost();
  void count_closed();
  bool poll();
  bool complete(const Completion& completion);
  bool handle_received(const Completion& completion);
  bool take_in(Flow& flow);
  void answer_refused(FrameError error, const Operation& operation);
  FrameError accept(Operation& operation, bool was_written);
  Flow* flow_of(const FrameHeader& header) const;
  static bool is_in_its_slot(const Flow& flow, const FrameHeader& header,
                             const Operation& operation);
  FrameError check(const FrameView& view) const;
  void count_refused(FrameError error);
  void post(Operation& operation);
  void post_again();
  bool send(Flow& flow, bool idle);
  void acknowledge(Flow& flow);
  void look_for_suspect();
  void note_error(unsigned peer, const std::string& what);

  Transport* transport_;
  CrcScope crc_;
  bool checked_;                                ///< links are checked
  std::chrono::milliseconds suspect_after_;     ///< as in FlowLimits
  std::vector<std::unique_ptr<Flow>> flows_;    ///< [process]; null if it is not a peer
  std::vector<Flow*> in_use_;                   ///< flows with peers that are not lost
  std::vector<ReceivedFrame> received_frames_;  ///< [Operation::user]
  std::vector<Operation*> to_post_;  ///< receiving operations that the transport was too busy for
  // Relaxed: one thread counts, other threads only print the counts.
  std::array<std::atomic<std::uint64_t>, kFrameErrorNames.size()> refused_{};
  std::vector<unsigned> lost_;         ///< peers to close, guarded by mutex_
  std::atomic<bool> has_lost_{false};  ///< whether lost_ is not empty
  std::vector<Flow*> closed_;          ///< flows with lost peers
  std::atomic<std::uint32_t> closed_peers_{0};
  std::atomic<std::uint64_t> closed_sent_{0};
  std::atomic<std::uint64_t> closed_received_{0};
  unsigned steps_ = 0;
  std::atomic<int> suspect_{-1};
  mutable std::mutex mutex_;  ///< guards error_ and lost_
  std::optional<TransportError> error_;
};

}  // namespace toroid::ofi
