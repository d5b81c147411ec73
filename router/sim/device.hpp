// A node of the model: the Device that its processor uses, and the processor's clock. The node's
// DMA engine has its own device and clock, and so has each of several ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/processor.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/network.hpp"

namespace toroid::sim {

/// A node with one processor, which is busy while it injects, receives, handles or computes. Within
/// a turn, time passes on the device's own clock; the turn changes the network in the cycle in
/// which it began. The block owns the device and calls it.
///
/// A DMA engine is a second actor of its node: it has a device too, with its own clock, costs and
/// received packets. The node's injection FIFOs belong to the processor's device, and both actors
/// fill them.
///
/// If nodes have several ranks, each rank is an actor of its node in the same way. The FIFOs belong
/// to the device of the node's first rank. **Turns:** ranks of a node that take turns in the same
/// cycle do so in cyclic order, beginning after the rank that wrote into a FIFO last. So ranks that
/// wait for room get it in turn. **Memory:** a packet to another rank of the node is copied; it
/// needs no room, and is there when the copy is complete.
class alignas(64) SimDevice final : public Device {
 public:
  /// `shape`: the network's torus with the ranks of its nodes; it must outlive the device. `lane`:
  /// the number of the node's block. The devices of a node's ranks must be consecutive in memory,
  /// and must not move.
  SimDevice(Network& network, const Shape& shape, const Machine& machine, Rank rank,
            const FifoLinks& tying, unsigned lane);
  /// Makes the device of a node's DMA engine. It and the processor's device refer to each other, so
  /// neither may move. REQUIRES: the machine has DMA engines.
  explicit SimDevice(SimDevice* processors);

  Rank rank() const override { return rank_; }
  unsigned lane() const override { return lane_; }
  /// The node's number in its block.
  Rank place() const { return shape_->ranks().node(rank_) - network_->block().first; }
  /// The number of this actor in the block: processors have the numbers of their ranks, counted
  /// from the block's first; engines follow in the same order.
  Rank actor() const { return actor_; }
  const Shape& shape() const override { return *shape_; }
  const Machine& machine() const override { return *machine_; }
  Tick now() const override { return clock_; }
  bool has_virtual_time() const override { return true; }
  Device* engine() override { return is_engine_ ? nullptr : other_; }
  InjectionFifos& fifos() override { return node().fifos_; }
  const InjectionFifos& fifos() const { return fifos_; }
  void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) override;
  /// FIFOs drain between turns, as time passes. Within a turn they get room only if a packet is
  /// refused or copied to another rank of the node; then this returns true.
  bool flush() override { return std::exchange(has_made_room_, false); }
  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  /// An engine's turns are short, because the processor sees their results only when they end.
  std::size_t packets_per_turn() const override { return is_engine_ ? 4 : 16; }
  /// Throws RunFailed if the work ends after kLastTick.
  void compute(Tick cycles) override;
  bool computes_beside() const override { return machine_->coprocessor != 0; }
  bool try_wake_at(Tick when) override;

  void attach(Processor& processor) { processor_ = &processor; }
  const Processor* processor() const { return processor_; }
  /// Stops the program of the node, which has failed. Returns the number of received packets that
  /// are lost because the node had not looked at them.
  std::uint64_t let_die(Processor& dead);
  bool is_dead() const { return is_dead_; }
  /// The counters of a FIFO, without the values that the network counts.
  FifoCounters fifo_counters(unsigned fifo) const { return written_[fifo]; }
  /// What this actor did: the processor, or the DMA engine.
  NodeTotals totals() const {
    NodeTotals totals = totals_;
    totals.finished = std::max(totals.finished, processor_->finished_at());
    return totals;
  }
  std::uint64_t refused() const { return refused_; }

  // These functions prefetch the data that a turn will use: the device, then the processor, then
  // the data to which the processor points.
  [[gnu::always_inline]] void prefetch() const {
    const auto* bytes = reinterpret_cast<const char*>(this);
    for (std::size_t line = 0; line < sizeof(SimDevice); line += 64)
      __builtin_prefetch(bytes + line);
  }
  [[gnu::always_inline]] void prefetch_processor() const {
    const auto* bytes = reinterpret_cast<const char*>(processor_);
    for (std::size_t line = 0; line < kProcessorBytes; line += 64) __builtin_prefetch(bytes + line);
  }
  void prefetch_beyond_processor() const { processor_->prefetch(); }
  void prefetch_rest() const { processor_->prefetch_rest(); }

