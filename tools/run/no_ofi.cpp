// Replaces ofi.cpp, processes.cpp and launch.cpp in builds with -DTOROID_OFI=OFF: a run has one
// process, and everything that needs several is refused.
#include <fmt/core.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/job/blob.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/run/launch.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/processes.hpp"

namespace toroid {
namespace {

constexpr const char* kWithout = "built without ofi (TOROID_OFI)";

[[noreturn]] void refuse_in_this_build(std::string_view what) {
  throw BadInput(fmt::format("{}: this toroid is {}", what, kWithout));
}

}  // namespace

bool has_ofi() {
  return false;
}

std::string_view why_unsafe_provider(std::string_view) {
  return {};
}

OfiHere ofi_here() {
  return {kWithout, {}};
}

OfiEmulation make_ofi_fabric(const Processes&, const Shape&, const Machine&, Placement, RingOptions,
                             const FrameOptions&) {
  refuse_in_this_build("--fabric ofi");
}

std::vector<LostProcess> lost_processes(const Processes&, const Shape&) {
  return {};
}

std::vector<unsigned> processes_of_nodes(const Processes&, const Shape& shape) {
  return std::vector<unsigned>(shape.size(), 0);
}

Placement place_beside_others(const Processes&, HostTopology, const Shape&, unsigned, Binding) {
  refuse_in_this_build("--fabric ofi");
}

Processes Processes::join() {
  refuse_in_this_build("--fabric ofi");
}

unsigned Processes::count() const {
  return 1;
}

bool Processes::reports() const {
  return true;
}

void Processes::meet() const {}

void Processes::refuse(const std::string&) const {}

void Processes::fail(const std::string&) const noexcept {}

std::vector<Blob> Processes::gather(Blob mine) const {
  std::vector<Blob> all;
  all.push_back(std::move(mine));
  return all;
}

Blob Processes::from_reporter(Blob mine) const {
  return mine;
}

std::vector<double> Processes::numbers(double mine) const {
  return {mine};
}

int run_with_others(const std::function<int()>& command) {
  return command();
}

int launch(const LaunchOptions&) {
  refuse_in_this_build("launch");
}

int run_launch_agent() {
  refuse_in_this_build("launch");
}

bool is_checked_by_launcher() {
  return false;
}

void tell_launcher_of_end() {}

}  // namespace toroid
