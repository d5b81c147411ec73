// Every hardware number of the machine being emulated, with its unit, its range and its source.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "hal/packet.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// The numbers of one machine. The default values are "bgl", the Blue Gene/L. Cycles are cycles of
/// the processor's clock.
struct Machine {
  std::string name = "bgl";

  double clock_hz = 700e6;
  double link_bits_per_cycle = 2;  ///< per direction; both directions can be busy at once
  unsigned wire_overhead_bytes = 14;
  unsigned hop_latency_cycles = 69;

  unsigned dynamic_vc_chunks = 32;   ///< room of each of the two dynamic channels of a link
  unsigned bubble_vc_chunks = 32;    ///< room of the bubble escape channel
  unsigned priority_vc_chunks = 32;  ///< room of the bubble priority channel
  unsigned bubble_reserve_chunks = 8;

  unsigned injection_fifos = 6;
  unsigned priority_injection_fifos = 2;
  unsigned injection_fifo_chunks = 32;
  unsigned reception_fifos = 12;
  unsigned priority_reception_fifos = 2;
  unsigned reception_fifo_chunks = 32;

  unsigned arbitration_period = 210;
  unsigned arbitration_fullest = 157;
  unsigned both_hints = 0;          ///< 1 if a header may have both hints of a dimension
  unsigned tie_choice = 6;          ///< the TieRule of hal/route.hpp of policies that name none
  unsigned arbitration_choice = 1;  ///< a FairnessRule of router/rules/arbitration.hpp

  // Properties of the routers that no published text describes. With these defaults they have no
  // effect.
  unsigned input_reads = 4;  ///< packets that can leave an input port's channels at the same time
  unsigned token_return_cycles = 0;
  unsigned escape_wait_cycles = 0;

  unsigned inject_cycles = 150;
  unsigned receive_cycles = 200;
  double fft_cycles_factor = 2;
  double transpose_cycles = 0;
  double fma_cycles = 1;

  // The processors of a node, if it has several.
  unsigned coprocessor =
      0;  ///< 1 if a second processor sends and receives while the first computes
  unsigned memory_packet_cycles = 100;  ///< per packet between ranks of a node, at each of its ends

  // The optional DMA engine, which injects and receives packets in place of the processor.
  unsigned dma_descriptor_cycles = 0;  ///< processor, per message
  unsigned dma_inject_cycles = 0;      ///< engine, per packet; 0 if there is no engine
  unsigned dma_receive_cycles = 0;     ///< engine, per packet

  // Message passing: software above the packets, see packet/message_passing.
  unsigned message_cycles = 0;         ///< processor, per message, at each of its two ends
  unsigned message_packet_cycles = 0;  ///< per packet at each end, in addition to inject_cycles or
                                       ///< receive_cycles
  unsigned collective_cycles = 0;      ///< per call of a collective operation
  double copy_cycles_per_byte = 0;     ///< per byte that is packed, unpacked or buffered
  unsigned eager_bytes = 1000;         ///< longer messages are announced before they are sent

  // Link errors: see hal/link_errors.hpp.
  double link_error_rate = 0;        ///< per packet on every link; if 0, links are not checked
  unsigned link_timeout_cycles = 0;  ///< see acknowledgement_cycles()

  // Not hardware: for the fabrics shm and ofi, whose links are in memory.
  unsigned ring_slots = 0;  ///< least capacity of a channel in packets; 0 if the fabric chooses it

  /// [key of a field]: the source of its value, if it differs from the field's origin.
  std::map<std::string, std::string, std::less<>> sources;

  bool operator==(const Machine&) const = default;

  /// Bytes that a packet of this many chunks occupies on a link.
  unsigned wire_bytes(unsigned chunks) const { return chunks * kChunkBytes + wire_overhead_bytes; }
  /// Cycles that a link is busy with this many bytes, rounded up.
  Tick wire_cycles(std::uint64_t bytes) const;
  /// Cycles from the departure of a packet's tail until the packet is resent, if no acknowledgement
  /// has arrived. If link_timeout_cycles is 0, this is the time of a round trip in which the
  /// acknowledgement waits for a full packet.
  Tick acknowledgement_cycles() const;
  unsigned channel_chunks(VirtualChannel channel) const;
  bool has_dma_engine() const { return dma_inject_cycles > 0; }
};

/// The source of a number.
enum class Origin : char {
  paper = 'P',    ///< the volumetric FFT paper
  patent = 'T',   ///< the FFT-on-torus patent
  ibm = 'H',      ///< IBM's published packet-layer headers, register maps and papers
  assumed = 'A',  ///< nobody published it: an assumption, never to be attributed to IBM
};

using MachineMember = std::variant<unsigned Machine::*, double Machine::*>;

/// One number of the machine: its key in a machine file, its unit, its range and its meaning.
struct MachineField {
  std::string_view key;
  std::string_view unit;
  Origin origin;
  double min;
  double max;
  MachineMember member;
  std::string_view meaning;
};

/// All fields, in the order of the struct.
std::span<const MachineField> machine_fields();

double value_of(const Machine& machine, const MachineField& field);
/// Throws BadInput if the value is outside the field's range, or is a fraction although the field
/// takes whole numbers.
void set_value(Machine& machine, const MachineField& field, double value);
/// Throws BadInput if two numbers contradict each other, for example if a buffer holds less than a
/// full packet.
void check_consistent(const Machine& machine);

}  // namespace toroid
