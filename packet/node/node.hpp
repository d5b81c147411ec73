// Node: the active-packet layer of one node. Handlers run when packets arrive; a program is a
// coroutine that sends, computes and waits.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/device.hpp"
#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/drain.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/machine.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/packet_times.hpp"
#include "hal/processor.hpp"
#include "hal/put.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/route_table.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/barrier.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/exposed_memory.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/inline_payloads.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"

namespace toroid {

class Agreement;
class Policy;

struct NodeOptions {
  std::uint64_t seed = 1;
  PolicySettings settings{};            ///< settings with which the node and its queues are built
  const Policy* policy = nullptr;       ///< policy of its exchanges; null for `random`
  SettingChanges changes{};             ///< changes to the settings of its exchanges' policy
  std::uint32_t packets_per_visit = 1;  ///< b, if neither the policy nor `changes` set it
  TransferMode transfer = TransferMode::automatic;
  unsigned named_queues = 0;        ///< additional output queues, each for one kind of packet
  MessageRecord* record = nullptr;  ///< records the messages of all nodes; null for no record
  Agreement* agreement = nullptr;   ///< compares the nodes' plans; Runner sets it to its own
};

/// When a source of packets wants to be asked again even if nothing happens until then.
class NextLook {
 public:
  static NextLook never() { return NextLook(kNever); }
  /// In another turn at once, because the time has come during this turn.
  static NextLook at_once() { return NextLook(kAtOnce); }
  /// REQUIRES: `when` is in the future.
  static NextLook at(Tick when) { return NextLook(when); }

  bool is_never() const { return when_ == kNever; }
  bool is_at_once() const { return when_ == kAtOnce; }
  /// REQUIRES: is_never() and is_at_once() are false.
  Tick when() const {
    TOROID_CHECK(!is_never() && !is_at_once());
    return when_;
  }

 private:
  static constexpr Tick kAtOnce = 0;  ///< never the time of an at(): the first turn is at 0, so
                                      ///< every future time is later
  static constexpr Tick kNever = ~Tick{0};
  explicit NextLook(Tick when) : when_(when) {}
  Tick when_;
};

/// A source of packets, such as the patent's FIG. 9. It fills the output queues bit by bit, when
/// they have room. The node's own thread calls it.
class Outgoing {
 public:
  virtual ~Outgoing() = default;
  /// Queues as much as there is room for. Returns true if everything has been queued.
  virtual bool fill(OutputQueues& queues) = 0;
  /// Prefetches what fill() touches besides the object itself.
  virtual void prefetch() const {}
  /// When to call fill() again. Asked at the end of a turn if the source has not queued everything.
  virtual NextLook next_look() { return NextLook::never(); }
};

class SendAwaiter;
class UntilAwaiter;
class ComputeAwaiter;
class SleepAwaiter;
class BarrierAwaiter;
class PerformAwaiter;

/// The active-packet layer of one node. Its fabric runs it (Processor), on one thread at a time. It
/// touches the hardware through its Device only. It must outlive the run.
class alignas(64) Node final : public Processor, private PacketSink {
 public:
  using Handler = std::function<void(const Packet&)>;
  /// A handler that owns nothing and is called as `run(context, packet)`. If `put` is set, the
  /// handler is a window too: `put` copies the data of a put and returns the number of bytes.
  struct PlainHandler {
    void (*run)(void* context, const Packet&) = nullptr;
    void* context = nullptr;
    std::size_t (*put)(void* context, const PutDescriptor&) = nullptr;

