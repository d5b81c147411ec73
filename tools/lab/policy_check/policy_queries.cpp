#include "tools/lab/policy_check/policy_queries.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "hal/direction.hpp"
#include "hal/random.hpp"
#include "hal/send_order.hpp"
#include "packet/node/settings.hpp"
#include "packet/traffic/patterns.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kBytes = 480;

/// The largest number of pairs of nodes that a policy is asked about. The answers take about a
/// second.
constexpr std::uint64_t kMostPairsAsked = 1 << 22;

/// The distance in rank of the nodes that are asked about.
Rank stride_of(const Shape& shape) {
  const std::uint64_t pairs = std::uint64_t{shape.size()} * shape.size();
  return static_cast<Rank>((pairs + kMostPairsAsked - 1) / kMostPairsAsked);
}

void stir(std::uint64_t& sum, std::uint64_t value) {
  sum = mix64(sum ^ mix64(value));
}

std::uint64_t sum_of(const PolicySettings& settings) {
  std::uint64_t sum = settings.order ? 1 + static_cast<std::uint64_t>(*settings.order) : 0;
  for (const std::uint64_t value :
       {std::uint64_t{settings.packets_per_visit}, std::uint64_t{settings.output_queues},
        std::uint64_t{settings.queue_per_direction}, std::uint64_t{settings.queue_capacity},
        static_cast<std::uint64_t>(settings.drain),
        static_cast<std::uint64_t>(settings.tying.rule()),
        static_cast<std::uint64_t>(settings.routing),
        settings.tie ? 1 + static_cast<std::uint64_t>(*settings.tie) : 0,
        std::bit_cast<std::uint64_t>(settings.throttle.cycles_per_packet),
        std::uint64_t{settings.throttle.window}})
    stir(sum, value);
  for (const DirectionSet links : settings.tying.table()) stir(sum, links.bits());
  return sum;
}

}  // namespace

AskedCase::AskedCase(const Shape& on)
    : shape(on), traffic(make_traffic("all-to-all", on, kBytes, 1)) {}

std::vector<Question> questions(const Policy& policy, const Shape& shape) {
  std::vector<Question> all{{Question::Of::settings}};
  const std::uint32_t rounds = policy.changes_order() ? 3 : 1;
  const Rank stride = stride_of(shape);
  for (Rank self = 0; self < shape.size(); self += stride) {
    for (std::uint32_t round = 0; round < rounds; ++round)
      all.push_back({Question::Of::order, self, round, false});
    all.push_back({Question::Of::order, self, 0, true});
    if (policy.stages(shape) > 1) all.push_back({Question::Of::relays, self});
  }
  return all;
}

std::string text_of(const Shape& shape, const Question& question) {
  if (question.of == Question::Of::settings) return "settings()";
  return fmt::format("{} of {}{}",
                     question.of == Question::Of::order ? "order()" : "relay() of packets",
                     shape.coord_text(question.self),
                     question.inside_larger ? " as a part of a larger machine" : "");
}

std::vector<Rank> peers_of(const Policy& policy, const Shape& shape, const Question& question,
                           std::uint64_t seed) {
  const Rank identity = question.self + (question.inside_larger ? shape.size() : 0);
  const SendOrder order = policy.order({shape, question.self, seed, question.round, identity});
  std::vector<Rank> peers;
  for (Rank i = 0; i < std::min(order.size(), shape.size()); ++i) peers.push_back(order[i]);
  return peers;
}

std::vector<Rank> way_of(const Policy& policy, const Shape& shape, Rank from, Rank to) {
  std::vector<Rank> way{from};
  const unsigned stages = policy.stages(shape);
  const std::uint64_t key = mix64(std::uint64_t{from} * shape.size() + to);
  for (unsigned stage = 0; stage + 1 < stages; ++stage) {
    const Rank next = policy.relay(shape, {stage, way.back(), from, to, key});
    way.push_back(next);
    if (next >= shape.size()) return way;
  }
  way.push_back(to);
  return way;
}

std::uint64_t answer(const Policy& policy, const AskedCase& asked, const Question& question,
                     std::uint64_t seed) {
  std::uint64_t sum = mix64(question.self) ^ question.round;
  if (question.of == Question::Of::settings) return sum_of(policy.settings(asked.policy_case()));
  if (question.of == Question::Of::order)
    for (const Rank peer : peers_of(policy, asked.shape, question, seed)) stir(sum, peer);
  if (question.of == Question::Of::relays)
    for (Rank to = 0; to < asked.shape.size(); ++to)
      for (const Rank on_way : way_of(policy, asked.shape, question.self, to)) stir(sum, on_way);
  return sum;
}

std::uint64_t sum_asked(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                        std::span<const Question> all, std::size_t first) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    sum += answer(policy, asked, all[(first + i) % all.size()], seed);
  return sum;
}

}  // namespace toroid
