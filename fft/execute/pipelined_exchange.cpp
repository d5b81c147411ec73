#include "fft/execute/pipelined_exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "hal/check.hpp"

namespace toroid::fft {
namespace {

/// This bit of a packet's argument is set if the argument holds the numbers of sender and packet.
/// It is clear if the argument holds a place in the receiver's array (see PieceMessages).
constexpr std::uint32_t kNamesPacket = std::uint32_t{1} << 31;

/// Maximum ratio of the memory that is registered for remote reading to the memory that is read.
/// The registered range also covers bytes of other messages that lie in between. Registration takes
/// time, and locks the whole range in memory.
constexpr std::uint64_t kMostSpread = 2;

}  // namespace

PieceMessages::PieceMessages(const Redistribution& redistribution, std::uint32_t first,
                             std::uint32_t stride, std::span<std::byte> target,
                             LineArrivals* arrivals)
    : redistribution_(&redistribution),
      first_(first),
      stride_(stride),
      number_bits_(31 - static_cast<unsigned>(std::bit_width(redistribution.group().size() - 1))),
      sending_(first),
      target_(target),
      arrivals_(arrivals),
      receiving_(first) {
  const std::uint32_t most = std::uint32_t{1} << number_bits_;
  if (redistribution.most_packets() > most)
    throw BadInput(
        fmt::format("a message of {} packets; expected at most {} in an exchange among {} nodes",
                    redistribution.most_packets(), most, redistribution.group().size()));
}

void PieceMessages::set_piece(std::uint32_t piece, const std::byte* source) {
  TOROID_CHECK_EQ(piece % stride_, first_);
  sending_ = piece;
  source_ = source;
}

void PieceMessages::copy_own() {
  const auto [transfer, shift] = redistribution_->to(redistribution_->group().self(), sending_);
  if (transfer == nullptr) return;
  const std::int64_t bytes = shift * redistribution_->element_bytes();
  transfer->copy({0, transfer->size()}, source_, target_.data() + bytes);
}

std::uint64_t PieceMessages::bytes_to(Rank member) const {
  const Transfer* transfer = redistribution_->to(member, sending_).transfer;
  return transfer == nullptr ? 0 : std::uint64_t{transfer->size()} * transfer->element_bytes();
}

MessageRun PieceMessages::run(Rank member, std::uint32_t first, std::uint32_t limit) const {
  const Transfer* transfer = redistribution_->to(member, sending_).transfer;
  if (transfer == nullptr || first >= transfer->packets()) return {};
  return {transfer->elements(first).count * transfer->element_bytes(),
          std::min({limit, transfer->alike(first), transfer->packets() - first})};
}

std::uint32_t PieceMessages::gather(Rank member, std::uint32_t number,
                                    std::span<std::byte> payload) const {
  const auto [transfer, shift] = redistribution_->to(member, sending_);
  const Transfer::Elements elements = transfer->elements(number);
  transfer->gather(elements, source_, payload.data());
  if (transfer->in_runs())
    return static_cast<std::uint32_t>(transfer->target_offset(elements.first) + shift);
  return kNamesPacket | redistribution_->group().self() << number_bits_ | number;
}

/// Skips pieces in which nothing is sent to this node. The last piece of a call is followed by the
/// first piece of the next call.
void PieceMessages::find_piece() {
  TOROID_CHECK(seek_piece());  // nobody sends packets that are not expected
}

/// Returns false if nothing is sent to this node in any piece.
bool PieceMessages::seek_piece() {
  bool wrapped = false;
  while (arrived_ == redistribution_->packets_expected(receiving_)) {
    arrived_ = 0;
    receiving_ += stride_;
    if (receiving_ < redistribution_->pieces()) continue;
    if (std::exchange(wrapped, true)) return false;
    receiving_ = first_;
  }
  return true;
}

void PieceMessages::arrive_at(std::uint32_t place, std::span<const std::byte> payload) {
  find_piece();
  ++arrived_;
  if ((place & kNamesPacket) == 0)
    store_run(place, payload);
  else
    scatter((place & ~kNamesPacket) >> number_bits_,
            place & ((std::uint32_t{1} << number_bits_) - 1), payload);
}

void PieceMessages::arrive(Rank from, std::uint32_t number, std::span<const std::byte> payload) {
  find_piece();
  ++arrived_;
  scatter(from, number, payload);
}

void PieceMessages::store_run(std::uint32_t place, std::span<const std::byte> payload) {
  const std::size_t at = std::size_t{place} * redistribution_->element_bytes();
  TOROID_CHECK_LE(at + payload.size(), target_.size());
  std::memcpy(target_.data() + at, payload.data(), payload.size());
  if (arrivals_ != nullptr)
    arrivals_->note_run(
        place, static_cast<std::int64_t>(payload.size() / redistribution_->element_bytes()));
}

PieceMessages::Incoming PieceMessages::incoming(Rank from) const {
  const auto [transfer, shift] = redistribution_->from(from, receiving_);
  return {transfer, target_.data() + shift * redistribution_->element_bytes()};
}

void PieceMessages::scatter(Rank from, std::uint32_t number, std::span<const std::byte> payload) {
  const auto [transfer, target] = incoming(from);
  TOROID_CHECK(transfer != nullptr);
  const Transfer::Elements elements = transfer->elements(number);
  transfer->scatter(elements, payload.data(), target);
  note_stored(*transfer, elements);
}

std::uint32_t PieceMessages::packets_to_put(Rank member) const {
  const Transfer* transfer = redistribution_->to(member, sending_).transfer;
  return transfer == nullptr ? 0 : transfer->packets();
}

std::size_t PieceMessages::take(Rank from, std::uint32_t first, std::uint32_t packets,
                                const std::byte* source) {
  find_piece();
  arrived_ += packets;
  const auto [transfer, target] = incoming(from);
  TOROID_CHECK(transfer != nullptr);
  const Transfer::Elements elements = transfer->elements(first, packets);
  transfer->copy(elements, source, target);
  note_stored(*transfer, elements);
  return std::size_t{elements.count} * redistribution_->element_bytes();
}

std::size_t PieceMessages::pack_part(const MessagePart& part, std::span<std::byte> packed) const {
  const Transfer& transfer = *redistribution_->to(part.member, sending_).transfer;
  TOROID_CHECK(part.is_in(transfer.packets()));
  const Transfer::Elements elements = transfer.elements(part.first, part.packets);
  const std::size_t bytes = std::size_t{elements.count} * redistribution_->element_bytes();
  TOROID_CHECK_LE(bytes, packed.size());
  transfer.gather_blocks(elements, source_, packed.data());
  return bytes;
}

bool PieceMessages::unpack_part(const MessagePart& part, std::span<const std::byte> packed) {
  if (!seek_piece()) return false;
  const auto [transfer, target] = incoming(part.member);
  if (transfer == nullptr || !part.is_in(transfer->packets())) return false;
  const Transfer::Elements elements = transfer->elements(part.first, part.packets);
  if (packed.size() != std::size_t{elements.count} * redistribution_->element_bytes()) return false;
  transfer->scatter(elements, packed.data(), target);
  note_stored(*transfer, elements);
  arrived_ += part.packets;
  return true;
}

std::span<const std::byte> PieceMessages::offer_part(const MessagePart& part,
                                                     std::size_t least) const {
  const Transfer& transfer = *redistribution_->to(part.member, sending_).transfer;
  TOROID_CHECK(part.is_in(transfer.packets()));
  const std::uint32_t element = redistribution_->element_bytes();
  if (std::uint64_t{transfer.stretch()} * element < least) return {};
  const Transfer::Elements elements = transfer.elements(part.first, part.packets);
  const Transfer::Span span = transfer.source_span(elements);
  if (span.length > kMostSpread * elements.count) return {};
  return {source_ + span.begin * element, span.length * element};
}

bool PieceMessages::land_part(const MessagePart& part, std::vector<PutStretch>& landing) {
  if (!seek_piece()) return false;
  const auto [transfer, target] = incoming(part.member);
  if (transfer == nullptr || !part.is_in(transfer->packets())) return false;
  const std::int64_t element = redistribution_->element_bytes();
  const Transfer::Elements elements = transfer->elements(part.first, part.packets);
  const std::int64_t begin = transfer->source_span(elements).begin;
  const auto append = [&, to = target](std::int64_t source, std::int64_t place,
                                       std::uint32_t count) {
    landing.push_back({static_cast<std::uint64_t>((source - begin) * element),
                       {to + place * element, count * static_cast<std::size_t>(element)}});
  };
  transfer->for_each_common(elements, append);
  return true;
}

/// receiving_ is still the piece that land_part() found, because that piece is not complete without
/// this part.
void PieceMessages::landed(const MessagePart& part) {
  arrived_ += part.packets;
  const Transfer& transfer = *incoming(part.member).transfer;
  note_stored(transfer, transfer.elements(part.first, part.packets));
}

std::uint64_t PieceMessages::traffic_number(std::uint64_t start) const {
  const std::uint32_t pieces = (redistribution_->pieces() - first_ + stride_ - 1) / stride_;
  return first_ + start % pieces * stride_;
}

std::unique_ptr<const Traffic> PieceMessages::traffic(std::uint64_t number) const {
  return redistribution_->traffic(static_cast<std::uint32_t>(number));
}

void PieceMessages::pack(Rank member, std::vector<std::byte>& bytes) const {
  const Transfer* transfer = redistribution_->to(member, sending_).transfer;
  const std::size_t begin = bytes.size();
  bytes.resize(begin + bytes_to(member));
  transfer->gather({0, transfer->size()}, source_, bytes.data() + begin);
}

void PieceMessages::unpack(Rank from, std::span<const std::byte> bytes) {
  find_piece();
  const auto [transfer, target] = incoming(from);
  TOROID_CHECK(transfer != nullptr);
  arrived_ += transfer->packets();
  transfer->scatter({0, transfer->size()}, bytes.data(), target);
  note_stored(*transfer, {0, transfer->size()});
}

PipelinedExchange::PipelinedExchange(Node& node, const Distribution& from, const Distribution& to,
                                     std::uint32_t element_bytes, const Group& group,
                                     const ExchangePlan& plan, const Pipeline& pipeline,
                                     std::span<std::byte> target)
    : redistribution_(from, to, element_bytes, group, pipeline.rule, plan.data_bytes()),
      window_(std::min(pipeline.window, redistribution_.pieces())) {
  TOROID_CHECK_LT(0u, window_);
  if (pipeline.line_axis)
    arrivals_ = std::make_unique<LineArrivals>(from.layout(node.rank()), to.layout(node.rank()),
                                               *pipeline.line_axis);
  const std::uint32_t slots = std::min(2 * window_, redistribution_.pieces());
  const HandlerId first = node.reserve_handlers(slots * plan.handlers());
  plan.check_order(plan.visitor(group.self(), node.rank()));
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    slots_.emplace_back(node, static_cast<HandlerId>(first + slot * plan.handlers()),
                        redistribution_, slot, slots, plan, target, arrivals_.get());
}

void PipelinedExchange::set_target(std::span<std::byte> target) {
  for (Slot& slot : slots_) slot.messages.set_target(target);
}

void PipelinedExchange::start(std::uint32_t piece, const std::byte* source) {
  if (piece == 0 && arrivals_) arrivals_->begin_call();
  Slot& slot = slots_[piece % slots_.size()];
  slot.messages.set_piece(piece, source);
  slot.messages.copy_own();
  slot.exchange.start();
}

LinesAwaiter PipelinedExchange::wait_lines(std::uint32_t index) const {
  return {*this, index};
}

/// If an engine moves the packets, the processor sees lines only when its clock has reached the
/// time at which the engine stored them.
bool LinesAwaiter::ready() {
  if (!exchange_->arrivals()->complete(index_)) return false;
  for (std::uint32_t piece = exchange_->first_outstanding(); piece < exchange_->pieces(); ++piece)
    if (!exchange_->piece(piece).is_seen_or_looks()) return false;
  return true;
}

std::string LinesAwaiter::text() const {
  return exchange_->piece(exchange_->pieces() - 1).waits_for();
}

}  // namespace toroid::fft
