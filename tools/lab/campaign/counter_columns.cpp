#include "tools/lab/campaign/counter_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/counters.hpp"
#include "tools/report/flowchart_json.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/link_crc_check.hpp"
#include "tools/run/run_result.hpp"

namespace toroid {
namespace {

/// The stalled cycles of each FIFO as means over the nodes, the percentage of the time for which
/// FIFOs were stalled, and the largest number of chunks that any FIFO held.
Json fifos_json(const FabricCounters& counters, Rank nodes, Tick cycles) {
  const std::size_t per_node = counters.fifos.size() / nodes;
  std::vector<double> stalled(per_node);
  unsigned most = 0;
  for (std::size_t at = 0; at < counters.fifos.size(); ++at) {
    stalled[at % per_node] += static_cast<double>(counters.fifos[at].stalled_cycles);
    most = std::max<unsigned>(most, counters.fifos[at].most_chunks);
  }
  double sum = 0;
  for (double& cycles_of_one : stalled) sum += cycles_of_one /= nodes;
  const double time = static_cast<double>(cycles) * static_cast<double>(per_node);
  return {{"stalled_cycles", stalled},
          {"stalled_percent", time == 0 ? 0 : 100 * sum / time},
          {"most_chunks", most}};
}

/// Number of working links, counted per direction.
std::size_t working_links(const Shape& all) {
  const Shape shape = all.torus();
  std::size_t count = 0;
  for (Rank node = 0; node < shape.size(); ++node)
    for (unsigned l = 0; l < shape.links(); ++l)
      count += shape.neighbour(node, {static_cast<std::uint8_t>(l)}) ? 1 : 0;
  return count;
}

/// Adds the number of links and means per packet, under the names that other simulators use.
void add_means(Json& row, const FabricCounters& counters, const Shape& shape) {
  if (!row.contains("packet_hops")) return;
  row["links"]["count"] = working_links(shape);
  const auto hops = static_cast<double>(counters.packet_hops);
  row["mean_hops"] = counters.packets == 0 ? 0 : hops / static_cast<double>(counters.packets);
  double bytes = 0;
  for (const LinkCounters& link : counters.links) bytes += static_cast<double>(link.wire_bytes);
  if (bytes > 0) row["packet_length"] = bytes / hops;
}

double packets_per_node_cycle(const FabricCounters& counters, Rank nodes, Tick cycles) {
  const double time = static_cast<double>(nodes) * static_cast<double>(cycles);
  return time == 0 ? 0 : static_cast<double>(counters.delivered) / time;
}

}  // namespace

void add_counted(Json& row, const Emulation& emulation, const Shape& shape,
                 const CampaignSettings& settings, Tick cycles) {
  Json all = campaign_head("", settings);
  ResultHash hash;
  const FabricCounters& counters = emulation.counters();
  check_links(counters, shape);
  add_counters(all, hash, {counters, shape, settings.machine, cycles});
  if (all.contains("links")) all["links"].erase("directions");
  for (const char* key : {"packets", "packet_hops", "links"})
    if (all.contains(key)) row[key] = all[key];
  if (all["per_node"].is_object()) {
    all["per_node"].erase("slowest");
    row["per_node"] = all["per_node"];
  }
  add_means(row, counters, shape);
  if (settings.is_virtual())
    row["accepted_rate"] = packets_per_node_cycle(counters, shape.nodes(), cycles);
  row["fifos"] = fifos_json(counters, shape.nodes(), cycles);
  if (!settings.is_virtual())  // stalls are only counted in virtual time
    row["fifos"] = {{"most_chunks", row["fifos"]["most_chunks"]}};
  row["profile"] = profile_json(emulation.profile(), shape);
  row["result_hash"] = hash.text();
}

}  // namespace toroid
