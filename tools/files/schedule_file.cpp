#include "tools/files/schedule_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <tuple>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/goal_schedule.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/text_scanner.hpp"

namespace toroid {
namespace {

constexpr std::string_view kHeader = "time,src,dst,bytes";

struct Row {
  double time;
  Rank from;
  Rank to;
  std::uint64_t bytes;
};

void comma(TextScanner& scan) {
  if (!scan.take(',')) scan.expected("','");
}

void end_of_line(TextScanner& scan, std::string_view what) {
  if (!scan.at_line_end()) scan.expected(what);
  scan.next_line();
}

Row parse_row(TextScanner& scan, Rank nodes) {
  Row row{};
  row.time = scan.take_decimal(kMostSeconds, "a time in seconds");
  comma(scan);
  row.from = static_cast<Rank>(scan.take_number(nodes - 1, "the rank of a source"));
  comma(scan);
  row.to = static_cast<Rank>(scan.take_number(nodes - 1, "the rank of a destination"));
  comma(scan);
  row.bytes = scan.take_number(kMostMessageBytes, "a number of bytes");
  return row;
}

void add(Schedule& schedule, const Row& row, std::uint32_t line) {
  const std::size_t ranks = std::max<std::size_t>(row.from, row.to) + 1;
  if (schedule.ranks.size() < ranks) schedule.ranks.resize(ranks);
  schedule.ranks[row.from].operations.push_back({.kind = Operation::Kind::send,
                                                 .peer = row.to,
                                                 .line = line,
                                                 .amount = row.bytes,
                                                 .not_before = row.time});
  schedule.ranks[row.to].operations.push_back(
      {.kind = Operation::Kind::receive, .peer = row.from, .line = line, .amount = row.bytes});
}

}  // namespace

Schedule parse_message_csv(std::string_view text, std::string_view file, Rank nodes) {
  TextScanner scan(text, file);
  Schedule schedule{std::string(file), {}};
  for (const char c : kHeader)
    if (!scan.take(c)) scan.expected(fmt::format("the header line '{}'", kHeader));
  end_of_line(scan, "the end of the header line");
  while (!scan.at_end()) {
    const std::uint32_t line = scan.line();
    const Row row = parse_row(scan, nodes);
    end_of_line(scan, "the end of the line");
    add(schedule, row, line);
  }
  if (schedule.ranks.empty()) schedule.ranks.resize(1);
  return schedule;
}

void write_message_csv(std::ostream& out, const Schedule& schedule) {
  std::vector<Row> rows;
  for (Rank r = 0; r < schedule.ranks.size(); ++r)
    for (const Operation& o : schedule.ranks[r].operations)
      if (o.kind == Operation::Kind::send) rows.push_back({o.not_before, r, o.peer, o.amount});
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return std::tuple(row.time, row.from); });
  out << kHeader << '\n';
  for (const Row& row : rows)
    out << fmt::format("{},{},{},{}\n", row.time, row.from, row.to, row.bytes);
}

namespace {

constexpr std::size_t kLongestSchedule = std::size_t{4} << 30;

}  // namespace

ScheduleFormat schedule_format(const std::string& path) {
  if (path.ends_with(".goal")) return ScheduleFormat::goal;
  if (path.ends_with(".csv")) return ScheduleFormat::csv;
  throw BadInput(one_line(fmt::format("{}: expected a name that ends in .goal or .csv", path)));
}

std::string read_schedule_text(const std::string& path) {
  (void)schedule_format(path);
  return read_text(path, kLongestSchedule);
}

Schedule parse_schedule(const std::string& text, const std::string& path, Rank nodes) {
  return schedule_format(path) == ScheduleFormat::goal ? parse_goal(text, path, nodes)
                                                       : parse_message_csv(text, path, nodes);
}

Schedule read_schedule(const std::string& path, Rank nodes) {
  return parse_schedule(read_schedule_text(path), path, nodes);
}

void write_schedule(std::ostream& out, const Schedule& schedule, ScheduleFormat format) {
  format == ScheduleFormat::goal ? write_goal(out, schedule) : write_message_csv(out, schedule);
}

}  // namespace toroid
