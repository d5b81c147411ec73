// Follows packets through a run in virtual time, for a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/probe.hpp"

namespace toroid {

/// A slice of a track: the stay of a packet at one place, beginning with its arrival.
struct TraceSlice {
  std::uint64_t serial;
  Tick begin;
  Rank node;
  Rank source;
  Rank destination;
  std::uint32_t cycles;
  std::uint16_t track;  ///< a direction, kFifo + FIFO, or kDelivered
  std::uint16_t chunks;

  static constexpr unsigned kFifo = 16;
  static constexpr unsigned kDelivered = 80;
  static constexpr unsigned kTracks = 81;
};

/// Collects the slices of packets. Memory is bounded: when there are too many slices, half of the
/// packets are dropped from then on, along with their slices so far. Serial numbers alone decide
/// which packets are kept. Only the thread that runs the model calls it.
class Tracer final : public SimProbe {
 public:
  Tracer(const Shape& shape, const Machine& machine, std::size_t most_slices);

  void on_inject(Tick now, Rank node, unsigned fifo, const ProbedPacket& packet) override;
  void on_hop(Tick now, Rank node, Direction, VirtualChannel, const ProbedPacket&) override;
  void on_deliver(Tick now, Rank node, const ProbedPacket& packet) override;

  /// Slices of one track do not overlap, unless their length is 0.
  const std::vector<TraceSlice>& slices() const { return slices_; }
  /// One packet in this many is kept.
  std::uint64_t one_in() const { return std::uint64_t{1} << halvings_; }

 private:
  struct Waiting {
    Tick since;
    unsigned fifo;
  };

  bool keeps(std::uint64_t serial) const { return (mix64(serial + 1) & (one_in() - 1)) == 0; }
  void add(const ProbedPacket& packet, Tick begin, Tick end, Rank node, unsigned track);
  void leave_fifo(Tick now, Rank node, const ProbedPacket& packet);
  void halve();

  unsigned fifos_;                                  ///< per node
  std::array<Tick, kMaxChunks + 1> wire_cycles_{};  ///< [chunks]
  std::size_t most_slices_;
  unsigned halvings_ = 0;
  std::vector<TraceSlice> slices_;
  std::unordered_map<std::uint64_t, Waiting>
      waiting_;              ///< by serial: kept packets that are still in a FIFO
  std::vector<Tick> drawn_;  ///< [rank · FIFOs + FIFO]: end of the last slice of its track, cycles
};

}  // namespace toroid
