#include "fft/plan/blueprint_difference.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/square_matrix.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {
namespace {

using Difference = std::optional<Agreement::Difference>;

/// A field that all nodes must agree on, with its value as text.
struct Field {
  std::string_view name;
  std::string (*text)(const Description&);
};

template <typename Choice, std::size_t kCount>
std::string choice_text(Choice choice, const std::array<std::string_view, kCount>& names) {
  return std::string(names[static_cast<std::size_t>(choice)]);
}

template <typename Value>
std::string value_text(const Value& value) {
  return fmt::format("{}", value);
}

constexpr std::array kFields = {
    Field{"size", [](const Description& d) { return fmt::format("{}", fmt::join(d.size, "x")); }},
    Field{"method", [](const Description& d) { return choice_text(d.method, kMethodNames); }},
    Field{"layer", [](const Description& d) { return choice_text(d.layer, kLayerNames); }},
    Field{"precision",
          [](const Description& d) { return choice_text(d.precision, local::kPrecisionNames); }},
    Field{"real", [](const Description& d) { return value_text(d.real); }},
    Field{"norm", [](const Description& d) { return choice_text(d.norm, kNormNames); }},
    Field{"batch", [](const Description& d) { return value_text(d.batch); }},
    Field{"return_to_input", [](const Description& d) { return value_text(d.return_to_input); }},
    Field{"box_cut", [](const Description& d) { return value_text(d.box_cut); }},
    Field{"overlap.planes",
          [](const Description& d) { return value_text(d.overlap.planes_of(Way::forward)); }},
    Field{"overlap.backward_planes",
          [](const Description& d) { return value_text(d.overlap.planes_of(Way::backward)); }},
    Field{"overlap.window", [](const Description& d) { return value_text(d.overlap.window); }},
    Field{"overlap.taper", [](const Description& d) { return value_text(d.overlap.taper); }},
    Field{"overlap.start",
          [](const Description& d) { return choice_text(d.overlap.start, kStartNames); }},
    Field{"kinds[0]", [](const Description& d) { return name_of(d.kinds[0]); }},
    Field{"kinds[1]", [](const Description& d) { return name_of(d.kinds[1]); }},
    Field{"kinds[2]", [](const Description& d) { return name_of(d.kinds[2]); }},
    Field{"kinds[3]", [](const Description& d) { return name_of(d.kinds[3]); }},
    Field{"kinds[4]", [](const Description& d) { return name_of(d.kinds[4]); }},
    Field{"kinds[5]", [](const Description& d) { return name_of(d.kinds[5]); }},
    Field{"scheduling",
          [](const Description& d) { return fmt::format("{}", fmt::join(d.scheduling, ",")); }},
    Field{"stage_axes",
          [](const Description& d) { return fmt::format("{}", fmt::join(d.stage_axes, ",")); }},
    Field{"variant",
          [](const Description& d) { return choice_text(d.variant, kOrbitalVariantNames); }},
    Field{"may_leave_gaps", [](const Description& d) { return value_text(d.may_leave_gaps); }},
    Field{"first", [](const Description& d) { return choice_text(d.first, kWayNames); }}};

Difference field_difference(const Description& a, const Description& b) {
  for (const Field& field : kFields)
    if (std::string of_a = field.text(a), of_b = field.text(b); of_a != of_b)
      return {{std::string(field.name), std::move(of_a), std::move(of_b)}};
  return {};
}

/// Matrices of the same name may have different elements.
Difference matrix_difference(const Description& a, const Description& b) {
  for (std::size_t axis = 0; axis < a.kinds.size(); ++axis) {
    const SquareMatrix* const of_a = a.kinds[axis].matrix.get();
    const SquareMatrix* const of_b = b.kinds[axis].matrix.get();
    if (of_a != of_b && !(*of_a == *of_b))
      return {
          {fmt::format("kinds[{}]", axis), name_of(a.kinds[axis]), "a matrix of other numbers"}};
  }
  return {};
}

Difference box_difference(const char* name, const std::vector<Box>& a, const std::vector<Box>& b) {
  if (a.size() != b.size())
    return {{name, fmt::format("{} boxes", a.size()), fmt::format("{} boxes", b.size())}};
  const auto [of_a, of_b] = std::ranges::mismatch(a, b);
  if (of_a == a.end()) return {};
  return {{fmt::format("{}[{}]", name, of_a - a.begin()), text_of(*of_a), text_of(*of_b)}};
}

std::string layout_text(const NodeLayout& layout) {
  std::string text =
      fmt::format("{} elements in order {}", layout.size(), fmt::join(layout.order(), ","));
  if (!layout.boxes().empty()) text += " from " + text_of(layout.boxes().front());
  return text;
}

/// Stages that were not made from the description: every node's part must be equal.
Difference part_difference(const Shape& shape, const Stage& a, const Stage& b) {
  for (Rank node = 0; node < shape.size(); ++node) {
    const NodeLayout of_a = a.in.layout(node);
    const NodeLayout of_b = b.in.layout(node);
    if (!(of_a == of_b))
      return {{fmt::format("the part of node {} in '{}'", shape.coord_text(node), a.name),
               layout_text(of_a), layout_text(of_b)}};
  }
  return {};
}

Difference stage_difference(const Blueprint& a, const Blueprint& b) {
  const auto kind = [](const Blueprint& blueprint) {
    return blueprint.has_own_stages() ? "a plan of given stages" : "a transform";
  };
  if (a.has_own_stages() != b.has_own_stages()) return {{"its kind", kind(a), kind(b)}};
  if (!a.has_own_stages()) return {};
  if (a.stages().size() != b.stages().size())
    return {{"its number of stages", value_text(a.stages().size()), value_text(b.stages().size())}};
  for (std::size_t i = 0; i < a.stages().size(); ++i)
    if (auto found = part_difference(a.shape(), a.stages()[i], b.stages()[i])) return found;
  return {};
}

/// A checksum of texts that are too long to send.
class Checksum {
 public:
  void add(std::string_view text) {
    sum_ = mix64(sum_ ^ text.size());
    for (const char c : text) sum_ = mix64(sum_ ^ static_cast<unsigned char>(c));
  }
  std::string of(std::string_view what) const {
    return fmt::format("{} with checksum {:x}", what, sum_);
  }

