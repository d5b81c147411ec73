#include "hal/packet.hpp"

namespace toroid {
namespace {

bool both_hints(DirectionSet hints) {
  return (hints.bits() & (hints.bits() >> 1) & 0x555u) != 0;
}

}  // namespace

HeaderFields PacketHeader::fields() const {
  return {.destination = destination(),
          .hints = hints(),
          .deposit = deposit(),
          .dynamic = dynamic(),
          .channel = channel(),
          .chunks = chunks(),
          .group = group(),
          .handler = handler(),
          .payload_bytes = payload_bytes(),
          .argument = argument()};
}

HeaderError validate(const PacketHeader& header, const Shape& shape, const Coord& here,
                     Route& route) {
  if ((header.hardware_word() & kHardwareReserved) != 0 ||
      (header.software_word() & kSoftwareReserved) != 0)
    return HeaderError::reserved_bits_set;
  if (header.destination() >= shape.size()) return HeaderError::destination_out_of_range;
  if (both_hints(header.hints())) return HeaderError::both_hints_of_a_dimension;
  const auto along = route_along(shape, here, shape.coord(header.destination()), header.hints());
  if (!along) return HeaderError::hint_disagrees_with_destination;
  route = *along;
  const bool dynamic_channel = header.channel() <= VirtualChannel::dynamic1;
  if (header.dynamic() != dynamic_channel) return HeaderError::dynamic_bit_disagrees_with_channel;
  if (header.deposit()) return HeaderError::bad_deposit;
  if (chunks_for(header.payload_bytes()) > header.chunks())
    return HeaderError::payload_longer_than_chunks;
  return HeaderError::none;
}

}  // namespace toroid
