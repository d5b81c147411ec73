#include "packet/exchange/combiner.hpp"

#include <algorithm>

#include "hal/check.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/messages.hpp"

namespace toroid {
namespace {

using Message = CombiningPlan::Message;

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

Combiner::Combiner(Exchange& exchange)
    : exchange_(&exchange),
      all_stages_(exchange.end_.plan->stages()),
      stage_(all_stages_),
      received_(all_stages_) {}

Endpoint& Combiner::end() const {
  return exchange_->end_;
}

const CombiningPlan& Combiner::plan_of(std::uint64_t start) const {
  const Messages& messages = *end().messages;
  const std::uint64_t number = messages.traffic_number(start);
  return end().plan->combining(end().group.rank(0), number,
                               [&] { return messages.traffic(number); });
}

void Combiner::start() {
  plan_ = &plan_of(exchange_->starts_ - 1);
  exchange_->expected_ += plan_->expected(end().self()).packets;
  stages_.clear();
  begin(0);
  advance();
}

void Combiner::begin(unsigned stage) {
  stage_ = stage;
  expected_ = plan_->expected(stage, end().self());
  const std::uint64_t number = (exchange_->starts_ - 1) * all_stages_ + stage;
  for (const Message& message : plan_->messages(stage, end().self()))
    end().record_message(end().node->now(), message.to, message.bytes, number);
  Stage& begun = stages_.emplace_back(*this, stage);
  if (!begun.filled()) end().node->post(begun);
}

/// Ends the stages that are complete and begins the ones after them.
void Combiner::advance() {
  while (stage_ < all_stages_ && received_[stage_] >= expected_) {
    end(stage_);
    if (stage_ + 1 < all_stages_) {
      begin(stage_ + 1);
      continue;
    }
    stage_ = all_stages_;
    std::ranges::fill(received_, 0);
    note_left();
  }
}

/// Takes apart the messages that have come in this stage.
void Combiner::end(unsigned stage) {
  end().record_complete((exchange_->starts_ - 1) * all_stages_ + stage + 1);
  for (auto message = incoming_.lower_bound({stage, 0});
       message != incoming_.end() && message->first.first == stage;
       message = incoming_.erase(message)) {
    std::span<const std::byte> rest = message->second;
    for (const auto& block : plan_->message(stage, message->first.second, end().self()).blocks) {
      keep(block, rest.first(block.bytes));
      rest = rest.subspan(block.bytes);
    }
  }
}

void Combiner::keep(const CombiningPlan::Block& block, std::span<const std::byte> bytes) {
  if (block.to == end().self())
    end().messages->unpack(block.origin, bytes);
  else
    append(held_[{block.origin, block.to}], bytes);
}

std::vector<Combiner::Bytes> Combiner::pack(unsigned stage) {
  std::vector<Bytes> contents;
  if (!end().plan->format().payload) return contents;
  for (const Message& message : plan_->messages(stage, end().self())) {
    Bytes& content = contents.emplace_back();
    for (const auto& block : message.blocks) {
      if (block.origin == end().self()) {
        end().messages->pack(block.to, content);
        continue;
      }
      const auto held = held_.find({block.origin, block.to});
      TOROID_CHECK(held != held_.end());
      append(content, held->second);
      held_.erase(held);
    }
  }
  return contents;
}

void Combiner::arrive(std::uint32_t id, std::span<const std::byte> data) {
  const ExchangePlan& plan = *end().plan;
  // If no stage is in progress, the packet belongs to the next start.
  const CombiningPlan& combining = stage_ < all_stages_ ? *plan_ : plan_of(exchange_->starts_);
  const std::uint32_t number = plan.number(id);
  const unsigned stage = combining.stage(number);
  const Rank from = plan.origin(id);
  if (plan.format().payload) {
    Bytes& message = incoming_[{stage, from}];
    message.resize(combining.message(stage, from, end().self()).bytes);
    copy_payload(message.data() + std::size_t{combining.packet(number)} * plan.data_bytes(),
                 data.data(), data.size());
  }
  ++received_.at(stage);
  advance();
}

void Combiner::note_left() {
  const auto has_left = [](const Stage& stage) { return stage.left(); };
  if (stage_ == all_stages_ && std::ranges::all_of(stages_, has_left)) exchange_->note_left();
}

Combiner::Stage::Stage(Combiner& combiner, unsigned number)
    : combiner_(&combiner),
      plan_(combiner.plan_),
      messages_(&plan_->messages(number, combiner.end().self())),
      number_(number),
      fill_(make_fill()),
      contents_(combiner.pack(number)) {}

/// The order of the stage's messages, which is the policy's. A single message needs no order.
SendOrder Combiner::Stage::order() const {
  std::vector<Rank> targets;
  for (const Message& message : *messages_) targets.push_back(message.to);
  if (targets.size() <= 1) return SendOrder(std::move(targets));
  const Endpoint& end = combiner_->end();
  return end.plan->order(end.plan->visitor(end.self(), end.node->rank(), number_)).only(targets);
}

Fill Combiner::Stage::make_fill() const {
  std::uint32_t most = 0;
  for (const Message& message : *messages_) most = std::max(most, message.cut.packets());
  std::vector<std::uint32_t> places;
  for (const Rank to : order()) places.push_back(place_of(to));
  return Fill(SendOrder(std::move(places)),
              {most, combiner_->end().plan->settings().packets_per_visit});
}

std::uint32_t Combiner::Stage::place_of(Rank to) const {
  const auto message = std::ranges::lower_bound(*messages_, to, {}, &Message::to);
  return static_cast<std::uint32_t>(message - messages_->begin());
}

bool Combiner::Stage::fill(OutputQueues& queues) {
  fill_.run(queues, [this](std::uint32_t place, std::uint32_t first, std::uint32_t limit) {
    return describe(place, first, limit);
  });
  if (left()) combiner_->note_left();
  return fill_.done();
}

SendDescriptor Combiner::Stage::describe(std::uint32_t place, std::uint32_t first,
                                         std::uint32_t limit) {
  Endpoint& end = combiner_->end();
  const Message& message = (*messages_)[place];
  const MessageRun run = message.cut.run(first, end.plan->most_in_descriptor(limit));
  if (run.packets == 0) return SendDescriptor::none();
  queued_ += run.packets;
  for (std::uint32_t n = first; n < first + run.packets; ++n)
    end.note_sent(end.plan->id(end.self(), plan_->number(number_, n)), message.to);
  return end.descriptor(message.to, run.bytes, run.packets, *this,
                        std::uint64_t{place} << 32 | first);
}

std::uint32_t Combiner::Stage::gather(const SendDescriptor& descriptor, std::uint32_t number,
                                      std::span<std::byte, kPayloadBytes> payload) {
  const Endpoint& end = combiner_->end();
  const std::size_t place = descriptor.cookie >> 32;
  const std::uint32_t packet = static_cast<std::uint32_t>(descriptor.cookie) + number;
  const std::uint32_t id = end.plan->id(end.self(), plan_->number(number_, packet));
  const std::size_t begin =
      end.write_envelope(Envelope::of(id, (*messages_)[place].to, 0), payload);
  if (end.plan->format().payload)
    copy_payload(payload.data() + begin,
                 contents_[place].data() + std::size_t{packet} * end.plan->data_bytes(),
                 descriptor.header.payload_bytes() - begin);
  --queued_;
  if (left()) combiner_->note_left();
  return end.argument(id);
}

}  // namespace toroid
