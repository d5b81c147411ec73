// Plans give bit-identical results on several processes and on the model.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "router/job/job.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::OfiCase;

using OfiFftAgreement = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, OfiFftAgreement, testing::kProviders, testing::provider_name);

/// Compares the elements that this process has, and returns their number.
template <typename T>
std::size_t expect_equal_bits(const std::vector<T>& result, const std::vector<bool>& here,
                              const std::vector<T>& expected) {
  std::size_t own = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!here[i]) continue;
    ++own;
    if (std::memcmp(&result[i], &expected[i], sizeof(T)) == 0) continue;
    ADD_FAILURE() << "element " << i << " is " << result[i] << " instead of " << expected[i];
    break;
  }
  return own;
}

template <typename In, typename Out>
void expect_agreement_of(const Shape& torus, const fft::Description& d, const OfiCase& c) {
  const auto input = testing::noise_of<In>(
      static_cast<std::size_t>(fft::Box::of(fft::in_extents(d)).volume()), 11);
  const auto model = make_sim_fabric(torus, Machine{});
  const auto expected = testing::run_plan<In, Out>(*model, d, input);
  const testing::Shared<std::atomic<std::size_t>> compared(1);
  const auto outcomes = testing::run_job_over(c.provider, c.processes, [&](Job& job) {
    const auto fabric = ofi_fabric(job, torus, c);
    const auto run = testing::run_plan<In, Out>(*fabric, d, input, c.node());
    compared[0] += expect_equal_bits(run.result, run.result_here, expected.result) +
                   expect_equal_bits(run.back, run.back_here, expected.back);
  });
  ASSERT_EQ(outcomes, std::vector<std::string>(c.processes));
  EXPECT_EQ(compared[0], expected.result.size() + expected.back.size());
}

void expect_agreement(const Shape& torus, const fft::Description& d, const OfiCase& c) {
  if (d.real)
    expect_agreement_of<double, fft::Complex>(torus, d, c);
  else
    expect_agreement_of<fft::Complex, fft::Complex>(torus, d, c);
}

/// Slab on small tori, volumetric on larger ones, rows on 2D tori.
fft::Description some_description(const Shape& torus, const std::vector<std::int64_t>& size) {
  fft::Description d{.size = size, .overlap = {1, 2}};
  d.method = torus.size() <= 7 ? fft::Method::slab : fft::Method::volumetric;
  if (torus.dims() == 2) d.method = fft::Method::rows;
  return d;
}

TEST_P(OfiFftAgreement, MatchesModelBitsOnEveryShape) {
  testing::for_each_shape_and_case(GetParam(), 5, [](const Shape& shape, const OfiCase& c) {
    expect_agreement(shape, {.size = {9, 8, 7}}, c);
    expect_agreement(shape, some_description(shape, {9, 8, 7}), c);
  });
}

TEST_P(OfiFftAgreement, MatchesModelBitsInInputLayoutAndOfRealData) {
  constexpr std::array kMethods = {fft::Method::volumetric, fft::Method::slab, fft::Method::rows};
  OfiCase c{.processes = 3, .workers = 2, .provider = GetParam()};
  for (const auto& row :
       testing::combinations_over(GetParam(), {testing::kRoutes.size(), kMethods.size(), 2})) {
    c.route = testing::kRoutes[row[0]];
    fft::Description d{
        .size = {13, 9, 10}, .method = kMethods[row[1]], .batch = 2, .return_to_input = true};
    d.overlap = {1, 2};
    d.real = row[2] == 1;
    expect_agreement(Shape::parse("2x3"), d, c);
  }
}

/// Volumetric transforms of complex and of real data, and a slab.
std::pair<const char*, fft::Description> transform_by_put(std::size_t which) {
  if (which == 2) return {"7", some_description(Shape::parse("7"), {30, 8, 7})};
  fft::Description d{.size = {13, 29, 10}, .method = fft::Method::volumetric};
  d.real = which == 1;
  return {"2x3", d};
}

TEST_P(OfiFftAgreement, MatchesModelBitsByPut) {
  for (const auto& row : testing::combinations_over(GetParam(), {2, 2, 3})) {
    OfiCase c{.processes = 3, .workers = row[1] == 0 ? 1u : 2u, .provider = GetParam()};
    c.transfer = row[0] == 0 ? TransferMode::put : TransferMode::automatic;
    c.packets_per_visit = row[0] == 0 ? 5 : 1u << 20;
    const auto [torus, description] = transform_by_put(row[2]);
    expect_agreement(Shape::parse(torus), description, c);
  }
}

TEST_P(OfiFftAgreement, MatchesModelBitsThroughSmallestBuffers) {
  for (const auto& row : testing::combinations_over(
           GetParam(), {testing::kRoutes.size(), testing::kRoutings.size(), 2})) {
    OfiCase c{.route = testing::kRoutes[row[0]], .routing = testing::kRoutings[row[1]]};
    c.processes = row[2] == 0 ? 2 : 5;
    c.workers = 2;
    c.provider = GetParam();
    c.machine = testing::smallest_buffers();
    expect_agreement(Shape::parse("4x3x2"), {.size = {12, 10, 9}}, c);
  }
}

}  // namespace
}  // namespace toroid
