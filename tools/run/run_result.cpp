#include "tools/run/run_result.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <vector>

#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/link_errors.hpp"
#include "hal/packet.hpp"
#include "packet/node/settings.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/link_crc_check.hpp"
#include "tools/run/per_node.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/text/version.hpp"

namespace toroid {

std::uint64_t per_run(std::uint64_t count, unsigned runs) {
  return (count + runs / 2) / runs;
}

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

/// JSON with max_load and mean_load; in virtual time also busy_percent, the share of the links'
/// bandwidth that was used.
Json load_json(const Load& load, const Counted& counted, bool is_virtual) {
  Json json = {{"max_load", per_run(load.max, counted.runs)},
               {"mean_load", load.mean() / counted.runs}};
  if (!is_virtual) return json;
  const double capacity = static_cast<double>(load.links) * static_cast<double>(counted.cycles) *
                          counted.machine.link_bits_per_cycle / 8;
  json["busy_percent"] =
      capacity == 0 ? 0.0 : 100.0 * static_cast<double>(load.wire_bytes) / capacity;
  return json;
}

Json links_json(const Counted& counted, bool is_virtual) {
  const Shape shape = counted.shape.torus();
  Load all;
  std::vector<Load> by_direction(shape.links());
  for (Rank node = 0; node < shape.size(); ++node)
    for (unsigned l = 0; l < shape.links(); ++l) {
      if (!shape.neighbour(node, {static_cast<std::uint8_t>(l)})) continue;
      const LinkCounters& link = counted.counters.links[std::size_t{node} * shape.links() + l];
      all.add(link);
      by_direction[l].add(link);
    }
  Json links = load_json(all, counted, is_virtual);
  Json directions = Json::array();
  for (unsigned l = 0; l < shape.links(); ++l) {
    if (by_direction[l].links == 0) continue;
    Json one = {{"direction", Direction{static_cast<std::uint8_t>(l)}.name()}};
    one.update(load_json(by_direction[l], counted, is_virtual));
    directions.push_back(one);
  }
  links["directions"] = directions;
  return links;
}

/// Adds the errors of links, summed over all counted runs.
void add_link_errors(Json& links, const Counted& counted) {
  const LinkErrorCounters& all = counted.counters.link_errors;
  links["errors"] = all.errors;
  links["repeats"] = all.repeats;
  links["crc_mismatches"] = all.crc_mismatches;
  links["unsound"] = unsound_links(counted.counters, counted.shape);
}

Json channels_json(const Counted& counted) {
  std::array<std::uint64_t, kVirtualChannels> packets{};
  for (const LinkCounters& link : counted.counters.links)
    for (unsigned c = 0; c < kVirtualChannels; ++c) packets[c] += link.packets[c];
  Json json;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    json[std::string(kVirtualChannelNames[c])] = per_run(packets[c], counted.runs);
  return json;
}

/// The mean is that of the chunks which packets found in the FIFO, with their own.
Json fifo_json(const FifoCounters& fifo, std::uint64_t packets, unsigned runs) {
  const double mean =
      packets == 0 ? 0 : static_cast<double>(fifo.chunks_sum) / static_cast<double>(packets);
  return {{"packets", per_run(packets, runs)},
          {"mean_chunks", mean},
          {"most_chunks", fifo.most_chunks}};
}

/// A JSON array whose entry i covers FIFO i of all nodes.
Json fifos_json(const Counted& counted) {
  const FabricCounters& counters = counted.counters;
  const std::size_t per_node = counters.fifos.size() / counted.shape.nodes();
  Json json = Json::array();
  for (std::size_t f = 0; f < per_node; ++f) {
    std::uint64_t packets = 0;
    FifoCounters sum;
    for (std::size_t at = f; at < counters.fifos.size(); at += per_node) {
      packets += counters.fifos[at].packets;
      sum += counters.fifos[at];
    }
    json.push_back(fifo_json(sum, packets, counted.runs));
  }
  return json;
}

/// The same for reception FIFOs; null if packets pass none.
Json reception_json(const Counted& counted) {
  if (counted.counters.reception.empty()) return nullptr;
  Json json = Json::array();
  for (const FifoCounters& fifo : counted.counters.reception)
    json.push_back(fifo_json(fifo, fifo.packets, counted.runs));
  return json;
}

/// Adds puts, put_bytes and copies_per_byte: how messages moved, and how often each of their bytes
/// was copied.
void add_puts(Json& report, const Counted& counted) {
  const FabricCounters& counters = counted.counters;
  report["puts"] = per_run(counters.puts, counted.runs);
  report["put_bytes"] = per_run(counters.put_bytes, counted.runs);
  const double payload = static_cast<double>(counters.put_bytes + counters.packet_bytes);
  const double copied =
      static_cast<double>(counters.put_bytes + counters.packed_bytes + 2 * counters.packet_bytes);
  report["copies_per_byte"] = payload == 0 ? Json(nullptr) : Json(copied / payload);
}

/// Keys whose values may differ between equal runs in wall-clock time, such as times and the paths
/// of packets.
constexpr std::array kWallClockKeys = {"time_s",
                                       "bound_s",
                                       "bound_by",
                                       "percent_of_bound",
                                       "gflops",
                                       "links",
                                       "channels",
                                       "workers",
                                       "phases",
                                       "spread_s",
                                       "bounds",
                                       "repetitions",
                                       "processes",
                                       "provider",
                                       "injection_fifos",
                                       "reception_fifos",
                                       "bytes_per_process",
                                       "refused_frames",
                                       "bytes_per_peer",
                                       "profile",
                                       "puts",
                                       "put_bytes",
                                       "copies_per_byte",
                                       "frames",
                                       "stage_times",
                                       "per_node"};

/// Whether the report counts packets on links. It does not on the route `direct`, where packets
/// cross no links.
bool counts_links(const Json& report) {
  return is_virtual(report) || report.value("route", "") != "direct";
}

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
               {"nodes", shape.nodes()},
               {"seed", common.seed},
               {"machine", machine.name}};
  if (shape.ranks().are_shared()) head["ranks"] = shape.size();
  if (shape.failures() == nullptr) return head;
  const FailureList& failed = shape.failures()->list();
  head["failed_links"] = failed.links;
  head["failed_nodes"] = failed.nodes;
  head["long_way"] = failed.long_ways;
  return head;
}

