// The messages of a traffic pattern. Every byte that travels follows from the seed, its source, its
// destination and its place in the message, so that it can be checked where it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/put.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// One node's two arrays: one has a block for each of the node's targets, the other a block for
/// each of its sources.
class ExchangeData {
 public:
  ExchangeData(const Traffic& traffic, Rank self, std::uint64_t seed);

  std::span<const std::byte> to(Rank target) const { return out_.block(target); }
  /// REQUIRES: `source` sends here.
  std::span<std::byte> from(Rank source) { return in_.block(source); }
  /// The first source whose data has not arrived as it was sent; none if all of it has.
  std::optional<Rank> damaged() const;
  /// Whether the data from `source` has arrived as it was sent.
  bool is_whole(Rank source) const;

  /// Outgoing data is not saved, because it can be made again from the seed.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(in_);
  }

 private:
  /// One block per peer, one after another in memory.
  class Blocks {
   public:
    Blocks(std::vector<Rank> peers, const std::vector<std::uint64_t>& bytes);
    const std::vector<Rank>& peers() const { return peers_; }
    std::span<std::byte> block(Rank peer) {
      return std::span(bytes_).subspan(at(peer), size(peer));
    }
    std::span<const std::byte> block(Rank peer) const {
      return std::span(bytes_).subspan(at(peer), size(peer));
    }
    template <typename Archive>
    void serialize(Archive& archive) {
      archive(bytes_);
    }

   private:
    std::size_t index(Rank peer) const;
    std::size_t at(Rank peer) const { return ends_[index(peer)]; }
    std::size_t size(Rank peer) const {
      const std::size_t i = index(peer);
      return ends_[i + 1] - ends_[i];
    }
    std::vector<Rank> peers_;        ///< ascending
    std::vector<std::size_t> ends_;  ///< [index of the peer + 1]
    std::vector<std::byte> bytes_;
  };

  static Blocks blocks_to(const Traffic& traffic, Rank self);
  static Blocks blocks_from(const Traffic& traffic, Rank self);

  Rank self_;
  std::uint64_t seed_;
  Blocks out_;
  Blocks in_;
};

/// The part of a message that has come, or that is missing.
struct MessageShare {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
};

/// One node's messages of a traffic. Payload travels if the plan says so.
class TrafficMessages final : public Messages {
 public:
  /// `plan` and `traffic` must outlive it. `counts_sources`: counts arrivals by source, for
  /// missing(); only payload in packets is counted.
  TrafficMessages(const ExchangePlan& plan, const Traffic& traffic, Rank self,
                  bool counts_sources = false);

  std::uint64_t bytes_to(Rank member) const override { return traffic_->bytes(self_, member); }
  std::optional<std::vector<Rank>> targets() const override;
  std::uint64_t packets_expected() const override { return expected_.packets; }
  std::optional<Arrivals> arrivals_expected() const override {
    return is_counted() ? std::optional(expected_) : std::nullopt;
  }
  std::uint32_t most_packets() const override;
  MessageRun run(Rank member, std::uint32_t first, std::uint32_t limit) const override {
    if (!bytes_) return run_of(bytes_to(member), plan_->data_bytes(), first, limit);
    TOROID_CHECK_IN_CHECKED_BUILD(*bytes_ == 0 || bytes_to(member) > 0);
    return cut_.run(first, limit);
  }
  bool has_payload() const override { return plan_->format().payload; }
  std::uint32_t gather(Rank member, std::uint32_t packet,
                       std::span<std::byte> payload) const override;
  void arrive(Rank from, std::uint32_t packet, std::span<const std::byte> payload) override;
  std::uint32_t packets_to_put(Rank member) const override;
  const std::byte* source(Rank member) const override { return data_->to(member).data(); }
  std::size_t take(Rank from, std::uint32_t first, std::uint32_t packets,
                   const std::byte* source) override;
  std::size_t pack_part(const MessagePart& part, std::span<std::byte> packed) const override;
  bool unpack_part(const MessagePart& part, std::span<const std::byte> packed) override;
  std::span<const std::byte> offer_part(const MessagePart& part, std::size_t least) const override;
  bool land_part(const MessagePart& part, std::vector<PutStretch>& landing) override;
  std::unique_ptr<const Traffic> traffic(std::uint64_t) const override;
  void pack(Rank member, std::vector<std::byte>& bytes) const override;
  void unpack(Rank from, std::span<const std::byte> bytes) override;

  /// Sums over the packets that reach this node if every message comes straight from its origin.
  /// REQUIRES: the plan is not a sample and does not combine messages.
  const Arrivals& expected() const {
    TOROID_CHECK(is_counted());
    return expected_;
  }
  /// The missing part of the message that `source` sends here. REQUIRES: sources are counted.
  MessageShare missing(Rank source) const;
  /// The node's data; null if no payload travels.
  const ExchangeData* data() const { return data_.get(); }

  template <typename Archive>
  void serialize(Archive& archive) {
    if (data_) archive(*data_);
  }

 private:
  /// The cut of a message of `bytes` bytes.
  MessageCut cut_of(std::uint64_t bytes) const { return {bytes, plan_->data_bytes()}; }
  /// Puts are not counted by source.
  void check_put() const { TOROID_CHECK(received_.empty()); }
  /// Whether the traffic alone determines which packets reach this node.
  bool is_counted() const { return !plan_->is_sample() && !plan_->combines(); }
  Arrivals sum_of_sources() const;
  Arrivals sum_of_equals() const;

  const ExchangePlan* plan_;
  const Traffic* traffic_;
  Rank self_;
  std::optional<std::uint64_t> bytes_;  ///< bytes of every message, if all are equally long
  MessageCut cut_;                      ///< cut of such a message
  Arrivals expected_;                   ///< empty if is_counted() is false
  std::unique_ptr<ExchangeData> data_;
  std::vector<MessageShare> received_;  ///< [source]; empty if sources are not counted
};

/// A traffic that refers to `traffic`, which must outlive it.
std::unique_ptr<const Traffic> borrowed(const Traffic& traffic);
/// Number of packets of the longest message that a node sends.
std::uint64_t most_packets(const ExchangePlan& plan, const Traffic& traffic, Rank from);

}  // namespace toroid
