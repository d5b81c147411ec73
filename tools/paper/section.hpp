// The sections of the table. A section names the runs that it needs and makes rows of their
// figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fft/plan/description.hpp"
#include "tools/paper/row.hpp"
#include "tools/paper/simulation.hpp"

namespace toroid {

/// A point of the paper's Figures 2 to 5.
struct CurvePoint {
  std::int64_t size = 0;
  unsigned nodes = 0;
  std::string torus;
  fft::Method method = fft::Method::volumetric;
  fft::Layer layer = fft::Layer::packets;
  double time_s = 0;
  double bound_s = 0;
  std::string bound_by;
  double model_s = 0;  ///< the paper's estimate, on a mesh below 512 nodes and a torus above
  double speedup = 0;  ///< against the same method on one node
  /// time·nodes^(2/3) in s, constant where bandwidth alone limits.
  double scaled_s() const;
};

struct PaperSection {
  std::string_view name;  ///< its name in --rows
  std::vector<Simulation> (*simulations)();
  std::vector<PaperRow> (*rows)(const PaperResults& results, const PaperSetting& setting);
};

/// All sections in the order of the table.
std::span<const PaperSection> paper_sections();
/// The section of that name. Throws BadInput with the known names.
const PaperSection& paper_section(std::string_view name);

inline constexpr std::string_view kCurves = "curves";
/// The points of the runs that were made, by size, nodes and method.
std::vector<CurvePoint> curve_points(const PaperResults& results, const PaperSetting& setting);
/// The points as lines of at most `width` characters.
std::string curves_table(const std::vector<CurvePoint>& points, std::size_t width);

// Each section has a file of its own.
extern const PaperSection kTable1Section;
extern const PaperSection kModelSection;
extern const PaperSection kPatentSection;
extern const PaperSection kAsymmetricSection;
extern const PaperSection kEnginesSection;
extern const PaperSection kCurvesSection;
extern const PaperSection kSlabSection;
extern const PaperSection kOrbitalSection;

/// The figure of a run, in cycles, as seconds; none where the run was left out.
std::optional<double> seconds_of(const PaperResults& results, const std::string& key,
                                 const char* figure, const PaperSetting& setting);
/// The figure of a run; none where the run was left out.
std::optional<double> figure_of(const PaperResults& results, const std::string& key,
                                const char* figure);
/// A text among the figures of a run; empty where there is none.
std::string text_of(const PaperResults& results, const std::string& key, const char* figure);

}  // namespace toroid