namespace {

/// How the messages of the run move. On sim DMA engines move either all messages or none.
TransferMode transfer_of(const RunOptions& run, const PolicyEffects& effects) {
  if (!effects.puts) return TransferMode::packets;
  return run.sim.dma ? TransferMode::put : run.node.transfer;
}

}  // namespace

Json link_errors_json(const LinkErrors& errors) {
  Json rates = Json::array();
  for (const auto& [rate, link] : errors.rates)
    rates.push_back({{"rate", rate}, {"link", link.empty() ? Json(nullptr) : Json(link)}});
  Json faults = Json::array();
  for (std::size_t f = 0; f < kLinkFaultNames.size(); ++f)
    if ((errors.faults >> f & 1u) != 0) faults.push_back(kLinkFaultNames[f]);
  return {{"rates", rates}, {"faults", faults}, {"burst", errors.burst}};
}

void add_policy(Json& report, const RunOptions& run, const PolicyEffects& effects) {
  report.update(policy_json(run, effects));
  const RoutingOptions& rules = run.fabric == FabricName::sim ? run.sim.routing : run.ring.routing;
  report["transit_first"] = effects.by_link ? Json(rules.transit_first) : Json(nullptr);
  report["bubble_rule"] = effects.by_link ? Json(rules.bubble_rule) : Json(nullptr);
  report["transfer"] = name_of(kTransferModeNames, transfer_of(run, effects));
  if (rules.link_errors.are_checked()) report["link_errors"] = link_errors_json(rules.link_errors);
}

bool is_virtual(const Json& report) {
  return report["time_kind"] == "virtual";
}

double percent_of(double part, double whole) {
  if (whole == 0) return part == 0 ? 100.0 : 0.0;
  return 100.0 * part / whole;
}

double percent(Tick part, Tick whole) {
  return percent_of(static_cast<double>(part), static_cast<double>(whole));
}

void add_timing(Json& report, const Timing& timing) {
  report["time_s"] = timing.time_s;
  report["bound_by"] = name_of(kBoundByNames, timing.bound_by);
  if (timing.bound_by == BoundBy::copy) {
    report["bound_s"] = timing.bound_s;
    report["percent_of_bound"] = percent_of(timing.bound_s, timing.time_s);
    return;
  }
  report["cycles"] = timing.cycles;
  report["bound_cycles"] = timing.bound_cycles;
  report["percent_of_bound"] = percent(timing.bound_cycles, timing.cycles);
  report["percent_of_peak"] = percent(timing.hottest_link_cycles, timing.cycles);
}