    /// Calls a member function of `object` with every packet.
    template <auto member, typename T>
    static PlainHandler of(T* object) {
      return {
          .run = [](void* self, const Packet& packet) { (static_cast<T*>(self)->*member)(packet); },
          .context = object};
    }
  };
  /// Sets the handler with number `id`. It runs whenever a packet for it arrives, on the node's own
  /// thread. It may post packets but must never wait.
  /// **Lifetime:** a handler that a program sets ends with that program or part of a program,
  /// because it may refer to its locals: a packet that arrives later ends the run. A handler that
  /// is set before the run, or in another handler, ends with the node.
  void on(HandlerId id, Handler handler);
  /// The same for a plain handler, whose `context` must live as long as the handler.
  void on(HandlerId id, PlainHandler handler);
  /// The same for a handler of an object, which ends with the object. REQUIRES: `object` is
  /// attached to this node or to the processor whose DMA engine this node is, and the handler's
  /// context lies in it.
  void on(const Attachment& object, HandlerId id, PlainHandler handler);
  /// Keeps an object that packets may still reach until the node is destroyed.
  void keep(std::shared_ptr<void> object);
  /// Reserves `count` handler numbers for the caller and returns the first. They are taken from the
  /// highest downwards, so they are equal on all nodes if all nodes reserve the same counts in the
  /// same order. Throws BadInput if fewer than `count` are left.
  HandlerId reserve_handlers(unsigned count);
  /// Registers memory that other nodes may write from now on. Returns false if some of it is
  /// registered already.
  [[nodiscard]] bool try_expose(std::span<const std::byte> memory) {
    return exposed_.try_add(memory);
  }
  /// Other nodes no longer write this memory. REQUIRES: it was registered as a whole.
  void hide(std::span<const std::byte> memory) { exposed_.remove(memory); }

  /// Throws RunFailed if an object has received something that no program has taken
  /// (Attachment::ask_at_end()). REQUIRES: the run has ended.
  void check_end() const;

  explicit Node(Device& device, const NodeOptions& options = {});
  /// The same with options that many nodes share. REQUIRES: `options` is not null.
  Node(Device& device, std::shared_ptr<const NodeOptions> options);
  Node(const Node&) = delete;
  ~Node();

  /// Sets the program that this node runs. Throws BadInput after the node's first turn.
  void run(Program program);

  Rank rank() const { return rank_; }
  /// Nodes of one lane never run at the same time.
  unsigned lane() const { return device_->lane(); }
  /// How the fabric can move messages to node `to` by put.
  PutReach put_reach(Rank to) const { return device_->put_reach(to); }
  /// The node's DMA engine: a node without a program that fills, drains and receives in the
  /// engine's time. Null if there is no engine.
  Node* dma() { return dma_.get(); }
  /// Keeps the processor busy with software for `cycles` of virtual time; without virtual time this
  /// does nothing. Handlers may call it too.
  void spend(Tick cycles) { device_->compute(cycles); }
  /// Charges the processor for handing descriptors of `messages` messages to the DMA engine.
  void write_descriptors(std::uint64_t messages) {
    spend(messages * machine().dma_descriptor_cycles);
  }
  /// Asks for a turn at `when`, which is in the future. Does nothing on the wall clock, where nodes
  /// take turns all the time.
  void look_at(Tick when) { (void)device_->try_wake_at(when); }
  Rank size() const { return device_->shape().size(); }
  const Coord& coord() const { return coord_; }
  const Shape& shape() const { return device_->shape(); }
  const Machine& machine() const { return device_->machine(); }
  const NodeOptions& options() const { return *options_; }
  /// A seed that differs from those of all other nodes.
  std::uint64_t private_seed() const { return mix64(options_->seed) ^ rank_; }
  /// The record of this node's messages; null if they are not recorded.
  RankRecord* record() const { return record_; }
  Tick now() const { return device_->now(); }
  bool has_virtual_time() const { return device_->has_virtual_time(); }
  /// Adds the time that sending and receiving take to `times` from now on. If `times` is null, as
  /// it is at first, nothing is measured. `times` must outlive the measurement.
  void time_packets(PacketTimes* times) {
    packet_times_ = times;
    device_->time_packets(times);
  }

  /// All other nodes, each once, in this node's own random order.
  SendOrder random_order() const { return {OrderRule::random, rank_, size(), private_seed()}; }

