#include "hal/packet.hpp"

#include <fmt/core.h>

#include "hal/failures.hpp"

namespace toroid {
namespace {

/// Whether failures cut every path that the header's hints allow. False if links may fail later,
/// because then packets are checked on their way.
bool is_cut_off(const PacketHeader& header, const Shape& shape, const Coord& here) {
  return shape.failures() != nullptr && !shape.failures()->may_change() &&
         !shape.failures()->leaves_way(shape.rank(here), header.destination(), header.hints(),
                                       header.dynamic());
}

}  // namespace

HeaderFields PacketHeader::fields() const {
  return {.destination = destination(),
          .processor = processor(),
          .hints = hints(),
          .deposit = deposit(),
          .dynamic = dynamic(),
          .channel = channel(),
          .chunks = chunks(),
          .handler = handler(),
          .payload_bytes = payload_bytes(),
          .order = order(),
          .argument = argument()};
}

HeaderError validate_fields(const PacketHeader& header, const Shape& shape) {
  const bool has_processor = header.processor() < shape.machine_ranks();
  if ((header.hardware_word() & kHardwareReserved) != 0 || !has_processor)
    return HeaderError::reserved_bits_set;
  const bool dynamic_channel = header.channel() <= VirtualChannel::dynamic1;
  if (header.dynamic() != dynamic_channel) return HeaderError::dynamic_bit_disagrees_with_channel;
  if (header.deposit()) return HeaderError::bad_deposit;
  if (!payload_fits(header)) return HeaderError::payload_longer_than_chunks;
  if (!has_valid_order(header, shape.torus_dims())) return HeaderError::bad_dimension_order;
  return HeaderError::none;
}

HeaderError validate_way(const PacketHeader& header, const Shape& shape, const Coord& here,
                         Route& route) {
  if (header.destination() >= shape.nodes()) return HeaderError::destination_out_of_range;
  const Rank to = rank_of(header, shape);
  const auto along = route_along(shape, here, shape.coord(to), header.hints());
  if (both_hints(header.hints()) && !(along && header.dynamic() && shape.failures() == nullptr))
    return HeaderError::both_hints_of_a_dimension;
  if (!along) return HeaderError::hint_disagrees_with_destination;
  route = *along;
  return is_cut_off(header, shape, here) ? HeaderError::no_way_left : HeaderError::none;
}

HeaderError validate(const PacketHeader& header, const Shape& shape, const Coord& here,
                     Route& route) {
  const HeaderError error = validate_fields(header, shape);
  return error != HeaderError::none ? error : validate_way(header, shape, here, route);
}

void refuse_short_payload(const PacketHeader& header, std::size_t wanted) {
  throw RunFailed(
      fmt::format("a packet for handler {} has {} bytes of payload, but its handler "
                  "reads {}; expected at least as many",
                  header.handler(), header.payload_bytes(), wanted));
}

}  // namespace toroid
