#include "tools/files/goal_schedule.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/text_scanner.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kMostNanoseconds = std::uint64_t{1} << 53;

/// The text with blanks instead of comments, so that lines keep their numbers.
std::string without_comments(std::string_view text) {
  std::string plain(text);
  for (std::size_t at = 0; (at = plain.find('/', at)) != plain.npos;) {
    const bool line = plain.compare(at, 2, "//") == 0;
    if (!line && plain.compare(at, 2, "/*") != 0) {
      ++at;
      continue;
    }
    const std::size_t end =
        line ? std::min(plain.find('\n', at), plain.size()) : plain.find("*/", at + 2);
    if (end == plain.npos) return plain;  // the scanner will refuse the unterminated comment
    const std::size_t past = line ? end : end + 2;
    for (; at < past; ++at)
      if (plain[at] != '\n') plain[at] = ' ';
  }
  return plain;
}

class GoalParser {
 public:
  GoalParser(std::string_view text, std::string_view file, Rank nodes)
      : text_(without_comments(text)),
        scan_(text_, file),
        nodes_(nodes),
        schedule_{std::string(file), {}} {}

  Schedule parse() && {
    skip_empty_lines();
    word("num_ranks");
    schedule_.ranks.resize(number(nodes_, "a number of ranks (each takes a node)"));
    if (schedule_.ranks.empty()) scan_.refuse("expected at least one rank");
    seen_.resize(schedule_.ranks.size());
    end_of_statement();
    for (skip_empty_lines(); !scan_.at_end(); skip_empty_lines()) parse_rank();
    const auto missing = std::ranges::find(seen_, false);
    if (missing != seen_.end()) scan_.expected(fmt::format("'rank {}'", missing - seen_.begin()));
    return std::move(schedule_);
  }

 private:
  void skip_empty_lines() {
    for (scan_.skip_blanks(); scan_.at_line_end(); scan_.skip_blanks()) scan_.next_line();
  }
  void end_of_statement() {
    scan_.skip_blanks();
    if (!scan_.at_line_end()) scan_.expected("the end of the line");
    scan_.next_line();
  }
  std::uint64_t number(std::uint64_t max, std::string_view what) {
    scan_.skip_blanks();
    return scan_.take_number(max, what);
  }
  void word(std::string_view wanted) {
    if (!try_word(wanted)) scan_.expected(fmt::format("'{}'", wanted));
  }
  bool try_word(std::string_view wanted) {
    scan_.skip_blanks();
    TextScanner ahead = scan_;
    if (ahead.take_identifier() != wanted) return false;
    scan_ = ahead;
    return true;
  }
  void character(char wanted) {
    scan_.skip_blanks();
    if (!scan_.take(wanted)) scan_.expected(fmt::format("'{}'", wanted));
  }

  void parse_rank() {
    word("rank");
    const std::uint64_t rank = number(schedule_.ranks.size() - 1, "a rank");
    if (seen_[rank]) scan_.refuse(fmt::format("rank {} has a block already", rank));
    seen_[rank] = true;
    rank_ = &schedule_.ranks[rank];
    labels_.clear();
    character('{');
    for (skip_empty_lines(); !scan_.take('}'); skip_empty_lines()) parse_statement();
  }

  void parse_statement() {
    if (const auto kind = try_kind()) return parse_operation(*kind);
    const std::string_view label = scan_.take_identifier();
    if (label.empty()) scan_.expected("an operation, a label or '}'");
    scan_.skip_blanks();
    if (!scan_.take(':')) return parse_dependency(label);
    const std::uint32_t line = scan_.line();
    const auto kind = try_kind();
    if (!kind) scan_.expected("'send', 'recv' or 'calc'");
    const auto number = static_cast<std::uint32_t>(rank_->operations.size());
    if (!labels_.emplace(label, number).second)
      scan_.refuse(line, fmt::format("label {} is already used", label));
    parse_operation(*kind);
  }

  std::optional<Operation::Kind> try_kind() {
    if (try_word("send")) return Operation::Kind::send;
    if (try_word("recv")) return Operation::Kind::receive;
    if (try_word("calc")) return Operation::Kind::compute;
    return std::nullopt;
  }

  void parse_operation(Operation::Kind kind) {
    Operation operation{.kind = kind, .line = scan_.line()};
    if (kind == Operation::Kind::compute) {
      operation.amount = number(kMostNanoseconds, "nanoseconds");
      if (try_word("cpu")) number(UINT32_MAX, "the number of a processor");
    } else {
      parse_message(operation);
    }
    end_of_statement();
    rank_->operations.push_back(operation);
  }

  void parse_message(Operation& operation) {
    operation.amount = number(kMostMessageBytes, "a number of bytes");
    word("b");
    word(operation.kind == Operation::Kind::send ? "to" : "from");
    operation.peer =
        static_cast<Rank>(number(schedule_.ranks.size() - 1, "a rank (-1 is not supported)"));
    if (try_word("tag"))
      operation.tag =
          static_cast<std::uint32_t>(number(UINT32_MAX - 1, "a tag (-1 is not supported)"));
    if (try_word("cpu")) number(UINT32_MAX, "the number of a processor");
    if (try_word("nic")) number(UINT32_MAX, "the number of an interface");
  }

  void parse_dependency(std::string_view label) {
    const std::uint32_t operation = labelled(label);
    const bool on_start = try_word("irequires");
    if (!on_start && !try_word("requires")) scan_.expected("':', 'requires' or 'irequires'");
    scan_.skip_blanks();
    const std::string_view other = scan_.take_identifier();
    if (other.empty()) scan_.expected("a label");
    rank_->dependencies.push_back({operation, labelled(other), on_start});
    end_of_statement();
  }

  std::uint32_t labelled(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end())
      scan_.refuse(
          fmt::format("expected the label of an operation above, not '{}'", shortened(label)));
    return found->second;
  }

  std::string text_;
  TextScanner scan_;
  Rank nodes_;
  Schedule schedule_;
  std::vector<bool> seen_;
  RankSchedule* rank_ = nullptr;
  std::map<std::string_view, std::uint32_t> labels_;  ///< label to index in the block's operations
};

void write_operation(std::ostream& out, std::size_t number, const Operation& o) {
  out << 'l' << number << ": ";
  if (o.kind == Operation::Kind::compute) {
    out << "calc " << o.amount << '\n';
    return;
  }
  out << (o.kind == Operation::Kind::send ? "send " : "recv ") << o.amount
      << (o.kind == Operation::Kind::send ? "b to " : "b from ") << o.peer << " tag " << o.tag
      << '\n';
}

}  // namespace

Schedule parse_goal(std::string_view text, std::string_view file, Rank nodes) {
  return GoalParser(text, file, nodes).parse();
}

void write_goal(std::ostream& out, const Schedule& schedule) {
  out << "num_ranks " << schedule.ranks.size() << '\n';
  for (std::size_t r = 0; r < schedule.ranks.size(); ++r) {
    out << "\nrank " << r << " {\n";
    const RankSchedule& rank = schedule.ranks[r];
    for (std::size_t i = 0; i < rank.operations.size(); ++i)
      write_operation(out, i, rank.operations[i]);
    for (const Dependency& d : rank.dependencies)
      out << 'l' << d.operation << (d.on_start ? " irequires l" : " requires l") << d.on << '\n';
    out << "}\n";
  }
}

}  // namespace toroid
