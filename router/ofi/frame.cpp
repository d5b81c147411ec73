#include "router/ofi/frame.hpp"

#include <isa-l/crc.h>

#include <cstring>

namespace toroid::ofi {
namespace {

constexpr std::size_t kCrcAt = offsetof(FrameHeader, crc);

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) {
  // ISA-L takes a pointer to non-const, and an int for the length.
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kAtOnce));
    auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(part.data()));
    seed = ::crc32_iscsi(data, static_cast<int>(part.size()), seed);
    bytes = bytes.subspan(part.size());
  }
  return seed;
}

template <typename T>
std::byte* append(std::byte* to, const std::vector<T>& table) {
  if (!table.empty()) std::memcpy(to, table.data(), table.size() * sizeof(T));
  return to + table.size() * sizeof(T);
}

}  // namespace

std::uint32_t frame_crc(std::span<const std::byte> frame, CrcScope scope) {
  const std::uint32_t head = crc32c(frame.first(kCrcAt), ~0u);
  if (scope == CrcScope::whole) return crc32c(frame.subspan(sizeof(FrameHeader)), head);
  FrameHeader header;
  std::memcpy(&header, frame.data(), sizeof header);
  return crc32c(frame.last(header.runs * sizeof(PacketRun) + header.credits * sizeof(LinkCredit)),
                head);
}

std::span<const std::byte> FrameWriter::finish(FrameHeader header) {
  std::byte* const start = buffer_.data();
  const std::byte* const end = append(append(start + end_, runs_), credits_);
  header.magic = kFrameMagic;
  header.bytes = static_cast<std::uint32_t>(end - start);
  header.runs = static_cast<std::uint16_t>(runs_.size());
  header.credits = static_cast<std::uint16_t>(credits_.size());
  header.reserved = 0;
  std::memcpy(start, &header, sizeof(header));
  header.crc = frame_crc({start, header.bytes}, scope_);
  std::memcpy(start, &header, sizeof(header));
  buffer_ = {};
  end_ = sizeof(FrameHeader);
  runs_.clear();
  credits_.clear();
  return {start, header.bytes};
}

std::span<const std::byte> frame_in(std::span<const std::byte> buffer) {
  FrameHeader header;
  std::memcpy(&header, buffer.data(), sizeof(header));
  return buffer.first(std::min<std::size_t>(header.bytes, buffer.size()));
}

bool part_fits(const std::byte* at, const std::byte* end) {
  const auto room = static_cast<std::size_t>(end - at);
  if (at >= end || room < sizeof(PartHeader)) return false;
  const PartHeader& part = part_at(at);
  const bool is_known = static_cast<std::uint16_t>(part.kind) < kPartKinds &&
                        part.reserved == decltype(part.reserved){};
  return is_known && part.bytes > 0 && part.bytes <= std::uint64_t{part.packets} * kPayloadBytes &&
         framed_bytes(part) <= room;
}

FrameError parse(std::span<const std::byte> bytes, FrameView& view, CrcScope scope) {
  if (bytes.size() < sizeof(FrameHeader)) return FrameError::malformed;
  FrameHeader& header = view.header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::size_t runs = header.runs * sizeof(PacketRun);
  const std::size_t credits = header.credits * sizeof(LinkCredit);
  if (header.magic != kFrameMagic || header.bytes != bytes.size() ||
      sizeof(FrameHeader) + runs + credits > bytes.size())
    return FrameError::malformed;
  view.packets = bytes.data() + sizeof(FrameHeader);
  const std::byte* const tables = bytes.data() + bytes.size() - runs - credits;
  if ((tables - bytes.data()) % std::ptrdiff_t{kFrameAlignment} != 0) return FrameError::malformed;
  view.runs = {reinterpret_cast<const PacketRun*>(tables), header.runs};
  view.credits = {reinterpret_cast<const LinkCredit*>(tables + runs), header.credits};
  return frame_crc(bytes, scope) == header.crc ? FrameError::none : FrameError::bad_checksum;
}

}  // namespace toroid::ofi
