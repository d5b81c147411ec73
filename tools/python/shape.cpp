// The class Shape of Python.
#include <fmt/core.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>  // IWYU pragma: keep (converts containers)

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tools/python/module.hpp"
#include "tools/python/whole_numbers.hpp"
#include "tools/text/spelling.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

Rank checked(const Shape& shape, std::int64_t rank) {
  if (rank < 0 || rank >= std::int64_t{shape.size()})
    throw BadInput(fmt::format("{} is not a rank of torus {}; expected 0 to {}", rank, shape.text(),
                               shape.size() - 1));
  return static_cast<Rank>(rank);
}

Direction direction_of(const Shape& shape, const std::string& name) {
  std::string known;
  for (unsigned l = 0; l < shape.links(); ++l) {
    const Direction direction{static_cast<std::uint8_t>(l)};
    if (direction.name() == name) return direction;
    known += (l == 0 ? "" : ", ") + direction.name();
  }
  throw BadInput(
      fmt::format("'{}' is not a direction of torus {}; expected {}", name, shape.text(), known));
}

std::vector<std::string> names_of(DirectionSet directions) {
  std::vector<std::string> names;
  for (; !directions.empty(); directions.remove(directions.first()))
    names.push_back(directions.first().name());
  return names;
}

std::vector<std::string> directions(const Shape& shape) {
  std::vector<std::string> names;
  for (unsigned l = 0; l < shape.links(); ++l)
    names.push_back(Direction{static_cast<std::uint8_t>(l)}.name());
  return names;
}

WholeNumbers numbers(const py::object& given) {
  std::optional<WholeNumbers> made = whole_numbers(given);
  if (!made)
    throw BadInput(fmt::format("expected whole numbers, not {}", std::string(py::repr(given))));
  return *std::move(made);
}

/// The coordinates of ranks; they are along an additional last axis.
py::array coords_of(const Shape& shape, const py::array_t<std::int64_t>& ranks) {
  std::vector<py::ssize_t> extents(ranks.shape(), ranks.shape() + ranks.ndim());
  extents.push_back(static_cast<py::ssize_t>(shape.dims()));
  py::array_t<std::int64_t> coords(extents);
  std::int64_t* out = coords.mutable_data();
  for (py::ssize_t i = 0; i < ranks.size(); ++i) {
    const Coord coord = shape.coord(checked(shape, ranks.data()[i]));
    for (unsigned d = 0; d < shape.dims(); ++d) *out++ = coord[d];
  }
  return coords;
}

py::object coord(const Shape& shape, const py::object& ranks) {
  const auto given = numbers(ranks).values;
  py::array coords = coords_of(shape, given);
  if (given.ndim() > 0) return coords;
  return py::tuple(coords.attr("tolist")());
}

/// Coordinates outside an extent wrap around on a torus; on a mesh or a twisted torus they are
/// refused.
Rank rank_at(const Shape& shape, const std::int64_t* at) {
  Coord coord;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const auto extent = static_cast<std::int64_t>(shape.extent(d));
    if ((at[d] < 0 || at[d] >= extent) && (!shape.wraps(d) || shape.is_twisted()))
      throw BadInput(fmt::format("coordinate {} of dimension {} is outside torus {}", at[d],
                                 shape.dim_names()[d], shape.text()));
    coord[d] = static_cast<std::uint8_t>((at[d] % extent + extent) % extent);
  }
  return shape.rank(coord);
}

py::object rank(const Shape& shape, const py::object& coords) {
  const auto given = numbers(coords).values;
  const auto dims = static_cast<py::ssize_t>(shape.dims());
  if (given.ndim() == 0 || given.shape(given.ndim() - 1) != dims)
    throw BadInput(fmt::format("expected {} coordinates for torus {}", dims, shape.text()));
  if (given.ndim() == 1) return py::int_(rank_at(shape, given.data()));
  py::array_t<std::int64_t> ranks(
      std::vector<py::ssize_t>(given.shape(), given.shape() + given.ndim() - 1));
  for (py::ssize_t i = 0; i < ranks.size(); ++i)
    ranks.mutable_data()[i] = rank_at(shape, given.data() + i * dims);
  return ranks;
}

