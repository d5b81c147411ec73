// A process's way to the others: frames in, frames out, by the worker that owns it. What goes into
// the frames and who takes what is in them differs between the routes; see direct_gateway.hpp and
// torus_gateway.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/packet.hpp"
#include "router/ofi/buffers.hpp"
#include "router/ofi/flow.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/wire.hpp"
#include "router/shm/port.hpp"

namespace toroid::ofi {

/// What arrived from strangers, or damaged; by reason.
using RefusedFrames = std::array<std::uint64_t, kFrameErrorNames.size()>;

/// A frame that has arrived and is in order, until all that is in it has been taken.
struct Arrival {
  Operation* operation;
  FrameView view;
  std::uint32_t runs_left = 0;
};

/// Trouble with a peer: none is known to have failed yet.
struct Trouble {
  unsigned peer;
  std::string what;
  Clock::time_point since;
};

class Gateway : public ring::Port {
 public:
  /// `wire` and `buffers` outlive it. `identities`: one for each of the `processes` that frames go
  /// to and come from; `buffers` are for as many.
  Gateway(Wire& wire, Buffers& buffers, unsigned processes,
          std::span<const FlowIdentity> identities);
  virtual ~Gateway() = default;

  bool step(bool idle) final;

  /// Any thread.
  RefusedFrames refused() const;
  /// A process that has not acknowledged anything for too long. Any thread.
  int suspect() const { return suspect_.load(std::memory_order_relaxed); }
  /// What the wire says of a peer that cannot be reached. Any thread.
  std::optional<Trouble> trouble() const;

 protected:
  Outflow& out(unsigned peer) { return flows_[peer]->out; }
  void release(Arrival& arrival);

 private:
  /// Whether a packet's header is one that may arrive by this run.
  virtual bool is_valid(unsigned peer, const Run& run, const PacketHeader& header) const = 0;
  /// Takes a frame, which is in order. Whoever takes the last of it calls release().
  virtual void take(Arrival& arrival) = 0;
  /// Moves on what could not go before, in either direction; true: something moved.
  virtual bool collect() = 0;

  struct Flow {
    Flow(Wire& wire, const FlowIdentity& identity, Buffers& buffers, unsigned slot)
        : peer(identity.peer),
          in(identity, buffers.limits().window),
          out(wire, identity, in, buffers.limits().window, buffers.outward(slot),
              buffers.small(slot)) {}
    unsigned peer;
    Inflow in;
    Outflow out;
    Clock::time_point owes_since{};
  };

  bool poll();
  void complete(const Completion& completion);
  void arrive(Operation& operation);
  FrameError accept(Operation& operation);
  void refuse(FrameError error, Operation& operation);
  void post(Operation& operation);
  void post_again();
  bool send(Flow& flow, bool idle);
  void acknowledge(Flow& flow);
  void look_for_suspect();
  void note_trouble(unsigned peer, const std::string& what);

  Wire* wire_;
  std::vector<std::unique_ptr<Flow>> flows_;  ///< [process]; null: nothing goes there
  std::vector<Flow*> in_use_;                 ///< those that are not null
  std::vector<Arrival> arrivals_;             ///< [Operation::user]
  std::vector<Operation*> to_post_;           ///< the wire was busy
  // Relaxed: counted by one thread, for others to print.
  std::array<std::atomic<std::uint64_t>, kFrameErrorNames.size()> refused_{};
  unsigned steps_ = 0;
  std::atomic<int> suspect_{-1};
  mutable std::mutex mutex_;  ///< of trouble_
  std::optional<Trouble> trouble_;
};

}  // namespace toroid::ofi
