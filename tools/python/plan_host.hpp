// Keeps the nodes of a transform running between calls, so that a call starts no threads.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::python {

class PlanHost;

/// One node with its plan and its arrays.
class PlanNode {
 public:
  PlanNode(PlanHost& host, Node& node, const std::shared_ptr<const fft::Blueprint>& blueprint);

  Rank rank() const { return rank_; }
  /// REQUIRES: the host is not closed.
  const fft::NodeLayout& layout(bool input) const {
    return input ? plan_->input_layout() : plan_->output_layout();
  }
  std::byte* data(bool input) { return (input ? in_ : out_).as<std::byte>(); }

  /// Before the node is destroyed. The arrays stay.
  void let_go() { plan_.reset(); }

  /// The node's program: waits for a call, makes it, and so on until the host ends.
  static Program serve(Node& node, PlanNode* self);

 private:
  PerformAwaiter call();

  PlanHost* host_;
  Rank rank_;
  std::optional<fft::Plan> plan_;  ///< none after let_go()
  fft::LocalArray in_, out_;
};

/// Called again and again by a thread that waits. It may throw to end the wait.
using Poll = std::function<void()>;

/// The right to have an open plan on `ofi`, which one plan of a process has at a time.
class OfiTurn {
 public:
  /// Throws BadInput if a plan has the turn.
  OfiTurn();
  ~OfiTurn();
  OfiTurn(const OfiTurn&) = delete;
  OfiTurn& operator=(const OfiTurn&) = delete;

  /// Throws BadInput if a plan of this process has the turn.
  static void check();
};

/// Leaves the job that plans on `ofi` have joined. Without this call, a process is in it until it
/// ends.
void leave_job();

/// Runs a plan on this process's nodes. The nodes' programs run in the fabric's threads and wait
/// there for calls; one thread at a time makes the calls. With several processes, all make the same
/// calls.
///
/// **Protocol:** a call increases called_; each node makes it and increases done_, and the last
/// node wakes the caller. While no call is under way, nodes look for one without pause for a short
/// time, and then sleep between looks. Closing counts as a last call, in which nodes end; a node
/// makes every call before it.
/// **Forks:** in a process that was forked from the one that made the plan, the threads do not
/// exist, and locks may be locked for ever. There only is_forked() may be called, and the object
/// must not be destroyed.
class PlanHost {
 public:
  /// `poll` is called during the constructor. If it throws, or the run fails, so does the
  /// constructor.
  PlanHost(const std::string& fabric, const Shape& shape, const Machine& machine,
           const fft::Description& description, const Policy* policy, const Poll& poll);
  PlanHost(const PlanHost&) = delete;
  ~PlanHost() { close(); }

  const fft::Blueprint& blueprint() const { return *blueprint_; }
  std::deque<PlanNode>& nodes() { return nodes_; }
  bool is_forked() const { return ::getpid() != process_; }

  /// Starts to transform the nodes' arrays. Throws BadInput if the plan is closed or a call is
  /// under way, RunFailed if the run has failed or was cancelled. end_call() must follow.
  void start(fft::Way way);
  /// Waits up to 50 ms. Returns whether the call is complete. Throws what has ended the run before.
  bool wait_a_moment();
  /// The caller does not wait any more.
  void end_call();

  /// Ends the run as a failure. The first reason counts, a text that lives as long as the process.
  void cancel(const char* why);
  /// Refuses further calls and ends the nodes' programs, or cancels a call that is under way.
  void begin_to_close();
  /// Waits up to 50 ms. Returns whether the run has ended.
  bool wait_for_end();
  /// Does what is left of both, and waits; then destroys the fabric, and with it the handle of the
  /// job. Without effect after the first time.
  void close();
  /// The failure of the run, if neither a call has thrown it nor cancel() has caused it. Returns it
  /// once.
  std::exception_ptr take_failure();
  /// Whether this process has all nodes.
  bool has_all_nodes() const { return is_alone_; }
  bool is_closed() const { return ends_; }

  // For the nodes' programs.
  bool has_called(std::uint64_t number) const {
    return called_.load(std::memory_order_acquire) >= number;  // pairs with start()
  }
  /// Whether a call that has_called() is the one in which nodes end.
  bool is_last(std::uint64_t number) const { return number == last_; }
  fft::Way way() const { return way_; }
  void note_done();
  void rest();

 private:
  using Clock = std::chrono::steady_clock;

  void make_nodes(const Poll& poll);
  void run();
  void check_can_call();
  bool is_complete() const { return has_done(called_); }
  bool has_done(std::uint64_t calls) const {
    return done_.load(std::memory_order_acquire) == nodes_.size() * (calls + 1);
  }
  RingOptions ring_options();

  ::pid_t process_ = ::getpid();
  std::unique_ptr<OfiTurn> turn_;  ///< null on other fabrics, and when the plan is closed
  std::shared_ptr<const fft::Blueprint> blueprint_;
  std::unique_ptr<Fabric> fabric_;
  NodeOptions options_;
  std::unique_ptr<Runner> runner_;
  std::deque<PlanNode> nodes_;
  bool is_alone_;  ///< no other process has nodes
  fft::Way way_ = fft::Way::forward;
  std::atomic<bool> ends_ = false;
  std::atomic<const char*> cancelled_ = nullptr;  ///< the reason
  std::atomic<std::uint64_t> called_ = 0;         ///< number of calls so far
  std::atomic<std::uint64_t> last_ = 0;     ///< number of the call in which nodes end; 0: unknown
  std::atomic<std::uint64_t> done_ = 0;     ///< calls that nodes have made, plus one per node
  std::atomic<Clock::rep> idle_since_ = 0;  ///< when the latest call was complete
  std::mutex mutex_;  ///< guards calling_, failure_, is_reported_ and over_, and the waits
  std::condition_variable changed_;
  std::uint64_t calling_ = 0;  ///< number of the call that a thread waits for; 0: none
  std::exception_ptr failure_;
  bool is_reported_ = false;
  bool over_ = false;   ///< the run has ended
  std::mutex closing_;  ///< guards thread_, turn_, runner_ and fabric_ at the end
  std::thread thread_;
};

}  // namespace toroid::python
