#include "router/sim/block.hpp"

#include <algorithm>
#include <cstddef>

#include "hal/check.hpp"
#include "router/sim/flight.hpp"
#include "router/termination/failure.hpp"

namespace toroid::sim {

namespace {

// How many turns ahead a processor is prefetched, and how many turns ahead the data that it points
// to.
constexpr std::size_t kProcessorsAhead = 4;
constexpr std::size_t kBeyondAhead = 2;

}  // namespace

Block::Block(const Shape& shape, const Machine& machine, const RoutingOptions& routing,
             const FifoLinks& tying, Range range, unsigned number, FlightMemory& store,
             SimProbe* probe, bool dma)
    : network_(make_network(shape.torus(), machine, routing, range, store, probe)),
      ranks_(shape.ranks()),
      is_probed_(probe != nullptr) {
  const Rank count = ranks_.rank(range.count, 0);
  devices_.reserve(std::size_t{count} * (dma ? 2 : 1));
  for (Rank r = 0; r < count; ++r)
    devices_.emplace_back(*network_, shape, machine, first_rank() + r, tying, number);
  if (dma) add_engines();
}

void Block::add_engines() {
  first_engine_ = range().count;
  for (Rank r = 0; r < range().count; ++r) devices_.emplace_back(&devices_[r]);
}

void Block::attach(Rank rank, Processor& processor) {
  const Rank place = rank - first_rank();
  devices_[place].attach(processor);
  if (!has_engines()) return;
  TOROID_CHECK(processor.engine() != nullptr);
  devices_[first_engine_ + place].attach(*processor.engine());
}

void Block::start() {
  for (const SimDevice& device : devices_) TOROID_CHECK(device.processor() != nullptr);
  const Rank ranks = ranks_.rank(range().count, 0);
  for (Rank place = 0; place < ranks; ++place) network_->at(0, {EventKind::turn, place, 0});
}

void Block::let_die(Rank rank) {
  const Rank place = rank - range().first;
  let_die(devices_[place]);
  if (has_engines()) let_die(devices_[first_engine_ + place]);
}

void Block::let_die(SimDevice& device) {
  counts_.delivered -= device.let_die(device.processor()->finished() ? ended_ : cut_short_);
}

void Block::run(Tick horizon, std::uint64_t events) {
  for (Tick now = next(); now < horizon && counts_.events < events && !failure_; now = next())
    run_cycle(now);
}

void Block::run_cycle(Tick now) {
  counts_.end = now;
  turns_.clear();
  events_.clear();
  counts_.events += network_->run_events(now, events_);
  for (const Rank place : events_.coming) devices_[ranks_.rank(place, 0)].prefetch();
  tell_processors(now);
  network_->arbitrate(now);
  take_turns(now);
  network_->end_cycle(now);
}

void Block::take_turns(Tick now) {
  const std::size_t count = turns_.size();
  const auto later = [&](std::size_t i) -> const SimDevice& { return devices_[turns_[i]]; };
  for (std::size_t i = 0; i < std::min(count, kProcessorsAhead); ++i) later(i).prefetch_processor();
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kProcessorsAhead < count) later(i + kProcessorsAhead).prefetch_processor();
    if (i + kBeyondAhead < count) later(i + kBeyondAhead).prefetch_beyond_processor();
    if (i + 1 < count) later(i + 1).prefetch_rest();
    take_turn(devices_[turns_[i]], now);
  }
}

/// If the turn fails, the other turns of the cycle are still taken, so that the reported failure
/// does not depend on the order of turns.
void Block::take_turn(SimDevice& device, Tick now) {
  try {
    device.turn(now);
  } catch (...) {
    const Failure failure{
        now, device.rank(),
        termination::node_failure(device.shape(), device.rank(), std::current_exception())};
    if (!failure_ || failure.before(*failure_)) failure_ = failure;
  }
}

