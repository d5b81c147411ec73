// Watches packets of a run of the model and writes their ways for ui.perfetto.dev.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/probe.hpp"

namespace toroid {

/// A packet at a place, from its arrival there on: a slice of a track.
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

/// Memory is bounded: when there are too many slices, half of the packets are left out from then
/// on, with what they have done so far. Which are kept follows from their numbers alone.
class Tracer final : public SimProbe {
 public:
  Tracer(const Shape& shape, const Machine& machine, std::size_t most_slices);

  void on_inject(Tick now, Rank node, unsigned fifo, const ProbedPacket& packet) override;
  void on_hop(Tick now, Rank node, Direction, VirtualChannel, const ProbedPacket&) override;
  void on_deliver(Tick now, Rank node, const ProbedPacket& packet) override;

  /// No two of a track overlap, but those of no length.
  const std::vector<TraceSlice>& slices() const { return slices_; }
  /// One packet in this many is kept.
  std::uint64_t one_in() const { return std::uint64_t{1} << halvings_; }

 private:
  struct Waiting {
    Tick since;
    unsigned fifo;
  };

  bool keeps(std::uint64_t serial) const;
  void add(const ProbedPacket& packet, Tick begin, Tick end, Rank node, unsigned track);
  void leave_fifo(Tick now, Rank node, const ProbedPacket& packet);
  void halve();

  Machine machine_;
  std::size_t most_slices_;
  unsigned halvings_ = 0;
  std::vector<TraceSlice> slices_;
  std::unordered_map<std::uint64_t, Waiting> waiting_;  ///< by serial: kept and in a FIFO
  std::vector<Tick> drawn_;  ///< [rank · FIFOs + FIFO]: until when its track has slices
};

}  // namespace toroid