void add_counters(Json& report, ResultHash& hash, const Counted& counted) {
  const FabricCounters& counters = counted.counters;
  report["packets"] = per_run(counters.packets, counted.runs);
  if (counts_links(report)) {
    report["packet_hops"] = per_run(counters.packet_hops, counted.runs);
    report["links"] = links_json(counted, is_virtual(report));
    report["channels"] = channels_json(counted);
  }
  if (counters.links_are_checked) add_link_errors(report["links"], counted);
  if (!counters.deaths.empty()) report["links"]["failed"] = counters.deaths;
  report["injection_fifos"] = fifos_json(counted);
  report["reception_fifos"] = reception_json(counted);
  report["per_node"] = per_node_json(counted, is_virtual(report));
  if (!is_virtual(report)) add_puts(report, counted);
  if (report["fabric"] == "ofi") report["refused_frames"] = counters.refused_frames;
  hash.add(per_run(counters.delivered, counted.runs));
  if (!is_virtual(report)) return;
  hash.add(counted.cycles);
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
  covered.erase("version");  // the hash does not depend on the build
  covered.erase("git_hash");
  covered.erase("transfer");  // the bytes are the same however they moved
  if (!is_virtual(report))
    for (const char* key : kWallClockKeys) covered.erase(key);
  hash.add(std::string_view(text_of(covered)));
  report["result_hash"] = hash.text();
}

Json repetitions_json(std::span<const Tick> cycles, const Machine& machine) {
  const auto seconds_at = [&](std::size_t at) {
    return static_cast<double>(cycles[at]) / machine.clock_hz;
  };
  const auto seconds = [&](double quantile) {
    const auto last = static_cast<double>(cycles.size() - 1);
    return seconds_at(static_cast<std::size_t>(std::lround(quantile * last)));
  };
  return {{"count", cycles.size()},
          {"least_s", seconds(0)},
          {"lower_quartile_s", seconds(0.25)},
          {"median_s", seconds_at(cycles.size() / 2)},
          {"upper_quartile_s", seconds(0.75)},
          {"most_s", seconds(1)}};
}

std::string repetitions_text(const Json& repetitions) {
  return fmt::format(
      "  {:>5} times       median {:.6e} s, middle half {:.3e} to {:.3e} s, shortest {:.3e} s\n",
      repetitions["count"].get<std::size_t>(), repetitions["median_s"].get<double>(),
      repetitions["lower_quartile_s"].get<double>(), repetitions["upper_quartile_s"].get<double>(),
      repetitions["least_s"].get<double>());
}

void add_workers(Json& report, const Emulation& emulation) {
  if (is_virtual(report)) return;
  report["workers"] = emulation.workers();
  report["route"] = name_of<RingRoute>(kRingRouteNames, emulation.route());
  if (emulation.provider().empty()) return;
  report["processes"] = emulation.processes().count();
  report["provider"] = emulation.provider();
  report["frames"] = name_of<FrameWay>(kFrameWayNames, emulation.frames());
  report["bytes_per_peer"] = emulation.bytes_per_peer();
}

void add_wall_clock(Json& report, const Emulation& emulation) {
  report["wall_s"] = emulation.wall_seconds();
  if (is_virtual(report)) report["threads"] = emulation.workers();
  if (!counts_links(report)) return;
  report["packet_hops_per_cpu_s"] =
      emulation.cpu_seconds() <= 0
          ? 0.0
          : static_cast<double>(emulation.counters().packet_hops) / emulation.cpu_seconds();
}

