// A node whose packets travel hop by hop, by the routing rules of the hardware.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/device.hpp"
#include "router/shm/shared_device_state.hpp"
#include "router/shm/torus/failure_timeline.hpp"
#include "router/shm/torus/link.hpp"
#include "router/shm/torus/reception_fifos.hpp"
#include "router/shm/torus/retransmitting_link.hpp"
#include "router/termination/dead_processor.hpp"

namespace toroid::ring {

/// The words that other nodes write and this one polls, on their own cache lines.
struct alignas(64) Words {
  std::array<CountWord, kMaxLinks> word{};
};

/// The memory that belongs to a node: the links that end here, and the words that it polls.
struct Mailbox {
  Words pushed;                              ///< [direction travelling] into this node
  Words popped;                              ///< [direction] out of this node
  std::array<LinkMemory, kMaxLinks> inward;  ///< [direction travelling]
};

/// A packet for this node that the processor has not received in its turn, and that is in the way
/// of other packets in its ring, moves into a reception FIFO at the end of the step, if that has
/// room.
///
/// A head is exposed when its routing is known: then it is in `wanted_by_` of the links by which it
/// may leave, or in `deliverable_`. **Invariant:** an input is in `exposed_` exactly if it has a
/// packet that look() or inject() has seen.
class TorusDevice final : public RingDevice {
 public:
  /// `mailbox` is this node's. `outward` is the memory of each link that leaves the node, by
  /// direction; for a missing link it is any memory that no other node sends through. `stages`
  /// holds the failures during the run; null if there are none.
  TorusDevice(const SharedDeviceState& shared, Rank rank, RoutingOptions options,
              const Mailbox& mailbox, std::span<const LinkMemory* const> outward,
              const FailureTimeline* stages);

  void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) override;
  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  bool has_news() const override;

  /// The packet at an input's head; none if the input is empty. Used for the report of a stalled
  /// run.
  std::optional<RoutedPacket> head(Input input) const;
  /// Packets that were lost here because they had no path left, by destination.
  const std::map<Rank, std::uint64_t>& losses() const { return losses_; }
  std::vector<FifoCounters> reception_counters() const override { return reception_.counters(); }
  unsigned inputs() const { return links_ * kVirtualChannels + fifo_count(); }

 private:
  bool is_behind() const { return stages_ != nullptr && stages_->now() != stage_; }
  void notice_failures();
  bool is_lost(const PacketHeader& header) const;
  bool find_other_way(Input input);
  void drop_lost();
  bool look() override;
  void forward() override;
  void expose_fifo(unsigned fifo) override { expose(Input::fifo(links_, fifo)); }
  bool has_delivery() const override { return deliverable_ != 0 || !reception_.empty(); }
  void give_back() override;
  bool holds_packets() const override;

  const PacketHeader& header_at(Input input) const;
  unsigned waiting_at(Input input) const;
  unsigned used(Input input) const;
  RoutedPacket routed(const PacketHeader& header) const;
  void expose(Input input);
  void unwant(Input input);
  void expose_next(Input input);
  bool is_in_the_way(Input input);
  bool make_way(Input input);
  void move_on();
  bool look_at_link(unsigned link);
  void check_links();
  bool send_alike(unsigned link);
  bool send_one(unsigned link);
  void send(unsigned link, Input input, VirtualChannel channel);
  void move_head(Input input, Packet& packet);
  template <typename Out>
  std::uint32_t move_alike(Input input, std::uint32_t most, Out&& out);
  template <typename Alike, typename Take>
  std::uint32_t for_each_while(Input input, std::size_t most, Alike&& alike, Take&& take);
  std::size_t deliver(Input input, PacketSink& sink, std::size_t limit);

  const Words* pushed_;                          ///< words of the mailbox: all that an idle node
                                                 ///< looks at
  std::array<std::uint64_t, kMaxLinks> seen_{};  ///< [direction travelling]: the values of those
                                                 ///< words that were read last
  unsigned links_;
  ChannelRule channels_;
  Precedence precedence_;
  SenderArbitration arbitration_;
  bool transit_first_;
  std::uint64_t deliverable_ = 0;  ///< inputs whose head is for the processor
  /// [input]: packets at the front of a channel that are known to be for this node.
  std::array<std::uint16_t, 64> known_here_{};
  ReceptionFifos reception_;
  std::uint64_t lost_heads_ = 0;                      ///< inputs whose head has no path left
  std::uint64_t exposed_ = 0;                         ///< inputs whose head is known
  std::array<std::uint64_t, kMaxLinks> wanted_by_{};  ///< [link]: inputs whose head may take that
                                                      ///< link
  std::array<std::uint64_t, kMaxLinks> escape_of_{};  ///< [link]: inputs whose head may take the
                                                      ///< link's bubble channel
  std::array<RoutedPacket, 64> heads_{};              ///< [input], valid if exposed
  std::array<std::uint64_t, 64> words_{};             ///< [input]: routing word from which heads_
                                                      ///< was made
  std::vector<LinkReceiver> in_;                      ///< [direction travelling]
  std::vector<LinkSender> out_;                       ///< [direction]
  bool is_checked_ = false;                           ///< some links are checked
  std::vector<std::optional<CheckedReceiver>> checked_in_;  ///< [direction travelling]
  std::vector<std::optional<CheckedSender>> checked_out_;   ///< [direction]
  std::array<std::uint8_t, kMaxLinks> turn_{};  ///< [link]: the input at which the round robin goes
                                                ///< on; used only without transit_first
  Tick steps_ = 0;                              ///< number of calls of move_on(); arbitration uses
                                                ///< it as the cycle
  const FailureTimeline* stages_;
  std::size_t stage_ = 0;  ///< the latest stage that this node has noticed
  std::map<Rank, std::uint64_t> losses_;
  // Replacements for the program of this node if it fails: `ended_` if the program had already
  // ended, `cut_short_` if it had not.
  termination::DeadProcessor ended_{true};
  termination::DeadProcessor cut_short_{false};
};

}  // namespace toroid::ring
