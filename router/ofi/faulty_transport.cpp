#include "router/ofi/faulty_transport.hpp"

#include <algorithm>
#include <utility>

#include "hal/packet.hpp"
#include "router/ofi/frame.hpp"

namespace toroid::ofi {
namespace {

/// Distinguishes the random draws of frames between processes from those of links.
constexpr std::uint64_t kBetweenProcesses = std::uint64_t{1} << 63;

std::uint64_t way_number(unsigned from, unsigned to) {
  return kBetweenProcesses | std::uint64_t{from} << 32 | to;
}

std::uint32_t& crc_in(std::span<std::byte> frame) {
  return *reinterpret_cast<std::uint32_t*>(frame.data() + offsetof(FrameHeader, crc));
}

/// The first payload of a frame; empty if it has none.
std::span<const std::byte> payload_of(std::span<const std::byte> frame) {
  FrameView view;
  if (parse(frame, view) != FrameError::none) return {};
  const std::byte* at = view.packets;
  for (const PacketRun& run : view.runs) {
    if (run.channel == kPartChannel) return bytes_of(part_at(at));
    for (unsigned i = 0; i < run.packets; ++i) {
      const unsigned bytes = packet_at(at).header.payload_bytes();
      if (bytes > 0) return {at + kHeaderBytes, bytes};
      at += framed_bytes(0);
    }
  }
  return {};
}

/// Removes a value from a vector. False if it was not there.
bool take_out(std::vector<Operation*>& from, Operation* operation) {
  const auto at = std::ranges::find(from, operation);
  if (at == from.end()) return false;
  from.erase(at);
  return true;
}

}  // namespace

double frame_error_rate(const LinkErrors& errors) {
  double rate = 0;
  for (const auto& [all, link] : errors.rates)
    if (link.empty()) rate = all;
  return rate;
}

FaultyTransport::FaultyTransport(Transport& transport, const LinkErrors& errors, std::uint64_t seed,
                                 unsigned self, unsigned processes)
    : transport_(&transport), random_(seed, way_number(self, self)) {
  for (unsigned to = 0; to < processes; ++to)
    ways_.push_back(
        {LinkFaultDraw(errors, frame_error_rate(errors), seed, way_number(self, to)), {}});
}

void FaultyTransport::heal() {
  for (Way& way : ways_) way.draw = {};
}

/// Always accepts the frame and queues it here until the transport takes it. If this function
/// refused the frame, the next attempt would draw a second fault.
bool FaultyTransport::try_send(Operation& operation) {
  Way& way = ways_[operation.peer];
  const std::optional<LinkFault> fault = way.draw.next();
  if (fault) ++faults_;
  Departure departure{&operation, fault};
  if (fault == LinkFault::delay || fault == LinkFault::reorder)
    departure.not_before = now() + kDelay;
  if (fault == LinkFault::reorder && !way.overtaken) {
    way.overtaken = departure;
    return true;
  }
  way.departures.push_back(departure);
  if (way.overtaken) way.departures.push_back({way.overtaken->operation, std::nullopt});
  way.overtaken.reset();
  pump(way);
  return true;
}

void FaultyTransport::pump(Way& way) {
  if (way.overtaken && way.overtaken->not_before <= now())  // no later frame has come
    way.departures.push_back(*std::exchange(way.overtaken, std::nullopt));
  while (!way.departures.empty() && try_depart(way.departures.front())) way.departures.pop_front();
}

bool FaultyTransport::try_depart(const Departure& departure) {
  Operation& operation = *departure.operation;
  if (departure.not_before != Clock::time_point{} && departure.not_before > now()) return false;
  if (departure.fault == LinkFault::drop) {
    lost_.push_back(&operation);
    return true;
  }
  const bool damages =
      departure.fault == LinkFault::corrupt || departure.fault == LinkFault::silent;
  if (damages) damage(operation, *departure.fault);
  if (!transport_->try_send(operation)) {
    mend(operation);
    return false;
  }
  if (departure.fault == LinkFault::duplicate) twice_.push_back(&operation);
  return true;
}

void FaultyTransport::damage(Operation& operation, LinkFault fault) {
  const std::span<std::byte> frame = operation.buffer.first(operation.bytes);
  const std::span<const std::byte> target =
      fault == LinkFault::silent ? payload_of(frame) : std::span<const std::byte>(frame);
  if (target.empty()) return;
  const auto start = static_cast<std::size_t>(target.data() - frame.data());
  const std::size_t at = start + random_.below(static_cast<std::uint32_t>(target.size()));
  const std::byte bits{static_cast<unsigned char>(1 + random_.below(255))};
  damages_.push_back({&operation, at, bits, crc_in(frame)});
  frame[at] ^= bits;
  if (fault == LinkFault::silent) crc_in(frame) = frame_crc(frame);
}

void FaultyTransport::mend(const Operation& operation) {
  const auto at = std::ranges::find(damages_, &operation, &Damage::operation);
  if (at == damages_.end()) return;
  at->operation->buffer[at->at] ^= at->bits;
  crc_in(at->operation->buffer) = at->crc;
  damages_.erase(at);
}

std::size_t FaultyTransport::poll(std::span<Completion> completions) {
  std::erase_if(again_, [this](Operation* operation) { return transport_->try_send(*operation); });
  for (Way& way : ways_) pump(way);
  std::size_t count = 0;
  for (; count < completions.size() && !lost_.empty(); lost_.pop_back())
    completions[count++] = {lost_.back(), 0};
  if (count == completions.size()) return count;
  const std::size_t polled = transport_->poll(completions.subspan(count));
  const std::span<Completion> arrived = completions.subspan(count, polled);
  const auto untold = std::ranges::remove_if(
      arrived, [this](const Completion& completion) { return !is_told(completion); });
  return count + polled - untold.size();
}

bool FaultyTransport::is_told(const Completion& completion) {
  if (completion.operation == nullptr || completion.operation->receives) return true;
  mend(*completion.operation);
  if (!take_out(twice_, completion.operation)) return true;
  again_.push_back(completion.operation);
  return false;
}

}  // namespace toroid::ofi
