// The slab paper's block table: blocking beside non-blocking, on 1 to all nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "tools/files/array_io.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/plane_tuner.hpp"

namespace toroid {

/// The torus with its longest dimension cut by its smallest factor, again and again, as long as
/// every process has a node; largest last.
std::vector<Shape> machine_and_halves(const Shape& whole, unsigned processes);

/// Bytes of a piece of one node, mean over nodes and pieces; 0: the exchange is not cut.
double piece_bytes(const fft::Blueprint& blueprint, fft::Way way);

/// The paper's model of the pipeline (section 4.4.1). Of the n planes of a node each takes lambda
/// to transform, so that piece j of f planes has t(f) = f lambda (n/f - j) to be hidden behind.
/// (The paper writes n = 128, all planes; a node goes through its own.) What of the blocking
/// communication is hidden is then the sum of min(t(f), f/n of it) over the pieces.
struct PipelineModel {
  std::uint32_t depth = 0;     ///< pieces of a node, d
  double piece_bytes = 0;      ///< s_nb
  double plane_s = 0;          ///< lambda
  double first_overlap_s = 0;  ///< t(f) of the first piece
  double hidden = 0;           ///< of 1; 0 where there is no communication
};
/// `loop_s`: the blocking version's plane loop; `communication_s`: its communication.
PipelineModel pipeline_model(const fft::Blueprint& blueprint, fft::Way way, double loop_s,
                             double communication_s);

/// Runs both on the machine: blocks in seconds (see Blocks), `ratio`, non-blocking to blocking, and
/// `model`, what the model says is hidden of the blocking waits beside what is measured. With
/// planes of 0 or -1 the number is tuned. `processors`: over which means are taken.
Json slab_comparison(const SlabTrial& trial, const HostArray& input);
/// The same for the machine and its halves down to one node.
Json slab_timings(const SlabTrial& trial, const HostArray& input);

/// `moves_by_put`: messages may move by put, and the table says what that makes of its blocks.
std::string timings_table(const Json& timings, bool moves_by_put);

}  // namespace toroid
