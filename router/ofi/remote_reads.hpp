// Puts whose bytes the receiver reads from the sender's array, like the remote get of Blue Gene/P's
// DMA engine.
//
//   sender's node                                  receiver
//     offer  --------------------------------->    its node says where the put goes
//     (array must not change)                      its gateway reads stretch by stretch
//     local completion  <------------ done  ---    its node has taken the bytes
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hal/object_pool.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"
#include "router/shm/direct/put_switch.hpp"

namespace toroid::ofi {

/// A put offered by its sender's node.
struct OfferedPut {
  PutDescriptor put;
  PutOffer offer;
};

/// The puts of a gateway that are read remotely: those that it offers and those that it reads. Only
/// the worker that serves the gateway calls its functions.
///
/// **Protection:** others can read only the memory of an offer, from its first byte to its last.
/// The key is valid for this offer alone, until the read is done. The receiver's node says where
/// the bytes go; the number of bytes must match the offer.
/// **Queueing:** reads for which the network has no room wait here and take turns. The total bytes
/// of reads in flight are also limited, so that later traffic is not delayed too much.
class RemoteReads {
 public:
  /// Called when this process has read a put and the receiving node has taken the bytes. The
  /// callback must tell the put's sender.
  using Told = std::function<void(unsigned peer, Rank from, std::uint32_t number)>;

  explicit RemoteReads(Transport& transport, Told told)
      : transport_(&transport), told_(std::move(told)) {}

  // The sender's end.
  /// Opens the memory of a put for process `peer` to read.
  PartOffer expose(unsigned peer, const OfferedPut& offered);
  /// Returns the put that `peer` has read and closes its memory; nullopt if there is no such put.
  std::optional<PutDescriptor> done(unsigned peer, std::uint32_t number);

  // The receiver's end.
  /// Sets the worker's port for puts, and one of the worker's nodes, to which other nodes answer.
  /// Must be called before begin().
  void serve(ring::PutPort& puts, Rank own_node) {
    puts_ = &puts;
    own_node_ = own_node;
  }
  /// Asks node `to` where the put offered by `peer` goes, then reads it.
  void begin(unsigned peer, Rank to, const PartHeader& part);
  /// Starts waiting reads. True if at least one has begun.
  bool step();
  void completed(const Operation& operation);

  /// Whether this process should poll without a break, because it reads or offers puts and one of
  /// them has progressed recently. Some providers move bytes only while both ends poll.
  bool hurry() const {
    return (outstanding_ > 0 || offered_ > 0) && Clock::now() - changed_at_ < kHurry;
  }
  /// Closes all memory, even if reads are in flight. Used at the end of a failed run.
  void abandon();

 private:
  /// A put that this process offers.
  struct Exposure {
    unsigned peer = 0;
    PutDescriptor put{};
    std::unique_ptr<Region> region{};  ///< null if the place is free
  };

  /// A put that this process reads.
  class Reading final : public PayloadSource {
   public:
    std::uint32_t gather(const SendDescriptor&, std::uint32_t,
                         std::span<std::byte, kPayloadBytes>) override;
    void put_done(const PutDescriptor& put) override;
    void add(std::uint64_t from, std::span<std::byte> to);

    RemoteReads* reads = nullptr;
    std::uint32_t number = 0;  ///< its index in readings_
    unsigned peer = 0;
    PartOffer offer{};
    std::vector<std::byte> label;
    PutDescriptor put{};
    std::vector<PutStretch> landing;
    std::unique_ptr<Region> region;
    std::vector<ReadOperation> operations;  ///< stretches, cut into pieces of at most 1 MiB
    std::size_t begun = 0;                  ///< number of operations begun
    std::size_t completed = 0;              ///< number of operations completed
  };

  /// Long enough to read some MiB; if nothing moves for longer, the other end is computing.
  static constexpr std::chrono::milliseconds kHurry{20};

  void start(Reading& reading);
  bool begin_some(Reading& reading);
  bool has_room_for(const ReadOperation& operation) const;
  void land(Reading& reading);

  Transport* transport_;
  Told told_;
  ring::PutPort* puts_ = nullptr;
  Rank own_node_ = 0;
  ObjectPool<Exposure> exposures_;  ///< [number of the offer]
  ObjectPool<Reading> readings_;
  std::deque<Reading*> waiting_;  ///< readings with operations that have not begun
  std::size_t outstanding_ = 0;   ///< operations in flight
  std::size_t under_way_ = 0;     ///< bytes of the operations in flight
  std::size_t offered_ = 0;       ///< exposures in use
  Clock::time_point changed_at_{};
};

}  // namespace toroid::ofi
