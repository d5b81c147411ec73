// A node performs its rank's part of a schedule: it sends, receives and computes. An operation
// begins when those that it waits for are done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/tick.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/replay/schedule_graph.hpp"

namespace toroid {

/// The ticks at which each message was begun (at the sender) and was complete (at the receiver), by
/// the graph's message numbers. The nodes of a process share it; each writes its own entries.
struct MessageTimes {
  explicit MessageTimes(const ScheduleGraph& graph)
      : begun(graph.messages().size()), ended(graph.messages().size()) {}
  std::vector<Tick> begun;
  std::vector<Tick> ended;
};

struct ReplayOptions {
  std::uint32_t packets_per_visit = 1;  ///< packets of a message before the next message has its
                                        ///< turn
  bool payload = false;                 ///< whether bytes travel; if not, packets are empty, but
                                        ///< have the same length on the wire
};

/// One node's part of a schedule. A send is done when its packets are in the output queues, a
/// receive when all its packets have come. A processor computes one thing at a time, and handles no
/// packets meanwhile. A message from a rank to itself arrives at once.
class Replay final : public Outgoing, public PayloadSource {
 public:
  /// `graph` and `times` must outlive this. A node whose rank is not in the graph is idle. Throws
  /// BadInput if the node is dead and has operations, or if it exchanges messages with a dead node.
  Replay(Node& node, HandlerId handler, const ScheduleGraph& graph, MessageTimes& times,
         const ReplayOptions& options);
  ~Replay() override { attachment_.detach(queued_ > 0); }
  static Program program(Node& node, Replay& replay);

  bool done() const { return left_ == 0; }
  /// Whether the program has something to do: a computation, a wait for a time, or its end.
  bool wants_program() const { return done() || !computations_.empty() || !timed_.empty(); }
  std::string text() const;

  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  struct Sending {
    std::uint32_t message;
    std::uint64_t packet;  ///< the next packet
  };
  struct Timed {
    Tick when;
    OperationId send;
    bool operator>(const Timed& other) const {
      return when != other.when ? when > other.when : send > other.send;
    }
  };
  struct Progress {
    std::uint32_t waits = 0;    ///< operations that it waits for
    std::uint64_t packets = 0;  ///< packets of a receive that are still to come
    bool begun = false;
  };

  Progress& progress(OperationId id) { return progress_[id - first_]; }
  void start();
  void release(OperationId id);
  void begin_ready();
  void begin(OperationId id);
  void send(OperationId id);
  void finish(OperationId id);
  void arrive(const Packet& packet);
  void take_packets(std::uint32_t message, std::uint64_t packets);
  std::uint32_t visit(const Sending& sending, OutputQueues& queues);
  Tick begin_computation() const;
  void end_computation();
  void begin_timed();

  Node* node_;
  HandlerId handler_;
  const ScheduleGraph* graph_;
  MessageTimes* times_;
  ReplayOptions options_;
  OperationId first_ = 0;
  std::uint32_t left_ = 0;  ///< operations that are not done
  std::vector<Progress> progress_;
  std::vector<OperationId> ready_;  ///< operations to begin
  bool beginning_ = false;
  std::deque<OperationId> computations_;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> timed_;
  std::deque<Sending> sending_;
  bool posted_ = false;
  std::uint64_t queued_ = 0;  ///< packets with payload that have not left
  Attachment attachment_;
};

}  // namespace toroid
