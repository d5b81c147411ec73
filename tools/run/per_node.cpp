#include "tools/run/per_node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {
namespace {

constexpr std::size_t kSlowest = 10;

/// Cycles in which the heads of the rank's injection FIFOs waited for links, summed over the FIFOs.
/// Ranks of one node share them.
std::uint64_t stalled_cycles(const Counted& counted, Rank rank) {
  const Rank node = counted.shape.ranks().node(rank);
  const std::vector<FifoCounters>& fifos = counted.counters.fifos;
  const std::size_t each = fifos.size() / counted.shape.nodes();
  std::uint64_t cycles = 0;
  for (std::size_t f = 0; f < each; ++f) cycles += fifos[node * each + f].stalled_cycles;
  return cycles;
}

/// The figures of one node. Counts are those of one run.
Json figures_of(const Counted& counted, Rank node, bool is_virtual) {
  const NodeTotals& totals = counted.counters.nodes[node];
  const auto one_run = [&](std::uint64_t count) { return per_run(count, counted.runs); };
  Json json;
  if (is_virtual)
    json = {{"finished_cycles", totals.finished},
            {"last_sent_cycles", totals.last_sent},
            {"stalled_cycles", stalled_cycles(counted, node)}};
  else
    json["finished_s"] = static_cast<double>(totals.finished) / counted.machine.clock_hz;
  json["sent_packets"] = one_run(totals.sent_packets);
  json["received_packets"] = one_run(totals.received_packets);
  if (is_virtual)
    json.update({{"sent_bytes", one_run(totals.sent_bytes)},
                 {"received_bytes", one_run(totals.received_bytes)}});
  else
    json.update(
        {{"packet_bytes", one_run(totals.packet_bytes)}, {"put_bytes", one_run(totals.put_bytes)}});
  return json;
}

Json named_figures(const Counted& counted, Rank node, bool is_virtual) {
  Json json = {{"node", counted.shape.coord_text(node)}, {"rank", node}};
  json.update(figures_of(counted, node, is_virtual));
  return json;
}

bool took_part(const NodeTotals& totals) {
  return totals.sent_packets + totals.received_packets > 0;
}

/// Nodes that sent or received packets and have ended their programs. Nodes that failed, and nodes
/// of lost processes, have not.
std::vector<Rank> ended_nodes(const Counted& counted) {
  std::vector<Rank> nodes;
  for (Rank node = 0; node < counted.counters.nodes.size(); ++node) {
    const NodeTotals& totals = counted.counters.nodes[node];
    if (counted.shape.is_alive(node) && totals.finished > 0 && took_part(totals))
      nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

Json per_node_json(const Counted& counted, bool is_virtual) {
  std::vector<Rank> nodes = ended_nodes(counted);
  if (nodes.empty()) return nullptr;
  const auto named = [&](Rank node) { return named_figures(counted, node, is_virtual); };
  // The lowest rank counts as first among equals.
  std::ranges::sort(nodes, std::greater(), [&](Rank node) {
    return std::pair(counted.counters.nodes[node].finished, node);
  });
  Json json = {{"first", named(nodes.back())}, {"last", named(nodes.front())}};
  if (is_virtual)
    json["most_stalled"] = named(*std::ranges::max_element(
        nodes, {}, [&](Rank node) { return stalled_cycles(counted, node); }));
  nodes.resize(std::min(nodes.size(), kSlowest));
  json["slowest"] = Json::array();
  for (const Rank node : nodes) json["slowest"].push_back(named(node));
  return json;
}

std::string per_node_csv(const Counted& counted, bool is_virtual) {
  std::string text = "rank";
  for (const char name : counted.shape.dim_names()) text += fmt::format(",{}", name);
  if (counted.counters.nodes.empty()) return text + '\n';
  const Json keys = figures_of(counted, 0, is_virtual);
  for (const auto& [key, value] : keys.items()) text += "," + key;
  text += '\n';
  for (Rank node = 0; node < counted.counters.nodes.size(); ++node) {
    const Coord at = counted.shape.coord(node);
    text += fmt::format("{}", node);
    for (unsigned d = 0; d < counted.shape.dims(); ++d) text += fmt::format(",{}", at[d]);
    for (const Json& value : figures_of(counted, node, is_virtual)) text += "," + value.dump();
    text += '\n';
  }
  return text;
}

std::string per_node_text(const Json& per_node) {
  const auto line = [&](std::string_view what, const char* key, const char* figure) {
    const Json& node = per_node[key];
    const bool is_time = node.contains(figure);
    return fmt::format("  {:<16} {:>14}     node {}\n", what,
                       is_time ? fmt::format("{} cycles", node[figure].get<Tick>())
                               : fmt::format("{:.6e} s", node["finished_s"].get<double>()),
                       node["node"].get<std::string>());
  };
  std::string text = line("first to finish", "first", "finished_cycles") +
                     line("last to finish", "last", "finished_cycles");
  if (per_node.contains("most_stalled"))
    text += line("most stalled", "most_stalled", "stalled_cycles");
  return text;
}

}  // namespace toroid
