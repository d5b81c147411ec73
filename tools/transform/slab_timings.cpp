#include "tools/transform/slab_timings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/plan/tune_planes.hpp"
#include "tools/options/common_options.hpp"
#include "tools/transform/run.hpp"

namespace toroid {
namespace {

/// The paper's blocks: the consecutive parts of the program, then the kinds of work.
constexpr std::array kBlocks = {"allocate", "plane_loop", "waits",  "last_axis",     "deallocate",
                                "compute",  "pack",       "unpack", "communication", "exposed"};

}  // namespace

std::vector<Shape> machine_and_halves(const Shape& whole, unsigned processes) {
  std::vector<unsigned> extents;
  for (unsigned d = 0; d < whole.dims(); ++d) extents.push_back(whole.extent(d));
  std::vector<Shape> shapes{whole};
  for (;;) {
    unsigned& longest = *std::max_element(extents.begin(), extents.begin() + whole.torus_dims());
    if (longest == 1) break;
    unsigned factor = 2;
    while (longest % factor != 0) ++factor;
    longest /= factor;
    const Shape shape = Shape::parse(whole.resized(extents).text());
    if (shape.size() < processes) break;
    shapes.insert(shapes.begin(), shape);
  }
  return shapes;
}

namespace {

/// The exchange that is cut into pieces in one direction.
struct PiecesSent {
  fft::PieceRule rule;
  const fft::Distribution* from = nullptr;  ///< null if nothing is sent in pieces
  bool real = false;
};

PiecesSent pieces_sent(const fft::Blueprint& blueprint, fft::Way way) {
  const bool forward = way == fft::Way::forward;
  for (std::size_t e = 0; e < blueprint.exchanges().size(); ++e) {
    const fft::PieceRule rule = blueprint.pieces(e, way);
    if (rule.planes == 0) continue;
    const fft::Stage& before = blueprint.stages()[e];
    const fft::Stage& after = blueprint.stages()[e + 1];
    return {rule, forward ? &before.out : &after.in, forward ? before.real_out : after.real_in};
  }
  return {};
}

fft::PieceCut cut_of(const fft::Blueprint& blueprint, const PiecesSent& sent) {
  const std::int64_t planes = sent.from->extents[sent.rule.axis];
  return {sent.rule, fft::Split{planes, blueprint.shape().size()}.most()};
}

}  // namespace

double piece_bytes(const fft::Blueprint& blueprint, fft::Way way) {
  const PiecesSent sent = pieces_sent(blueprint, way);
  if (sent.from == nullptr) return 0;
  const double all =
      static_cast<double>(fft::Box::of(sent.from->extents).volume()) * blueprint.bytes(sent.real);
  return all / blueprint.shape().size() / cut_of(blueprint, sent).pieces();
}

PipelineModel pipeline_model(const fft::Blueprint& blueprint, fft::Way way, double loop_s,
                             double communication_s) {
  const PiecesSent sent = pieces_sent(blueprint, way);
  if (sent.from == nullptr) return {};
  const fft::PieceCut cut = cut_of(blueprint, sent);
  const std::uint32_t last = cut.pieces() - 1;
  const auto planes = static_cast<double>(cut.begin(last) + cut.length(last));
  PipelineModel model{cut.pieces(), piece_bytes(blueprint, way), loop_s / planes, 0, 0};
  for (std::uint32_t piece = 0; piece < cut.pieces(); ++piece) {
    const auto length = static_cast<double>(cut.length(piece));
    const double left = planes - static_cast<double>(cut.begin(piece)) - length;
    const double overlap_s = model.plane_s * left;
    if (piece == 0) model.first_overlap_s = overlap_s;
    const double piece_s = communication_s * length / planes;
    if (communication_s > 0) model.hidden += std::min(overlap_s, piece_s) / communication_s;
  }
  return model;
}

namespace {

Json model_json(const PipelineModel& model, const Json& blocking, const Json& non_blocking) {
  const double all = blocking["waits"].get<double>();
  const double left = non_blocking["waits"].get<double>();
  return {{"depth", model.depth},
          {"piece_bytes", model.piece_bytes},
          {"plane_s", model.plane_s},
          {"first_overlap_s", model.first_overlap_s},
          {"hidden_percent", 100 * model.hidden},
          {"measured_percent", all > 0 ? 100 * (1 - left / all) : 0.0}};
}

struct TimedBlocks {
  Json blocks;
  unsigned processors;
};

TimedBlocks blocks_of(const SlabTrial& trial, const HostArray& input, std::int64_t planes) {
  SlabTrial timed = trial;
  timed.description.times_packets = true;
  const auto blueprint = blueprint_of(timed, planes);
  const Outcome outcome = run_trial(timed, blueprint, input);
  const bool is_virtual = trial.run.fabric == FabricName::sim;
  const auto seconds = [&](double ticks) { return ticks / trial.machine.clock_hz; };
  const Repetition& median = outcome.median();
  const Blocks& blocks = median.blocks;
  Json json = {{"planes", fft::planes_used(*blueprint, trial.way)},
               {"allocate", is_virtual ? 0.0 : outcome.allocate_s},
               {"plane_loop", seconds(blocks.plane_loop)},
               {"waits", seconds(blocks.waits)},
               {"last_axis", seconds(blocks.last_axis)},
               {"deallocate", is_virtual ? 0.0 : outcome.deallocate_s},
               {"compute", seconds(blocks.compute)},
               {"pack", seconds(blocks.pack)},
               {"unpack", seconds(blocks.unpack)},
               {"communication", seconds(blocks.communication)},
               {"exposed", seconds(blocks.exposed)},
               {"total", seconds(static_cast<double>(median.cycles()))}};
  return {std::move(json), outcome.processors};
}

constexpr std::string_view kLegend =
    "    compute + pack + unpack + communication = total, mean over the processors;\n"
    "    exposed: communication, plus pack and unpack after the plane loop; the rest is hidden;\n"
    "    plane_loop, waits, last_axis: consecutive parts of the program, mean over the nodes;\n"
    "    hidden: share of the blocking waits that is hidden, by the paper's t(f)";
constexpr std::string_view kLegendOfPuts =
    ";\n    unpack of puts within a process: the copy from the sender's array to its place,\n"
    "    which packs and unpacks in one step";

Json ratios(const Json& part, const Json& whole) {
  Json ratios;
  for (const auto& [block, seconds] : part.items()) {
    if (block == "planes") continue;
    const double divisor = whole[block].get<double>();
    ratios[block] = divisor == 0 ? Json() : Json(seconds.get<double>() / divisor);
  }
  return ratios;
}

std::string row(const Json& timings, const char* version, const std::string& block) {
  std::string text = fmt::format("    {:<14}", block);
  for (const Json& machine : timings) {
    text += fmt::format(" {:>10.3e}", machine[version][block].get<double>());
    if (version == std::string_view("blocking")) continue;
    const Json& ratio = machine["ratio"][block];
    text += ratio.is_null() ? "       " : fmt::format(" ({:.2f})", ratio.get<double>());
  }
  return text + "\n";
}

std::string heading(const Json& timings, std::string_view title, std::size_t width) {
  std::string text = fmt::format("  {:<16}", title);
  for (const Json& machine : timings)
    text += fmt::format(" {:>{}}", fmt::format("{} nodes", machine["nodes"].get<Rank>()), width);
  return text + "\n";
}

std::string planes_row(const Json& timings) {
  std::string text = fmt::format("    {:<14}", "planes");
  for (const Json& machine : timings)
    text += fmt::format(" {:>10}       ", machine["non_blocking"]["planes"].get<std::int64_t>());
  return text + "\n";
}

std::string model_row(const Json& timings, const char* title, const char* key) {
  std::string text = fmt::format("    {:<14}", title);
  for (const Json& machine : timings)
    text += fmt::format(" {:>10.4g}       ", machine["model"][key].get<double>());
  return text + "\n";
}

/// The rows with the paper's model beside the measurements.
std::string model_rows(const Json& timings) {
  std::string text = heading(timings, "pipeline, model", 17);
  text += model_row(timings, "pieces d", "depth");
  text += model_row(timings, "s_nb, bytes", "piece_bytes");
  text += model_row(timings, "t(f) of 1st, s", "first_overlap_s");
  text += model_row(timings, "hidden, %", "hidden_percent");
  return text + model_row(timings, "measured, %", "measured_percent");
}

}  // namespace

Json slab_comparison(const SlabTrial& trial, const HostArray& input) {
  const std::int64_t asked = trial.description.overlap.planes_of(trial.way);
  const std::int64_t planes = asked > 0 ? asked : tuned_planes(trial, input, false);
  TimedBlocks blocking = blocks_of(trial, input, 0);
  TimedBlocks non_blocking = blocks_of(trial, input, planes);
  Json ratio = ratios(non_blocking.blocks, blocking.blocks);
  const PipelineModel model = pipeline_model(*blueprint_of(trial, planes), trial.way,
                                             blocking.blocks["plane_loop"].get<double>(),
                                             blocking.blocks["waits"].get<double>());
  Json model_figures = model_json(model, blocking.blocks, non_blocking.blocks);
  return {{"torus", trial.shape.text()},
          {"nodes", trial.shape.size()},
          {"processors", blocking.processors},
          {"blocking", std::move(blocking.blocks)},
          {"non_blocking", std::move(non_blocking.blocks)},
          {"ratio", std::move(ratio)},
          {"model", std::move(model_figures)}};
}

Json slab_timings(const SlabTrial& trial, const HostArray& input) {
  Json timings = Json::array();
  for (const Shape& shape : machine_and_halves(trial.shape, trial.run.processes.count())) {
    const SlabTrial here{trial.description, trial.way, shape, trial.machine, trial.run, trial.on};
    timings.push_back(slab_comparison(here, input));
  }
  return timings;
}

std::string timings_table(const Json& timings, bool moves_by_put) {
  std::string text = heading(timings, "blocking, s", 10);
  for (const char* block : kBlocks) text += row(timings, "blocking", block);
  text += row(timings, "blocking", "total");
  text += heading(timings, "non-blocking, s (ratio)", 17) + planes_row(timings);
  for (const char* block : kBlocks) text += row(timings, "non_blocking", block);
  text += row(timings, "non_blocking", "total") + model_rows(timings);
  return text + fmt::format("{}{}\n", kLegend, moves_by_put ? kLegendOfPuts : "");
}

}  // namespace toroid