  // What a program awaits with co_await.
  /// Sends one packet with a value of at most 240 bytes; waits only while its output queue is full.
  template <typename T>
  requires std::is_trivially_copyable_v<T> SendAwaiter send(Rank to, HandlerId handler,
                                                            const T& value,
                                                            std::uint32_t argument = 0);
  /// The same with high priority: the packet has an output queue and injection FIFOs of its own,
  /// travels in the priority channel, and goes before normal packets wherever both wait for a link.
  /// Such packets may overtake one another, because they leave by several FIFOs.
  /// On routes without links it is a packet like others. Throws BadInput if the machine has no
  /// injection FIFOs of high priority.
  template <typename T>
  requires std::is_trivially_copyable_v<T> SendAwaiter send_urgent(Rank to, HandlerId handler,
                                                                   const T& value,
                                                                   std::uint32_t argument = 0);
  /// Waits until the counter has reached n.
  UntilAwaiter until(const Counter& counter, std::uint64_t n);
  /// Computes for `cycles` of virtual time; without virtual time this takes no time. Queued packets
  /// that find room leave first.
  ComputeAwaiter compute(Tick cycles);
  /// Call this before a long computation that compute() does not announce. Queued packets that find
  /// room leave, if the network would otherwise not get them before the program's next await. On
  /// models this does nothing.
  void leave();
  /// Lets the node take one turn: handles the packets that have come and sends those that find
  /// room. On a model this takes time, at least one cycle, like any turn.
  ComputeAwaiter progress();
  /// Waits until virtual time reaches `when`, or longer if the processor is busy then. Packets are
  /// sent and handled meanwhile. On the wall clock it does not wait.
  SleepAwaiter sleep_until(Tick when);
  /// Waits until another program, a part of this one, has ended. The part runs in this program's
  /// place, and may have parts itself. An exception in a part ends the run. `part` must outlive the
  /// await. The program must await the result before anything else; otherwise the run ends. It also
  /// ends if parts are nested more than 250 deep, or if a handler calls this.
  PerformAwaiter perform(Program& part);
  /// Waits until every node has reached this barrier. REQUIRES: no two barriers of one node
  /// overlap.
  BarrierAwaiter barrier();

  // What a handler may call: none of these waits.
  /// Queues one packet; its output queue grows if necessary.
  void post(Rank to, HandlerId handler, std::span<const std::byte> payload,
            std::uint32_t argument = 0);
  /// The same with high priority, as send_urgent() has it.
  void post_urgent(Rank to, HandlerId handler, std::span<const std::byte> payload,
                   std::uint32_t argument = 0);
  /// Queues a ready-made packet in a named queue.
  void post(const SendDescriptor& descriptor, unsigned named_queue);
  /// Adds a source that fills the queues from now on, as soon as the sources added before it have
  /// queued everything. It must live until its fill() has returned true.
  void post(Outgoing& outgoing);
  /// Sends one packet at once if no other packet waits to be sent, the node has had its first turn,
  /// and the fabric can send it at once (Device::try_pass()). Returns false if it did nothing.
  [[nodiscard]] bool try_pass(const SendDescriptor& descriptor,
                              std::span<const std::byte> payload) {
    return started_ && filling_ == nullptr && queues_.empty() &&
           device_->try_pass(descriptor, payload);
  }
  [[nodiscard]] bool try_send(Rank to, HandlerId handler, std::span<const std::byte> payload,
                              std::uint32_t argument);
  [[nodiscard]] bool try_send_urgent(Rank to, HandlerId handler, std::span<const std::byte> payload,
                                     std::uint32_t argument);

  /// Describes packets from this node; the caller sets the source, the cookie and the number of
  /// packets. REQUIRES: `chunks` is at least what the payload needs.
  SendDescriptor descriptor(Rank to, HandlerId handler, unsigned payload_bytes,
                            std::uint32_t argument, unsigned chunks) {
    return descriptor(to, header(handler, payload_bytes, argument, chunks));
  }
  /// A header of this node's packets without destination, hints and order of dimensions.
  PacketHeader header(HandlerId handler, unsigned payload_bytes, std::uint32_t argument,
                      unsigned chunks) const;
  /// Describes packets to a node, given a header that header() has made.
  SendDescriptor descriptor(Rank to, const PacketHeader& header);

  TurnResult turn() override;
  void prefetch() const override;
  void prefetch_rest() const override;
  Processor* engine() override { return dma_.get(); }
  std::uint64_t queued() const override;
  bool finished() const override;
  std::string waits_for() const override;
  std::uint64_t turns_taken() const override { return turns_.load(std::memory_order_relaxed); }
  std::string doing() const override;
  /// The time at which the program ended, in ticks; 0 if it has not ended.
  Tick finished_at() const override { return finished_at_; }
  /// Counts of filling and draining the output queues so far, including the DMA engine's.
  FlowchartProfile profile() const;

