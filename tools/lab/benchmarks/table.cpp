#include "tools/lab/benchmarks/table.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "packet/exchange/stream.hpp"
#include "packet/policies/policy.hpp"
#include "tools/lab/benchmarks/node_pairs.hpp"
#include "tools/report/binding_bound.hpp"

namespace toroid {
namespace {

void add_bandwidth(Json& row, BenchKind kind, const MessageBench& bench, const BenchBound& bound) {
  const auto bytes = row["bytes"].get<std::uint64_t>();
  const double messages = bench_messages(kind, bench).messages;
  const double per_s = messages / row["time_s"].get<double>();
  row["messages_per_s"] = per_s;
  row["packets_per_s"] = per_s * static_cast<double>(Stream::packets_of(bytes));
  row["bytes_per_s"] = per_s * static_cast<double>(bytes);
  if (bound.seconds > 0) {
    row["bound_messages_per_s"] = messages / bound.seconds;
    row["bound_bytes_per_s"] = messages * static_cast<double>(bytes) / bound.seconds;
  }
}

std::string_view title_of(BenchKind kind) {
  switch (kind) {
    case BenchKind::latency:
      return "Latency Test, one way";
    case BenchKind::bw:
      return "Bandwidth Test";
    case BenchKind::bibw:
      return "Bi-Directional Bandwidth Test";
    case BenchKind::rate:
      return "Multiple Bandwidth / Message Rate Test";
    case BenchKind::alltoall:
      return "All-to-All Personalized Exchange Latency Test";
    case BenchKind::idle:
      break;
  }
  return "";
}

// Columns are as wide as those of OSU: 10 characters for the size, 18 for figures, 12 for
// iterations.

std::string figures_header(std::initializer_list<std::string_view> names) {
  std::string text = fmt::format("{:<10}", "# Size");
  for (const std::string_view name : names) text += fmt::format("{:>18}", name);
  return text;
}

std::string figure(double value) {
  return fmt::format("{:>18.2f}", value);
}

/// Times below a microsecond are common here, so there is one digit more than in OSU's output.
std::string microseconds(const Json& row, const char* key) {
  return fmt::format("{:>18.3f}", row[key].get<double>() * 1e6);
}

/// Copying a few bytes takes picoseconds, so bounds have a fixed number of significant digits, not
/// of decimals.
std::string bound_microseconds(const Json& row) {
  if (!row.contains("bound_s")) return fmt::format("{:>18}", "-");
  return fmt::format("{:>18.4g}", row["bound_s"].get<double>() * 1e6);
}

std::string megabytes(const Json& row, const char* key) {
  if (!row.contains(key)) return fmt::format("{:>18}", "-");
  return figure(row[key].get<double>() / 1e6);
}

std::string share_of_bound(const Json& row) {
  if (!row.contains("bound_s")) return fmt::format("{:>12}", "-");
  return fmt::format("{:>12.1f}", row["percent_of_bound"].get<double>());
}

std::string binding_bound(const Json& row) {
  return row.contains("bound_s") ? "  " + row["bound_by"].get<std::string>() : "";
}

}  // namespace

Json bench_row(BenchKind kind, const MessageBench& bench, std::uint64_t bytes,
               const BatchTimes& times, const BenchBound& bound) {
  const double time = times.median();
  Json row = {{"bytes", bytes},
              {"time_s", time},
              {"least_s", times.seconds.front()},
              {"most_s", times.seconds.back()},
              {"spread_s", times.spread()},
              {"iterations", times.iterations},
              {"warm_up", times.warm_up}};
  if (bound.seconds > 0)
    row.update({{"bound_s", bound.seconds},
                {"bound_by", kBoundByNames[static_cast<std::size_t>(bound.by)]},
                {"percent_of_bound", 100 * bound.seconds / time}});
  if (is_bandwidth(kind)) add_bandwidth(row, kind, bench, bound);
  return row;
}

std::string bench_header(BenchKind kind, const MessageBench& bench, bool is_full) {
  std::string text = fmt::format("# toroid {}\n", title_of(kind));
  switch (kind) {
    case BenchKind::latency:
      text += figures_header({"Latency (us)", "Bound (us)"});
      break;
    case BenchKind::rate:
      return text + fmt::format("# [ pairs: {} ]\n{}{:>12}\n", bench.shape.size() / 2,
                                figures_header({"MB/s", "Messages/s", "Packets/s"}), "% of bound");
    case BenchKind::alltoall:
      text += fmt::format("# [ policy: {}, samples: {} ]\n", bench.run.node.policy->name(),
                          bench.batches);
      if (is_full)
        return text + figures_header({"Avg Latency(us)", "Min Latency(us)", "Max Latency(us)"}) +
               fmt::format("{:>12}{:>12}\n", "Iterations", "% of bound");
      text += figures_header({"Avg Latency(us)"}) +
              fmt::format("{:>10}{:>18}", "+- (us)", "Bound (us)");
      break;
    case BenchKind::bw:
    case BenchKind::bibw:
    case BenchKind::idle:
      text += figures_header({"Bandwidth (MB/s)", "Bound (MB/s)"});
  }
  return text + fmt::format("{:>12}  by\n", "% of bound");
}

std::string bench_line(BenchKind kind, const Json& row, bool is_full) {
  const std::string size = fmt::format("{:<10}", row["bytes"].get<std::uint64_t>());
  if (kind == BenchKind::rate)
    return size + megabytes(row, "bytes_per_s") + figure(row["messages_per_s"].get<double>()) +
           figure(row["packets_per_s"].get<double>()) + share_of_bound(row) + "\n";
  if (kind == BenchKind::alltoall && is_full)
    return size + microseconds(row, "time_s") + microseconds(row, "least_s") +
           microseconds(row, "most_s") +
           fmt::format("{:>12}", row["iterations"].get<std::uint64_t>()) + share_of_bound(row) +
           "\n";
  const std::string spread = kind != BenchKind::alltoall
                                 ? std::string()
                                 : fmt::format("{:>10.3f}", row["spread_s"].get<double>() * 1e6);
  const std::string figures =
      has_window(kind) ? megabytes(row, "bytes_per_s") + megabytes(row, "bound_bytes_per_s")
                       : microseconds(row, "time_s") + spread + bound_microseconds(row);
  return size + figures + share_of_bound(row) + binding_bound(row) + "\n";
}

}  // namespace toroid