/// Tells processors and DMA engines (actors) what has happened, and lists those that take a turn in
/// this cycle.
void Block::tell_processors(Tick now) {
  if (ranks_.are_shared()) return tell_ranks(now);
  for (const auto& [place, fifo, chunks] : events_.freed)
    if (devices_[place].on_fifo_room(now, fifo, chunks)) turns_.push_back(place);
  for (const Event event : events_.wakes)
    if (event.kind() == EventKind::turn || devices_[event.node()].on_alarm(now))
      turns_.push_back(event.node());
  hand_over_packets(now);
  if (has_engines()) tell_engines(now);
}

/// The same if nodes have several ranks.
void Block::tell_ranks(Tick now) {
  const auto tell = [&](Rank actor, bool takes_turn) {
    if (takes_turn) turns_.push_back(actor);
  };
  for (const auto& [place, fifo, chunks] : events_.freed) {
    const Rank first = ranks_.rank(place, 0);
    tell(first, devices_[first].on_fifo_room(now, fifo, chunks));
    for (Rank rank = first + 1; rank < first + ranks_.per_node(); ++rank)
      tell(rank, devices_[rank].on_others_fifo_room(now));
  }
  for (const Event event : events_.wakes) {
    SimDevice& device = devices_[event.node()];
    if (event.kind() == EventKind::turn) {
      tell(event.node(), true);
    } else if (event.index() == kCopied) {
      ++counts_.delivered;
      tell(event.node(), device.on_copied(now, event.value()));
    } else {
      tell(event.node(), device.on_alarm(now));
    }
  }
  hand_over_packets(now);
  put_in_turn();
}

/// Sorts the turns of the cycle: by node, and on a node as SimDevice's rule says.
void Block::put_in_turn() {
  std::ranges::sort(turns_, {}, [this](Rank actor) {
    return ranks_.rank(ranks_.node(actor), devices_[actor].ranks_before());
  });
}

/// Both actors of a node use its FIFOs, so their turns need an order: processors come first.
void Block::tell_engines(Tick now) {
  for (const FreedRoom& freed : events_.freed) {
    const Rank engine = first_engine_ + freed.node;
    if (devices_[engine].on_others_fifo_room(now)) turns_.push_back(engine);
  }
  std::ranges::sort(turns_);
}

/// Packets get their numbers in the order of turns, and a probe sees these numbers. So with a probe
/// the turns are taken in the order of nodes.
void Block::hand_over_packets(Tick now) {
  std::vector<Event>& delivered = events_.delivered;
  if (is_probed_) std::sort(delivered.begin(), delivered.end());
  for (const FlightId id : events_.lost) network_->lose(id);
  for (const Event event : delivered) {
    const Rank actor = receiver(event);
    if (devices_[actor].is_dead()) [[unlikely]] {
      network_->lose(event.value());
      continue;
    }
    ++counts_.delivered;
    if (devices_[actor].on_delivered(now, event.index(), event.value())) turns_.push_back(actor);
  }
}

FifoCounters Block::fifo_counters(Tick now, Rank node, unsigned fifo) const {
  FifoCounters counters = device(ranks_.rank(node, 0)).fifo_counters(fifo);
  counters.stalled_cycles = network_->stalled_cycles(now, node, fifo);
  return counters;
}

void Block::add_to(FabricCounters& counters, Tick end) const {
  network_->add_to(counters);
  counters.events += counts_.events;
  counters.delivered += counts_.delivered;
  for (const SimDevice& device : devices_) {
    counters.packets += device.totals().sent_packets;
    counters.refused += device.refused();
  }
  for (Rank place = 0; place < ranks_.rank(range().count, 0); ++place) {
    counters.nodes.push_back(devices_[place].totals());
    if (has_engines()) counters.nodes.back() += devices_[first_engine_ + place].totals();
  }
  toroid::add_to(counters.reception, network_->reception().counters());
  const unsigned memory = ranks_.are_shared() ? 1 : 0;  // a number that is no FIFO of the machine
  for (Rank node = range().first; node < range().first + range().count; ++node)
    for (unsigned f = 0; f + memory < device(ranks_.rank(node, 0)).fifos().size(); ++f)
      counters.fifos.push_back(fifo_counters(end, node, f));
}

}  // namespace toroid::sim