  /// A coroutine cannot be saved. A node that is loaded needs a new program. The first await of
  /// this program must be the one at which the saved program stood, and the program must change
  /// nothing before it. REQUIRES: the archive knows everything that has been posted; no part of the
  /// program runs; nothing is recorded.
  template <typename Archive>
  void serialize(Archive& archive) {
    TOROID_CHECK(parts_.empty() && record_ == nullptr && urgent() == nullptr);
    archive.know(static_cast<PayloadSource*>(&inline_payloads_));
    bool ended = program_.done();
    auto later = static_cast<std::uint32_t>(later_.size());
    archive(started_, posted_, ended, later, own_, random_, route_to_, route_, finished_at_,
            next_minus_, queues_, drain_, inline_payloads_, barrier_);
    archive.pointer(filling_);
    later_.resize(later);
    for (Outgoing*& outgoing : later_) archive.pointer(outgoing);
    if (archive.loads()) go_to_await(ended);
    if (dma_) archive(*dma_);
  }

 private:
  friend class Attachment;
  enum class Phase : std::uint8_t { between_turns, fills, handles, runs };

  /// A handler that a program has set, and the value of running_ at that time.
  struct ProgramHandler {
    HandlerId id;
    std::uint8_t depth;
  };
  /// The output queue of packets of high priority that the program has sent as such.
  struct Urgent {
    explicit Urgent(const PolicySettings& settings)
        : queues(1, settings.queue_capacity), drain(settings.drain) {}
    OutputQueues queues;
    Drain drain;
  };
  /// What only some nodes have.
  struct Extras {
    std::vector<ProgramHandler> program_handlers;
    std::vector<std::shared_ptr<void>> kept;  ///< see keep()
    std::vector<std::string> unclaimed;       ///< what objects had left over when they ended
    std::unique_ptr<Urgent> urgent;           ///< null until a packet of high priority is sent
  };

