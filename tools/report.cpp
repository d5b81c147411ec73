#include "tools/report.hpp"

#include <algorithm>
#include <cstdio>

#include "hal/failures.hpp"
#include "tools/choice.hpp"
#include "tools/version.hpp"

namespace toroid {
namespace {

struct Load {
  std::uint64_t max = 0;
  std::uint64_t total = 0;
  std::uint64_t wire_bytes = 0;
  std::uint64_t links = 0;

  void add(const LinkCounters& counters) {
    const std::uint64_t packets = counters.total_packets();
    max = std::max(max, packets);
    total += packets;
    wire_bytes += counters.wire_bytes;
    ++links;
  }
  double mean() const {
    return links == 0 ? 0 : static_cast<double>(total) / static_cast<double>(links);
  }
};

Json load_json(const Load& load, const Machine& machine, Tick cycles) {
  const double capacity = static_cast<double>(load.links) * static_cast<double>(cycles) *
                          machine.link_bits_per_cycle / 8;
  return {{"max_load", load.max},
          {"mean_load", load.mean()},
          {"busy_percent",
           capacity == 0 ? 0.0 : 100.0 * static_cast<double>(load.wire_bytes) / capacity}};
}

Json links_json(const FabricCounters& counters, const Shape& shape, const Machine& machine,
                Tick cycles) {
  Load all;
  std::vector<Load> by_direction(shape.links());
  for (Rank node = 0; node < shape.size(); ++node)
    for (unsigned l = 0; l < shape.links(); ++l) {
      if (!shape.neighbour(node, {static_cast<std::uint8_t>(l)})) continue;
      const LinkCounters& link = counters.links[std::size_t{node} * shape.links() + l];
      all.add(link);
      by_direction[l].add(link);
    }
  Json links = load_json(all, machine, cycles);
  Json directions = Json::array();
  for (unsigned l = 0; l < shape.links(); ++l) {
    if (by_direction[l].links == 0) continue;
    Json one = {{"direction", Direction{static_cast<std::uint8_t>(l)}.name()}};
    one.update(load_json(by_direction[l], machine, cycles));
    directions.push_back(one);
  }
  links["directions"] = directions;
  return links;
}

Json channels_json(const FabricCounters& counters) {
  std::array<std::uint64_t, kVirtualChannels> packets{};
  for (const LinkCounters& link : counters.links)
    for (unsigned c = 0; c < kVirtualChannels; ++c) packets[c] += link.packets[c];
  Json json;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    json[std::string(kVirtualChannelNames[c])] = packets[c];
  return json;
}

/// FIFO i of all nodes together.
Json fifos_json(const FabricCounters& counters, Rank nodes) {
  const std::size_t per_node = counters.fifos.size() / nodes;
  Json json = Json::array();
  for (std::size_t f = 0; f < per_node; ++f) {
    std::uint64_t packets = 0;
    std::uint16_t most = 0;
    for (std::size_t at = f; at < counters.fifos.size(); at += per_node) {
      packets += counters.fifos[at].packets;
      most = std::max(most, counters.fifos[at].most_chunks);
    }
    json.push_back({{"packets", packets}, {"most_chunks", most}});
  }
  return json;
}

/// What differs from run to run where time is the wall clock: the time, and the ways that packets
/// found.
constexpr std::array kWallClockKeys = {
    "time_s",          "cycles",   "bound_cycles",   "links",
    "percent_of_peak", "channels", "workers",        "injection_fifos",
    "phases",          "spread_s", "bounds",         "repetitions",
    "processes",       "provider", "refused_frames", "bytes_per_peer"};

/// A machine may be named after a file whose name is not UTF-8.
std::string text_of(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string_view time_kind(const CommonOptions& common) {
  return kTimeKinds[static_cast<std::size_t>(
      parse_choice<FabricName>("fabric", kFabricNames, common.fabric))];
}

Json report_head(std::string_view verb, const CommonOptions& common, const Shape& shape,
                 const Machine& machine) {
  Json head = {{"verb", verb},
               {"version", kVersion},
               {"git_hash", kGitHash},
               {"fabric", common.fabric},
               {"time_kind", time_kind(common)},
               {"torus", shape.text()},
               {"nodes", shape.size()},
               {"seed", common.seed},
               {"machine", machine.name}};
  if (shape.failures() == nullptr) return head;
  const FailureList& failed = shape.failures()->list();
  head["failed_links"] = failed.links;
  head["failed_nodes"] = failed.nodes;
  head["long_way"] = failed.long_ways;
  return head;
}

bool is_virtual(const Json& report) {
  return report["time_kind"] == "virtual";
}

double percent(Tick part, Tick whole) {
  if (whole == 0) return part == 0 ? 100.0 : 0.0;
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void add_timing(Json& report, const Timing& timing, const Machine& machine) {
  report["time_s"] = static_cast<double>(timing.cycles) / machine.clock_hz;
  report["cycles"] = timing.cycles;
  report["bound_cycles"] = timing.bound_cycles;
  report["percent_of_peak"] = percent(timing.hottest_link_cycles, timing.cycles);
}

void add_counters(Json& report, ResultHash& hash, const FabricCounters& counters,
                  const Shape& shape, const Machine& machine, Tick cycles) {
  report["packets"] = counters.packets;
  report["packet_hops"] = counters.packet_hops;
  report["links"] = links_json(counters, shape, machine, cycles);
  report["channels"] = channels_json(counters);
  report["injection_fifos"] = fifos_json(counters, shape.size());
  if (report["fabric"] == "ofi") report["refused_frames"] = counters.refused_frames;
  hash.add(counters.delivered);
  if (!is_virtual(report)) return;
  hash.add(cycles);
  hash.add(counters.end);
  for (const LinkCounters& link : counters.links) {
    for (const std::uint32_t packets : link.packets) hash.add(std::uint64_t{packets});
    hash.add(link.wire_bytes);
  }
  for (const FifoCounters& fifo : counters.fifos)
    hash.add(std::uint64_t{fifo.packets} << 16 | fifo.most_chunks);
}

void add_hash(Json& report, ResultHash hash) {
  Json covered = report;
  covered.erase("git_hash");
  if (!is_virtual(report))
    for (const char* key : kWallClockKeys) covered.erase(key);
  hash.add(std::string_view(text_of(covered)));
  report["result_hash"] = hash.text();
}

void add_workers(Json& report, const CommonOptions& common, const Emulation& emulation) {
  if (is_virtual(report)) return;
  report["workers"] = emulation.workers();
  report["route"] = common.route;
  if (emulation.provider().empty()) return;
  report["processes"] = emulation.processes().count();
  report["provider"] = emulation.provider();
  report["bytes_per_peer"] = emulation.bytes_per_peer();
}

void add_wall_clock(Json& report, const Emulation& emulation) {
  report["wall_s"] = emulation.wall_seconds();
  if (is_virtual(report)) report["threads"] = emulation.workers();
  report["packet_hops_per_cpu_s"] =
      emulation.cpu_seconds() <= 0
          ? 0.0
          : static_cast<double>(emulation.counters().packet_hops) / emulation.cpu_seconds();
}

namespace {

/// Nothing was sent: there is no share of anything.
std::string peak_text(const Json& report) {
  if (report["cycles"] == 0) return "-";
  return fmt::format("{:.1f}", report["percent_of_peak"].get<double>());
}

std::string fabric_text(const Json& report) {
  if (is_virtual(report)) return "sim (virtual time)";
  std::string text =
      fmt::format("{} (wall clock, {} workers, route {}", report["fabric"].get<std::string>(),
                  report["workers"].get<unsigned>(), report["route"].get<std::string>());
  if (report.contains("provider"))
    text += fmt::format(", {} processes over {}, {} KiB of frames per peer",
                        report["processes"].get<unsigned>(), report["provider"].get<std::string>(),
                        report["bytes_per_peer"].get<std::size_t>() / 1024);
  return text + ")";
}

}  // namespace

std::string summary_table(const Json& report) {
  std::string text = fmt::format(
      "torus {}, {} nodes, machine {}, seed {}, fabric {}\n"
      "  time             {:>14.6e} s   {:>14} cycles\n"
      "  bound                                 {:>14} cycles\n"
      "  of peak          {:>12} %     ({})\n"
      "  packets          {:>14}     {:>14} packet-hops\n"
      "  link load        {:>14} packets on the hottest, {:.1f} on the mean link\n",
      report["torus"].get<std::string>(), report["nodes"].get<Rank>(),
      report["machine"].get<std::string>(), report["seed"].get<std::uint64_t>(),
      fabric_text(report), report["time_s"].get<double>(), report["cycles"].get<Tick>(),
      report["bound_cycles"].get<Tick>(), peak_text(report),
      is_virtual(report) ? "hottest link's bound / time"
                         : "bound / time; the bound: copying in and out of packets",
      report["packets"].get<std::uint64_t>(), report["packet_hops"].get<std::uint64_t>(),
      report["links"]["max_load"].get<std::uint64_t>(), report["links"]["mean_load"].get<double>());
  if (report.contains("failed_links"))
    text += fmt::format(
        "  failed           {:>14} links, {} nodes; the bound is the whole machine's "
        "or that of the mean working link\n",
        report["failed_links"].size(), report["failed_nodes"].size());
  if (report.contains("refused_frames"))
    for (const auto& [reason, frames] : report["refused_frames"].items())
      text += fmt::format("  refused          {:>14} from strangers or damaged: {}\n",
                          frames.get<std::uint64_t>(), reason);
  for (const auto& one : report["links"]["directions"])
    text += fmt::format("    {:<14} {:>14} hottest   {:>10.1f} mean   {:>5.1f} % busy\n",
                        one["direction"].get<std::string>(), one["max_load"].get<std::uint64_t>(),
                        one["mean_load"].get<double>(), one["busy_percent"].get<double>());
  return text;
}

JsonOutput::JsonOutput(const std::string& path) : standard_output_(path == "-") {
  if (!path.empty() && !standard_output_) file_ = std::make_unique<OutputFile>(path);
}

void JsonOutput::write(const Json& report) {
  const std::string text = text_of(report);
  if (standard_output_) fmt::print("{}\n", text);
  if (!file_) return;
  file_->stream() << text << '\n';
  file_->commit();
}

}  // namespace toroid
