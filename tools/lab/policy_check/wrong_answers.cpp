#include "tools/lab/policy_check/wrong_answers.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"

namespace toroid {
namespace {

std::optional<Breakage> wrong_order(const Shape& shape, const Question& question,
                                    const std::vector<Rank>& peers) {
  std::vector<bool> visited(shape.size(), false);
  const std::string who = text_of(shape, question);
  for (const Rank peer : peers) {
    if (peer >= shape.size())
      return Breakage{
          "out of range", "",
          fmt::format("{} visits rank {}, expected less than {}", who, peer, shape.size())};
    if (peer == question.self)
      return Breakage{"sent to itself", "", who + " visits the node itself"};
    if (visited[peer])
      return Breakage{"doubled", "",
                      fmt::format("{} visits {} twice", who, shape.coord_text(peer))};
    visited[peer] = true;
  }
  for (Rank peer = 0; peer < shape.size(); ++peer)
    if (!visited[peer] && peer != question.self && shape.is_alive(peer))
      return Breakage{"never sent", "",
                      fmt::format("{} leaves out {}", who, shape.coord_text(peer))};
  return std::nullopt;
}

std::optional<Breakage> wrong_way(const Policy& policy, const Shape& shape, Rank from, Rank to) {
  const std::vector<Rank> way = way_of(policy, shape, from, to);
  const auto text = [&](std::string_view what) {
    return fmt::format("relay() of a packet from {} to {} {}", shape.coord_text(from),
                       shape.coord_text(to), what);
  };
  if (way.back() >= shape.size())
    return Breakage{
        "relay leads nowhere", "",
        text(fmt::format("returns rank {}, expected less than {}", way.back(), shape.size()))};
  if (!policy.keeps_to_shortest_ways(shape)) return std::nullopt;
  unsigned hops = 0;
  for (std::size_t i = 1; i < way.size(); ++i)
    hops += minimal_hops(shape, shape.coord(way[i - 1]), shape.coord(way[i]));
  const unsigned least = minimal_hops(shape, shape.coord(from), shape.coord(to));
  if (hops <= least) return std::nullopt;
  return Breakage{
      "not a shortest way", "",
      text(fmt::format("takes {} hops instead of {}, but keeps_to_shortest_ways() is true", hops,
                       least))};
}

std::optional<Breakage> wrong_answer(const Policy& policy, const AskedCase& asked,
                                     const Question& question, std::uint64_t seed) {
  const Shape& shape = asked.shape;
  if (question.of == Question::Of::order)
    return wrong_order(shape, question, peers_of(policy, shape, question, seed));
  if (question.of != Question::Of::relays) return std::nullopt;
  for (Rank to = 0; to < shape.size(); ++to)
    if (to != question.self)
      if (auto wrong = wrong_way(policy, shape, question.self, to)) return wrong;
  return std::nullopt;
}

/// The first setting that is outside of its range.
std::optional<Breakage> wrong_settings(const Policy& policy, const AskedCase& asked) {
  const unsigned stages = policy.stages(asked.shape);
  if (stages < 1 || stages > 255)
    return Breakage{"bad settings", "", fmt::format("stages() is {}, expected 1 to 255", stages)};
  const std::string fault = fault_of(policy.settings(asked.policy_case()), asked.shape.size());
  if (!fault.empty()) return Breakage{"bad settings", "", fault};
  return std::nullopt;
}

}  // namespace

std::optional<Breakage> first_wrong_answer(const Policy& policy, const AskedCase& asked,
                                           std::uint64_t seed) {
  if (auto wrong = wrong_settings(policy, asked)) return wrong;
  for (const Question& question : questions(policy, asked.shape))
    if (auto wrong = wrong_answer(policy, asked, question, seed)) return wrong;
  return std::nullopt;
}

}  // namespace toroid
