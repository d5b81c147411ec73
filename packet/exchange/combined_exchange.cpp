#include "packet/exchange/combined_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/combining_plan.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/exchange/exchange_part.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {
namespace {

using Message = CombiningPlan::Message;

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Named references only: they outlive the coroutine.
Program run_stages(Node& node, CombinedExchange& exchange, unsigned stages) {
  for (unsigned stage = 0; stage < stages; ++stage) {
    exchange.begin(stage);
    const Counter& received = exchange.received(stage);
    const std::uint64_t expected = exchange.expected(stage);
    co_await node.until(received, expected);
    exchange.end(stage);
  }
}

}  // namespace

CombinedExchange::CombinedExchange(Node& node, const ExchangeCase& exchange,
                                   const CombiningPlan& plan)
    : ExchangePart(node, exchange),
      plan_(&plan),
      received_(plan.stages(), Counter(exchange.counter_name())) {
  node.on(exchange.options().handler, [this](const Packet& packet) { arrive(packet); });
}

Program CombinedExchange::program() {
  return run_stages(*node_, *this, plan_->stages());
}

void CombinedExchange::begin(unsigned stage) {
  for (const Message& message : plan_->messages(stage, node_->rank()))
    note_message(message.to, message.bytes, stage);
  Stage& begun = stages_.emplace_back(*this, stage);
  if (!begun.done()) node_->post(begun);
}

void CombinedExchange::end(unsigned stage) {
  note_complete(stage);
  if (!data_) return;
  for (auto message = incoming_.lower_bound({stage, 0});
       message != incoming_.end() && message->first.first == stage;
       message = incoming_.erase(message)) {
    std::span<const std::byte> rest = message->second;
    for (const auto& block : plan_->message(stage, message->first.second, node_->rank()).blocks) {
      const std::size_t bytes = case_->traffic().bytes(block.origin, block.to);
      keep(block, rest.first(bytes));
      rest = rest.subspan(bytes);
    }
  }
}

void CombinedExchange::keep(const CombiningPlan::Block& block, std::span<const std::byte> bytes) {
  if (block.to == node_->rank())
    std::ranges::copy(bytes, data_->from(block.origin).begin());
  else
    append(held_[{block.origin, block.to}], bytes);
}

std::map<Rank, CombinedExchange::Bytes> CombinedExchange::pack(unsigned stage) {
  std::map<Rank, Bytes> contents;
  for (const Message& message : plan_->messages(stage, node_->rank()))
    for (const auto& block : message.blocks) {
      if (block.origin == node_->rank()) {
        append(contents[message.to], data_->to(block.to));
        continue;
      }
      const auto held = held_.find({block.origin, block.to});
      TOROID_CHECK(held != held_.end());
      append(contents[message.to], held->second);
      held_.erase(held);
    }
  return contents;
}

void CombinedExchange::arrive(const Packet& packet) {
  const std::uint32_t id = envelope_of(packet).id;
  const std::uint32_t number = case_->number(id);
  const unsigned stage = plan_->stage(number);
  const Rank from = case_->origin(id);
  note_arrival(packet, id);
  if (data_) {
    Bytes& message = incoming_[{stage, from}];
    message.resize(plan_->message(stage, from, node_->rank()).bytes);
    const auto data = data_of(packet);
    copy_payload(message.data() + std::size_t{plan_->packet(number)} * case_->data_bytes(),
                 data.data(), data.size());
  }
  received_.at(stage).bump();
}

CombinedExchange::Stage::Stage(CombinedExchange& exchange, unsigned number)
    : exchange_(&exchange),
      number_(number),
      contents_(exchange.pack(number)),
      fill_(order(), {most_packets(), exchange.case_->settings().packets_per_visit}) {}

SendOrder CombinedExchange::Stage::order() const {
  std::vector<Rank> targets;
  for (const Message& m : exchange_->plan_->messages(number_, exchange_->node_->rank()))
    targets.push_back(m.to);
  return exchange_->case_->order(exchange_->node_->rank(), number_).only(targets);
}

std::uint32_t CombinedExchange::Stage::most_packets() const {
  std::uint64_t most = 0;
  for (const Message& m : exchange_->plan_->messages(number_, exchange_->node_->rank()))
    most = std::max(most, exchange_->case_->packets(m.bytes));
  return static_cast<std::uint32_t>(most);
}

bool CombinedExchange::Stage::fill(OutputQueues& queues) {
  fill_.run(queues, [this](Rank to, std::uint32_t first, std::uint32_t limit) {
    return describe(to, first, limit);
  });
  return fill_.done();
}

std::optional<SendDescriptor> CombinedExchange::Stage::describe(Rank to, std::uint32_t first,
                                                                std::uint32_t limit) {
  CombinedExchange& x = *exchange_;
  const std::uint64_t bytes = x.plan_->message(number_, x.node_->rank(), to).bytes;
  const auto run = x.case_->run(bytes, first, limit);
  if (run.packets == 0) return std::nullopt;
  for (std::uint32_t n = first; n < first + run.packets; ++n)
    x.note_sent(x.case_->id(x.node_->rank(), x.plan_->number(number_, n)), to);
  SendDescriptor made = x.descriptor(to, run.bytes, *this, std::uint64_t{to} << 32 | first);
  made.packets = run.packets;
  return made;
}

std::uint32_t CombinedExchange::Stage::gather(const SendDescriptor& descriptor,
                                              std::uint32_t number,
                                              std::span<std::byte, kPayloadBytes> payload) {
  const CombinedExchange& x = *exchange_;
  const auto to = static_cast<Rank>(descriptor.cookie >> 32);
  const std::uint32_t packet = static_cast<std::uint32_t>(descriptor.cookie) + number;
  const std::uint32_t id = x.case_->id(x.node_->rank(), x.plan_->number(number_, packet));
  const std::size_t begin = x.write_envelope(Envelope::of(id, to, 0), payload);
  if (x.data_)
    copy_payload(payload.data() + begin,
                 contents_.at(to).data() + std::size_t{packet} * x.case_->data_bytes(),
                 descriptor.header.payload_bytes() - begin);
  return x.argument(id);
}

}  // namespace toroid
