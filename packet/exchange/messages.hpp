// What an exchange carries: how long its messages are, and how they are gathered and stored.
#pragma once

#include <algorithm>
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
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Consecutive packets of a message that are equally long.
struct MessageRun {
  unsigned bytes = 0;         ///< payload bytes of each
  std::uint32_t packets = 0;  ///< 0 if the message has no more
};

/// A part of a message, in bytes.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

/// Consecutive packets of a message, and the member at its other end.
struct MessagePart {
  Rank member;
  std::uint32_t first;    ///< number of the first packet in the message
  std::uint32_t packets;  ///< REQUIRES: > 0

  /// Whether it is part of a message of `message` packets.
  bool is_in(std::uint32_t message) const {
    return packets > 0 && std::uint64_t{first} + packets <= message;
  }
};

/// How a message is cut into packets: full ones and perhaps a shorter last one. The division by the
/// length of a packet is done once, not for every run.
class MessageCut {
 public:
  MessageCut() = default;
  /// `per_packet`: payload bytes of a full packet. REQUIRES: fewer than 2^32 packets.
  MessageCut(std::uint64_t bytes, unsigned per_packet)
      : per_packet_(per_packet),
        full_(static_cast<std::uint32_t>(bytes / per_packet)),
        rest_(static_cast<unsigned>(bytes % per_packet)) {
    TOROID_CHECK(bytes / per_packet + (rest_ > 0 ? 1 : 0) <= UINT32_MAX);
  }

  unsigned per_packet() const { return per_packet_; }
  std::uint32_t packets() const { return full_ + (rest_ > 0 ? 1u : 0u); }
  /// At most `limit` packets from `first` on.
  MessageRun run(std::uint32_t first, std::uint32_t limit) const {
    if (first < full_) return {per_packet_, std::min(full_ - first, limit)};
    return {rest_, rest_ > 0 && first == full_ ? 1u : 0u};
  }
  /// The bytes that `packets` packets from `first` on carry. REQUIRES: there are that many.
  Stretch stretch(std::uint32_t first, std::uint32_t packets) const {
    TOROID_CHECK_IN_CHECKED_BUILD(std::uint64_t{first} + packets <= this->packets());
    const std::uint64_t begin = std::uint64_t{first} * per_packet_;
    const std::uint64_t all = std::uint64_t{full_} * per_packet_ + rest_;
    return {begin, std::min(std::uint64_t{packets} * per_packet_, all - begin)};
  }

 private:
  unsigned per_packet_ = 0;
  std::uint32_t full_ = 0;  ///< packets
  unsigned rest_ = 0;       ///< bytes in the last packet, if that is not full
};

/// Like MessageCut::run(), for a message of `bytes` bytes whose cut is not kept.
MessageRun run_of(std::uint64_t bytes, unsigned per_packet, std::uint32_t first,
                  std::uint32_t limit);

/// Copies a part of a message to `packed` and returns the number of bytes. The message begins at
/// `from`.
std::size_t pack_packets(const MessageCut& cut, const MessagePart& part, const std::byte* from,
                         std::span<std::byte> packed);
/// Copies a packed part to its place in the receiver's block. Returns false if a message with this
/// cut has no such part.
[[nodiscard]] bool unpack_packets(const MessageCut& cut, const MessagePart& part,
                                  std::span<const std::byte> packed, std::span<std::byte> to);

/// The memory that holds a part of the message. The message begins at `from`. Empty if the part is
/// shorter than `least` bytes.
std::span<const std::byte> part_if_long(const MessageCut& cut, const MessagePart& part,
                                        const std::byte* from, std::size_t least);
/// Appends to `landing` the place of a part in the receiver's block. Returns false if a message
/// with this cut has no such part.
[[nodiscard]] bool land_packets(const MessageCut& cut, const MessagePart& part,
                                std::span<std::byte> to, std::vector<PutStretch>& landing);

/// Copies the packets [first, first + packets) of a message from the sender's block to the
/// receiver's; returns the number of bytes.
std::size_t copy_packets(const MessageCut& cut, std::uint32_t first, std::uint32_t packets,
                         const std::byte* from, std::span<std::byte> to);

/// One node's side of the messages of an exchange. All calls name members of the group, not ranks,
/// and come from the node's own thread. A packet is identified by its sender and its number in the
/// sender's message.
class Messages {
 public:
  virtual ~Messages() = default;

