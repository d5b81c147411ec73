#include "packet/node/node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"

namespace toroid {
namespace {

/// Bytes of an exchange that fill() and a handler touch, approximately.
constexpr std::size_t kContextBytes = 256;

/// Programs within programs, at most: a depth is a byte.
constexpr std::size_t kMostParts = 250;

[[noreturn]] void refuse(const void* name, const char* what, HandlerId id) {
  if (name == nullptr)
    throw RunFailed(fmt::format(
        "received a {} for handler {}, which ended with the program that set it; let the program "
        "await all that comes, or set the handler before the run",
        what, id));
  throw RunFailed(fmt::format(
      "received a {} for its {} (handler {}), which has been destroyed; it must live until the run "
      "has ended: make it before the run",
      what, static_cast<const char*>(name), id));
}

/// Takes the place of a handler that has ended, for packets and puts. `name`: the class of the
/// object that it belonged to; null if it belonged to a program.
Node::PlainHandler refusal(const char* name) {
  return {
      .run = [](void* of, const Packet& packet) { refuse(of, "packet", packet.header.handler()); },
      .context = const_cast<char*>(name),
      .put = [](void* of, const PutDescriptor& put) -> std::size_t {
        refuse(of, "put", put.window);
      }};
}

const NodeOptions& existing(const NodeOptions* options) {
  TOROID_CHECK(options != nullptr);
  return *options;
}

/// Where hints must stand for one path from the start (on a twisted torus, and as the start of the
/// search for a detour), ties that would stay open are split by chance.
TieRule rule_on(const Shape& shape, TieRule rule) {
  const bool stays_open = rule == TieRule::both || rule == TieRule::alternate;
  const bool needs_one_path = shape.is_twisted() || shape.failures() != nullptr;
  return stays_open && needs_one_path ? TieRule::split : rule;
}

unsigned queues_in_turn(const Shape& shape, const PolicySettings& settings) {
  return settings.queue_per_direction ? shape.links() : settings.output_queues;
}

}  // namespace

Node::Node(Device& device, const NodeOptions& options)
    : Node(device, std::make_shared<const NodeOptions>(options)) {}

Node::Node(Device& device, std::shared_ptr<const NodeOptions> options)
    : device_(&device),
      tie_(
          rule_on(device.shape(), tie_rule_of(existing(options.get()).settings, device.machine()))),
      routing_(options->settings.routing),
      record_(options->record == nullptr ? nullptr : &options->record->of(device.rank())),
      packets_per_turn_(static_cast<std::uint32_t>(device.packets_per_turn())),
      rank_(device.rank()),
      queues_(queues_in_turn(device.shape(), options->settings), options->settings.queue_capacity,
              options->named_queues),
      routes_(device.shape(), device.shape().coord(rank_), tie_),
      drain_(options->settings.drain),
      random_(options->seed, rank_),
      coord_(device.shape().coord(rank_)),
      options_(std::move(options)),
      barrier_(device.shape().size()) {
  set(kBarrierHandler, {[](void* self, const Packet& packet) {
                          Node& node = *static_cast<Node*>(self);
                          node.barrier_.on_packet(node, packet.header.argument());
                        },
                        this});
  if (Device* const engine = device.engine()) dma_ = std::make_unique<Node>(*engine, options_);
}

/// The program's locals and the kept objects may call the node, so they go first.
Node::~Node() {
  program_ = Program();
  if (extras_) extras_->kept.clear();
  for (Attachment* at = attachments_; at != nullptr; at = at->next_) at->node_ = nullptr;
}

Node::Extras& Node::extras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

void Node::keep(std::shared_ptr<void> object) {
  extras().kept.push_back(std::move(object));
}

void Node::on(HandlerId id, Handler handler) {
  if (!handler) return on(id, PlainHandler());
  Handler& owned = *owned_handlers_.emplace_back(std::make_unique<Handler>(std::move(handler)));
  on(id, {[](void* function, const Packet& packet) { (*static_cast<Handler*>(function))(packet); },
          &owned});
}

void Node::on(HandlerId id, PlainHandler handler) {
  check_free(id);
  set(id, handler);
  forget_program_handler(id);
  if (running_ > 0) extras().program_handlers.push_back({id, running_});
}

void Node::check_free(HandlerId id) const {
  if (id < kFirstUserHandler)
    throw BadInput(fmt::format("a handler has number {}; expected {} to {}", id, kFirstUserHandler,
                               kMaxHandlers - 1));
  const PlainHandler* const present = handler(id);
  if (present == nullptr) return;
  for (const Attachment* at = attachments_; at != nullptr; at = at->next_)
    if (at->holds(present->context))
      throw BadInput(
          fmt::format("handler {} belongs to a {}; expected another number", id, at->name_));
}

void Node::on(const Attachment& object, HandlerId id, PlainHandler handler) {
  TOROID_CHECK(object.node_ == this || object.mover_ == this);
  TOROID_CHECK(object.holds(handler.context));
  set(id, handler);
  forget_program_handler(id);
}

void Node::forget_program_handler(HandlerId id) {
  if (extras_)
    std::erase_if(extras_->program_handlers,
                  [id](const ProgramHandler& of_program) { return of_program.id == id; });
}

void Node::set(HandlerId id, const PlainHandler& handler) {
  if (id >= kMaxHandlers)
    throw BadInput(fmt::format("a handler has number {}; expected {} to {}", id, kFirstUserHandler,
                               kMaxHandlers - 1));
  const bool is_layers = id < kFirstUserHandler;
  std::vector<PlainHandler>& handlers = is_layers ? layers_handlers_ : handlers_;
  const std::size_t place = is_layers ? id : id - kFirstUserHandler;
  handlers.reserve(place + 1);  // not more than needed, because there may be many nodes
  if (place >= handlers.size()) handlers.resize(place + 1);
  handlers[place] = handler;
  last_id_.store(kNoHandler, std::memory_order_relaxed);
}

void Node::end_handlers_of(const Attachment& object) {
  const auto end = [&](std::vector<PlainHandler>& handlers) {
    for (PlainHandler& handler : handlers)
      if (object.holds(handler.context)) handler = refusal(object.name_);
  };
  end(handlers_);
  end(layers_handlers_);
  last_id_.store(kNoHandler, std::memory_order_relaxed);
}

void Node::end_handlers_of(std::uint8_t depth) {
  if (!extras_) return;
  std::erase_if(extras_->program_handlers, [&](const ProgramHandler& of_program) {
    if (of_program.depth != depth) return false;
    set(of_program.id, refusal(nullptr));
    return true;
  });
}

bool Node::fills_from(const Attachment& object) const {
  return object.holds(filling_) ||
         std::ranges::any_of(later_, [&](const Outgoing* next) { return object.holds(next); });
}

/// Called by destructors, so it must not throw.
void Node::fail_for(const char* object) noexcept {
  if (std::exchange(failed_, true)) return;
  ended_early_ = object;
  if (phase_.load(std::memory_order_relaxed) == Phase::between_turns) return;
  device_->stop_readers();
}

void Node::throw_failure() const {
  throw RunFailed(fmt::format(
      "its {} was destroyed before all that it had begun was complete; let the program wait for "
      "that, or make it before the run",
      ended_early_));
}

/// A program that goes on without its part could free arrays that the part works on.
void Node::check_parts(const Program& program, std::uint8_t its_depth) const {
  if (depth() == its_depth) return;
  const Wait* const wait = program.wait();
  if (depth() == its_depth + 1 && wait != nullptr && wait->part() == parts_.back()) return;
  throw RunFailed(
      "the program has begun a transform or another part without waiting for it; use co_await on "
      "what forward(), backward(), apply() or perform() returns, before anything else");
}

const Node::PlainHandler* Node::handler(HandlerId id) const {
  const bool is_layers = id < kFirstUserHandler;
  const std::vector<PlainHandler>& handlers = is_layers ? layers_handlers_ : handlers_;
  const std::size_t place = is_layers ? id : id - kFirstUserHandler;
  return place < handlers.size() && handlers[place].run != nullptr ? &handlers[place] : nullptr;
}

void Node::run(Program program) {
  if (started_)
    throw BadInput(fmt::format(
        "node {} has had its first turn already; give it its program before the run, and make "
        "another fabric for another run",
        shape().coord_text(rank_)));
  program_ = std::move(program);
}

HandlerId Node::reserve_handlers(unsigned count) {
  if (kFirstUserHandler + count > reserved_from_)
    throw BadInput(fmt::format(
        "a node has only {} handler numbers left, but needs {}; keep fewer exchanges and windows "
        "at once, or make fewer plans",
        reserved_from_ - kFirstUserHandler, count));
  reserved_from_ -= count;
  return static_cast<HandlerId>(reserved_from_);
}

UntilAwaiter Node::until(const Counter& counter, std::uint64_t n) {
  return {counter, n};
}
ComputeAwaiter Node::compute(Tick cycles) {
  send_now();
  (void)device_->push();
  return {*device_, cycles, cycles > 0};
}

/// Leaves the queues as they are if push() does nothing, as on models.
void Node::leave() {
  if (!device_->push()) return;
  send_now();
  (void)device_->push();
}

ComputeAwaiter Node::progress() {
  return {*device_, 0, true};
}

SleepAwaiter Node::sleep_until(Tick when) {
  return {*device_, when};
}

PerformAwaiter Node::perform(Program& part) {
  if (part.done()) return PerformAwaiter(part);
  if (running_ == 0)
    throw RunFailed(
        "perform() was called by a handler or before the run, or for another node; only a node's "
        "running program may begin a transform or another part on it");
  if (parts_.size() >= kMostParts)
    throw RunFailed(fmt::format("programs are nested more than {} deep", kMostParts));
  parts_.push_back(&part);
  return PerformAwaiter(part);
}

BarrierAwaiter Node::barrier() {
  barrier_.enter(*this);
  return BarrierAwaiter(barrier_);
}

/// Keeps the last route, because successive packets mostly go to the same node. If ties are split
/// by chance, each packet has a new random route.
Route Node::route_without_table(Rank to) {
  if (to != route_to_ || tie_ == TieRule::split) {
    route_ = new_route(to, is_dynamic(routing_));
    route_to_ = to;
  }
  return route_;
}

/// Injects packets whose ties are still open. A packet goes in the direction that its FIFO serves;
/// where that leaves both, packets go by + and by - in turn.
void Node::inject_settled(SendDescriptor descriptor, std::uint32_t count, unsigned fifo) {
  const DirectionSet hints = descriptor.header.hints();
  const unsigned served = device_->fifos().directions(fifo).bits();
  const unsigned tied = hints.bits() & hints.bits() >> 1 & 0x555u;  // bit of the plus direction
  const unsigned by_turn = tied & ~(served ^ served >> 1);
  const std::uint32_t alike = by_turn == 0 ? count : 1;  // packets that take the same directions
  for (; count > 0; count -= alike, descriptor.first += alike) {
    const unsigned minus = (tied & ~by_turn & served >> 1) | (by_turn & next_minus_);
    next_minus_ = static_cast<std::uint16_t>(next_minus_ ^ by_turn);
    const unsigned dropped = minus | (tied & ~minus) << 1;
    const DirectionSet settled(static_cast<std::uint16_t>(hints.bits() & ~dropped));
    descriptor.header = descriptor.header.turned(settled);
    descriptor.route.directions = settled;
    device_->inject(descriptor, alike, fifo);
  }
}

Route Node::new_route(Rank to, bool dynamic) {
  const Coord there = shape().coord(to);
  DirectionSet hints = minimal_directions(shape(), coord_, there, tie_, random_);
  if (shape().failures() != nullptr) hints = round_failures(to, hints, dynamic);
  return route_along(shape(), coord_, there, hints).value();
}

/// Any node may send to any other, so a pair of nodes that failures cut off from each other is
/// noticed here at the latest. If links may fail during the run, the fabric counts the packets that
/// find no way.
DirectionSet Node::round_failures(Rank to, DirectionSet hints, bool dynamic) const {
  const auto way = shape().failures()->detour(rank_, to, hints, dynamic);
  if (!way && shape().failures()->may_change()) return hints;
  if (!way)
    throw RunFailed(fmt::format("no path from {} to {}: failed links cut every path",
                                shape().coord_text(rank_), shape().coord_text(to)));
  return *way;
}

DimensionOrder Node::random_dimension_order() {
  return static_cast<DimensionOrder>(1 + random_.below(dimension_orders(shape().dims())));
}

bool Node::try_send(Rank to, HandlerId handler, std::span<const std::byte> payload,
                    std::uint32_t argument) {
  if (to != rank_ && !queues_.has_room(queues_.next())) return false;
  enqueue(to, handler, payload, argument);
  return true;
}

bool Node::try_send_urgent(Rank to, HandlerId handler, std::span<const std::byte> payload,
                           std::uint32_t argument) {
  if (to != rank_ && !make_urgent().queues.has_room(0)) return false;
  post_urgent(to, handler, payload, argument);
  return true;
}

void Node::post(Rank to, HandlerId handler, std::span<const std::byte> payload,
                std::uint32_t argument) {
  enqueue(to, handler, payload, argument);
}

void Node::post_urgent(Rank to, HandlerId handler, std::span<const std::byte> payload,
                       std::uint32_t argument) {
  check_packet(to, payload.size());
  if (to == rank_) return enqueue(to, handler, payload, argument);
  const auto bytes = static_cast<unsigned>(payload.size());
  if (record_ != nullptr) record_->send(now(), to, bytes, handler);
  const SendDescriptor descriptor = urgent_descriptor(to, handler, bytes, argument);
  if (started_ && make_urgent().queues.empty() && device_->try_pass(descriptor, payload)) return;
  queue(descriptor, payload, make_urgent().queues);
}

Node::Urgent& Node::make_urgent() {
  if (urgent() != nullptr) return *urgent();
  if (machine().priority_injection_fifos == 0)
    throw BadInput(fmt::format(
        "a packet of high priority, but machine '{}' has no injection FIFOs of high priority "
        "(priority_injection_fifos)",
        machine().name));
  extras().urgent = std::make_unique<Urgent>(options_->settings);
  has_urgent_ = true;
  return *urgent();
}

/// Its route is found anew, because packets in the priority channel go dimension by dimension.
SendDescriptor Node::urgent_descriptor(Rank to, HandlerId handler, unsigned bytes,
                                       std::uint32_t argument) {
  const Route route = new_route(to, false);
  const PacketHeader header(HeaderFields{.destination = to,
                                         .hints = route.directions,
                                         .dynamic = false,
                                         .channel = channel_under(RoutingRule::priority),
                                         .chunks = chunks_for(bytes),
                                         .handler = handler,
                                         .payload_bytes = bytes,
                                         .argument = argument});
  return {.header = header, .source = nullptr, .cookie = 0, .route = route};
}

void Node::check_packet(Rank to, std::size_t bytes) const {
  if (to >= size())
    throw BadInput(fmt::format("a packet for node {}, which does not exist; expected 0 to {}", to,
                               size() - 1));
  if (bytes > kPayloadBytes)
    throw BadInput(fmt::format("a packet with a payload of {} bytes; a packet carries at most {}",
                               bytes, kPayloadBytes));
}

void Node::enqueue(Rank to, HandlerId handler, std::span<const std::byte> payload,
                   std::uint32_t argument) {
  check_packet(to, payload.size());
  const auto bytes = static_cast<unsigned>(payload.size());
  const SendDescriptor descriptor =
      this->descriptor(to, handler, bytes, argument, chunks_for(bytes));
  if (to == rank_) {
    Packet& packet = own_.emplace_back();
    packet.header = descriptor.header;
    if (bytes > 0) std::memcpy(packet.payload.data(), payload.data(), bytes);
    return;
  }
  if (record_ != nullptr) record_->send(now(), to, bytes, handler);
  if (!try_pass(descriptor, payload)) queue(descriptor, payload, queues_);
}

void Node::queue(SendDescriptor descriptor, std::span<const std::byte> payload,
                 OutputQueues& queues) {
  if (!payload.empty()) {
    descriptor.source = &inline_payloads_;
    descriptor.cookie = inline_payloads_.keep(payload);
  }
  queues[queues.next()].push(descriptor);
  queues.advance();
  posted_ = true;
}

void Node::post(const SendDescriptor& descriptor, unsigned named_queue) {
  queues_.named(named_queue).push(descriptor);
  posted_ = true;
}

void Node::post(Outgoing& outgoing) {
  if (filling_ == nullptr)
    filling_ = &outgoing;
  else
    later_.push_back(&outgoing);
  posted_ = true;
}

TurnResult Node::turn() {
  const InTurn in_turn(*this);
  bool gone_on = start();
  fill();
  bool again = drain();
  again |= receive();
  throw_if_failed();
  gone_on |= resume();
  again |= gone_on;
  again |= std::exchange(posted_, false) || !own_.empty();
  again |= look_again();
  return {.output_waiting = filling_ != nullptr || !has_empty_queues(),
          .again = again,
          .gone_on = gone_on};
}

/// The next packet and the next fill mostly concern the object that handled the last packet.
void Node::prefetch() const {
  __builtin_prefetch(filling_);
  const auto* const context = static_cast<const char*>(last_handler_.context);
  if (context != nullptr)
    for (std::size_t line = 0; line < kContextBytes; line += 64) __builtin_prefetch(context + line);
  queues_.prefetch();
}

void Node::prefetch_rest() const {
  if (filling_ != nullptr) filling_->prefetch();
}

/// The program runs to its first await before anything is received, so that its handlers exist.
bool Node::start() {
  if (std::exchange(started_, true)) return false;
  throw_if_failed();
  run_current();
  return true;
}

/// Brings a loaded node's program to where the saved one was: to its end or its first await.
/// The await is asked again in the next turn, as if the run had not been cut.
void Node::go_to_await(bool ended) {
  if (ended)
    program_ = Program();
  else if (started_)
    program_.resume_to_await();
  note_wait();
}

void Node::fill() {
  if (filling_ == nullptr) return;
  set(Phase::fills);
  if (queues_.any_has_room()) {  // on a busy node there mostly is no room
    const Tick begin = packet_times_ == nullptr ? 0 : now();
    while (filling_ != nullptr && filling_->fill(queues_)) fill_next();
    if (packet_times_ != nullptr) packet_times_->sending += now() - begin;
  }
  if (filling_ != nullptr) queues_.note_stop();
}

void Node::fill_next() {
  filling_ = later_.empty() ? nullptr : later_.front();
  if (!later_.empty()) later_.erase(later_.begin());
}

/// Returns true if the source must be asked again in the next turn: either it says so, or it waits
/// for a time and the fabric cannot wake the node then, because time is the wall clock.
bool Node::look_again() {
  if (filling_ == nullptr) return false;
  const NextLook look = filling_->next_look();
  if (look.is_never()) return false;
  if (look.is_at_once()) return true;
  return !device_->try_wake_at(look.when());
}

void Node::send_now() {
  throw_if_failed();
  do fill();
  while (drain());
}

/// Returns true if another turn could move more packets at once.
bool Node::drain() {
  drain_.begin_turn(queues_);
  if (has_empty_queues()) return false;
  std::size_t total = 0;
  if (packet_times_ == nullptr) return drain_all(total);
  const Tick begin = now();
  const bool again = drain_all(total);
  if (total > 0) packet_times_->sending += now() - begin;
  return again;
}

/// Packets of high priority go first.
bool Node::drain_all(std::size_t& total) {
  bool again = false;
  if (Urgent* const first = urgent(); first != nullptr && !first->queues.empty())
    again = drain_queues(first->queues, first->drain, total);
  if (queues_.empty() || total >= packets_per_turn_) return again;
  return drain_queues(queues_, drain_, total) || again;
}

bool Node::drain_queues(OutputQueues& queues, Drain& drain, std::size_t& total) {
  InjectionFifos& fifos = device_->fifos();
  for (;;) {
    const std::size_t limit = packets_per_turn_ - total;
    const std::size_t moved = drain.run(
        queues, fifos, limit, [this](const SendDescriptor& d, std::uint32_t count, unsigned fifo) {
          if (both_hints(d.header.hints()) && (tie_ != TieRule::both || !d.header.dynamic()))
            return inject_settled(d, count, fifo);
          device_->inject(d, count, fifo);
        });
    if (moved == 0) return false;
    total += moved;
    const bool may_have_room = device_->flush();
    if (total >= packets_per_turn_) return true;
    if (queues.empty()) return filling_ != nullptr;
    if (may_have_room) continue;  // flush() has moved packets on and made room
    drain.end_turn(queues, fifos);
    return false;
  }
}

/// Returns true if there may be more to receive.
bool Node::receive() {
  if (packet_times_ == nullptr) return receive_some() == packets_per_turn_;
  const Tick begin = now();
  const std::size_t count = receive_some();
  if (count > 0) packet_times_->receiving += now() - begin;
  return count == packets_per_turn_;
}

/// Receives packets from other nodes and handles those that the node sent to itself.
std::size_t Node::receive_some() {
  set(Phase::handles);
  const std::size_t count = device_->receive(*this, packets_per_turn_);
  if (!own_.empty())
    for (const Packet& packet : std::exchange(own_, {})) arrive(packet);
  return count;
}

bool Node::resume() {
  if (ended_ || (wait_ != nullptr && !wait_->ready())) return false;
  run_current();
  return true;
}

/// After a part has ended, the program that it is a part of runs from the next turn on.
void Node::run_current() {
  if (current().done()) return;
  Program& program = current();
  const std::uint8_t its_depth = depth();
  running_ = its_depth;
  set(Phase::runs);
  program.resume();
  running_ = 0;
  throw_if_failed();
  check_parts(program, its_depth);
  if (program.done()) end_program(its_depth);
  note_wait();
}

void Node::end_program(std::uint8_t its_depth) {
  end_handlers_of(its_depth);
  if (parts_.empty())
    finished_at_ = now();
  else
    parts_.pop_back();
}

void Node::note_wait() {
  ended_ = current().done();
  wait_ = current().wait();
}

/// Calls the packet's handler.
void Node::arrive(const Packet& packet) {
  const HandlerId id = packet.header.handler();
  if (id != last_id_.load(std::memory_order_relaxed)) look_up(id);
  last_handler_.run(last_handler_.context, packet);
}

std::size_t Node::arrive(const PutDescriptor& put) {
  const PlainHandler* const window = handler(put.window);
  if (window == nullptr || window->put == nullptr)
    throw RunFailed(
        fmt::format("received a put for window {}, which it does not have; all nodes must make "
                    "their windows in the same order, before the program's first await",
                    put.window));
  return window->put(window->context, put);
}

void Node::look_up(HandlerId id) {
  const PlainHandler* const handler = this->handler(id);
  if (handler == nullptr)
    throw RunFailed(
        fmt::format("received a packet for handler {}, which it does not have; set it "
                    "with node.on(), or make its object, before the program's first "
                    "await",
                    id));
  last_handler_ = *handler;
  last_id_.store(id, std::memory_order_relaxed);
}

bool Node::finished() const {
  return program_.done() && has_sent_all() && (dma_ == nullptr || dma_->finished());
}

std::uint64_t Node::queued() const {
  return queues_.profile().packets - drain_.packets() + (dma_ ? dma_->queued() : 0);
}

FlowchartProfile Node::profile() const {
  FlowchartProfile sum{queues_.profile(), drain_.profile()};
  if (dma_) sum += dma_->profile();
  return sum;
}

/// Called by destructors. Without memory for the text, it is left out.
void Node::note_unclaimed(const Attachment& object) noexcept {
  try {
    std::string text = object.unclaimed_(object.object_.data());
    if (!text.empty()) extras().unclaimed.push_back(std::move(text));
  } catch (const std::bad_alloc&) {
  }
}

void Node::check_end() const {
  const auto check = [&](const std::string& text) {
    if (!text.empty())
      throw RunFailed(fmt::format("node {} has {}", shape().coord_text(rank_), text));
  };
  if (extras_ && !extras_->unclaimed.empty()) check(extras_->unclaimed.front());
  for (const Attachment* at = attachments_; at != nullptr; at = at->next_)
    if (at->unclaimed_ != nullptr) check(at->unclaimed_(at->object_.data()));
}

std::string Node::waits_for() const {
  if (!has_empty_queues()) return "room in its injection FIFOs";
  if (!own_.empty()) return "an end of the packets that it sends to itself";
  if (current().done() && dma_ && !dma_->finished())
    return "its DMA engine to send its remaining packets";
  return current().wait() != nullptr ? current().wait()->text() : "nothing";
}

std::string Node::doing() const {
  switch (phase_.load(std::memory_order_relaxed)) {
    case Phase::fills:
      return "filling its output queues";
    case Phase::handles:
      return fmt::format("handler {}", last_id_.load(std::memory_order_relaxed));
    case Phase::runs:
      return "its program";
    case Phase::between_turns:
      break;
  }
  return {};
}

SendAwaiter::SendAwaiter(Node& node, Rank to, HandlerId handler, std::span<const std::byte> payload,
                         std::uint32_t argument, bool is_urgent)
    : node_(&node),
      to_(to),
      handler_(handler),
      bytes_(static_cast<std::uint8_t>(payload.size())),
      is_urgent_(is_urgent),
      argument_(argument) {
  std::memcpy(payload_.data(), payload.data(), payload.size());
}

bool SendAwaiter::ready() {
  const auto payload = std::span(payload_).first(bytes_);
  return is_urgent_ ? node_->try_send_urgent(to_, handler_, payload, argument_)
                    : node_->try_send(to_, handler_, payload, argument_);
}

std::string SendAwaiter::text() const {
  return fmt::format("room to send to {}", node_->shape().coord_text(to_));
}

std::string UntilAwaiter::text() const {
  return fmt::format("{} at {} of {}", counter_->name(), counter_->value(), n_);
}

bool ComputeAwaiter::ready() {
  if (begun_) return true;
  begun_ = true;
  if (cycles_ == 0) return !yields_;  // no time passes, so the clock need not be read
  const Tick before = device_->now();
  device_->compute(cycles_);
  passed_ = device_->now() - before;
  return !yields_;
}

bool SleepAwaiter::ready() {
  if (device_->now() >= when_) return true;
  if (asked_) return false;
  asked_ = true;
  return !device_->try_wake_at(when_);
}

std::string SleepAwaiter::text() const {
  return fmt::format("cycle {}", when_);
}

}  // namespace toroid
