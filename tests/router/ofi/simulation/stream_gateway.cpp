#include "tests/router/ofi/simulation/stream_gateway.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "hal/link_errors.hpp"

namespace toroid::simulation {
namespace {

std::uint64_t token_of(unsigned from, unsigned to) {
  return mix64(std::uint64_t{from} << 32 | to);
}

/// The content of every number is a section of this array.
constexpr auto kContent = [] {
  std::array<std::byte, 512> content{};
  for (std::size_t i = 0; i < content.size(); ++i)
    content[i] = static_cast<std::byte>(mix64(i) & 255);
  return content;
}();

std::span<const std::byte> content_of(std::uint32_t number, bool is_part) {
  const std::uint64_t random = mix64(number);
  const std::size_t bytes = is_part ? 1 + random % 240 : random % 49;
  return std::span(kContent).subspan(number % 251, bytes);
}

bool goes_as_part(std::uint32_t number) {
  return mix64(number + 77) % 4 == 0;
}

}  // namespace

std::vector<ofi::FlowIdentity> identities_of(unsigned self, unsigned processes) {
  std::vector<ofi::FlowIdentity> identities;
  for (unsigned peer = 0; peer < processes; ++peer)
    if (peer != self)
      identities.push_back({self, peer, token_of(self, peer), token_of(peer, self)});
  return identities;
}

StreamGateway::StreamGateway(ofi::Transport& transport, ofi::FrameBuffers& buffers, unsigned self,
                             const Scenario& scenario, std::uint64_t seed)
    : Gateway(transport, buffers, scenario.processes, identities_of(self, scenario.processes)),
      self_(self),
      random_(seed, 100 + self),
      may_be_damaged_((scenario.errors.faults & set_of(LinkFault::silent)) != 0),
      ring_(scenario.ring),
      slow_release_(scenario.slow_release),
      reactions_(scenario.numbers),
      streams_(scenario.processes) {
  for (std::uint32_t left = scenario.numbers; left > 0; --left) {
    const unsigned peer = random_.below(scenario.processes);
    streams_[peer].owed += peer != self_ ? 1 : 0;
  }
}

void StreamGateway::forget(unsigned peer) {
  forgotten_ = peer;
  streams_[peer].owed = 0;
}

void StreamGateway::produce() {
  const unsigned first = random_.below(static_cast<std::uint32_t>(streams_.size()));
  for (unsigned i = 0; i < streams_.size(); ++i) {
    const unsigned peer = static_cast<unsigned>((first + i) % streams_.size());
    for (std::uint32_t some = random_.below(8); some > 0 && streams_[peer].owed > 0; --some)
      if (!try_send(peer)) break;
  }
}

bool StreamGateway::try_send(unsigned peer) {
  Stream& stream = streams_[peer];
  if (stream.sent - stream.credit >= ring_) return false;
  const bool is_sent = goes_as_part(stream.sent) ? try_send_part(peer, stream.sent)
                                                 : try_send_packet(peer, stream.sent);
  if (!is_sent) return false;
  ++stream.sent;
  --stream.owed;
  ++injected_;
  return true;
}

bool StreamGateway::try_send_packet(unsigned peer, std::uint32_t number) {
  if (out(peer).room() == 0) return false;
  const auto content = content_of(number, false);
  ofi::FrameWriter& writer = out(peer).writer();
  std::memcpy(writer.claim().payload.data(), content.data(), content.size());
  const auto bytes = static_cast<unsigned>(content.size());
  writer.commit(
      peer, 0,
      PacketHeader(HeaderFields{
          .hints = {}, .chunks = chunks_for(bytes), .payload_bytes = bytes, .argument = number}));
  return true;
}

bool StreamGateway::try_send_part(unsigned peer, std::uint32_t number) {
  if (out(peer).part_room(1, 1) == 0) return false;
  const auto content = content_of(number, true);
  ofi::FrameWriter& writer = out(peer).writer();
  std::memcpy(writer.claim_part(1).data(), content.data(), content.size());
  writer.commit_part(peer, {.origin = self_,
                            .first = number,
                            .packets = 1,
                            .bytes = static_cast<std::uint32_t>(content.size()),
                            .window = 0,
                            .kind = ofi::PartKind::packed,
                            .reserved = {}});
  return true;
}

bool StreamGateway::is_passive() const {
  return std::ranges::all_of(streams_, [](const Stream& stream) { return stream.owed == 0; });
}

bool StreamGateway::is_at_rest(unsigned peer) {
  const Stream& stream = streams_[peer];
  return stream.owed == 0 && stream.credit == stream.sent && stream.credited == stream.received &&
         out(peer).in_flight() == 0 && !out(peer).has_unsent() && !out(peer).owes_acknowledgement();
}

void StreamGateway::deliver(ofi::ReceivedFrame& frame) {
  const unsigned from = frame.view.header.source;
  if (frame.view.header.sequence != in(from).received())
    throw Violation(fmt::format("process {} delivers frame {} of process {} after {}", self_,
                                frame.view.header.sequence, from, in(from).received()));
  check_content(frame, true);
  for (const ofi::LinkCredit& credit : frame.view.credits) take_credit(from, credit);
  held_.push_back(&frame);
}

/// Checks the content of a frame. Returns the count of its numbers.
std::uint32_t StreamGateway::check_content(const ofi::ReceivedFrame& frame, bool is_new) {
  const unsigned from = frame.view.header.source;
  const std::byte* at = frame.view.packets;
  std::uint32_t numbers = 0;
  for (const ofi::PacketRun& run : frame.view.runs)
    for (unsigned i = 0; i < run.packets; ++i, ++numbers) {
      const bool is_part = run.channel == ofi::kPartChannel;
      const auto content = is_part ? ofi::bytes_of(ofi::part_at(at)) : ofi::packet_at(at).bytes();
      const std::uint32_t number =
          is_part ? ofi::part_at(at).first : ofi::packet_at(at).header.argument();
      if (is_new) take(from, number, content, is_part);
      if (!is_new && !may_be_damaged_ && !std::ranges::equal(content, content_of(number, is_part)))
        throw Violation(fmt::format("number {} has changed before its frame was released", number));
      at += is_part ? ofi::framed_bytes(ofi::part_at(at))
                    : ofi::framed_bytes(ofi::packet_at(at).header.payload_bytes());
    }
  return numbers;
}

void StreamGateway::take(unsigned from, std::uint32_t number, std::span<const std::byte> content,
                         bool is_part) {
  Stream& stream = streams_[from];
  if (number != stream.received)
    throw Violation(fmt::format("process {} gets number {} of process {} instead of {}", self_,
                                number, from, stream.received));
  if (is_part != goes_as_part(number))
    throw Violation(fmt::format("number {} swapped packet and part", number));
  if (!std::ranges::equal(content, content_of(number, is_part))) {
    if (!may_be_damaged_) throw Violation(fmt::format("number {} arrives damaged", number));
    ++stream.damaged;
  }
  ++stream.received;
  ++delivered_;
  if (reactions_ > 0 && random_.below(3) == 0) react(from);
}

/// Schedules one or two numbers, also to processes other than `from`, so that counts reported at
/// different times may be equal although numbers are in flight.
void StreamGateway::react(unsigned from) {
  --reactions_;
  ++streams_[from].owed;
  const unsigned other = random_.below(static_cast<std::uint32_t>(streams_.size()));
  if (other != self_ && other != forgotten_) ++streams_[other].owed;
}

void StreamGateway::take_credit(unsigned from, const ofi::LinkCredit& credit) {
  Stream& stream = streams_[from];
  if (credit.link != self_ || credit.popped <= stream.credit || credit.popped > stream.sent)
    throw Violation(fmt::format("process {} gives back {} numbers of {}, after {}", from,
                                credit.popped, stream.sent, stream.credit));
  stream.credit = static_cast<std::uint32_t>(credit.popped);
}

bool StreamGateway::progress() {
  bool moved = send_credits();
  while (!held_.empty() && random_.below(slow_release_ + 1) == 0) {
    const std::uint32_t at = random_.below(static_cast<std::uint32_t>(held_.size()));
    ofi::ReceivedFrame& frame = *held_[at];
    held_[at] = held_.back();
    held_.pop_back();
    Stream& stream = streams_[frame.view.header.source];
    stream.done += check_content(frame, false);
    ++stream.frames_released;
    release(frame);
    moved = true;
  }
  return moved;
}

bool StreamGateway::send_credits() {
  bool moved = false;
  for (unsigned peer = 0; peer < streams_.size(); ++peer) {
    Stream& stream = streams_[peer];
    if (stream.credited == stream.done || !out(peer).try_add_credit(peer, stream.done)) continue;
    stream.credited = stream.done;
    moved = true;
  }
  return moved;
}

}  // namespace toroid::simulation
