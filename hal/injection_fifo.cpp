#include "hal/injection_fifo.hpp"

#include <fmt/core.h>

#include <cstddef>

namespace toroid {
namespace {

/// The number of slots. Each link belongs to one slot. The slots are dealt out to the FIFOs in
/// turn, so that several FIFOs may share a slot, or one FIFO may have several slots. A FIFO serves
/// the links of its slots.
unsigned slots_of(const Shape& shape, FifoTying tying) {
  if (tying == FifoTying::any) return 1;
  return tying == FifoTying::per_dimension ? shape.torus_dims() : shape.links();
}

unsigned slot_of(Direction direction, FifoTying tying) {
  if (tying == FifoTying::any) return 0;
  return tying == FifoTying::per_dimension ? direction.dim() : direction.index;
}

DirectionSet links_of(const Shape& shape) {
  return DirectionSet(static_cast<std::uint16_t>((1u << shape.links()) - 1));
}

/// Reads the links of one FIFO: "any", or names of directions such as "X+X-".
DirectionSet parse_links(std::string_view text) {
  if (text == "any") return FifoLinks::kAny;
  DirectionSet set;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto direction = Direction::named(text.substr(i, 2), kMaxLinks);
    if (!direction)
      throw BadInput(fmt::format("'{}': expected the links of a FIFO, e.g. X+X-, or any", text));
    set.add(*direction);
  }
  if (set.empty()) throw BadInput("a FIFO without links: expected e.g. X+X-,Y+Y-,any");
  return set;
}

std::string text_of(DirectionSet set) {
  if (set == FifoLinks::kAny) return "any";
  std::string text;
  for (std::uint8_t l = 0; l < kMaxLinks; ++l)
    if (set.has({l})) text += Direction{l}.name();
  return text;
}

}  // namespace

FifoLinks::FifoLinks(std::span<const DirectionSet> table)
    : rule_(FifoTying::per_direction), count_(static_cast<std::uint8_t>(table.size())) {
  if (table.empty() || table.size() > InjectionFifos::kMost)
    throw BadInput(fmt::format("a table of the links of {} FIFOs; expected 1 to {}", table.size(),
                               InjectionFifos::kMost));
  std::ranges::copy(table, table_.begin());
}

FifoLinks FifoLinks::parse(std::string_view text) {
  std::vector<DirectionSet> table;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    table.push_back(parse_links(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return FifoLinks(table);
}

std::string FifoLinks::text() const {
  if (!is_table()) return std::string(kFifoTyingNames.at(static_cast<std::size_t>(rule_)));
  std::string text;
  for (const DirectionSet set : table()) text += (text.empty() ? "" : ",") + text_of(set);
  return text;
}

std::string FifoLinks::fault(const Shape& shape, unsigned fifos) const {
  if (!is_table()) return {};
  if (table().size() != fifos)
    return fmt::format("FIFO links {} are those of {} injection FIFOs, but the machine has {}",
                       text(), table().size(), fifos);
  DirectionSet served;
  for (const DirectionSet set : table()) {
    const unsigned beyond = set == kAny ? 0u : set.bits() & ~unsigned{links_of(shape).bits()};
    if (beyond != 0)
      return fmt::format("FIFO links {}: torus {} has no link {}", text(), shape.text(),
                         text_of(DirectionSet(static_cast<std::uint16_t>(beyond))));
    served.add(set);
  }
  for (std::uint8_t l = 0; l < shape.links(); ++l)
    if (shape.extent(Direction{l}.dim()) > 1 && !served.has({l}))
      return fmt::format("FIFO links {}: none of the FIFOs serves link {}", text(),
                         Direction{l}.name());
  return {};
}

InjectionFifos::InjectionFifos(std::span<const InjectionFifo> fifos)
    : count_(static_cast<unsigned>(fifos.size())) {
  TOROID_CHECK_LE(fifos.size(), kMost);
  for (unsigned f = 0; f < count_; ++f) {
    TOROID_CHECK_LE(fifos[f].capacity, kMostChunks);
    TOROID_CHECK_LE(fifos[f].used, fifos[f].capacity);
    Half& half = halves_[f / kLanes];
    half.used[f % kLanes] = static_cast<std::uint16_t>(fifos[f].used);
    half.room[f % kLanes] = static_cast<std::uint16_t>(fifos[f].capacity - fifos[f].used);
    half.directions[f % kLanes] = static_cast<std::uint16_t>(fifos[f].directions.bits());
  }
}

std::vector<DirectionSet> links_of_fifos(const Shape& shape, unsigned count,
                                         const FifoLinks& links) {
  TOROID_CHECK_LT(0u, count);
  if (const std::string fault = links.fault(shape, count); !fault.empty()) throw BadInput(fault);
  std::vector<DirectionSet> sets(count);
  std::ranges::transform(links.table(), sets.begin(), [&](DirectionSet set) {
    return DirectionSet(static_cast<std::uint16_t>(set.bits() & links_of(shape).bits()));
  });
  if (links.is_table()) return sets;
  const unsigned slots = slots_of(shape, links.rule());
  for (unsigned f = 0; f < std::max(count, slots); ++f)
    for (std::uint8_t l = 0; l < shape.links(); ++l)
      if (slot_of({l}, links.rule()) == f % slots) sets[f % count].add(Direction{l});
  return sets;
}

namespace {

InjectionFifo memory_fifo(const Shape& shape, const Machine& machine) {
  if (machine.injection_fifos + machine.priority_injection_fifos == InjectionFifos::kMost)
    throw BadInput(
        fmt::format("machine '{}': injection_fifos = {} and priority_injection_fifos = {} are more "
                    "than the {} that nodes with several ranks have",
                    machine.name, machine.injection_fifos, machine.priority_injection_fifos,
                    InjectionFifos::kMost - 1));
  return {.directions = shape.within_node(), .capacity = machine.injection_fifo_chunks};
}

}  // namespace

std::vector<InjectionFifo> fifos_of_node(const Shape& shape, const Machine& machine,
                                         const FifoLinks& links) {
  auto fifos = tie_fifos(shape, machine.injection_fifos, machine.injection_fifo_chunks, links);
  fifos.resize(fifos.size() + machine.priority_injection_fifos,
               {.directions = kHighPriority, .capacity = machine.injection_fifo_chunks});
  if (shape.machine_ranks() > 1) fifos.push_back(memory_fifo(shape, machine));
  return fifos;
}

std::vector<InjectionFifo> tie_fifos(const Shape& shape, unsigned count, unsigned capacity,
                                     const FifoLinks& links) {
  std::vector<InjectionFifo> fifos;
  for (const DirectionSet set : links_of_fifos(shape, count, links))
    fifos.push_back({.directions = set, .capacity = capacity});
  return fifos;
}

}  // namespace toroid
