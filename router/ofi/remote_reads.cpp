#include "router/ofi/remote_reads.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "hal/check.hpp"

namespace toroid::ofi {
namespace {

/// Maximum bytes of one read.
constexpr std::size_t kMostInRead = std::size_t{1} << 20;
/// Maximum bytes of reads in flight. Over TCP, frames and acknowledgements wait behind these bytes
/// and must not be late: at 1 Gbit/s the bytes take 0.13 s.
constexpr std::size_t kMostUnderWay = std::size_t{16} << 20;

/// The memory from the first byte of the stretches to the last.
std::span<std::byte> hull(std::span<const PutStretch> landing) {
  const std::less<const std::byte*> before;
  std::byte* begin = landing.front().to.data();
  std::byte* end = begin;
  for (const PutStretch& stretch : landing) {
    begin = std::min(begin, stretch.to.data(), before);
    end = std::max(end, stretch.to.data() + stretch.to.size(), before);
  }
  return {begin, end};
}

}  // namespace

PartOffer RemoteReads::expose(unsigned peer, const OfferedPut& offered) {
  auto region = transport_->expose(offered.offer.memory);
  const std::uint32_t number = exposures_.take();
  ++offered_;
  changed_at_ = Clock::now();
  const Exposed& exposed = region->exposed();
  exposures_[number] = {peer, offered.put, std::move(region)};
  return {.address = exposed.address,
          .key = exposed.key,
          .bytes = offered.offer.memory.size(),
          .from = offered.put.from,
          .number = number};
}

std::optional<PutDescriptor> RemoteReads::done(unsigned peer, std::uint32_t number) {
  if (number >= exposures_.size()) return std::nullopt;
  Exposure& exposure = exposures_[number];
  if (exposure.region == nullptr || exposure.peer != peer) return std::nullopt;
  exposure.region.reset();
  --offered_;
  changed_at_ = Clock::now();
  exposures_.give_back(number);
  return exposure.put;
}

void RemoteReads::abandon() {
  for (Exposure& exposure : exposures_) exposure.region.reset();
  for (Reading& reading : readings_) reading.region.reset();
}

void RemoteReads::begin(unsigned peer, Rank to, const PartHeader& part) {
  const std::uint32_t number = readings_.take();
  Reading& reading = readings_[number];
  reading.reads = this;
  reading.number = number;
  reading.peer = peer;
  reading.landing.clear();
  const std::span<const std::byte> body = bytes_of(part);
  std::memcpy(&reading.offer, body.data(), sizeof reading.offer);
  const auto label = body.subspan(sizeof reading.offer);
  reading.label.assign(label.begin(), label.end());
  reading.put = {.from = own_node_,
                 .to = to,
                 .window = part.window,
                 .stage = PutStage::offered,
                 .origin = part.origin,
                 .first = part.first,
                 .packets = part.packets,
                 .packed_bytes = static_cast<std::uint32_t>(label.size()),
                 .array = reading.label.data(),
                 .source = &reading,
                 .landing = &reading.landing};
  puts_->send({reading.put, false});
}

std::uint32_t RemoteReads::Reading::gather(const SendDescriptor&, std::uint32_t,
                                           std::span<std::byte, kPayloadBytes>) {
  check_failed(__FILE__, __LINE__, "is_put", "a put that is read");
}

/// Called twice by the receiving node: when it has said where the put goes, and when it has taken
/// the bytes that were read.
void RemoteReads::Reading::put_done(const PutDescriptor& done) {
  if (done.stage == PutStage::offered) return reads->start(*this);
  reads->told_(peer, offer.from, offer.number);
  reads->readings_.give_back(number);
}

void RemoteReads::Reading::add(std::uint64_t from, std::span<std::byte> to) {
  ReadOperation& operation = operations.emplace_back();
  operation.buffer = to;
  operation.reads = true;
  operation.peer = peer;
  operation.user = number;
  operation.from = {offer.address + from, offer.key};
  operation.into = region.get();
}

void RemoteReads::start(Reading& reading) {
  reading.operations.clear();
  reading.begun = reading.completed = 0;
  if (reading.landing.empty()) return land(reading);
  reading.region = transport_->open(hull(reading.landing));
  std::uint64_t end = 0;
  for (const PutStretch& stretch : reading.landing) {
    if (stretch.from > reading.offer.bytes ||
        stretch.to.size() > reading.offer.bytes - stretch.from)
      throw RunFailed(
          fmt::format("process {} offers a put of {} bytes; expected {} bytes from byte {} on",
                      reading.peer, reading.offer.bytes, stretch.to.size(), stretch.from));
    end = std::max(end, stretch.from + stretch.to.size());
    for (std::size_t at = 0; at < stretch.to.size(); at += kMostInRead)
      reading.add(stretch.from + at,
                  stretch.to.subspan(at, std::min(stretch.to.size() - at, kMostInRead)));
  }
  if (end != reading.offer.bytes)
    throw RunFailed(fmt::format("process {} offers a put of {} bytes; expected {}", reading.peer,
                                reading.offer.bytes, end));
  if (reading.operations.empty()) return land(reading);
  waiting_.push_back(&reading);
  (void)step();
}

bool RemoteReads::step() {
  bool moved = false;
  for (std::size_t all = waiting_.size(); all > 0; --all) {
    Reading* const reading = waiting_.front();
    waiting_.pop_front();
    moved |= begin_some(*reading);
    if (reading->begun < reading->operations.size()) waiting_.push_back(reading);
  }
  return moved;
}

bool RemoteReads::begin_some(Reading& reading) {
  const std::size_t before = reading.begun;
  while (reading.begun < reading.operations.size()) {
    ReadOperation& operation = reading.operations[reading.begun];
    if (!has_room_for(operation) || !transport_->try_read(operation)) break;
    ++reading.begun;
    ++outstanding_;
    under_way_ += operation.buffer.size();
  }
  if (reading.begun == before) return false;
  changed_at_ = Clock::now();
  return true;
}

bool RemoteReads::has_room_for(const ReadOperation& operation) const {
  return outstanding_ < Transport::kMostReads &&
         (outstanding_ == 0 || under_way_ + operation.buffer.size() <= kMostUnderWay);
}

void RemoteReads::completed(const Operation& operation) {
  Reading& reading = readings_[operation.user];
  --outstanding_;
  under_way_ -= operation.buffer.size();
  changed_at_ = Clock::now();
  if (++reading.completed == reading.operations.size()) land(reading);
}

void RemoteReads::land(Reading& reading) {
  reading.region.reset();
  reading.put.stage = PutStage::landed;
  puts_->send({reading.put, false});
}

}  // namespace toroid::ofi
