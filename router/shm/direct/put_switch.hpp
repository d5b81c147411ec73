// Carries puts between the workers of a process. There is a Boost.Lockfree queue per ordered pair
// of workers; queues are emptied in batches.
#pragma once

#include <boost/lockfree/policies.hpp>
#include <boost/lockfree/spsc_queue.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "hal/put.hpp"
#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/shared_device_state.hpp"

namespace toroid::ring {

/// A put on its way to the receiver, or on its way back to the sender.
struct PutNote {
  PutDescriptor put;
  bool is_done;  ///< true if the put is done and the note is on its way back

  Rank addressee() const { return is_done ? put.from : put.to; }
};

/// A node that takes notes. Its worker's thread calls it.
class PutEnd {
 public:
  virtual void take_note(const PutNote& note) = 0;

 protected:
  ~PutEnd() = default;
};

class PutSwitch;

/// Capacity, in notes, of the queue from one worker to another.
inline constexpr std::size_t kPutCapacity = 64;
using PutQueue = boost::lockfree::spsc_queue<PutNote, boost::lockfree::capacity<kPutCapacity>>;

/// One worker's access to the switch. All calls come from that worker's thread.
///
/// **No loss:** notes that find a queue full wait in the port, in order.
class PutPort {
 public:
  /// `inward`: the queues from the other workers.
  PutPort(PutSwitch& all, std::size_t worker, std::vector<PutQueue*> inward, std::size_t workers)
      : switch_(&all), worker_(worker), inward_(std::move(inward)), waiting_(workers) {}

  void send(const PutNote& note);
  /// Sends waiting notes and hands over arrived ones. Returns whether something moved.
  bool step();
  /// Whether there is something to do: step() has a note to hand over or to send, or a node of this
  /// worker has been told of a completion, so that its program may go on.
  bool has_news() const;
  /// Whether no note waits for room.
  bool is_quiet() const { return kept_ == 0; }

 private:
  bool send_waiting();
  bool take_from(PutQueue& queue);

  PutSwitch* switch_;
  std::size_t worker_;
  std::vector<PutQueue*> inward_;
  std::vector<std::deque<PutNote>> waiting_;  ///< [destination worker]
  std::size_t kept_ = 0;                      ///< notes in waiting_
  bool has_told_ = false;                     ///< a node of this worker was told of a completion
};

/// The queues between all workers of a process, and the owner of each node. The topology owns it.
/// The queues' atomics are Boost's: push() releases the note that consume_all() and pop() acquire.
class PutSwitch {
 public:
  PutSwitch(const LocalNodes& local, const Placement& placement);

  /// REQUIRES: the run has not begun, and the node is local.
  void plug_in(Rank node, PutEnd& end) { ends_[local_->index(node)] = &end; }
  PutPort& port(std::size_t worker) { return ports_[worker]; }

  // For the ports.
  std::size_t workers() const { return ports_.size(); }
  std::size_t owner(Rank node) const { return owners_[local_->index(node)]; }
  PutEnd& end(Rank node) const { return *ends_[local_->index(node)]; }
  PutQueue& queue(std::size_t from, std::size_t to) { return *queues_[from * workers() + to]; }

 private:
  const LocalNodes* local_;
  std::vector<std::size_t> owners_;                ///< [index among the local nodes]: a worker
  std::vector<PutEnd*> ends_;                      ///< [index among the local nodes]
  std::vector<std::unique_ptr<PutQueue>> queues_;  ///< [sending worker · workers + receiving
                                                   ///< worker]
  std::deque<PutPort> ports_;                      ///< [worker]
};

}  // namespace toroid::ring
