// The transform of fft_sim.cpp on this workstation, by a worker thread per core: only main()
// differs.
#include <cmath>
#include <complex>
#include <cstdio>
#include <deque>
#include <toroid/fft/plan/plan.hpp>
#include <toroid/hal/check.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/router/shm/ring_fabric.hpp>
#include <vector>

using namespace toroid;

Program there_and_back(Node& node, fft::Plan* plan) {
  std::vector<std::complex<double>> in(plan->input_size()), out(plan->output_size());
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = std::polar(1.0, static_cast<double>(node.rank() * 1000 + i));
  const std::vector<std::complex<double>> original = in;
  co_await plan->forward(in, out);
  co_await plan->backward(out, in, fft::Scale::by_n);  // divided by the number of points
  for (std::size_t i = 0; i < in.size(); ++i) TOROID_CHECK(std::abs(in[i] - original[i]) < 1e-12);
}

int main() {
  const auto fabric =
      make_ring_fabric(Shape::parse("4x4x4"), Machine{}, {.route = RingRoute::direct});
  Runner runner(*fabric);
  const auto blueprint = std::make_shared<const fft::Blueprint>(
      fft::Description{.size = {32, 32, 32}}, fabric->shape());  // shared by all nodes
  std::deque<fft::Plan> plans;  // programs point to them, so they must not move
  for (Node& node : runner.nodes())
    node.run(there_and_back(node, &plans.emplace_back(node, blueprint)));
  runner.run();
  std::printf("%llu packets\n", static_cast<unsigned long long>(fabric->counters().delivered));
}
