// The fabric `shm`: all nodes live on this workstation, links are rings in memory, worker threads
// run the nodes, and time is the wall clock.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hal/fabric.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/rules/routing.hpp"
#include "router/threads/cpu_account.hpp"

namespace toroid {

enum class RingRoute : std::uint8_t {
  torus,  ///< hop by hop, by the hardware's routing rules, through rings at least as deep as the
          ///< hardware's buffers (Machine::ring_slots)
  direct  ///< straight to the destination, as over a switch; the torus is only the address space
};
inline constexpr std::array<std::string_view, 2> kRingRouteNames = {"torus", "direct"};

struct RingOptions {
  RoutingOptions routing{};
  FifoLinks tying = FifoTying::per_direction;
  RingRoute route = RingRoute::torus;
  /// A run has stalled if nothing moves for this long while every worker completes rounds.
  std::chrono::milliseconds stall{10000};
  /// A run that takes longer fails with a report of what its nodes do; 0 for no limit. If a node
  /// does not return from its turn, the process ends with exit code 1.
  std::chrono::milliseconds limit{0};
  /// Called once, with one line, if no packet has been received for twice as long as `stall`
  /// because a program computes for long or without end. On `ofi` also called by process 0 if a
  /// provider that was expected to work is not used. Empty: the line goes to standard error.
  std::function<void(const std::string& line)> notice{};
  /// Called several times a second by the thread that called run(), with the number of packets that
  /// this process's nodes have received; the number lags some worker rounds behind. May throw to
  /// end the run.
  std::function<void(std::uint64_t delivered)> watch{};
  /// The workers add their CPU time to this account, which must outlive the fabric. Null: their
  /// time is not counted.
  CpuAccount* cpu = nullptr;
};

/// Makes a fabric whose rings hold at least as many packets as the hardware's buffers hold full
/// packets. A short packet takes as much room as a full one, as it does in the bubble channels
/// anyway. `placement` must be made for this shape. Throws BadInput if the machine cannot be
/// emulated.
std::unique_ptr<Fabric> make_ring_fabric(const Shape& shape, const Machine& machine,
                                         Placement placement, RingOptions options = {});
/// The same with a placement of its own: one worker per core that this process may use.
std::unique_ptr<Fabric> make_ring_fabric(const Shape& shape, const Machine& machine,
                                         RingOptions options = {});

/// Memory of all rings of such a fabric, in bytes.
double ring_bytes(const Shape& shape, const Machine& machine, std::size_t workers, RingRoute route);

}  // namespace toroid
