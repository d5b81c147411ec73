// Frames in memory of exactly their size, so that a sanitizer notices any access beyond them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "router/ofi/frame.hpp"

namespace toroid::testing {

/// Bytes with the alignment of frames.
class FrameMemory {
 public:
  explicit FrameMemory(std::size_t bytes)
      : bytes_(bytes),
        memory_(static_cast<std::byte*>(
            ::operator new (bytes, std::align_val_t{ofi::kFrameAlignment}))) {
    std::memset(memory_.get(), 0xee, bytes);
  }
  explicit FrameMemory(std::span<const std::byte> content) : FrameMemory(content.size()) {
    if (!content.empty()) std::memcpy(memory_.get(), content.data(), content.size());
  }

  std::span<std::byte> bytes() { return {memory_.get(), bytes_}; }
  ofi::FrameHeader header() const {
    ofi::FrameHeader header;
    std::memcpy(&header, memory_.get(), sizeof(header));
    return header;
  }
  /// Changes the header and updates the checksum.
  void change(const auto& how) {
    ofi::FrameHeader changed = header();
    how(changed);
    std::memcpy(memory_.get(), &changed, sizeof(changed));
    sign();
  }
  /// Updates the checksum.
  void sign() {
    const std::uint32_t crc = ofi::frame_crc(bytes());
    std::memcpy(memory_.get() + offsetof(ofi::FrameHeader, crc), &crc, sizeof(crc));
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete (memory, std::align_val_t{ofi::kFrameAlignment});
    }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

/// A packet to be written to a frame, or read from one.
struct FramedPacket {
  std::uint32_t target;
  std::uint16_t channel;
  PacketHeader header{0, 0};
  std::vector<std::byte> payload;
  bool operator==(const FramedPacket&) const = default;
};

inline FramedPacket framed_packet(std::uint32_t target, unsigned payload_bytes, Random& random) {
  FramedPacket packet{
      target, static_cast<std::uint16_t>(random.below(kVirtualChannels)), {0, 0}, {}};
  packet.header = PacketHeader(HeaderFields{.destination = target,
                                            .hints = {},
                                            .chunks = chunks_for(payload_bytes),
                                            .handler = static_cast<HandlerId>(random.below(1000)),
                                            .payload_bytes = payload_bytes,
                                            .argument = random.below(1u << 31)});
  for (unsigned i = 0; i < payload_bytes; ++i)
    packet.payload.push_back(static_cast<std::byte>(random.below(256)));
  return packet;
}

inline void write(ofi::FrameWriter& writer, const FramedPacket& packet) {
  // A writer may write beyond the payload: there is room for a full packet.
  std::memset(writer.claim().payload.data(), 0xdd, kPayloadBytes);
  copy_payload(writer.claim().payload.data(), packet.payload.data(), packet.payload.size());
  writer.commit(packet.target, packet.channel, packet.header);
}

/// All packets of a valid frame.
inline std::vector<FramedPacket> packets_of(const ofi::FrameView& view) {
  std::vector<FramedPacket> packets;
  const std::byte* at = view.packets;
  for (const ofi::PacketRun& run : view.runs)
    for (unsigned i = 0; i < run.packets; ++i) {
      PacketHeader header(0, 0);
      std::memcpy(static_cast<void*>(&header), at, sizeof(header));
      const std::byte* const payload = at + kHeaderBytes;
      packets.push_back(
          {run.target, run.channel, header, {payload, payload + header.payload_bytes()}});
      at += ofi::framed_bytes(header.payload_bytes());
    }
  return packets;
}

inline constexpr auto kAnyHeader = [](const ofi::PacketRun&, const auto&) { return true; };

/// Checks everything about a frame that does not depend on its sender.
inline ofi::FrameError examined(std::span<const std::byte> bytes, ofi::FrameView& view) {
  const ofi::FrameError error = ofi::parse(bytes, view);
  return error != ofi::FrameError::none ? error : ofi::check_packets(view, kAnyHeader);
}

}  // namespace toroid::testing
