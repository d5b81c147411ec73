// Keeps the nodes of a transform running between calls, so that a call starts no threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
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
  const fft::NodeLayout& layout(bool input) const {
    return input ? plan_.input_layout() : plan_.output_layout();
  }
  std::byte* data(bool input) { return (input ? in_ : out_).as<std::byte>(); }

  /// The node's program: waits for a call, makes it, and so on until the host ends.
  static Program serve(Node& node, PlanNode* self);

 private:
  PerformAwaiter call();

  PlanHost* host_;
  Rank rank_;
  fft::Plan plan_;
  fft::LocalArray in_, out_;
};

/// Runs a plan on this process's nodes. The nodes' programs run in the fabric's threads and wait
/// there for calls; one thread at a time makes the calls. With several processes, all make the same
/// calls.
///
/// **Protocol:** a call increases called_; each node makes it and increases done_, and the last
/// node wakes the caller. While no call is under way, nodes look for one without pause for a short
/// time, and then sleep between looks.
class PlanHost {
 public:
  PlanHost(const std::string& fabric, const Shape& shape, const Machine& machine,
           const fft::Description& description, const Policy* policy);
  PlanHost(const PlanHost&) = delete;
  ~PlanHost() { close(); }

  const fft::Blueprint& blueprint() const { return *blueprint_; }
  std::deque<PlanNode>& nodes() { return nodes_; }

  /// Starts to transform the nodes' arrays. REQUIRES: no call is under way.
  void start(fft::Way way);
  /// Waits for a moment. Returns whether the call is complete. Throws what has ended the run.
  bool wait_a_moment();
  /// Ends a run whose call is to be given up.
  void cancel() { cancelled_ = true; }
  /// Ends the nodes' programs and waits for the end of the run. Without effect after the first
  /// time.
  void close();
  /// Whether this process has all nodes.
  bool has_all_nodes() const { return is_alone_; }
  bool is_closed() const { return !thread_.joinable(); }

  // For the nodes' programs.
  bool has_called(std::uint64_t number) const {
    return called_.load(std::memory_order_acquire) >= number;  // pairs with start()
  }
  bool ends() const { return ends_; }
  fft::Way way() const { return way_; }
  void note_done();
  void rest();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  bool is_complete() const {
    return done_.load(std::memory_order_acquire) == nodes_.size() * (called_ + 1);
  }
  RingOptions ring_options();

  std::shared_ptr<const fft::Blueprint> blueprint_;
  std::unique_ptr<Fabric> fabric_;
  NodeOptions options_;
  std::unique_ptr<Runner> runner_;
  std::deque<PlanNode> nodes_;
  bool is_alone_;  ///< no other process has nodes
  fft::Way way_ = fft::Way::forward;
  std::atomic<bool> ends_ = false;
  std::atomic<bool> cancelled_ = false;
  std::atomic<std::uint64_t> called_ = 0;   ///< number of calls so far
  std::atomic<std::uint64_t> done_ = 0;     ///< calls that nodes have made, plus one per node
  std::atomic<Clock::rep> idle_since_ = 0;  ///< when the latest call was complete
  std::mutex mutex_;                        ///< guards failure_ and over_, and the waits
  std::condition_variable changed_;
  std::exception_ptr failure_;
  bool over_ = false;  ///< the run has ended
  std::thread thread_;
};

}  // namespace toroid::python
