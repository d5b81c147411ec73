// Random descriptions: each must give right results or be refused.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "fft/layout/box.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "tests/fft/layout/random_boxes.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/scale.hpp"

namespace toroid::fft {
namespace {

class RandomPlan {
 public:
  explicit RandomPlan(std::uint64_t seed) : engine_(seed) {
    torus_ = random_torus();
    describe();
  }
  const std::string& torus() const { return torus_; }
  const Description& description() const { return d_; }
  NodeOptions options() {
    return {.seed = engine_(),
            .settings = {.queue_capacity = static_cast<unsigned>(1 + below(16))},
            .changes = {.order = static_cast<OrderRule>(below(3)),
                        .packets_per_visit = static_cast<std::uint32_t>(up_to(4)),
                        .output_queues = static_cast<unsigned>(1 + below(3)),
                        .routing = static_cast<RoutingRule>(below(2))}};
  }

 private:
  std::size_t below(std::size_t n) { return engine_() % n; }
  std::int64_t up_to(std::size_t n) { return 1 + static_cast<std::int64_t>(below(n)); }

  /// A torus of one to six dimensions and few nodes; some dimensions are meshes.
  std::string random_torus() {
    std::string text;
    std::int64_t nodes = 1;
    for (std::size_t dims = 1 + below(6); dims > 0; --dims) {
      const std::int64_t extent = nodes >= 6 ? 1 : up_to(4);
      nodes *= extent;
      text =
          fmt::format("{}{}{}{}", text, text.empty() ? "" : "x", extent, below(4) == 0 ? "m" : "");
    }
    return text;
  }

  void describe() {
    constexpr std::array kMethods = {Method::volumetric, Method::slab, Method::rows};
    d_.method = kMethods[below(3)];
    const std::size_t axes = d_.method == Method::rows ? 1 + below(kMaxAxes) : 3;
    const std::size_t longest = axes <= 3 ? 13 : 5;
    const bool cuts = d_.method == Method::slab && below(2) == 0;
    d_.box_cut = cuts ? 1 + 0.25 * static_cast<double>(below(9)) : 1;
    for (std::size_t axis = 0; axis < axes; ++axis)
      d_.size.push_back(cuts ? 2 + up_to(12) : up_to(longest));
    d_.real = d_.box_cut == 1 && below(2) == 0;
    d_.batch = up_to(3);
    d_.return_to_input = below(2) == 0;
    d_.overlap = {static_cast<std::int64_t>(below(6)), static_cast<std::uint32_t>(up_to(20)),
                  static_cast<std::int64_t>(below(9))};
    d_.overlap.taper = below(2) == 0;
    if (below(2) == 0) d_.overlap.start = Start::lines;
    d_.first = static_cast<Way>(below(2));
    const Rank nodes = Shape::parse(torus_).size();
    if (below(3) == 0) d_.in_boxes = testing::random_boxes(in_extents(d_), nodes, engine_);
    if (below(3) == 0) d_.out_boxes = testing::random_boxes(out_extents(d_), nodes, engine_);
  }

  std::mt19937_64 engine_;
  std::string torus_;
  Description d_;
};

TEST(RandomPlans, AreRightOrRefused) {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= testing::scaled(60u); ++seed) {
    RandomPlan plan(seed);
    const std::string refused = testing::refusal_of(plan.torus().c_str(), plan.description());
    if (refused != "nothing was refused") continue;
    SCOPED_TRACE(seed);
    testing::expect_right_by_turns(plan.torus().c_str(), plan.description(), plan.options());
    ++right;
  }
  EXPECT_GT(right, testing::scaled(20));
}

}  // namespace
}  // namespace toroid::fft
