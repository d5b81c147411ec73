// A node with several ranks whose packets go hop by hop: its ranks share the node's device, and
// with it the injection FIFOs and the rings of its links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/processor.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/shm/device.hpp"

namespace toroid::ring {

class SharedNode;

/// One rank as its processor sees it. Packets for other nodes go to the node's device. Packets for
/// other ranks of the node are written into the memory of those; they need no room.
class RankDevice final : public Device {
 public:
  /// `shape`: the torus with the ranks of its nodes; it must outlive the device.
  RankDevice(SharedNode& node, const Shape& shape, Rank rank);

  Rank rank() const override { return rank_; }
  const Shape& shape() const override { return *shape_; }
  const Machine& machine() const override;
  Tick now() const override;
  InjectionFifos& fifos() override;
  void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) override;
  bool flush() override;
  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  std::size_t packets_per_turn() const override;
  void compute(Tick) override {}
  void stop_readers() noexcept override;

  void attach(Processor& processor) { processor_ = &processor; }
  const Processor* processor() const { return processor_; }
  NodeTotals totals() const;
  /// Packets to other ranks of the node, and their payload bytes.
  std::uint64_t copies() const { return copies_; }
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  std::uint64_t refused() const { return refused_; }

 private:
  friend class SharedNode;
  void copy(const SendDescriptor& descriptor, std::uint32_t count);

  SharedNode* node_;
  const Shape* shape_;
  Rank rank_;
  Processor* processor_ = nullptr;
  std::deque<Packet> received_;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t bytes_ = 0;  ///< payload sent in packets
  std::uint64_t copies_ = 0;
  std::uint64_t copied_bytes_ = 0;
  std::uint64_t refused_ = 0;
};

/// The processor of a node's device. In each turn it hands the packets that have come to their
/// ranks, and gives every rank a turn; each time another rank comes first. The fabric owns it. All
/// calls come from the worker that owns the node, except before and after the run.
class SharedNode final : public Processor, private PacketSink {
 public:
  /// Attaches itself to `device`. `node`: its number; `shape`: as for RankDevice.
  SharedNode(RingDevice& device, const Shape& shape, Rank node);
  SharedNode(const SharedNode&) = delete;

  RankDevice& rank(unsigned processor) { return ranks_[processor]; }
  const RankDevice& rank(unsigned processor) const { return ranks_[processor]; }

  TurnResult turn() override;
  bool finished() const override;
  Tick finished_at() const override;
  std::uint64_t queued() const override;
  std::string waits_for() const override;

 private:
  friend class RankDevice;
  void arrive(const Packet& packet) override;
  std::size_t arrive(const PutDescriptor& put) override;

  RingDevice* device_;
  std::deque<RankDevice> ranks_;  ///< [processor]
  unsigned first_ = 0;            ///< the processor that has the next turn first
  bool moved_ = false;            ///< a packet has reached a rank since the present turn began
};

}  // namespace toroid::ring