  /// A packet has arrived in a reception FIFO. Returns true if the processor was idle and takes a
  /// turn now.
  bool on_delivered(Tick now, unsigned input, FlightId flight);
  /// An injection FIFO has room again. Returns the same as on_delivered().
  bool on_fifo_room(Tick now, unsigned fifo, unsigned chunks);
  /// Another rank of the node has copied a packet for this one. Returns the same as on_delivered().
  bool on_copied(Tick now, FlightId flight);
  /// Room in a FIFO that belongs to another device of the node, after on_fifo_room().
  bool on_others_fifo_room(Tick now) { return output_waiting_ && wake(now); }
  /// The number of turns that other ranks of the node come before this one, if they take turns in
  /// the same cycle.
  unsigned ranks_before() const {
    return shape_->ranks().processor(rank_ - (this - in_node_)->last_writer_ - 1);
  }
  /// An alarm that the processor has asked for. Returns the same as on_delivered().
  bool on_alarm(Tick now) { return wake(now); }
  /// Runs the processor's turn at `now`. Schedules the next one if the processor asks for it or if
  /// received packets are left.
  void turn(Tick now);

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(clock_, turn_began_, scheduled_, output_waiting_, has_made_room_, received_head_,
            received_tail_, received_before_, delivered_at_, fifos_, written_, totals_, refused_);
  }

 private:
  /// The device that owns the state of the node.
  SimDevice& node() { return is_engine_ ? *other_ : *(this - in_node_); }
  /// The cycle in which the present turn began: that of the processor or of its engine, which may
  /// call each other's devices.
  Tick present_cycle() const {
    return other_ == nullptr ? turn_began_ : std::max(turn_began_, other_->turn_began_);
  }
  [[noreturn]] void refuse_time() const;
  bool wake(Tick now);
  void wake_after(Tick when);
  void note_written(unsigned fifo, std::uint32_t count);
  void insert_delivered(FlightId id);
  void copy(const SendDescriptor& descriptor, std::uint32_t count, const Route& route);

  static constexpr std::size_t kProcessorBytes = 576;  ///< number of bytes of a processor object
                                                       ///< that a turn uses, approximately

  // A cache line of data that every event uses, a line for the FIFOs, then the rest.
  Network* network_;
  Processor* processor_ = nullptr;
  Rank rank_;
  FlightId received_head_ = kNoFlight;  ///< delivered packets, in order of arrival
  FlightId received_tail_ = kNoFlight;
  FlightId received_before_ = kNoFlight;  ///< the last of these packets when the present cycle
                                          ///< began
  Tick delivered_at_ = kNever;            ///< the cycle of the latest delivery
  Tick clock_ = 0;         ///< the actor's time; during a turn it runs ahead of the present cycle
  bool scheduled_ = true;  ///< a turn is scheduled; the block schedules the first turn
  bool output_waiting_ = false;
  bool has_made_room_ = false;  ///< a packet was refused or copied since the latest flush()
  bool is_engine_ = false;
  bool is_dead_ = false;
  std::uint8_t in_node_ = 0;  ///< the number of this rank's processor in its node
  unsigned receive_cycles_;   ///< per packet
  alignas(64) InjectionFifos fifos_;
  unsigned inject_cycles_;       ///< per packet
  Rank last_writer_ = ~Rank{0};  ///< of node(): the rank that wrote into its FIFOs last
  Tick turn_began_ = 0;          ///< when the present turn began
  const Machine* machine_;
  const Shape* shape_;
  SimDevice* other_ = nullptr;  ///< the device of the processor's engine, or of the engine's
                                ///< processor; null if there is none
  CheckedFields checked_;
  std::vector<FifoCounters> written_;  ///< [FIFO]
  NodeTotals totals_;                  ///< `finished` is set only if the node has failed
  std::uint64_t refused_ = 0;
  unsigned lane_;
  Rank actor_;
};

}  // namespace toroid::sim