/// Broadcasts both arrays to a common shape by NumPy's rules.
py::tuple broadcast(const py::object& from, const py::object& to) {
  const py::array a = numbers(from).given;
  const py::array b = numbers(to).given;
  try {
    return py::module_::import("numpy").attr("broadcast_arrays")(a, b);
  } catch (const py::error_already_set&) {
    throw BadInput(fmt::format("sources and destinations of shapes {} and {} cannot be broadcast",
                               std::string(py::str(a.attr("shape"))),
                               std::string(py::str(b.attr("shape")))));
  }
}

py::object hops(const Shape& shape, const py::object& from, const py::object& to) {
  const py::tuple pairs = broadcast(from, to);
  const auto one = [&shape](std::int64_t a, std::int64_t b) -> std::int64_t {
    return minimal_hops(shape, shape.coord(checked(shape, a)), shape.coord(checked(shape, b)));
  };
  return py::vectorize(one)(numbers(pairs[0]).values, numbers(pairs[1]).values);
}

DirectionSet hints(const Shape& shape, std::int64_t from, std::int64_t to, const std::string& tie,
                   std::uint64_t seed) {
  Random random(seed);
  return minimal_directions(shape, shape.coord(checked(shape, from)),
                            shape.coord(checked(shape, to)),
                            parse_choice<TieRule>("tie rule", kTieRuleNames, tie), random);
}

/// The route, dimension by dimension, that packets take under deterministic routing.
std::vector<Rank> route(const Shape& shape, std::int64_t from, std::int64_t to,
                        const std::string& tie, std::uint64_t seed) {
  const DirectionSet set = hints(shape, from, to, tie, seed);
  const Rank end = checked(shape, to);
  std::vector<Rank> nodes = {checked(shape, from)};
  while (nodes.back() != end) {
    const DirectionSet left =
        directions_left(shape, shape.coord(nodes.back()), shape.coord(end), set);
    if (left.empty() && shape.ranks().node(nodes.back()) == shape.ranks().node(end)) {
      nodes.push_back(end);
      break;
    }
    const auto next = left.empty() ? std::nullopt : shape.neighbour(nodes.back(), left.first());
    if (!next) throw BadInput(fmt::format("there is no route from {} to {}", from, to));
    nodes.push_back(*next);
  }
  return nodes;
}

/// A torus as text: "4x4", (4, 4) or [4, 4].
std::string torus_text(const py::object& torus) {
  if (py::isinstance<py::str>(torus)) return torus.cast<std::string>();
  const std::optional<WholeNumbers> extents = whole_numbers(torus);
  if (!extents || extents->values.ndim() != 1 || extents->size() == 0)
    throw BadInput(
        fmt::format("a torus of type {}; expected a text such as '4x4' or a tuple of "
                    "extents such as (4, 4)",
                    type_name(torus)));
  std::string text;
  for (std::size_t i = 0; i < extents->size(); ++i) text += (i == 0 ? "" : "x") + extents->shown(i);
  return text;
}

Shape made(const py::object& torus, bool mesh, const std::vector<std::string>& failed_links,
           const std::vector<std::string>& failed_nodes) {
  const Shape shape = Shape::parse(torus_text(torus), mesh);
  if (failed_links.empty() && failed_nodes.empty()) return shape;
  return shape.with_failures({failed_links, failed_nodes, false});
}

py::tuple state_of(const Shape& shape) {
  const auto* const failures = shape.failures();
  const FailureList failed = failures == nullptr ? FailureList{} : failures->list();
  return py::make_tuple(shape.text(), failed.links, failed.nodes);
}

Shape of_state(const py::tuple& state) {
  using Names = std::vector<std::string>;
  return made(state[0], false, state[1].cast<Names>(), state[2].cast<Names>());
}

std::vector<unsigned> extents(const Shape& shape) {
  std::vector<unsigned> all;
  for (unsigned d = 0; d < shape.dims(); ++d) all.push_back(shape.extent(d));
  return all;
}

}  // namespace

