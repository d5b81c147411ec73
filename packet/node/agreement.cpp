#include "packet/node/agreement.hpp"

#include <fmt/core.h>

#include "hal/check.hpp"

namespace toroid {
namespace {

[[noreturn]] void report(const Shape& shape, std::string_view kind, std::size_t number, Rank a,
                         Rank b, const Agreement::Difference& difference) {
  throw RunFailed(fmt::format(
      "nodes disagree on {} {}: {} is {} on node {} and {} on node {}; make equal {}s in the same "
      "order on all nodes",
      kind, number, difference.field, difference.a, shape.coord_text(a), difference.b,
      shape.coord_text(b), kind));
}

}  // namespace

void Agreement::add(const Shape& shape, Rank node, std::string_view kind,
                    std::shared_ptr<const void> object, Compare compare) {
  const std::lock_guard lock(mutex_);
  if (numbers_.size() <= node) numbers_.resize(node + 1);
  const std::size_t number = numbers_[node]++;
  if (number == made_.size()) made_.push_back({node, object});
  Made& made = made_[number];
  if (made.object != object)
    if (const auto difference = compare(made.object.get(), object.get()))
      report(shape, kind, number + 1, made.first, node, *difference);
  if (++made.nodes == nodes_) made.object.reset();
}

}  // namespace toroid
