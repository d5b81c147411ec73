// The slab paper's table of times: the blocking and the non-blocking transform side by side, on one
// node, on all nodes, and on numbers of nodes in between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "tools/files/host_array.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/plane_tuner.hpp"

namespace toroid {

/// The torus, and smaller ones made by repeatedly dividing the longest dimension by its smallest
/// factor, as long as every process has a node. The largest torus is the last.
std::vector<Shape> machine_and_halves(const Shape& whole, unsigned processes);

/// The mean size of a piece in bytes, over all nodes and pieces; 0 if no exchange is cut into
/// pieces.
double piece_bytes(const fft::Blueprint& blueprint, fft::Way way);

/// The paper's model of the pipeline (section 4.4.1). A node transforms each of its n planes in
/// time lambda, so piece j of f planes can hide behind the remaining transforms for t(f) = f lambda
/// (n/f - j). (The paper writes n = 128, all planes; a node only transforms its own.) The hidden
/// part of the blocking communication is the sum over the pieces of min(t(f), f/n of the blocking
/// communication).
struct PipelineModel {
  std::uint32_t depth = 0;     ///< d, pieces per node
  double piece_bytes = 0;      ///< s_nb
  double plane_s = 0;          ///< lambda
  double first_overlap_s = 0;  ///< t(f) of the first piece
  double hidden = 0;           ///< fraction from 0 to 1; 0 without communication
};
/// `loop_s` and `communication_s` are the times of the plane loop and of the communication of the
/// blocking version.
PipelineModel pipeline_model(const fft::Blueprint& blueprint, fft::Way way, double loop_s,
                             double communication_s);

/// Runs the blocking and the non-blocking version on the machine. Returns their blocks in seconds
/// (see Blocks), `ratio` (non-blocking to blocking), and `model` (the hidden share of the blocking
/// waits, predicted and measured). If the description asks for 0 planes, the number is tuned.
/// The key `processors` is the number of processors over which means are taken.
Json slab_comparison(const SlabTrial& trial, const HostArray& input);
/// Returns slab_comparison() for the machine and its halves, down to one node.
Json slab_timings(const SlabTrial& trial, const HostArray& input);

/// `moves_by_put` says whether messages may move by put. If so, the notes below the table explain
/// what `unpack` then is.
std::string timings_table(const Json& timings, bool moves_by_put);

}  // namespace toroid
