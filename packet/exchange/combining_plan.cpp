#include "packet/exchange/combining_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "hal/check.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {
namespace {

void check_size(const ExchangePlan& exchange) {
  if (exchange.shape().size() > CombiningPlan::kMostNodes)
    throw BadInput(fmt::format("policy {} combines messages: expected at most {} nodes, found {}",
                               exchange.policy().name(), CombiningPlan::kMostNodes,
                               exchange.shape().size()));
}

}  // namespace

CombiningPlan::CombiningPlan(const ExchangePlan& exchange, const Traffic& traffic) {
  check_size(exchange);
  const Rank nodes = exchange.shape().size();
  const unsigned stages = exchange.stages();
  messages_.assign(stages, std::vector<std::vector<Message>>(nodes));
  expected_.assign(stages, std::vector<Arrivals>(nodes));
  packet_bits_ = exchange.number_bits() - static_cast<unsigned>(std::bit_width(stages - 1));
  for (Rank from = 0; from < nodes; ++from)
    for (const Rank to : traffic.targets(from)) walk(exchange, {from, to, traffic.bytes(from, to)});
  count(exchange);
}

void CombiningPlan::walk(const ExchangePlan& exchange, Block block) {
  if (block.bytes == 0) return;
  const std::uint64_t key = exchange.key(std::uint64_t{block.origin} << 32 | block.to);
  Rank here = block.origin;
  for (unsigned stage = 0; stage < stages(); ++stage) {
    const Rank next = exchange.relay({stage, here, block.origin, block.to, key}, here);
    if (next == here) continue;
    Message& message = message_to(stage, here, next);
    message.bytes += block.bytes;
    if (exchange.format().payload) message.blocks.push_back(block);
    here = next;
  }
}

CombiningPlan::Message& CombiningPlan::message_to(unsigned stage, Rank from, Rank to) {
  std::vector<Message>& all = messages_[stage][from];
  const auto found = std::ranges::lower_bound(all, to, {}, &Message::to);
  if (found != all.end() && found->to == to) return *found;
  return *all.insert(found, {to, 0, {}});
}

const CombiningPlan::Message& CombiningPlan::message(unsigned stage, Rank from, Rank to) const {
  const auto found = std::ranges::lower_bound(messages_[stage][from], to, {}, &Message::to);
  TOROID_CHECK(found != messages_[stage][from].end() && found->to == to);
  return *found;
}

void CombiningPlan::count(const ExchangePlan& exchange) {
  for (unsigned stage = 0; stage < stages(); ++stage)
    for (Rank from = 0; from < exchange.shape().size(); ++from)
      for (Message& message : messages_[stage][from]) {
        const std::uint64_t packets = exchange.packets(message.bytes);
        if (packets > std::uint64_t{1} << packet_bits_)
          throw BadInput(fmt::format(
              "combined messages of {} packets are too long: packets cannot be numbered", packets));
        message.cut = MessageCut(message.bytes, exchange.data_bytes());
        if (packets > 0) expected_[stage][message.to].add(from, number(stage, 0), packets);
      }
}

Arrivals CombiningPlan::expected(Rank to) const {
  Arrivals sum;
  for (const auto& stage : expected_) sum += stage[to];
  return sum;
}

}  // namespace toroid