namespace {

/// The percentage, or "-" if nothing was sent.
std::string share_text(const Json& report, const char* key) {
  if (report["time_s"] == 0.0) return "-";
  return fmt::format("{:.1f}", report[key].get<double>());
}

/// The time, the tightest bound, and the percentage reached.
std::string timing_text(const Json& report) {
  const auto by = report["bound_by"].get<std::string>();
  const std::string of_bound = share_text(report, "percent_of_bound");
  if (!is_virtual(report))
    return fmt::format(
        "  time             {:>14.6e} s\n"
        "  bound            {:>14.6e} s   by {}\n"
        "  of bound         {:>12} %\n",
        report["time_s"].get<double>(), report["bound_s"].get<double>(), by, of_bound);
  return fmt::format(
      "  time             {:>14.6e} s   {:>14} cycles\n"
      "  bound                              {:>14} cycles, by {}\n"
      "  of bound         {:>12} %\n"
      "  hottest link     {:>12} %     of peak\n",
      report["time_s"].get<double>(), report["cycles"].get<Tick>(),
      report["bound_cycles"].get<Tick>(), by, of_bound, share_text(report, "percent_of_peak"));
}

std::string packets_text(const Json& report) {
  std::string text =
      fmt::format("  packets          {:>14}", report["packets"].get<std::uint64_t>());
  if (report.value("puts", std::uint64_t{0}) > 0)
    text +=
        fmt::format(" or by put: {} descriptors for {} bytes,", report["puts"].get<std::uint64_t>(),
                    report["put_bytes"].get<std::uint64_t>());
  if (!counts_links(report)) return text + "     straight to their destinations\n";
  return text + fmt::format(
                    "     {:>14} packet-hops\n"
                    "  link load        {:>14} packets on the hottest, {:.1f} on the mean link\n",
                    report["packet_hops"].get<std::uint64_t>(),
                    report["links"]["max_load"].get<std::uint64_t>(),
                    report["links"]["mean_load"].get<double>());
}

std::string link_errors_text(const Json& links) {
  return fmt::format(
      "  link errors      {:>14}     {:>14} packets sent again, {} links' CRCs differ\n",
      links["errors"].get<std::uint64_t>(), links["repeats"].get<std::uint64_t>(),
      links["crc_mismatches"].get<std::uint64_t>());
}

std::string directions_text(const Json& links) {
  std::string text;
  for (const auto& one : links["directions"]) {
    text += fmt::format("    {:<14} {:>14} hottest   {:>10.1f} mean",
                        one["direction"].get<std::string>(), one["max_load"].get<std::uint64_t>(),
                        one["mean_load"].get<double>());
    if (one.contains("busy_percent"))
      text += fmt::format("   {:>5.1f} % busy", one["busy_percent"].get<double>());
    text += '\n';
  }
  return text;
}

std::string fabric_text(const Json& report) {
  if (is_virtual(report)) return "sim (virtual time)";
  std::string text =
      fmt::format("{} (wall clock, {} workers, route {}", report["fabric"].get<std::string>(),
                  report["workers"].get<unsigned>(), report["route"].get<std::string>());
  if (report.contains("provider"))
    text += fmt::format(
        ", {} {} over {} by {}, {} KiB of frames per peer", report["processes"].get<unsigned>(),
        report["processes"] == 1 ? "process" : "processes", report["provider"].get<std::string>(),
        report["frames"].get<std::string>(), report["bytes_per_peer"].get<std::size_t>() / 1024);
  return text + ")";
}

/// `ranks`: 0 if each node has one.
std::string nodes_text(Rank nodes, Rank ranks) {
  const std::string text = counted(nodes, "node");
  return ranks == 0 ? text : fmt::format("{} with {}", text, counted(ranks, "rank"));
}

}  // namespace

std::string nodes_text(const Shape& shape) {
  return nodes_text(shape.nodes(), shape.ranks().are_shared() ? shape.size() : 0);
}

std::string summary_table(const Json& report) {
  std::string text = fmt::format(
      "torus {}, {}, machine {}, seed {}, fabric {}\n{}{}", report["torus"].get<std::string>(),
      nodes_text(report["nodes"].get<Rank>(), report.value("ranks", Rank{0})),
      report["machine"].get<std::string>(), report["seed"].get<std::uint64_t>(),
      fabric_text(report), timing_text(report), packets_text(report));
  if (!report["per_node"].is_null()) text += per_node_text(report["per_node"]);
  if (report.contains("failed_links"))
    text += fmt::format(
        "  failed           {:>14}, {}; the bound is the larger of two: that of the machine "
        "without failures (if no node has failed), and that of the mean working link\n",
        counted(report["failed_links"].size(), "link"),
        counted(report["failed_nodes"].size(), "node"));
  if (report.contains("refused_frames"))
    for (const auto& [reason, frames] : report["refused_frames"].items())
      text += fmt::format("  refused          {:>14} frames, from strangers or damaged: {}\n",
                          frames.get<std::uint64_t>(), reason);
  if (report.contains("link_errors")) text += link_errors_text(report["links"]);
  return counts_links(report) ? text + directions_text(report["links"]) : text;
}

std::string result_text(const Json& result) {
  return text_of(with_plain_numbers(with_provenance(result)));
}

JsonOutput::JsonOutput(const std::string& path) : standard_output_(path == "-") {
  (void)provenance();  // records the date before the run
  if (!path.empty() && !standard_output_) file_ = std::make_unique<OutputFile>(path);
}

void JsonOutput::write(const Json& report) {
  if (EmbeddingProgram* const host = embedding_program())
    host->take_result(with_plain_numbers(report));
  const std::string text = result_text(report);
  if (standard_output_ && embedding_program() == nullptr) fmt::print("{}\n", text);
  if (!file_) return;
  file_->stream() << text << '\n';
  file_->commit();
}

}  // namespace toroid
