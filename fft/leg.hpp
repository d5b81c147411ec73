// One direction of a plan on one node: stations, i.e. stages with their arrays and what leads from
// each to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fft/blueprint.hpp"
#include "fft/description.hpp"
#include "fft/exchange.hpp"
#include "fft/local_array.hpp"
#include "fft/local_work.hpp"
#include "fft/node_layout.hpp"
#include "fft/orbital/station.hpp"
#include "fft/spread.hpp"
#include "packet/node.hpp"

namespace toroid {

/// The pieces of a stage that leave one by one.
struct StationPieces {
  unsigned axis = 0;
  std::int64_t planes = 0;     ///< of a piece; 0: all is one
  std::uint32_t own = 1;       ///< that this node has something in
  std::uint32_t buffers = 1;   ///< pieces that the array has room for
  std::int64_t from_step = 0;  ///< bytes from a piece to the next
  std::int64_t to_step = 0;
};

struct Station {
  const Stage* stage = nullptr;
  bool in_place = false;
  bool in_result =
      false;  ///< last, and in place: what arrives goes straight into the caller's array
  std::span<std::byte> from;  ///< where it finds its data; empty: the caller's
  std::span<std::byte> to;    ///< where it leaves it; empty: the caller's
  LocalWork work;             ///< of a whole piece
  LocalWork rest_work;        ///< of a last piece that is shorter
  StationPieces pieces{};
  std::unique_ptr<OrbitalStation> orbital;  ///< instead of work
  std::unique_ptr<Exchange> exchange;       ///< to the next; none: it is the last
};

class Leg {
 public:
  Leg(Node& node, const Blueprint& blueprint, Way way);

  std::vector<Station>& stations() { return stations_; }
  const std::vector<Station>& stations() const { return stations_; }
  /// What arrives for the last station goes straight into the caller's array, which everybody must
  /// know before anybody sends.
  bool fills_result() const { return stations_.back().in_result; }
  /// Of its arrays.
  std::size_t bytes() const;
  /// Where it goes in this call. REQUIRES: fills_result(), and nothing is under way.
  void set_result(std::span<std::byte> result);

 private:
  struct Side {
    const Spread* spread;
    bool real;
  };
  Side from(std::size_t station) const;
  Side to(std::size_t station) const;
  const Stage& stage(std::size_t station) const;
  std::size_t exchange_number(std::size_t station) const;
  const StageExchange& exchange(std::size_t station) const;
  std::size_t last() const { return blueprint_->stages().size() - 1; }

  void add_station(std::size_t number);
  void set_pieces(Station& station, std::size_t number);
  void set_work(Station& station, std::size_t number);
  LocalTask task(std::size_t number, const Station& station) const;
  std::int64_t room_for(const Station& station, const NodeLayout& to) const;
  void connect(std::size_t number);
  std::span<std::byte> allocate(std::int64_t elements, bool real);
  NodeLayout layout(const Side& side) const { return side.spread->layout(node_->rank()); }

  Node* node_;
  const Blueprint* blueprint_;
  Way way_;
  std::vector<LocalArray> arrays_;
  std::vector<Station> stations_;
};

}  // namespace toroid