  Extras& extras();
  void set(HandlerId id, const PlainHandler& handler);
  void check_packet(Rank to, std::size_t bytes) const;
  void check_free(HandlerId id) const;
  void forget_program_handler(HandlerId id);
  void end_handlers_of(const Attachment& object);
  void end_handlers_of(std::uint8_t depth);
  void note_unclaimed(const Attachment& object) noexcept;
  /// Whether the object, or a part of it, is a source that has not queued everything.
  bool fills_from(const Attachment& object) const;
  /// Ends the run, at the end of the turn at the latest, because an object of this class was
  /// destroyed too early.
  void fail_for(const char* object) noexcept;
  void throw_if_failed() const {
    if (failed_) [[unlikely]]
      throw_failure();
  }
  [[noreturn]] void throw_failure() const;
  /// The depth of current().
  std::uint8_t depth() const { return static_cast<std::uint8_t>(parts_.size() + 1); }
  void check_parts(const Program& program, std::uint8_t its_depth) const;
  void end_program(std::uint8_t its_depth);
  // Relaxed, like all accesses to turns_, phase_ and last_id_: other threads only show them.
  void set(Phase phase) { phase_.store(phase, std::memory_order_relaxed); }
  /// Counts a turn, and notes its end even if an exception ends it.
  class InTurn {
   public:
    explicit InTurn(Node& node) : node_(&node) {
      node.turns_.store(node.turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    InTurn(const InTurn&) = delete;
    ~InTurn() { node_->set(Phase::between_turns); }

   private:
    Node* node_;
  };
  bool start();
  void go_to_await(bool ended);
  Route route_without_table(Rank to);
  void inject_settled(SendDescriptor descriptor, std::uint32_t count, unsigned fifo);
  Route new_route(Rank to, bool dynamic);
  DirectionSet round_failures(Rank to, DirectionSet hints, bool dynamic) const;
  DimensionOrder random_dimension_order();
  /// The handler with this number; null if there is none.
  const PlainHandler* handler(HandlerId id) const;
  /// Copies handler `id` to last_handler_.
  void look_up(HandlerId id);
  void fill();
  void fill_next();
  bool look_again();
  void send_now();
  bool drain();
  bool drain_all(std::size_t& total);
  bool drain_queues(OutputQueues& queues, Drain& drain, std::size_t& total);
  bool receive();
  std::size_t receive_some();
  bool resume();
  bool has_sent_all() const { return filling_ == nullptr && has_empty_queues() && own_.empty(); }
  bool has_empty_queues() const {
    return queues_.empty() && (urgent() == nullptr || urgent()->queues.empty());
  }
  template <typename T>
  static std::span<const std::byte> payload_of(const T& value) {
    static_assert(sizeof(T) <= kPayloadBytes, "a packet carries at most 240 bytes");
    return std::as_bytes(std::span(&value, 1));
  }
  Urgent* urgent() const { return has_urgent_ ? extras_->urgent.get() : nullptr; }
  Urgent& make_urgent();
  SendDescriptor urgent_descriptor(Rank to, HandlerId handler, unsigned bytes,
                                   std::uint32_t argument);
  void queue(SendDescriptor descriptor, std::span<const std::byte> payload, OutputQueues& queues);
  /// The innermost part that the program waits for, or the program itself.
  Program& current() { return parts_.empty() ? program_ : *parts_.back(); }
  const Program& current() const { return parts_.empty() ? program_ : *parts_.back(); }
  void run_current();
  void note_wait();
  void arrive(const Packet& packet) override;
  std::size_t arrive(const PutDescriptor& put) override;
  void enqueue(Rank to, HandlerId handler, std::span<const std::byte> payload,
               std::uint32_t argument);

  static constexpr unsigned kNoHandler = ~0u;

  // The members that every turn touches come first. Some are copies of data in vectors or in the
  // program's frame: if there are many nodes, such data is not in the caches.
  Device* device_;
  Outgoing* filling_ = nullptr;  ///< first source that has not queued everything; null if none
  Wait* wait_ = nullptr;         ///< what the program waits for, if anything; null after its end
  PlainHandler last_handler_;    ///< handler of the last packet
  std::atomic<unsigned> last_id_ = kNoHandler;  ///< its number
  bool started_ = false;
  bool ended_ = true;         ///< the program has ended, or there is none
  bool posted_ = false;       ///< something was queued since the end of the last turn
  bool has_urgent_ = false;   ///< extras_ has a queue of packets of high priority
  bool failed_ = false;       ///< the run ends because of ended_early_
  std::uint8_t running_ = 0;  ///< nesting depth of the running program, from 1; 0 between programs
  std::atomic<Phase> phase_ = Phase::between_turns;
  TieRule tie_;
  std::uint16_t next_minus_ = 0;  ///< bit of a plus direction: the next tie of its dimension that
                                  ///< no FIFO decides goes by -
  RoutingRule routing_;
  std::vector<Packet> own_;       ///< packets that the node sends to itself, through memory
  std::vector<Outgoing*> later_;  ///< sources after filling_
  PacketTimes* packet_times_ = nullptr;
  RankRecord* record_;
  std::uint32_t packets_per_turn_;
  Rank rank_;
  std::atomic<std::uint64_t> turns_ = 0;
  OutputQueues queues_;
  RoutesFrom routes_;
  Drain drain_;
  Random random_;
  Program program_;
  std::vector<Program*> parts_;                ///< parts that the program waits for, the innermost
                                               ///< last
  std::vector<PlainHandler> handlers_;         ///< [number - kFirstUserHandler]
  std::vector<PlainHandler> layers_handlers_;  ///< [number], below kFirstUserHandler
  Rank route_to_ = ~Rank{0};                   ///< the node that route_ leads to
  Route route_;
  Coord coord_;
  Tick finished_at_ = 0;
  std::shared_ptr<const NodeOptions> options_;
  InlinePayloads inline_payloads_;
  unsigned reserved_from_ = kMaxHandlers;
  std::vector<std::unique_ptr<Handler>> owned_handlers_;  ///< functions that plain handlers call
  ExposedMemory exposed_;
  Barrier barrier_;
  std::unique_ptr<Node> dma_;          ///< null if the node has no DMA engine
  Attachment* attachments_ = nullptr;  ///< the objects that packets reach, as a list
  const char* ended_early_ = nullptr;  ///< class of an object that was destroyed too early
  std::unique_ptr<Extras> extras_;     ///< null until something is in them
};

class [[nodiscard]] SendAwaiter final : public Awaiter {
 public:
  SendAwaiter(Node& node, Rank to, HandlerId handler, std::span<const std::byte> payload,
              std::uint32_t argument, bool is_urgent);
  bool ready() override;
  std::string text() const override;

