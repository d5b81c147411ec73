// The class PlanRun of Python, on which toroid.Plan stands.
#include <fmt/core.h>
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>  // IWYU pragma: keep (converts containers)

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tools/python/module.hpp"
#include "tools/python/plan_host.hpp"
#include "tools/python/process_state.hpp"
#include "tools/text/spelling.hpp"

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

fft::TransformKind kind_of(const std::string& name) {
  const auto fft = static_cast<std::size_t>(fft::TransformKind::fft);
  if (name == fft::kTransformKindNames[fft] || name.starts_with("matrix"))
    throw BadInput(fmt::format(
        "transform '{}' needs the method orbital, which a plan does not have; use toroid.fft",
        shortened(name)));
  return parse_choice<fft::TransformKind>("transform", fft::kTransformKindNames, name);
}

/// Sets the transform along each axis: one name for all of them, or one per axis.
void set_kinds(fft::Description& description, const std::vector<std::string>& names) {
  const std::size_t axes = description.size.size();
  if (names.size() != 1 && (names.size() != axes || axes > description.kinds.size()))
    throw BadInput(one_line(
        fmt::format("'{}' has {} transforms for an array of {} axes; expected one, or one per axis",
                    fmt::join(names, ","), names.size(), axes)));
  for (std::size_t axis = 0; axis < names.size(); ++axis)
    description.kinds[axis] = kind_of(names[axis]);
  if (names.size() == 1) description.kinds.fill(description.kinds[0]);
}

fft::Method method_of(const py::dict& given) {
  const auto method = choice<fft::Method>(given, "method", fft::kMethodNames);
  if (method == fft::Method::orbital)
    throw BadInput(
        "a plan does not have the method 'orbital'; use volumetric, slab or rows, or "
        "toroid.fft");
  return method;
}

fft::Description described(const py::dict& given) {
  fft::Description description;
  description.size = py::cast<std::vector<std::int64_t>>(given["shape"]);
  set_kinds(description, py::cast<std::vector<std::string>>(given["transform"]));
  description.method = method_of(given);
  description.precision = choice<fft::Precision>(given, "precision", fft::local::kPrecisionNames);
  description.norm = choice<fft::Norm>(given, "norm", fft::kNormNames);
  description.real = py::cast<bool>(given["real"]);
  description.batch = py::cast<std::int64_t>(given["batch"]);
  description.overlap.set_planes(fft::Way::forward, py::cast<std::int64_t>(given["planes"]));
  description.rigor = choice<fft::Rigor>(given, "plan", fft::local::kRigorNames);
  description.may_leave_gaps = description.rigor == fft::Rigor::measure;
  if (!given["kernel"].is_none())
    description.library = choice<fft::LibraryName>(given, "kernel", fft::local::kLibraryNames);
  const std::size_t axes = description.size.size();
  description.in_boxes = boxes_of(py::cast<Corners>(given["in_boxes"]), axes, "in_boxes");
  description.out_boxes = boxes_of(py::cast<Corners>(given["out_boxes"]), axes, "out_boxes");
  return description;
}

/// In a forked process the host's threads do not exist: it is left as it is.
struct DeleteUnlessForked {
  void operator()(PlanHost* host) const;
};
using Holder = std::unique_ptr<PlanHost, DeleteUnlessForked>;

/// The hosts that exist. Used only with the interpreter's lock.
std::vector<PlanHost*>& hosts() {
  static auto* const all = new std::vector<PlanHost*>;
  return *all;
}

void DeleteUnlessForked::operator()(PlanHost* host) const {
  std::erase(hosts(), host);
  if (host->is_forked() || is_ending()) return;  // end_plans() may be closing it
  const py::gil_scoped_release released;
  delete host;
}

constexpr const char* kInterrupted = "the plan was interrupted";
constexpr const char* kEnding = "the interpreter is ending";

