// Runs a volumetric FFT and gathers its result: shared by the tests of fft/.
#pragma once

#include <deque>
#include <random>

#include "fft/volumetric_fft.hpp"
#include "router/sim_fabric.hpp"

namespace toroid::testing {

inline std::size_t place(const Index& size, std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<std::size_t>((i * size[1] + j) * size[2] + k);
}

/// visit(global place, local offset) for every element of a node's part.
template <typename Visit>
void for_each_element(const Index& size, const NodeLayout& layout, Visit&& visit) {
  for (const Box& box : layout.boxes())
    for (auto i = box.lo[0]; i < box.hi[0]; ++i)
      for (auto j = box.lo[1]; j < box.hi[1]; ++j)
        for (auto k = box.lo[2]; k < box.hi[2]; ++k)
          visit(place(size, i, j, k), static_cast<std::size_t>(layout.offset({i, j, k})));
}

inline std::vector<Complex> noise(const Index& size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> values(static_cast<std::size_t>(size[0] * size[1] * size[2]));
  for (Complex& value : values) value = {uniform(engine), uniform(engine)};
  return values;
}

struct TransformRun {
  std::vector<Complex> result;  ///< 1e300 where the element is another process's
  Tick cycles = 0;
  std::vector<PhaseTimes> times;  ///< of the first node: [repetition][phase]
};

inline TransformRun transform_on(Fabric& fabric, const std::vector<Complex>& array,
                                 const VolumetricPlan& plan, NodeOptions options = {}) {
  const Index& size = plan.decomposition().size();
  std::deque<Node> nodes;
  std::deque<VolumetricFft> ffts;
  for (const Rank r : fabric.nodes()) {
    Node& node = nodes.emplace_back(fabric.device(r), options);
    VolumetricFft& fft = ffts.emplace_back(node, plan);
    const auto input = fft.input();
    for_each_element(size, fft.input_layout(),
                     [&](std::size_t from, std::size_t to) { input[to] = array[from]; });
    node.run(volumetric_fft(node, fft));
    fabric.attach(r, node);
  }
  fabric.run();
  TransformRun run{std::vector<Complex>(array.size(), Complex(1e300, 1e300)), 0, {}};
  for (unsigned r = 0; r < plan.options().repeat; ++r)
    run.times.insert(run.times.end(), ffts[0].times(r).begin(), ffts[0].times(r).end());
  for (const VolumetricFft& fft : ffts)
    for_each_element(size, fft.output_layout(), [&](std::size_t to, std::size_t from) {
      run.result[to] = fft.output()[from];
    });
  for (const Node& node : nodes) run.cycles = std::max(run.cycles, node.finished_at());
  return run;
}

/// On the model.
inline TransformRun transform(const std::vector<Complex>& array, const VolumetricPlan& plan,
                              NodeOptions options = {}) {
  SimFabric fabric(plan.decomposition().grid().shape(), Machine{});
  return transform_on(fabric, array, plan, options);
}

/// |a - b| / |b| in the Euclidean norm.
inline double relative_error(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::norm(a[i] - b[i]);
    norm += std::norm(b[i]);
  }
  return std::sqrt(difference / std::max(norm, 1e-300));
}

}  // namespace toroid::testing