 private:
  std::uint64_t sum_ = 0;
};

/// Everything that NodeLayout compares.
void add(const NodeLayout& layout, Checksum& checksum) {
  checksum.add(layout_text(layout));
  checksum.add(value_text(layout.extent()));
  for (const Box& box : layout.boxes()) checksum.add(text_of(box));
  for (unsigned axis = 0; axis < kAxes; ++axis) checksum.add(value_text(layout.stride(axis)));
  if (!layout.boxes().empty()) checksum.add(value_text(layout.offset(layout.boxes().front().lo)));
}

std::string boxes_text(const std::vector<Box>& boxes) {
  Checksum checksum;
  for (const Box& box : boxes) checksum.add(text_of(box));
  return checksum.of(fmt::format("{} boxes", boxes.size()));
}

std::string matrix_text(const SquareMatrix* matrix) {
  if (matrix == nullptr) return "none";
  Checksum checksum;
  for (std::int64_t row = 0; row < matrix->size(); ++row)
    for (std::int64_t column = 0; column < matrix->size(); ++column) {
      const auto value = std::complex<double>(matrix->at(row, column)) + 0.0;  // -0 equals 0
      checksum.add({reinterpret_cast<const char*>(&value), sizeof value});
    }
  return checksum.of("a matrix");
}

std::string stages_text(const Blueprint& blueprint) {
  if (!blueprint.has_own_stages()) return "those of a transform";
  Checksum checksum;
  for (const Stage& stage : blueprint.stages()) {
    checksum.add(stage.name);
    for (Rank node = 0; node < blueprint.shape().size(); ++node)
      add(stage.in.layout(node), checksum);
  }
  return checksum.of(fmt::format("{} stages", blueprint.stages().size()));
}

}  // namespace

Agreement::Fields fields_of(const Blueprint& blueprint) {
  const Description& description = blueprint.description();
  Agreement::Fields fields;
  for (const Field& field : kFields) fields.emplace_back(field.name, field.text(description));
  for (std::size_t axis = 0; axis < description.kinds.size(); ++axis)
    fields.emplace_back(fmt::format("the matrix of axis {}", axis),
                        matrix_text(description.kinds[axis].matrix.get()));
  fields.emplace_back("in_boxes", boxes_text(description.in_boxes));
  fields.emplace_back("out_boxes", boxes_text(description.out_boxes));
  fields.emplace_back("its stages", stages_text(blueprint));
  return fields;
}

std::optional<Agreement::Difference> difference(const Blueprint& a, const Blueprint& b) {
  const Description& of_a = a.description();
  const Description& of_b = b.description();
  if (auto found = field_difference(of_a, of_b)) return found;
  if (auto found = matrix_difference(of_a, of_b)) return found;
  if (auto found = box_difference("in_boxes", of_a.in_boxes, of_b.in_boxes)) return found;
  if (auto found = box_difference("out_boxes", of_a.out_boxes, of_b.out_boxes)) return found;
  return stage_difference(a, b);
}

}  // namespace toroid::fft
