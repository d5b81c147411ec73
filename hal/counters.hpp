// Counters that every fabric keeps in every run: per link, per virtual channel, per injection FIFO,
// per node.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// Counters of one direction of one link.
struct LinkCounters {
  std::array<std::uint32_t, kVirtualChannels> packets{};  ///< per virtual channel
  std::uint64_t wire_bytes = 0;

  std::uint64_t total_packets() const {
    std::uint64_t total = 0;
    for (const auto p : packets) total += p;
    return total;
  }
};

/// Counters of one FIFO: of one node, or added up over nodes.
struct FifoCounters {
  std::uint32_t packets = 0;
  std::uint16_t most_chunks = 0;  ///< the most chunks it held at once
  /// Chunks that it held when a packet had come, summed over packets.
  std::uint64_t chunks_sum = 0;
  /// Cycles in which its first packet waited for a link; counted on `sim` only.
  std::uint64_t stalled_cycles = 0;

  /// Counts `count` packets that have come; now the FIFO holds `chunks`.
  void note(std::uint32_t count, unsigned chunks) {
    packets += count;
    most_chunks = std::max(most_chunks, static_cast<std::uint16_t>(chunks));
    chunks_sum += std::uint64_t{chunks} * count;
  }
  FifoCounters& operator+=(const FifoCounters& other) {
    packets += other.packets;
    most_chunks = std::max(most_chunks, other.most_chunks);
    chunks_sum += other.chunks_sum;
    stalled_cycles += other.stalled_cycles;
    return *this;
  }
};

/// Adds the counters of FIFOs to those of the same numbers. An empty list stands for zeros.
inline void add_to(std::vector<FifoCounters>& sums, const std::vector<FifoCounters>& fifos) {
  sums.resize(std::max(sums.size(), fifos.size()));
  for (std::size_t f = 0; f < fifos.size(); ++f) sums[f] += fifos[f];
}

/// Leaves out the FIFOs of high priority, which follow the `normal` others of each node, if no node
/// has used them. `fifos`: [node · FIFOs per node + FIFO].
inline void leave_out_unused_priority(std::vector<FifoCounters>& fifos, std::size_t normal,
                                      std::size_t nodes) {
  const std::size_t per_node = fifos.size() / nodes;
  if (per_node <= normal) return;
  std::vector<FifoCounters> kept;
  for (std::size_t i = 0; i < fifos.size(); ++i) {
    if (i % per_node < normal)
      kept.push_back(fifos[i]);
    else if (fifos[i].packets > 0)
      return;
  }
  fifos = std::move(kept);
}

/// What one node did in a run.
struct NodeTotals {
  Tick finished = 0;   ///< when its program ended, by the node's clock; 0 if it has not ended
  Tick last_sent = 0;  ///< when it wrote its last packet into an injection FIFO; on `sim` only
  std::uint64_t sent_packets = 0;      ///< including packets of messages that moved by put
  std::uint64_t received_packets = 0;  ///< the same
  // Bytes on the wire; counted in virtual time only.
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  // Payload; counted in wall-clock time only.
  std::uint64_t packet_bytes = 0;  ///< in packets that it sent
  std::uint64_t put_bytes = 0;     ///< in puts that it received

  NodeTotals& operator+=(const NodeTotals& other) {
    finished = std::max(finished, other.finished);
    last_sent = std::max(last_sent, other.last_sent);
    sent_packets += other.sent_packets;
    received_packets += other.received_packets;
    sent_bytes += other.sent_bytes;
    received_bytes += other.received_bytes;
    packet_bytes += other.packet_bytes;
    put_bytes += other.put_bytes;
    return *this;
  }
};

/// Errors and checksums of one direction of a link, from its two ends.
struct LinkHealth {
  std::uint64_t errors = 0;        ///< transmissions that were lost, refused or duplicated
  std::uint64_t repeats = 0;       ///< packets that were sent again
  std::uint32_t sent_crc = 0;      ///< CRC over all packets sent, in order; repeats do not count
  std::uint32_t received_crc = 0;  ///< CRC over all packets accepted; equal to sent_crc if the link
                                   ///< works
};

/// Packets that can no longer arrive because links or nodes have failed on their way.
struct LostPackets {
  Rank source;  ///< on sim, the origin of the packets; on shm and ofi, where packets do not name
                ///< their origin, the node where they got stuck
  Rank destination;
  std::uint64_t packets;
};

/// Errors, summed over all links of a machine and over the connections between processes.
struct LinkErrorCounters {
  std::uint64_t errors = 0;
  std::uint64_t repeats = 0;
  std::uint64_t crc_mismatches = 0;  ///< links whose two CRCs differ

  LinkErrorCounters& operator+=(const LinkErrorCounters& other) {
    errors += other.errors;
    repeats += other.repeats;
    crc_mismatches += other.crc_mismatches;
    return *this;
  }
  void add(const LinkHealth& link) {
    errors += link.errors;
    repeats += link.repeats;
    crc_mismatches += link.sent_crc != link.received_crc ? 1 : 0;
  }
};

/// Counters of the whole machine, summed over its processes.
struct FabricCounters {
  Tick end = 0;                   ///< when the last event happened
  std::uint64_t packets = 0;      ///< injected, including packets of messages that moved by put
  std::uint64_t delivered = 0;    ///< handed to a processor
  std::uint64_t packet_hops = 0;  ///< links crossed, summed over packets
  std::uint64_t events = 0;       ///< events of the model; 0 in wall-clock time
  std::uint64_t refused = 0;      ///< packets with malformed headers, which no handler gets
  // The next four are counted in wall-clock time only.
  std::uint64_t puts = 0;          ///< descriptors of messages that moved by put
  std::uint64_t put_bytes = 0;     ///< bytes moved by puts, either copied once or packed
  std::uint64_t packed_bytes = 0;  ///< part of put_bytes that was packed and unpacked
  std::uint64_t packet_bytes = 0;  ///< payload bytes in packets, copied into a packet and out of it
  /// Number of refused frames, by reason; for example, frames that were damaged or came from
  /// another job.
  std::map<std::string, std::uint64_t> refused_frames;
  std::vector<LinkCounters> links;  ///< [node · shape.links() + direction]
  bool links_are_checked = false;
  LinkErrorCounters link_errors;  ///< counted if links are checked
  /// [node · shape.links() + direction]. Empty if links are not checked.
  std::vector<LinkHealth> health;
  std::vector<FifoCounters> fifos;  ///< [node · FIFOs per node + FIFO]
  /// [FIFO]: reception FIFOs, added up over all nodes. Empty if packets pass none. In wall-clock
  /// time packets that the processor takes out of a link's ring pass none.
  std::vector<FifoCounters> reception;
  std::vector<NodeTotals> nodes;    ///< [rank]
  std::vector<std::string> deaths;  ///< "(0,0,0)X+ failed at cycle 5000", in order of time
  std::vector<LostPackets> lost;    ///< sorted by source, then by destination
};

/// Leaves out the injection and reception FIFOs of high priority that no node has used.
inline void leave_out_unused_priority(FabricCounters& counters, const Machine& machine,
                                      std::size_t nodes) {
  leave_out_unused_priority(counters.fifos, machine.injection_fifos, nodes);
  leave_out_unused_priority(counters.reception, machine.reception_fifos, 1);
}

}  // namespace toroid
