#include "packet/exchange/messages.hpp"

#include "hal/check.hpp"
#include "hal/copy_bytes.hpp"
#include "packet/traffic/patterns.hpp"

namespace toroid {

MessageRun run_of(std::uint64_t bytes, unsigned per_packet, std::uint32_t first,
                  std::uint32_t limit) {
  return MessageCut(bytes, per_packet).run(first, limit);
}

std::size_t copy_packets(const MessageCut& cut, std::uint32_t first, std::uint32_t packets,
                         const std::byte* from, std::span<std::byte> to) {
  const Stretch stretch = cut.stretch(first, packets);
  TOROID_CHECK_LE(stretch.begin + stretch.bytes, to.size());
  copy_bytes(to.data() + stretch.begin, from + stretch.begin, stretch.bytes);
  return stretch.bytes;
}

std::span<const std::byte> part_if_long(const MessageCut& cut, const MessagePart& part,
                                        const std::byte* from, std::size_t least) {
  TOROID_CHECK(part.is_in(cut.packets()));
  const Stretch stretch = cut.stretch(part.first, part.packets);
  if (stretch.bytes < least) return {};
  return {from + stretch.begin, stretch.bytes};
}

std::size_t pack_packets(const MessageCut& cut, const MessagePart& part, const std::byte* from,
                         std::span<std::byte> packed) {
  const std::span<const std::byte> bytes = part_if_long(cut, part, from, 0);
  TOROID_CHECK_LE(bytes.size(), packed.size());
  copy_bytes(packed.data(), bytes.data(), bytes.size());
  return bytes.size();
}

bool unpack_packets(const MessageCut& cut, const MessagePart& part,
                    std::span<const std::byte> packed, std::span<std::byte> to) {
  if (!part.is_in(cut.packets())) return false;
  const Stretch stretch = cut.stretch(part.first, part.packets);
  if (stretch.bytes != packed.size()) return false;
  TOROID_CHECK_LE(stretch.begin + stretch.bytes, to.size());
  copy_bytes(to.data() + stretch.begin, packed.data(), stretch.bytes);
  return true;
}

bool land_packets(const MessageCut& cut, const MessagePart& part, std::span<std::byte> to,
                  std::vector<PutStretch>& landing) {
  if (!part.is_in(cut.packets())) return false;
  const Stretch stretch = cut.stretch(part.first, part.packets);
  TOROID_CHECK_LE(stretch.begin + stretch.bytes, to.size());
  landing.push_back({0, to.subspan(stretch.begin, stretch.bytes)});
  return true;
}

/// This function is out of line on purpose: inlined, it would bloat every virtual call site.
MessageRun UniformMessages::run(Rank, std::uint32_t first, std::uint32_t limit) const {
  return cut_.run(first, limit);
}

namespace {

[[noreturn]] void cannot_be_put() {
  check_failed(__FILE__, __LINE__, "packets_to_put() == 0", "messages that cannot be put were put");
}

}  // namespace

const std::byte* Messages::source(Rank) const {
  cannot_be_put();
}

std::size_t Messages::take(Rank, std::uint32_t, std::uint32_t, const std::byte*) {
  cannot_be_put();
}

std::size_t Messages::pack_part(const MessagePart&, std::span<std::byte>) const {
  cannot_be_put();
}

bool Messages::unpack_part(const MessagePart&, std::span<const std::byte>) {
  return false;
}

std::unique_ptr<const Traffic> UniformMessages::traffic(std::uint64_t) const {
  return make_traffic("all-to-all", shape_, bytes_, 0);
}

}  // namespace toroid