 private:
  Node* node_;
  Rank to_;
  HandlerId handler_;
  std::uint8_t bytes_;
  bool is_urgent_;
  std::uint32_t argument_;
  std::array<std::byte, kPayloadBytes> payload_;
};

class [[nodiscard]] UntilAwaiter final : public Awaiter {
 public:
  UntilAwaiter(const Counter& counter, std::uint64_t n) : counter_(&counter), n_(n) {}
  bool ready() override { return counter_->value() >= n_; }
  std::string text() const override;

 private:
  const Counter* counter_;
  std::uint64_t n_;
};

class [[nodiscard]] ComputeAwaiter final : public Awaiter {
 public:
  /// `yields`: whether the turn ends even if no time passes.
  ComputeAwaiter(Device& device, Tick cycles, bool yields)
      : device_(&device), cycles_(cycles), yields_(yields) {}
  /// If `yields` is set, returns false once, so that the turn ends and the time passes.
  bool ready() override;
  /// The number of cycles that have passed: on a model `cycles`, elsewhere almost 0.
  Tick await_resume() const { return passed_; }
  std::string text() const override { return "its own computation"; }

 private:
  Device* device_;
  Tick cycles_;
  Tick passed_ = 0;
  bool yields_;
  bool begun_ = false;
};

class [[nodiscard]] SleepAwaiter final : public Awaiter {
 public:
  SleepAwaiter(Device& device, Tick when) : device_(&device), when_(when) {}
  bool ready() override;
  std::string text() const override;

 private:
  Device* device_;
  Tick when_;
  bool asked_ = false;  ///< it has asked to be woken
};

class [[nodiscard]] PerformAwaiter final : public Awaiter {
 public:
  explicit PerformAwaiter(const Program& part) : part_(&part) {}
  bool ready() override { return part_->done(); }
  const Program* part() const override { return part_; }
  std::string text() const override { return "a part of itself"; }

 private:
  const Program* part_;
};

class [[nodiscard]] BarrierAwaiter final : public Awaiter {
 public:
  explicit BarrierAwaiter(Barrier& barrier) : barrier_(&barrier) {}
  bool ready() override { return barrier_->passed(); }
  std::string text() const override { return "the barrier"; }

 private:
  Barrier* barrier_;
};

template <typename T>
requires std::is_trivially_copyable_v<T> SendAwaiter Node::send(Rank to, HandlerId handler,
                                                                const T& value,
                                                                std::uint32_t argument) {
  return {*this, to, handler, payload_of(value), argument, false};
}

template <typename T>
requires std::is_trivially_copyable_v<T> SendAwaiter Node::send_urgent(Rank to, HandlerId handler,
                                                                       const T& value,
                                                                       std::uint32_t argument) {
  return {*this, to, handler, payload_of(value), argument, true};
}

inline PacketHeader Node::header(HandlerId handler, unsigned payload_bytes, std::uint32_t argument,
                                 unsigned chunks) const {
  TOROID_CHECK_IN_CHECKED_BUILD(chunks_for(payload_bytes) <= chunks);
  return PacketHeader(HeaderFields{.hints = {},
                                   .dynamic = is_dynamic(routing_),
                                   .channel = channel_under(routing_),
                                   .chunks = chunks,
                                   .handler = handler,
                                   .payload_bytes = payload_bytes,
                                   .argument = argument});
}

inline SendDescriptor Node::descriptor(Rank to, const PacketHeader& header) {
  const Route route = routes_.empty() ? route_without_table(to) : routes_.to(to);
  PacketHeader full = header.with_way(to, route.directions);
  if (routing_ == RoutingRule::random_order) full = full.with_order(random_dimension_order());
  return {.header = full, .source = nullptr, .cookie = 0, .route = route};
}

}  // namespace toroid