  /// Payload bytes of the message to a member; 0 if there is none.
  virtual std::uint64_t bytes_to(Rank member) const = 0;
  /// The members that this node has messages for, ascending; none if these are nearly all.
  virtual std::optional<std::vector<Rank>> targets() const { return std::nullopt; }
  /// The number of packets that all other members together send here; 0 if unknown.
  virtual std::uint64_t packets_expected() const = 0;
  /// Sums over the same packets by origin and number; none if unknown.
  virtual std::optional<Arrivals> arrivals_expected() const { return std::nullopt; }
  /// Number of packets of the longest message that this node sends.
  virtual std::uint32_t most_packets() const = 0;
  /// The next packets of equal length in the message to a member: at most `limit`, from packet
  /// `first` on. REQUIRES: the member is one of targets(), if they are listed.
  virtual MessageRun run(Rank member, std::uint32_t first, std::uint32_t limit) const = 0;

  /// Whether payloads travel. If not, packets have their length on the wire but contain no message
  /// bytes, and the functions below that handle payload are not called.
  virtual bool has_payload() const { return false; }
  /// Whether a packet's place at the destination, 32 bits, is the only label that it needs.
  virtual bool has_places() const { return false; }
  /// Writes the payload of a packet to a member; returns the packet's place if has_places().
  virtual std::uint32_t gather(Rank, std::uint32_t, std::span<std::byte>) const { return 0; }
  /// Stores a packet that has come, identified by its place.
  virtual void arrive_at(std::uint32_t, std::span<const std::byte>) {}
  /// Stores a packet that has come, identified by its sender and its number in the message.
  virtual void arrive(Rank, std::uint32_t, std::span<const std::byte>) {}

  // For puts.
  /// Number of packets of the message to a member, if the message may move by put; 0 if its packets
  /// are gathered instead.
  virtual std::uint32_t packets_to_put(Rank) const { return 0; }
  // For puts between nodes that share memory, from array to array.
  /// The address of the message to a member, as take() at its destination expects it.
  virtual const std::byte* source(Rank member) const;
  /// Copies the packets [first, first + packets) of the message from a member, which is at
  /// `source`, to their places; returns the number of bytes.
  virtual std::size_t take(Rank from, std::uint32_t first, std::uint32_t packets,
                           const std::byte* source);
  // For puts between nodes that do not share memory.
  /// Writes a part of the message to a member, packet after packet. Returns the number of bytes.
  /// REQUIRES: `packed` has room for that many full packets.
  virtual std::size_t pack_part(const MessagePart& part, std::span<std::byte> packed) const;
  /// Stores a part that a member wrote with pack_part(). Returns false, and stores nothing, if that
  /// member's message has no such part.
  [[nodiscard]] virtual bool unpack_part(const MessagePart& part,
                                         std::span<const std::byte> packed);
  // For puts whose bytes the receiver can read remotely.
  /// The memory that holds a part of the message to a member, if both ends hold it in stretches of
  /// at least `least` bytes; otherwise empty.
  virtual std::span<const std::byte> offer_part(const MessagePart&, std::size_t) const {
    return {};
  }
  /// Appends the stretches of this node's memory into which the bytes of an offered part go.
  /// Returns false if that member's message has no such part.
  [[nodiscard]] virtual bool land_part(const MessagePart&, std::vector<PutStretch>&) {
    return false;
  }
  /// Called when the bytes of a part have arrived in the stretches that land_part() has appended.
  virtual void landed(const MessagePart&) {}

  // For policies that combine messages.
  /// A number for the traffic of all members in the n-th start, counted from 0. Equal numbers mean
  /// equal traffic.
  virtual std::uint64_t traffic_number(std::uint64_t) const { return 0; }
  virtual std::unique_ptr<const Traffic> traffic(std::uint64_t number) const = 0;
  /// Appends the bytes of the whole message that goes to a member.
  virtual void pack(Rank, std::vector<std::byte>&) const {}
  /// Stores a whole message from a member.
  virtual void unpack(Rank, std::span<const std::byte>) {}
};

/// Messages of equal length for every pair. By themselves they have no payload: packets have their
/// lengths but contain no message bytes.
class UniformMessages : public Messages {
 public:
  /// `per_packet`: payload bytes of a full packet (ExchangePlan::data_bytes()).
  UniformMessages(const Shape& shape, std::uint64_t bytes, unsigned per_packet)
      : shape_(shape), bytes_(bytes), cut_(bytes, per_packet) {}
  std::uint64_t bytes_to(Rank) const override { return bytes_; }
  std::uint64_t packets_expected() const override {
    return std::uint64_t{shape_.size() - 1} * most_packets();
  }
  std::uint32_t most_packets() const override { return cut_.packets(); }
  MessageRun run(Rank, std::uint32_t first, std::uint32_t limit) const override;
  std::unique_ptr<const Traffic> traffic(std::uint64_t) const override;

 protected:
  Shape shape_;  ///< of the group
  std::uint64_t bytes_;
  MessageCut cut_;
};

}  // namespace toroid
