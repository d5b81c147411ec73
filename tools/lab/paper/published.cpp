#include "tools/lab/paper/published.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "hal/check.hpp"
#include "tools/lab/paper/expression.hpp"
#include "tools/lab/paper/volumetric_figures.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// Returns the part before the first separator and the part after it, both without outer blanks.
std::pair<std::string_view, std::string_view> cut(std::string_view text,
                                                  std::string_view separator) {
  const std::size_t at = text.find(separator);
  if (at == text.npos) return {trimmed(text), {}};
  return {trimmed(text.substr(0, at)), trimmed(text.substr(at + separator.size()))};
}

PublishedRow parse_row(std::string_view line) {
  PublishedRow row;
  const std::array columns = {&row.what,  &row.unit, &row.published, &row.ours,
                              &row.bound, &row.bar,  &row.source,    &row.note};
  for (std::string* column : columns) {
    const auto [field, rest] = cut(line, "|");
    *column = field;
    line = rest;
  }
  if (row.source.empty() || !line.empty())
    throw BadInput("expected a row of 8 columns separated by |");
  return row;
}

/// Parses one line of a table into the section that it belongs to.
void parse_line(std::string_view line, std::vector<PaperSection>& sections) {
  if (line.starts_with("section ")) {
    sections.emplace_back(std::string(trimmed(line.substr(8))));
  } else if (sections.empty()) {
    throw BadInput("expected 'section NAME' before the first row or run");
  } else if (line.starts_with("run ")) {
    const auto [name, specification] = cut(line.substr(4), "=");
    sections.back().add_run(name, specification);
  } else {
    sections.back().add_row(parse_row(line));
  }
}

std::optional<RatioBar> parse_bar(std::string_view text, const NameValue& value_of) {
  if (text.empty()) return std::nullopt;
  const auto [least, most] = cut(text, " to ");
  return RatioBar{evaluate(least, value_of).value(), evaluate(most, value_of).value()};
}

std::string with_machine(std::string note, const std::string& machine) {
  constexpr std::string_view kPlace = "{machine}";
  if (const std::size_t at = note.find(kPlace); at != note.npos)
    note.replace(at, kPlace.size(), machine);
  return note;
}

std::vector<PaperSection> all_sections() {
  constexpr std::array<std::string_view, 8> kOrder = {"table1",  "model",  "patent", "asymmetric",
                                                      "engines", "curves", "slab",   "orbital"};
  std::vector<PaperSection> all;
  for (const std::string_view text : published_texts())
    for (PaperSection& section : parse_published(text)) all.push_back(std::move(section));
  std::ranges::stable_sort(all, {}, [&](const PaperSection& section) {
    return std::ranges::find(kOrder, section.name());
  });
  for (PaperSection& section : all)
    if (section.name() == kCurves)
      for (Simulation& simulation : curve_simulations()) section.add_run(std::move(simulation));
  return all;
}

}  // namespace

std::vector<PaperSection> parse_published(std::string_view text) {
  std::vector<PaperSection> sections;
  for (unsigned number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    try {
      parse_line(line, sections);
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("line {}: {}", number, error.what()));
    }
  }
  return sections;
}

std::span<const PaperSection> paper_sections() {
  static const std::vector<PaperSection> kSections = all_sections();
  return kSections;
}

const PaperSection& paper_section(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PaperSection& section : paper_sections()) {
    if (section.name() == name) return section;
    names.push_back(section.name());
  }
  throw BadInput(unknown_name("rows", name, names));
}

void PaperSection::add_run(std::string_view name, std::string_view specification) {
  Simulation simulation = simulation_of(specification);
  runs_.push_back({std::string(name), simulation.key});
  simulations_.push_back(std::move(simulation));
}

const std::string& PaperSection::key_of(std::string_view run) const {
  const auto found = std::ranges::find(runs_, run, &Run::name);
  if (found == runs_.end()) throw BadInput(fmt::format("section {} has no run '{}'", name_, run));
  return found->key;
}

std::optional<double> PaperSection::figure(std::string_view name, const PaperResults& results,
                                           const PaperSetting& setting) const {
  const auto [run, figure] = cut(name, ".");
  const std::string& key = key_of(run);
  if (figure == "time_s") return seconds_of(results, key, "cycles", setting);
  if (figure == "bound_s") return seconds_of(results, key, "bound_cycles", setting);
  if (figure == "paper_model_s") return seconds_of(results, key, "paper_model_cycles", setting);
  return figure_of(results, key, figure);
}

void PaperSection::add_bound(PaperRow& row, std::string_view bound, const PaperResults& results,
                             const PaperSetting& setting) const {
  if (bound.empty()) return;
  const auto [number, by] = cut(bound, " ");
  if (!by.empty()) {
    row.bound = evaluate(number, nullptr);
    row.bound_by = by;
    return;
  }
  row.bound = seconds_of(results, key_of(bound), "bound_cycles", setting);
  if (row.bound) row.bound_by = text_of(results, key_of(bound), "bound_by");
}

std::vector<PaperRow> PaperSection::rows(const PaperResults& results,
                                         const PaperSetting& setting) const {
  const NameValue value_of = [&](std::string_view name) { return figure(name, results, setting); };
  std::vector<PaperRow> rows;
  for (const PublishedRow& published : rows_) {
    PaperRow& row =
        rows.emplace_back(PaperRow{name_, published.what, published.source, published.unit});
    row.seed = evaluate(published.published, value_of);
    row.ours = evaluate(published.ours, value_of);
    row.bar = parse_bar(published.bar, value_of);
    row.note = with_machine(published.note, setting.machine.name);
    add_bound(row, published.bound, results, setting);
  }
  return rows;
}

const Json* figures_in(const PaperResults& results, const std::string& key) {
  const auto found = results.find(key);
  return found == results.end() ? nullptr : &found->second;
}

std::optional<double> figure_of(const PaperResults& results, const std::string& key,
                                std::string_view figure) {
  const Json* at = figures_in(results, key);
  while (at != nullptr && !figure.empty()) {
    const auto [part, rest] = cut(figure, ".");
    const auto found = at->find(part);
    at = found == at->end() ? nullptr : &*found;
    figure = rest;
  }
  return at == nullptr || at->is_null() ? std::nullopt : std::optional(at->get<double>());
}

std::string text_of(const PaperResults& results, const std::string& key, const char* figure) {
  const Json* figures = figures_in(results, key);
  return figures == nullptr ? "" : figures->value(figure, "");
}

std::optional<double> seconds_of(const PaperResults& results, const std::string& key,
                                 std::string_view figure, const PaperSetting& setting) {
  const std::optional<double> cycles = figure_of(results, key, figure);
  if (!cycles) return std::nullopt;
  return *cycles / setting.machine.clock_hz;
}

}  // namespace toroid
