#include "hal/machine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "hal/check.hpp"
#include "hal/route.hpp"

namespace toroid {
namespace {

using enum Origin;
using M = Machine;

constexpr std::array kFields = {
    MachineField{"clock_hz", "Hz", paper, 1e3, 1e12, &M::clock_hz, "processor clock"},
    MachineField{"link_bits_per_cycle", "bit/cycle", paper, 1e-3, 1e5, &M::link_bits_per_cycle,
                 "link rate, each direction"},
    MachineField{"wire_overhead_bytes", "B", ibm, 0, 1024, &M::wire_overhead_bytes,
                 "added to every packet on the wire"},
    MachineField{"hop_latency_cycles", "cycles", assumed, 1, 1e6, &M::hop_latency_cycles,
                 "time of a header from one router to the next"},
    MachineField{"dynamic_vc_chunks", "chunks", assumed, 8, 8192, &M::dynamic_vc_chunks,
                 "buffer of each dynamic channel D0, D1"},
    MachineField{"bubble_vc_chunks", "chunks", assumed, 8, 8192, &M::bubble_vc_chunks,
                 "buffer of the bubble channel BN"},
    MachineField{"priority_vc_chunks", "chunks", assumed, 8, 8192, &M::priority_vc_chunks,
                 "buffer of the priority channel BP"},
    MachineField{"bubble_reserve_chunks", "chunks", assumed, 8, 8192, &M::bubble_reserve_chunks,
                 "room that must stay free when a packet enters a bubble ring"},
    MachineField{"injection_fifos", "", ibm, 1, 14, &M::injection_fifos,
                 "injection FIFOs per node, normal priority"},
    MachineField{"priority_injection_fifos", "", ibm, 0, 2, &M::priority_injection_fifos,
                 "injection FIFOs per node, high priority"},
    MachineField{"injection_fifo_chunks", "chunks", ibm, 8, 8192, &M::injection_fifo_chunks,
                 "room of each injection FIFO"},
    MachineField{"reception_fifos", "", ibm, 1, 48, &M::reception_fifos,
                 "reception FIFOs per node, normal priority"},
    MachineField{"priority_reception_fifos", "", ibm, 0, 2, &M::priority_reception_fifos,
                 "reception FIFOs per node, high priority"},
    MachineField{"reception_fifo_chunks", "chunks", ibm, 8, 8192, &M::reception_fifo_chunks,
                 "room of each reception FIFO"},
    MachineField{"arbitration_period", "cycles", ibm, 1, 1e6, &M::arbitration_period,
                 "period of link arbitration among FIFOs"},
    MachineField{
        "arbitration_fullest", "cycles", ibm, 0, 1e6, &M::arbitration_fullest,
        "part of the period in which the fullest FIFO wins; in the rest a random one wins"},
    MachineField{
        "both_hints", "", ibm, 0, 1, &M::both_hints,
        "1 if a header may have both hints of a dimension, as --tie both sets them; on the "
        "Blue Gene/L this is an error"},
    MachineField{"tie_choice", "", assumed, 0, 6, &M::tie_choice,
                 "the default of --tie: 0 parity, 1 split, 2 plus, 3 minus, 4 balanced, 5 both, 6 "
                 "alternate"},
    MachineField{
        "arbitration_choice", "", assumed, 0, 3, &M::arbitration_choice,
        "which of equally full FIFOs wins: 0 usually the lowest (even if a random one should win), "
        "and lower links choose first; 1 any, and the link with the most tokens chooses first; 2 "
        "as 1, but packets that go straight on win; 3 as 1, but packets that turn win"},
    MachineField{"input_reads", "", assumed, 1, 4, &M::input_reads,
                 "packets that can leave the channels of an input port at the same time"},
    MachineField{"token_return_cycles", "cycles", assumed, 0, 1e6, &M::token_return_cycles,
                 "delay from a tail leaving a buffer until the sender upstream knows of the room"},
    MachineField{"escape_wait_cycles", "cycles", assumed, 0, 1e6, &M::escape_wait_cycles,
                 "wait of an adaptive packet at the head of a FIFO before it may enter a bubble "
                 "ring"},
    MachineField{"inject_cycles", "cycles", assumed, 0, 1e9, &M::inject_cycles,
                 "processor, per packet injected"},
    MachineField{"receive_cycles", "cycles", assumed, 0, 1e9, &M::receive_cycles,
                 "processor, per packet received and handled"},
    MachineField{"fft_cycles_factor", "", paper, 0, 1e6, &M::fft_cycles_factor,
                 "a line of n points takes factor*n*log2(n) cycles; 2 follows from Table 1's model "
                 "column, the paper's text says 8"},
    MachineField{"transpose_cycles", "cycles", assumed, 0, 1e6, &M::transpose_cycles,
                 "memory, per point of a transformed line: to load it and store it back"},
    MachineField{"fma_cycles", "cycles", assumed, 0, 1e6, &M::fma_cycles,
                 "per real fused multiply-add of a matrix product"},
    MachineField{"coprocessor", "", assumed, 0, 1, &M::coprocessor,
                 "1 if a second processor of each node sends and receives, so that the first can "
                 "compute meanwhile"},
    MachineField{"memory_packet_cycles", "cycles", assumed, 0, 1e9, &M::memory_packet_cycles,
                 "processor, per packet to or from another rank of its node: to copy it"},
    MachineField{"dma_descriptor_cycles", "cycles", assumed, 0, 1e9, &M::dma_descriptor_cycles,
                 "processor, per message handed to the DMA engine"},
    MachineField{"dma_inject_cycles", "cycles", assumed, 0, 1e9, &M::dma_inject_cycles,
                 "DMA engine, per packet cut from a descriptor; 0 if there is no engine"},
    MachineField{"dma_receive_cycles", "cycles", assumed, 0, 1e9, &M::dma_receive_cycles,
                 "DMA engine, per packet received and stored"},
    MachineField{"message_cycles", "cycles", assumed, 0, 1e9, &M::message_cycles,
                 "processor, per message at each end: to post and match it (message passing)"},
    MachineField{"message_packet_cycles", "cycles", assumed, 0, 1e9, &M::message_packet_cycles,
                 "processor, per packet, added to inject_ or receive_cycles (message passing)"},
    MachineField{"collective_cycles", "cycles", assumed, 0, 1e9, &M::collective_cycles,
                 "processor, per call of a collective operation (message passing)"},
    MachineField{"copy_cycles_per_byte", "cycles/B", assumed, 0, 1e6, &M::copy_cycles_per_byte,
                 "processor, per byte packed, unpacked or buffered (message passing)"},
    MachineField{"eager_bytes", "B", assumed, 0, 1e9, &M::eager_bytes,
                 "longest message sent eagerly; longer ones use rendezvous"},
    MachineField{"link_error_rate", "", assumed, 0, 0.5, &M::link_error_rate,
                 "errors per packet on every link; if 0, links make no errors and are not checked"},
    MachineField{"link_timeout_cycles", "cycles", assumed, 0, 1e9, &M::link_timeout_cycles,
                 "from a tail's departure until the packet is resent if no acknowledgement "
                 "comes; if 0, the time of two hops, a full packet and an acknowledgement"},
    MachineField{"ring_slots", "packets", assumed, 0, 8191, &M::ring_slots,
                 "minimum capacity of a channel of a link in memory (shm, ofi); if 0, up to 2048, "
                 "fewer if there are many links"},
};

}  // namespace

Tick Machine::wire_cycles(std::uint64_t bytes) const {
  return whole_cycles(static_cast<double>(bytes) * 8 / link_bits_per_cycle,
                      "the traffic of one link (link_bits_per_cycle)");
}

Tick Machine::acknowledgement_cycles() const {
  if (link_timeout_cycles > 0) return link_timeout_cycles;
  return 2 * Tick{hop_latency_cycles} + wire_cycles(wire_bytes(kMaxChunks)) +
         wire_cycles(wire_bytes(1));
}

unsigned Machine::channel_chunks(VirtualChannel channel) const {
  if (channel <= VirtualChannel::dynamic1) return dynamic_vc_chunks;
  return channel == VirtualChannel::bubble ? bubble_vc_chunks : priority_vc_chunks;
}

std::span<const MachineField> machine_fields() {
  return kFields;
}

double value_of(const Machine& machine, const MachineField& field) {
  return std::visit([&](auto member) { return static_cast<double>(machine.*member); },
                    field.member);
}

void set_value(Machine& machine, const MachineField& field, double value) {
  if (!(value >= field.min && value <= field.max))
    throw BadInput(fmt::format("{} = {} is out of range; expected {} to {} {}", field.key, value,
                               field.min, field.max, field.unit));
  if (const auto* real = std::get_if<double Machine::*>(&field.member)) {
    machine.*(*real) = value;
    return;
  }
  if (value != std::floor(value))
    throw BadInput(fmt::format("{} = {} is not a whole number", field.key, value));
  machine.*std::get<unsigned Machine::*>(field.member) = static_cast<unsigned>(value);
}

void check_consistent(const Machine& m) {
  const auto refuse = [&](std::string_view why) {
    throw BadInput(fmt::format("machine '{}': {}", m.name, why));
  };
  const unsigned entering = kMaxChunks + m.bubble_reserve_chunks;
  if (std::min(m.bubble_vc_chunks, m.priority_vc_chunks) < entering)
    refuse(fmt::format("a bubble channel holds fewer than the {} chunks needed to enter it",
                       entering));
  if (m.arbitration_fullest > m.arbitration_period)
    refuse("arbitration_fullest is longer than arbitration_period");
  if (static_cast<TieRule>(m.tie_choice) == TieRule::both && m.both_hints == 0)
    refuse("tie_choice = 5 needs headers with both hints of a dimension; set both_hints = 1");
  if (!m.has_dma_engine() && (m.dma_descriptor_cycles > 0 || m.dma_receive_cycles > 0))
    refuse(
        "dma_descriptor_cycles and dma_receive_cycles need a DMA engine; set "
        "dma_inject_cycles to at least 1");
}

}  // namespace toroid
