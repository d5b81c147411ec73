// The class PlanRun of Python, on which toroid.Plan stands.
#include <fmt/core.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>  // IWYU pragma: keep (converts containers)

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/plan/description.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "tools/python/module.hpp"
#include "tools/python/plan_host.hpp"
#include "tools/text/spelling.hpp"
#include "tools/transform/kinds_text.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

using Corner = std::vector<std::int64_t>;
/// The first index and the index after the last, along each axis.
using Corners = std::vector<std::pair<Corner, Corner>>;

std::vector<fft::Box> boxes_of(const Corners& corners, std::size_t axes, const char* what) {
  std::vector<fft::Box> boxes;
  for (const auto& [begin, end] : corners) {
    if (begin.size() != axes || end.size() != axes)
      throw BadInput(fmt::format("{} of {} and {} numbers; expected {} each, one per axis", what,
                                 begin.size(), end.size(), axes));
    fft::Box& box = boxes.emplace_back();
    std::ranges::copy(begin, box.lo.begin());
    std::ranges::copy(end, box.hi.begin());
  }
  return boxes;
}

template <typename Choice, typename Names>
Choice choice(const py::dict& given, const char* key, const Names& names) {
  return parse_choice<Choice>(key, names, py::cast<std::string>(given[key]));
}

fft::Description described(const py::dict& given) {
  fft::Description description;
  description.size = py::cast<std::vector<std::int64_t>>(given["shape"]);
  const auto transform = py::cast<std::string>(given["transform"]);
  description.kinds = kinds_of(transform);
  check_number_of_kinds(transform, description.size.size());
  description.method = choice<fft::Method>(given, "method", fft::kMethodNames);
  description.precision = choice<fft::Precision>(given, "precision", fft::local::kPrecisionNames);
  description.norm = choice<fft::Norm>(given, "norm", fft::kNormNames);
  description.real = py::cast<bool>(given["real"]);
  description.batch = py::cast<std::int64_t>(given["batch"]);
  description.overlap.set_planes(fft::Way::forward, py::cast<std::int64_t>(given["planes"]));
  description.rigor = choice<fft::Rigor>(given, "plan", fft::local::kRigorNames);
  if (!given["kernel"].is_none())
    description.library = choice<fft::LibraryName>(given, "kernel", fft::local::kLibraryNames);
  const std::size_t axes = description.size.size();
  description.in_boxes = boxes_of(py::cast<Corners>(given["in_boxes"]), axes, "in_boxes");
  description.out_boxes = boxes_of(py::cast<Corners>(given["out_boxes"]), axes, "out_boxes");
  return description;
}

std::unique_ptr<PlanHost> host_of(const Shape& shape, const std::string& fabric,
                                  const NamedMachine& machine, const std::string& policy,
                                  const py::dict& given) {
  const fft::Description description = described(given);
  const Policy& named = policy_by_name(policy);
  const py::gil_scoped_release released;
  return std::make_unique<PlanHost>(fabric, shape, machine, description, &named);
}

/// Waits for the end of a call. A signal whose handler raises an exception ends the run.
void make_call(PlanHost& host, bool forward) {
  host.start(forward ? fft::Way::forward : fft::Way::backward);
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release released;
      done = host.wait_a_moment();
    }
    if (PyErr_CheckSignals() == 0) continue;
    if (!done) host.cancel();
    throw py::error_already_set();
  }
}

py::dtype dtype_of(const PlanHost& host, bool input) {
  const fft::Blueprint& blueprint = host.blueprint();
  const bool real = input ? blueprint.real_in() : blueprint.real_out();
  return py::dtype(fmt::format("{}{}", real ? 'f' : 'c', blueprint.bytes(real)));
}

/// The axes that the user sees: the array's, after that of the batch if there is one.
std::vector<unsigned> axes_of(const fft::Description& description) {
  std::vector<unsigned> axes;
  if (description.batch > 1) axes.push_back(fft::kBatchAxis);
  for (unsigned axis = 0; axis < description.size.size(); ++axis) axes.push_back(axis);
  return axes;
}

/// A view of a box in a node's array, with its first index and the index after the last.
py::tuple block_view(const py::object& host, PlanNode& node, const fft::Box& box, bool input) {
  auto& self = py::cast<PlanHost&>(host);
  const py::dtype type = dtype_of(self, input);
  const fft::NodeLayout& layout = node.layout(input);
  std::vector<py::ssize_t> lengths, strides;
  Corner begin, end;
  for (const unsigned axis : axes_of(self.blueprint().description())) {
    lengths.push_back(box.length(axis));
    strides.push_back(layout.stride(axis) * type.itemsize());
    begin.push_back(box.lo[axis]);
    end.push_back(box.hi[axis]);
  }
  std::byte* const first = node.data(input) + layout.offset(box.lo) * type.itemsize();
  return py::make_tuple(node.rank(), begin, end, py::array(type, lengths, strides, first, host));
}

py::list block_views(const py::object& host, bool input) {
  py::list all;
  for (PlanNode& node : py::cast<PlanHost&>(host).nodes())
    for (const fft::Box& box : node.layout(input).boxes())
      all.append(block_view(host, node, box, input));
  return all;
}

py::tuple extents_of_side(const PlanHost& host, bool input) {
  const fft::Blueprint& blueprint = host.blueprint();
  const fft::Index& all = input ? blueprint.in_extents() : blueprint.out_extents();
  py::list shape;
  for (const unsigned axis : axes_of(blueprint.description())) shape.append(all[axis]);
  return py::tuple(shape);
}

}  // namespace

void add_plan(py::module_& module) {
  py::class_<PlanHost>(module, "PlanRun", "The nodes of a transform, which wait for calls.")
      .def(py::init(&host_of), py::arg("shape"), py::arg("fabric"), py::arg("machine"),
           py::arg("policy"), py::arg("description"))
      .def("call", &make_call, py::arg("forward"))
      .def("close", &PlanHost::close, py::call_guard<py::gil_scoped_release>())
      .def(
          "blocks", [](const py::object& self, bool input) { return block_views(self, input); },
          py::arg("input"))
      .def("extents", &extents_of_side, py::arg("input"))
      .def("dtype", &dtype_of, py::arg("input"))
      .def_property_readonly("processes_share",
                             [](const PlanHost& self) { return !self.has_all_nodes(); });
}

}  // namespace toroid::python