/// For a thread without the interpreter's lock. Throws if a signal's handler raises an exception or
/// the interpreter ends.
void poll_python() {
  if (is_ending()) throw RunFailed(kEnding);
  const py::gil_scoped_acquire interpreter;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

Holder host_of(const Shape& shape, const std::string& fabric, const NamedMachine& machine,
               const std::string& policy, const py::dict& given) {
  const InRun here;
  const fft::Description description = described(given);
  const Policy& named = policy_by_name(policy);
  Holder host;
  {
    const py::gil_scoped_release released;
    host.reset(new PlanHost(fabric, shape, machine, description, &named, &poll_python));
  }
  hosts().push_back(host.get());
  return host;
}

void refuse_forked(const PlanHost& host) {
  if (host.is_forked()) throw BadInput("the plan was made before this process was forked");
}

/// The thread in which the interpreter ends. Used only with the interpreter's lock.
std::thread::id& ending_thread() {
  static std::thread::id id;
  return id;
}

/// While the interpreter ends, leaves every other thread. SystemExit ends a thread without a
/// message.
void leave_ending_interpreter() {
  if (!is_ending() || ending_thread() == std::this_thread::get_id()) return;
  PyErr_SetNone(PyExc_SystemExit);
  throw py::error_already_set();
}

/// Throws if no call can be made.
void check_open(const PlanHost& host) {
  refuse_forked(host);
  leave_ending_interpreter();
  if (host.is_closed()) throw BadInput("the plan is closed");
}

/// Calls `wait` until it returns true or throws. A signal whose handler raises an exception, or the
/// end of the interpreter, cancels the run; the exception is thrown when the wait is over.
template <typename Wait>
void wait_for_run(PlanHost& host, Wait wait) {
  std::optional<py::error_already_set> raised;
  std::exception_ptr failure;
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release released;
      try {
        done = wait();
      } catch (...) {
        failure = std::current_exception();
        done = true;
      }
    }
    if (is_ending() && !done) host.cancel(kEnding);
    if (is_ending() || raised || PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    if (!done) host.cancel(kInterrupted);
  }
  leave_ending_interpreter();
  if (raised) throw *std::move(raised);
  if (failure) raise(failure);
}

/// A call that this thread waits for.
class CallUnderWay {
 public:
  CallUnderWay(PlanHost& host, fft::Way way) : host_(host) { host.start(way); }
  ~CallUnderWay() { host_.end_call(); }
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;

 private:
  PlanHost& host_;
};

void make_call(PlanHost& host, bool forward) {
  check_open(host);
  const InRun here;
  const CallUnderWay call(host, forward ? fft::Way::forward : fft::Way::backward);
  wait_for_run(host, [&host] { return host.wait_a_moment(); });
}

void close_host(PlanHost& host) {
  if (host.is_forked()) return;
  const InRun here;
  host.begin_to_close();
  wait_for_run(host, [&host] {
    const bool ended = host.wait_for_end();
    if (ended) host.close();
    return ended;
  });
  if (const std::exception_ptr failure = host.take_failure()) raise(failure);
}

/// Whether an exception that nobody caught ends the program.
bool ends_by_exception() {
  return py::hasattr(py::module_::import("sys"), "last_value");
}

/// Closes all plans before the interpreter ends: afterwards no thread could return to it. Other
/// processes may wait in a call for a program that has failed.
void end_plans() {
  ending_thread() = std::this_thread::get_id();
  begin_to_end();
  const bool fails = ends_by_exception();
  for (PlanHost* const host : std::vector(hosts())) {
    if (host->is_forked()) continue;
    if (fails) host->cancel("the program was ended by an exception");
    const py::gil_scoped_release released;
    host->close();
  }
  leave_job();
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
  if (py::cast<PlanHost&>(host).is_closed()) throw BadInput("the plan is closed");
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
  py::class_<PlanHost, Holder>(module, "PlanRun", "The nodes of a transform, which wait for calls.")
      .def(py::init(&host_of), py::arg("shape"), py::arg("fabric"), py::arg("machine"),
           py::arg("policy"), py::arg("description"))
      .def("check_open", &check_open)
      .def("call", &make_call, py::arg("forward"))
      .def("close", &close_host)
      .def("cancel",
           [](PlanHost& self) { self.cancel("an exception left the plan's `with` block"); })
      .def(
          "blocks", [](const py::object& self, bool input) { return block_views(self, input); },
          py::arg("input"))
      .def("extents", &extents_of_side, py::arg("input"))
      .def("dtype", &dtype_of, py::arg("input"))
      .def_property_readonly("is_closed", &PlanHost::is_closed)
      .def_property_readonly("is_forked", &PlanHost::is_forked)
      .def_property_readonly("processes_share",
                             [](const PlanHost& self) { return !self.has_all_nodes(); });
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_plans));
}

}  // namespace toroid::python
