#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/redistribution_message.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/stage_adapter.hpp"
#include "fft/orbital/stage_bound.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/cost_model.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/link_load.hpp"
#include "fft/plan/stage_transform.hpp"
#include "fft/plan/transform_bounds.hpp"
#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/group.hpp"

namespace toroid::fft {

/// The load of one exchange on links and nodes.
struct TransformBounds::Tally {
  LinkLoad load;                         ///< load of the current group of nodes, by all ranks
  std::vector<std::uint64_t> out_bytes;  ///< [node]: bytes on the wire that it sends
  std::vector<Tick> busy;                ///< [rank]: work in which its packets are moved
  std::vector<Tick> descriptors;         ///< cycles in which each processor writes descriptors
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
  Tick slowest = 0;  ///< time of the message that takes longest if it is alone on the machine
};

TransformBounds::TransformBounds(const Blueprint& blueprint, const Machine& machine, Way way,
                                 const Movement& movement)
    : blueprint_(&blueprint),
      machine_(machine),
      movement_(movement),
      parts_(movement.is_combined ? kPayloadBytes : 1),
      mover_(movement.by_engines ? moved_by_engines(machine) : machine),
      way_(way),
      load_(blueprint.shape()),
      processor_(blueprint.shape().size()),
      engine_(blueprint.shape().size()) {}

Tick TransformBounds::cycles(double bytes) const {
  return whole_cycles(bytes * 8 / static_cast<double>(parts_) / machine_.link_bits_per_cycle,
                      "the traffic of one link (link_bits_per_cycle)");
}

const Stage& TransformBounds::stage(std::size_t number) const {
  const auto stages = blueprint_->stages();
  return stages[way_ == Way::forward ? number : stages.size() - 1 - number];
}

TransformBounds::Ends TransformBounds::ends() const {
  const bool forward = way_ == Way::forward;
  const std::size_t number = forward ? next_ - 1 : blueprint_->exchanges().size() - next_;
  const Stage& before = stage(next_ - 1);
  const Stage& after = stage(next_);
  const bool real = forward ? before.real_out : before.real_in;
  return {forward ? &before.out : &before.in, forward ? &after.in : &after.out,
          blueprint_->bytes(real), blueprint_->pieces(number, way_),
          &blueprint_->exchanges()[number]};
}

/// The cost of all pieces of one message. Pieces of the same kind cost the same.
MessageCost TransformBounds::cost_of_pair(const Ends& ends, const NodeLayout& from,
                                          const NodeLayout& to) const {
  MessageCost cost;
  Transfer transfer;
  const auto add = [&](const NodeLayout& part, std::uint64_t pieces) {
    transfer.assign(part, to, ends.bytes);
    transfer.for_each_stretch([&](std::uint64_t elements, std::uint64_t times) {
      const MessageCost stretch = message_cost(machine_, elements * ends.bytes);
      cost.packets += pieces * times * stretch.packets;
      cost.wire_bytes += pieces * times * stretch.wire_bytes;
    });
  };
  const unsigned axis = ends.pieces.axis;
  if (ends.pieces.planes == 0 || from.size() == 0) {
    add(from, 1);
    return cost;
  }
  const std::int64_t begin = from.boxes()[0].lo[axis];
  const PieceCut cut(ends.pieces, from.boxes()[0].length(axis));
  const std::uint32_t long_ones = cut.pieces() - (cut.kinds() - 1);
  if (long_ones > 0) add(from.planes(axis, begin, begin + cut.length(0)), long_ones);
  for (std::uint32_t piece = long_ones; piece < cut.pieces(); ++piece)
    add(from.planes(axis, begin, begin + cut.length(piece)), 1);
  return cost;
}

/// The cost of bytes that share full packets with those of other messages, in parts of a packet.
MessageCost TransformBounds::combined_cost(std::uint64_t payload_bytes) const {
  return {payload_bytes, payload_bytes * machine_.wire_bytes(kMaxChunks)};
}

/// A lower bound on the time of a message alone on the machine, whatever the sizes of its packets:
/// its links share its bytes evenly, and injecting or receiving a packet goes on while others
/// travel.
Tick TransformBounds::cycles_alone(const MessageCost& cost, Rank from, Rank to) const {
  if (cost.packets == 0) return 0;
  const Shape& shape = blueprint_->shape();
  const Coord a = shape.coord(from), b = shape.coord(to);
  if (stays_in_node(shape, a, b)) return memory_message_cycles(machine_, cost);
  const bool by_any_link = !movement_.is_shortest || takes_long_ways(shape);
  const unsigned links =
      by_any_link ? usable_links(shape) : shortest_directions(shape, a, b).size();
  const Tick busiest_link =
      cycles(static_cast<double>(cost.wire_bytes) * static_cast<double>(parts_) / links);
  const Tick ends = (cost.packets - 1) * std::max(mover_.inject_cycles, mover_.receive_cycles) +
                    machine_.wire_cycles(machine_.wire_bytes(1));
  return mover_.inject_cycles + minimal_hops(shape, a, b) * Tick{machine_.hop_latency_cycles} +
         std::max(busiest_link, ends) + mover_.receive_cycles;
}

void TransformBounds::tally_group(const Ends& ends, const Group& group, Tally& tally) const {
  const Shape& shape = blueprint_->shape();
  std::vector<NodeLayout> to;
  for (Rank t = 0; t < group.size(); ++t) to.push_back(ends.to->layout(group.rank(t)));
  for (Rank s = 0; s < group.size(); ++s) {
    const Rank source = group.rank(s);
    const NodeLayout from = ends.from->layout(source);
    for (Rank t = 0; t < group.size(); ++t) {
      if (s == t) continue;
      const Rank target = group.rank(t);
      std::uint64_t payload = 0;
      for (const Box& a : from.boxes())
        for (const Box& b : to[t].boxes())
          payload += static_cast<std::uint64_t>(intersect(a, b).volume()) * ends.bytes;
      const MessageCost alone = cost_of_pair(ends, from, to[t]);
      const MessageCost cost = movement_.is_combined ? combined_cost(payload) : alone;
      const bool stays = stays_in_node(shape, shape.coord(source), shape.coord(target));
      tally.load.add(shape.coord(source), shape.coord(target), cost.wire_bytes);
      tally.out_bytes[shape.ranks().node(source)] += stays ? 0 : cost.wire_bytes;
      tally.busy[source] +=
          cost.packets * (stays ? machine_.memory_packet_cycles : mover_.inject_cycles);
      tally.busy[target] +=
          cost.packets * (stays ? machine_.memory_packet_cycles : mover_.receive_cycles);
      if (movement_.by_engines && cost.packets > 0)
        tally.descriptors[source] += machine_.dma_descriptor_cycles;
      tally.packets += alone.packets;
      tally.payload_bytes += payload;
      // Combined or not, a byte travels in a packet.
      const MessageCost least = movement_.is_combined
                                    ? message_cost(machine_, std::min<std::uint64_t>(1, payload))
                                    : alone;
      tally.slowest = std::max(tally.slowest, cycles_alone(least, source, target));
    }
  }
}

void TransformBounds::begin(Way way) {
  way_ = way;
  next_ = 0;
}

ExchangeBounds TransformBounds::add_stage() {
  ExchangeBounds bounds;
  if (next_ > 0) bounds = add_exchange();
  add_transforms();
  ++next_;
  return bounds;
}

ExchangeBounds TransformBounds::add_exchange() {
  const Ends ends = this->ends();
  const Shape& shape = blueprint_->shape();
  const Rank nodes = shape.size();
  const Shape slice = shape.slice(ends.exchange->first, ends.exchange->last);
  ExchangeBounds exchange;
  Bounds& bounds = exchange.bounds;
  Tally tally{LinkLoad(shape), std::vector<std::uint64_t>(nodes), std::vector<Tick>(nodes),
              std::vector<Tick>(nodes)};
  for (Rank node = 0; node < nodes; ++node) {
    const Group group = ends.exchange->group(shape, node);
    if (group.self() != 0) continue;           // each group is counted once, at its first member
    if (shape.ranks().processor(node) == 0) {  // groups of one node's ranks share its links
      load_.add(tally.load);
      tally.load = LinkLoad(shape);
    }
    tally_group(ends, group, tally);
    bounds.hottest_link =
        std::max(bounds.hottest_link,
                 cycles(tally.load.hottest_bytes(group.size() / slice.ranks().per_node())));
  }
  load_.add(tally.load);
  const double links = std::max(1u, usable_links(slice));
  for (Rank node = 0; node < nodes; ++node) {
    const auto bytes = static_cast<double>(tally.out_bytes[node]);
    bounds.injection = std::max(bounds.injection, cycles(bytes / links));
    add_busy(node, tally, bounds);
  }
  bounds.zero_load = tally.slowest;
  exchange.packets = tally.packets;
  exchange.payload_bytes = tally.payload_bytes;
  for (Tick Bounds::*part : {&Bounds::hottest_link, &Bounds::injection, &Bounds::zero_load})
    largest_.*part = std::max(largest_.*part, bounds.*part);
  const auto payload =
      static_cast<std::uint64_t>(Box::of(ends.from->extents).volume()) * ends.bytes;
  paper_model_ += paper_model_exchange(machine_, slice, payload / nodes * shape.machine_ranks());
  return exchange;
}

void TransformBounds::add_busy(Rank node, const Tally& tally, Bounds& bounds) {
  const bool is_beside = movement_.by_engines || machine_.coprocessor != 0;
  std::vector<Tick>& movers = is_beside ? engine_ : processor_;
  Tick& busiest = movement_.by_engines ? bounds.engine : bounds.processor;
  const Tick busy = (tally.busy[node] + parts_ - 1) / parts_;
  movers[node] += busy;
  busiest = std::max(busiest, busy);
  processor_[node] += tally.descriptors[node];
  bounds.processor = std::max(bounds.processor, tally.descriptors[node]);
}

void TransformBounds::add_transforms() {
  const Stage& stage = this->stage(next_);
  if (stage.is_orbital) return add_orbital();
  const bool forward = way_ == Way::forward;
  const Rank nodes = blueprint_->shape().size();
  Machine ideal = machine_;  // the paper's estimate leaves out memory
  ideal.transpose_cycles = 0;
  Tick sum = 0;
  for (Rank node = 0; node < nodes; ++node) {
    LocalTask task;
    task.from = (forward ? stage.in : stage.out).layout(node);
    task.to = (forward ? stage.out : stage.in).layout(node);
    task.axes = stage.axes;
    task.real_from = forward ? stage.real_in : stage.real_out;
    task.real_to = forward ? stage.real_out : stage.real_in;
    task.backward = !forward;
    task.cores = blueprint_->description().cores;
    processor_[node] += cost_of(task, machine_).cycles;
    sum += cost_of(task, ideal).cycles;
  }
  paper_model_ += sum / nodes;
}

void TransformBounds::add_orbital() {
  const Description& description = blueprint_->description();
  const Shape& shape = blueprint_->shape();
  const OrbitalPlan plan = orbital_plan(description, shape, way_);
  const auto arrays = static_cast<std::uint64_t>(description.batch);
  OrbitalStageBound busy;
  for (unsigned stage = 0; stage < OrbitalPlan::kStages; ++stage) {
    const OrbitalStageBound bound = bound_of_stage(plan, stage, machine_);
    busy.processor += arrays * bound.processor;
    busy.coprocessor += arrays * bound.coprocessor;
    if (plan.extent() == 1) continue;
    for (const OrbitalPlan::MovedBlock& block : plan.moved_blocks(stage)) {
      const MessageCost cost = message_cost(machine_, plan.block_bytes(block));
      const auto add = [&](Rank from, Rank to, std::uint64_t blocks) {
        if (blocks > 0)
          load_.add(shape.coord(from), shape.coord(to), parts_ * arrays * blocks * cost.wire_bytes);
      };
      for (Rank node = 0; node < shape.size(); ++node) {
        const OrbitalPlan::Neighbours ends = plan.ends(block.dimension, node);
        if (block.is_broadcast) {
          add(node, ends.to, plan.extent() / 2);
          add(node, ends.from, (plan.extent() - 1) / 2);
        } else {
          add(node, plan.neighbours(block.dimension, node).to, plan.extent());
        }
      }
    }
  }
  for (Tick& node : processor_) node += busy.processor;
  for (Tick& node : engine_) node += busy.coprocessor;
}

Tick TransformBounds::hottest_link() const {
  return std::max(largest_.hottest_link, cycles(load_.hottest_bytes(blueprint_->shape().nodes())));
}

Bounds TransformBounds::total() const {
  Bounds total = largest_;
  total.hottest_link = hottest_link();
  for (const Tick busy : processor_) total.processor = std::max(total.processor, busy);
  Tick& beside = movement_.by_engines ? total.engine : total.processor;
  for (const Tick busy : engine_) beside = std::max(beside, busy);
  return total;
}

}  // namespace toroid::fft
