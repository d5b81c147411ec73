// A frame is refused with an error, or all its packets, parts and credits lie within it. Each input
// is tried unchanged, and again with a magic, a length and a checksum that parse() accepts. Input:
// one byte that selects the scope of the checksum, then the frame.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/router/ofi/frames.hpp"

namespace toroid::fuzz::frame {
namespace {

using namespace ofi;

/// Checks a header or a part as a gateway does, but less strictly.
struct IsValid {
  bool operator()(const PacketRun&, const PacketHeader& header) const {
    static const Shape kShape = Shape::parse("4x4x4");
    return validate_fields(header, kShape) == HeaderError::none;
  }
  bool operator()(const PacketRun&, const PartHeader& part) const {
    return part.kind == PartKind::packed || part.bytes >= sizeof(PartOffer);
  }
};

/// Reads all bytes that a gateway would read.
std::size_t sum_of(const FrameView& view) {
  std::size_t sum = 0;
  const auto add = [&](std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) sum += std::to_integer<std::size_t>(byte);
  };
  const std::byte* at = view.packets;
  for (const PacketRun& run : view.runs)
    for (unsigned i = 0; i < run.packets; ++i) {
      if (run.channel == kPartChannel) {
        add(bytes_of(part_at(at)));
        at += framed_bytes(part_at(at));
      } else {
        const std::size_t bytes = packet_at(at).header.payload_bytes();
        add(std::span(packet_at(at).payload).first(bytes));
        at += framed_bytes(packet_at(at).header.payload_bytes());
      }
    }
  for (const LinkCredit& credit : view.credits) add(std::as_bytes(std::span(&credit, 1)));
  return sum;
}

void try_frame(std::span<const std::byte> bytes, CrcScope scope) {
  FrameView view;
  const FrameError error = parse(bytes, view, scope);
  TOROID_CHECK_LT(static_cast<std::size_t>(error), kFrameErrorNames.size());
  if (error != FrameError::none) return;
  if (check_packets(view, IsValid()) == FrameError::none) (void)sum_of(view);
}

/// Changes the frame so that it passes parse(). Returns false if its tables do not fit into it.
bool tame(std::span<std::byte> bytes, CrcScope scope) {
  if (bytes.size() < sizeof(FrameHeader)) return false;
  FrameHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = kFrameMagic;
  header.bytes = static_cast<std::uint32_t>(bytes.size());
  header.runs %= 8;
  header.credits %= 4;
  std::memcpy(bytes.data(), &header, sizeof header);
  if (sizeof header + header.runs * sizeof(PacketRun) + header.credits * sizeof(LinkCredit) >
      bytes.size())
    return false;
  header.crc = frame_crc(bytes, scope);
  std::memcpy(bytes.data(), &header, sizeof header);
  return true;
}

void try_input(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const CrcScope scope = data[0] % 2 == 0 ? CrcScope::whole : CrcScope::tables;
  testing::FrameMemory frame(std::as_bytes(std::span(data + 1, size - 1)));
  try_frame(frame.bytes(), scope);
  if (frame.bytes().size() >= sizeof(FrameHeader)) try_frame(frame_in(frame.bytes()), scope);
  if (tame(frame.bytes(), scope)) try_frame(frame.bytes(), scope);
}

const Reader kReader("frame", try_input);

}  // namespace
}  // namespace toroid::fuzz::frame
