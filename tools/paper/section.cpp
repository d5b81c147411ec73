#include "tools/paper/section.hpp"

#include <array>

#include "hal/check.hpp"
#include "tools/command_line/spelling.hpp"
#include "tools/results/json.hpp"

namespace toroid {

std::span<const PaperSection> paper_sections() {
  static const std::array kSections = {kTable1Section,     kModelSection,   kPatentSection,
                                       kAsymmetricSection, kEnginesSection, kCurvesSection,
                                       kSlabSection,       kOrbitalSection};
  return kSections;
}

const PaperSection& paper_section(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PaperSection& section : paper_sections()) {
    if (section.name == name) return section;
    names.push_back(section.name);
  }
  throw BadInput(unknown_name("rows", name, names));
}

const Json* figures_in(const PaperResults& results, const std::string& key) {
  const auto found = results.find(key);
  return found == results.end() ? nullptr : &found->second;
}

std::optional<double> figure_of(const PaperResults& results, const std::string& key,
                                const char* figure) {
  const Json* figures = figures_in(results, key);
  if (figures == nullptr || !figures->contains(figure)) return std::nullopt;
  return figures->at(figure).get<double>();
}

std::string text_of(const PaperResults& results, const std::string& key, const char* figure) {
  const Json* figures = figures_in(results, key);
  return figures == nullptr ? "" : figures->value(figure, "");
}

std::optional<double> seconds_of(const PaperResults& results, const std::string& key,
                                 const char* figure, const PaperSetting& setting) {
  const std::optional<double> cycles = figure_of(results, key, figure);
  if (!cycles) return std::nullopt;
  return *cycles / setting.machine.clock_hz;
}

}  // namespace toroid
