// Puts whose bytes the receiver reads from the sender's array, as the DMA engine of Blue Gene/P
// does by its remote get.
//
//   sender's node    offer  ------------------------>   receiver's node: where does it go?
//   (its array stays as it is)                          receiver's gateway reads, stretch by
//   stretch local completion   <----------------------  done    receiver's node: it has come
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

#include "hal/packet.hpp"
#include "hal/place_pool.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"
#include "router/shm/direct/put_switch.hpp"

namespace toroid::ofi {

/// A put that its sender's node offers.
struct OfferedPut {
  PutDescriptor put;
  PutOffer offer;
};

/// Both ends of a gateway's puts that are read. Called by the worker that serves the gateway.
///
/// **Nothing outside:** others can read the memory from the first byte of an offer to its last, by
/// a key of its own, until it is done. The receiver's node says where the bytes go, and they are as
/// many as were offered.
/// **Nothing is lost:** reads for which the network has no room wait here, and take turns. Those
/// under way are limited in bytes, too, so that what comes behind them is not late.
class RemoteReads {
 public:
  /// Told when a put has come: its sender is to be told.
  using Told = std::function<void(unsigned peer, Rank from, std::uint32_t number)>;

  explicit RemoteReads(Transport& transport, Told told)
      : transport_(&transport), told_(std::move(told)) {}

  // The sender's end.
  /// Opens the memory of a put for process `peer` to read.
  PartOffer expose(unsigned peer, const OfferedPut& offered);
  /// The put that `peer` has read: its memory is its owner's again. Nothing: there is no such put.
  std::optional<PutDescriptor> done(unsigned peer, std::uint32_t number);

  // The receiver's end.
  /// The worker's port to its nodes, and one of them, to which they answer. Comes before begin().
  void serve(ring::PutPort& puts, Rank own_node) {
    puts_ = &puts;
    own_node_ = own_node;
  }
  /// Asks the node `to` where what `peer` offers goes, and reads it then.
  void begin(unsigned peer, Rank to, const PartHeader& part);
  /// Starts reads that wait. True: one has begun.
  bool step();
  void completed(const Operation& operation);

  /// Whether something has been begun lately and is not done, here or by another process: some
  /// providers move bytes only while both ends poll.
  bool hurry() const {
    return (outstanding_ > 0 || offered_ > 0) && Clock::now() - changed_at_ < kHurry;
  }
  /// Closes all memory, whatever is under way: for the end of a run that has failed.
  void abandon();

 private:
  /// What this process offers.
  struct Exposure {
    unsigned peer = 0;
    PutDescriptor put{};
    std::unique_ptr<Region> region{};  ///< null: the place is free
  };

  /// What this process reads.
  class Reading final : public PayloadSource {
   public:
    std::uint32_t gather(const SendDescriptor&, std::uint32_t,
                         std::span<std::byte, kPayloadBytes>) override;
    void put_done(const PutDescriptor& put) override;
    void add(std::uint64_t from, std::span<std::byte> to);

    RemoteReads* reads = nullptr;
    std::uint32_t number = 0;  ///< its place
    unsigned peer = 0;
    PartOffer offer{};
    std::vector<std::byte> label;
    PutDescriptor put{};
    std::vector<PutStretch> landing;
    std::unique_ptr<Region> region;
    std::vector<ReadOperation> operations;  ///< [stretch]
    std::size_t begun = 0;                  ///< operations
    std::size_t completed = 0;              ///< operations
  };

  /// Some MiB take as long. Who takes longer, computes.
  static constexpr std::chrono::milliseconds kHurry{20};

  void start(Reading& reading);
  bool begin_some(Reading& reading);
  bool has_room_for(const ReadOperation& operation) const;
  void land(Reading& reading);

  Transport* transport_;
  Told told_;
  ring::PutPort* puts_ = nullptr;
  Rank own_node_ = 0;
  PlacePool<Exposure> exposures_;  ///< [number of the offer]
  PlacePool<Reading> readings_;
  std::deque<Reading*> waiting_;  ///< have operations that have not begun
  std::size_t outstanding_ = 0;   ///< operations
  std::size_t under_way_ = 0;     ///< their bytes
  std::size_t offered_ = 0;       ///< exposures in use
  Clock::time_point changed_at_{};
};

}  // namespace toroid::ofi
