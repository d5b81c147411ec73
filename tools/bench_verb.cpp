// toroid bench: latency, message rate, bandwidth and all-to-all, with the headers that users of the
// OSU benchmarks know.
#include "packet/block_messages.hpp"
#include "packet/stream.hpp"
#include "tools/choice.hpp"
#include "tools/message_bench.hpp"
#include "tools/report.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

enum class Kind { latency, rate, alltoall, idle };
constexpr std::array<std::string_view, 4> kKindNames = {"latency", "rate", "alltoall", "idle"};

struct BenchOptions {
  CommonOptions common;
  TorusOptions torus;
  std::string kind;
  std::vector<std::uint64_t> sizes;
  unsigned batches = 11;
};

std::vector<std::uint64_t> sizes_of(const BenchOptions& options, Kind kind) {
  if (!options.sizes.empty()) return options.sizes;
  if (kind == Kind::alltoall) return {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
  return {8, 16, 32, 64, 128, 240, 480, 1024, 4096, 16384, 65536};
}

Json size_json(Kind kind, std::uint64_t bytes, const BatchTimes& times, Rank pairs) {
  const double time = times.median();
  Json json = {{"bytes", bytes},
               {"time_s", time},
               {"least_s", times.seconds.front()},
               {"most_s", times.seconds.back()},
               {"iterations", times.per_batch * times.seconds.size()}};
  if (kind != Kind::rate) return json;
  json["messages_per_s"] = pairs / time;
  json["packets_per_s"] = pairs * static_cast<double>(Stream::packets_of(bytes)) / time;
  json["bytes_per_s"] = pairs * static_cast<double>(bytes) / time;
  return json;
}

void print_header(Kind kind, const Shape& shape) {
  switch (kind) {
    case Kind::latency:
      return fmt::print("# toroid Latency Test, one way\n# Size          Latency (us)\n");
    case Kind::rate:
      return fmt::print(
          "# toroid Multiple Bandwidth / Message Rate Test\n# [ pairs: {} ]\n"
          "# Size                  MB/s        Messages/s         Packets/s\n",
          shape.size() / 2);
    case Kind::alltoall:
      return fmt::print(
          "# toroid All-to-All Personalized Exchange Latency Test\n"
          "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n");
    case Kind::idle:
      return;
  }
}

void print_size(Kind kind, const Json& size) {
  const auto bytes = size["bytes"].get<std::uint64_t>();
  const auto us = [&](const char* key) { return size[key].get<double>() * 1e6; };
  if (kind == Kind::latency) return fmt::print("{:<10} {:>19.3f}\n", bytes, us("time_s"));
  if (kind == Kind::rate)
    return fmt::print("{:<10} {:>17.2f} {:>17.2f} {:>17.2f}\n", bytes,
                      size["bytes_per_s"].get<double>() / 1e6, size["messages_per_s"].get<double>(),
                      size["packets_per_s"].get<double>());
  fmt::print("{:<10} {:>17.3f} {:>17.3f} {:>17.3f} {:>11}\n", bytes, us("time_s"), us("least_s"),
             us("most_s"), size["iterations"].get<std::uint64_t>());
}

BatchTimes measure(Kind kind, const MessageBench& bench, std::uint64_t bytes) {
  if (kind == Kind::latency) return measure_latency(bench, bytes);
  if (kind == Kind::rate) return measure_rate(bench, bytes);
  return measure_all_to_all(bench, bytes);
}

Json sizes_json(const BenchOptions& options, Kind kind, const MessageBench& bench, bool visible) {
  if (visible) print_header(kind, bench.shape);
  Json sizes = Json::array();
  for (const std::uint64_t bytes : sizes_of(options, kind)) {
    throw_if_interrupted();
    sizes.push_back(size_json(kind, bytes, measure(kind, bench, bytes), bench.shape.size() / 2));
    if (visible) print_size(kind, sizes.back());
  }
  return sizes;
}

void check_sizes(Kind kind, const std::vector<std::uint64_t>& sizes, const Shape& shape) {
  const double nodes = shape.size();
  for (const std::uint64_t bytes : sizes) {
    if (kind == Kind::alltoall && bytes == 0)
      throw BadInput("an all-to-all of 0 bytes moves nothing");
    if (kind == Kind::alltoall) BlockMessages::check(shape.size(), bytes);
    const double buffers = kind == Kind::alltoall ? 4 * nodes * nodes : 2 * nodes;
    check_memory(shape, buffers * static_cast<double>(bytes));
  }
}

int run_on(const BenchOptions& options, Kind kind, const MessageBench& bench) {
  const Shape& shape = bench.shape;
  const bool reports = bench.run.processes.reports();
  if (kind != Kind::idle) check_sizes(kind, sizes_of(options, kind), shape);
  JsonOutput json(reports ? options.common.json : "");
  const bool visible = reports && !options.common.quiet && !json.to_standard_output();
  Json report = report_head("bench", options.common, shape, bench.machine);
  report["bench"] = options.kind;
  if (kind == Kind::idle) {
    const double turn = measure_idle_turn(bench).median();
    report["turn_s"] = turn;
    if (visible)
      fmt::print("a turn of an idle node, one of {}: {:.2f} ns\n", shape.size(), turn * 1e9);
  } else {
    report["sizes"] = sizes_json(options, kind, bench, visible);
  }
  json.write(report);
  return 0;
}

int run(const BenchOptions& options) {
  const Kind kind = parse_choice<Kind>("benchmark", kKindNames, options.kind);
  const Shape shape = shape_of(options.torus);
  refuse_dead_nodes(shape);
  if (shape.size() < 2) throw BadInput("a benchmark of messages needs at least two nodes");
  const MessageBench bench{shape, load_machine(options.common.machine),
                           run_options(options.common, options.torus), options.batches};
  if (kind == Kind::idle && bench.run.processes.count() > 1)
    throw BadInput("bench idle is for one process");
  return bench.run.processes.run([&] { return run_on(options, kind, bench); });
}

}  // namespace

Verb add_bench_verb(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  options->common.fabric = "shm";
  CLI::App* verb = app.add_subcommand("bench", "what moving messages between nodes takes");
  verb->add_option("kind", options->kind, fmt::format("{}", fmt::join(kKindNames, "|")))
      ->required();
  add_torus_options(*verb, options->torus);
  options->torus.torus = "2";
  verb->get_option("--torus")->required(false)->capture_default_str();
  verb->add_option("--sizes", options->sizes, "bytes per message or pair, e.g. 8,240,4096")
      ->delimiter(',')
      ->transform(whole_number(0, std::uint64_t{1} << 30));
  verb->add_option("--batches", options->batches, "samples per size; the median counts")
      ->transform(whole_number(1, 100000))
      ->capture_default_str();
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
