// validate() can be given any 16 bytes. The headers that it accepts have consistent fields, and
// their hints lead to their destination. Input: one byte that selects a shape, two bytes that
// select a node, and the 16 bytes of a header.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tests/fuzz/readers.hpp"

namespace toroid::fuzz::header {
namespace {

struct Input {
  std::uint8_t shape;
  std::uint16_t node;
  std::uint64_t hardware;
  std::uint64_t software;
};

bool read(Input& input, const std::uint8_t* data, std::size_t size) {
  if (size < 19) return false;
  input.shape = data[0];
  std::memcpy(&input.node, data + 1, sizeof input.node);
  std::memcpy(&input.hardware, data + 3, sizeof input.hardware);
  std::memcpy(&input.software, data + 11, sizeof input.software);
  return true;
}

const Shape& shape_of(std::uint8_t selector) {
  static const std::array kShapes = {
      Shape::parse("1"),       Shape::parse("256"),        Shape::parse("256m"),
      Shape::parse("4x4x4"),   Shape::parse("8x3mx2"),     Shape::parse("5x1x7"),
      Shape::parse("2x2x2x2"), Shape::parse("3x2mx2x4x2"), Shape::parse("2x3x2x3mx2x2")};
  return kShapes[selector % kShapes.size()];
}

/// Follows the route link by link. If the route has both directions of a dimension, takes the minus
/// direction if `by_minus` and the plus direction otherwise.
void check_arrives(const Shape& shape, Rank from, const PacketHeader& header, const Route& route,
                   bool by_minus) {
  TOROID_CHECK(route.directions == header.hints());
  Rank at = from;
  unsigned hops = 0;
  for (std::uint8_t l = 0; l < shape.links(); ++l) {
    const Direction direction{l};
    if (!route.directions.has(direction)) continue;
    if (direction.is_minus() != by_minus && route.directions.has(direction.opposite())) continue;
    for (unsigned h = 0; h < route.hops[direction.dim()]; ++h, ++hops) {
      const auto next = shape.neighbour(at, direction);
      TOROID_CHECK(next.has_value());
      at = *next;
    }
  }
  TOROID_CHECK_EQ(at, header.destination());
  TOROID_CHECK_EQ(hops, route.total_hops());
}

void check_fields(const PacketHeader& header) {
  const HeaderFields fields = header.fields();
  TOROID_CHECK(PacketHeader(fields) == header);
  TOROID_CHECK_LE(fields.payload_bytes, kPayloadBytes);
  TOROID_CHECK_LE(fields.chunks, kMaxChunks);
  TOROID_CHECK(fields.order == 0 || fields.dynamic);
  TOROID_CHECK_LE(kHeaderBytes + fields.payload_bytes, kChunkBytes * fields.chunks);
}

void try_header(const Shape& shape, Rank from, const PacketHeader& header) {
  Route route;
  const HeaderError error = validate(header, shape, shape.coord(from), route);
  TOROID_CHECK_LT(static_cast<std::size_t>(error), kHeaderErrorNames.size());
  if (error != HeaderError::none) return;
  check_fields(header);
  for (const bool by_minus : {false, true}) check_arrives(shape, from, header, route, by_minus);
}

/// Changes the input so that a valid header becomes likely, because random bits hardly ever form
/// one. Clears the reserved bits and the deposit bit, and takes a destination that is in the shape
/// or the first one beyond it. Then about one header in a hundred is valid.
PacketHeader tamed(const Shape& shape, const Input& input) {
  const std::uint64_t destination = (input.hardware & 0xffffffffu) % (shape.size() + 1);
  const std::uint64_t hints = (input.hardware >> 32) & ((std::uint64_t{1} << shape.links()) - 1);
  constexpr std::uint64_t kOthers = 0x001fe00000000000;  // dynamic, channel, chunks, group
  return {destination | hints << 32 | (input.hardware & kOthers),
          input.software & 0xffffffff03ffffff};
}

void try_input(const std::uint8_t* data, std::size_t size) {
  Input input;
  if (!read(input, data, size)) return;
  const Shape& shape = shape_of(input.shape);
  const Rank from = input.node % shape.size();
  try_header(shape, from, PacketHeader(input.hardware, input.software));
  try_header(shape, from, tamed(shape, input));
}

const Reader kReader("header", try_input);

}  // namespace
}  // namespace toroid::fuzz::header