void add_shape(py::module_& module) {
  py::class_<Shape>(module, "Shape", R"(A torus or mesh of 1 to 6 dimensions.

"8x8x8" is a torus; a dimension marked with m ("8x8x4m") is a mesh; in "8x8x8x2t" each node has two
ranks, and their number is the last coordinate. Nodes are numbered in C order:
the last dimension varies fastest. coord(), rank() and hops() also take arrays.

>>> import toroid
>>> shape = toroid.Shape("4x4x2m")
>>> shape.size, shape.extents
(32, (4, 4, 2))
>>> shape.coord(5)
(0, 2, 1)
>>> shape.rank((0, 2, 1))
5
>>> shape.hops(0, [1, 5, 31])
array([1, 3, 3])
>>> shape.route(0, 13)
[0, 8, 10, 12, 13]
)")
      .def(py::init(&made), py::arg("text"), py::arg("mesh") = false,
           py::arg("failed_links") = std::vector<std::string>(),
           py::arg("failed_nodes") = std::vector<std::string>())
      .def_property_readonly("size", &Shape::size,
                             "Number of ranks: of nodes, unless nodes have several.")
      .def_property_readonly("nodes", &Shape::nodes, "Number of nodes.")
      .def_property_readonly("dims", &Shape::dims, "Number of dimensions.")
      .def_property_readonly(
          "extents", [](const Shape& shape) { return py::tuple(py::cast(extents(shape))); },
          "Number of nodes along each dimension.")
      .def_property_readonly(
          "wraps",
          [](const Shape& shape) {
            py::tuple all(shape.dims());
            for (unsigned d = 0; d < shape.dims(); ++d) all[d] = py::bool_(shape.wraps(d));
            return all;
          },
          "For each dimension, whether it is a ring (True) or a mesh (False).")
      .def_property_readonly("directions", &directions, "Names of the link directions, 'X+' first.")
      .def_property_readonly("text", &Shape::text, "The shape as text, e.g. '8x8x4m'.")
      .def_property_readonly(
          "has_failures", [](const Shape& shape) { return shape.failures() != nullptr; },
          "Whether links or nodes have failed. To make them fail in a run, use its arguments "
          "fail_links and fail_nodes.")
      .def("coord", &coord, py::arg("rank"),
           "Return the coordinates of a rank, or of an array of ranks.")
      .def("rank", &rank, py::arg("coord"),
           "Return the rank of coordinates, or of an array of coordinates. Coordinates wrap around "
           "in dimensions that are rings.")
      .def("hops", &hops, py::arg("source"), py::arg("destination"),
           "Return the number of hops of a shortest path; arguments may be arrays.")
      .def(
          "minimal_directions",
          [](const Shape& shape, std::int64_t from, std::int64_t to, const std::string& tie,
             std::uint64_t seed) { return names_of(hints(shape, from, to, tie, seed)); },
          py::arg("source"), py::arg("destination"), py::arg("tie") = "parity", py::arg("seed") = 1,
          "Return the directions of a shortest path; `tie` decides if both ways round a ring are "
          "equally long (both and alternate: both directions are returned).")
      .def(
          "neighbour",
          [](const Shape& shape, std::int64_t rank, const std::string& direction) {
            return shape.neighbour(checked(shape, rank), direction_of(shape, direction));
          },
          py::arg("rank"), py::arg("direction"),
          "Return the rank at the other end of the link, or None if there is no link.")
      .def("route", &route, py::arg("source"), py::arg("destination"), py::arg("tie") = "parity",
           py::arg("seed") = 1,
           "Return the ranks on the deterministic route (dimension by dimension), with both ends; "
           "where `tie` leaves both directions open, the route goes by +.")
      .def("__len__", &Shape::size)
      .def(py::pickle(&state_of, &of_state))
      .def(
          "__eq__", [](const Shape& a, const Shape& b) { return state_of(a).equal(state_of(b)); },
          py::is_operator())
      .def("__hash__", [](const Shape& shape) { return py::hash(py::str(shape.text())); })
      .def("__str__", &Shape::text)
      .def("__repr__",
           [](const Shape& shape) { return fmt::format("toroid.Shape('{}')", shape.text()); });
}

}  // namespace toroid::python
