#include "router/ofi/gateway.hpp"

#include <cstddef>
#include <cstring>

#include "router/ofi/kept_frames.hpp"

namespace toroid::ofi {
namespace {

/// With fewer frames in flight than this, a frame is sent before it is full, because the network
/// might become idle.
constexpr std::uint64_t kKeepsWireBusy = 2;
/// How long an acknowledgement waits for a frame that can carry it.
constexpr std::chrono::microseconds kAcknowledgeAfter{50};
/// Steps between two checks for peers that do not answer.
constexpr unsigned kStepsPerLook = 256;
constexpr std::size_t kCompletionsAtOnce = 16;

}  // namespace

Gateway::Gateway(Transport& transport, FrameBuffers& buffers, unsigned processes,
                 std::span<const FlowIdentity> identities)
    : transport_(&transport),
      crc_(buffers.limits().crc),
      checked_(buffers.limits().checked),
      suspect_after_(buffers.limits().suspect_after),
      flows_(processes),
      received_frames_(buffers.inward().size()) {
  for (unsigned slot = 0; slot < identities.size(); ++slot) {
    const FlowIdentity& identity = identities[slot];
    auto& flow = flows_[identity.peer] = std::make_unique<Flow>(transport, identity, buffers, slot);
    in_use_.push_back(flow.get());
  }
  for (Operation& operation : buffers.inward()) {
    received_frames_[operation.user].operation = &operation;
    post(operation);
  }
}

void Gateway::post(Operation& operation) {
  if (!transport_->try_receive(operation)) to_post_.push_back(&operation);
}

void Gateway::post_again() {
  std::vector<Operation*> again;
  again.swap(to_post_);
  for (Operation* operation : again) post(*operation);
}

/// Sends before it polls, so that new packets do not wait for the network's completions.
bool Gateway::step(bool idle) {
  // Relaxed: close_lost() locks the mutex. Partner: lose().
  if (has_lost_.load(std::memory_order_relaxed)) close_lost();
  bool moved = progress();
  if (!closed_.empty()) count_closed();
  if (!to_post_.empty()) post_again();
  for (Flow* flow : in_use_) {
    if (flow->out.has_unsent()) moved |= send(*flow, idle && !moved);
    if (flow->out.owes_acknowledgement()) acknowledge(*flow);
    if (checked_) flow->out.repeat(transport_->now());
  }
  if (++steps_ % kStepsPerLook == 0) look_for_suspect();
  return poll() || moved;
}

void Gateway::lose(unsigned peer) {
  const std::lock_guard lock(mutex_);
  lost_.push_back(peer);
  has_lost_.store(true, std::memory_order_relaxed);
}

/// Closes the flows with lost peers. If the noted error belongs to one of them, clears it, because
/// it says nothing about other peers.
void Gateway::close_lost() {
  const std::lock_guard lock(mutex_);
  for (const unsigned peer : lost_) {
    Flow* const flow = flows_[peer].get();
    flow->is_lost = true;
    flow->out.abandon();
    std::erase(in_use_, flow);
    closed_.push_back(flow);
    if (error_ && error_->peer == peer) error_.reset();
  }
  lost_.clear();
  has_lost_.store(false, std::memory_order_relaxed);
  look_for_suspect();
}

/// Whether an arrived frame names a lost peer as its sender.
bool Gateway::is_of_lost(const Completion& completion) const {
  const Operation& operation = *completion.operation;
  if (!completion.was_written && operation.bytes < sizeof(FrameHeader)) return false;
  FrameHeader header;
  std::memcpy(&header, operation.buffer.data(), sizeof header);
  return header.source < flows_.size() && is_lost(header.source);
}

/// Stores with release order, and the number of closed peers last: a reader that sees this number
/// also sees the counts of these peers. Partner: closed().
void Gateway::count_closed() {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (Flow* flow : closed_) {
    flow->out.discard();
    sent += flow->out.packets();
    received += flow->packets;
  }
  closed_sent_.store(sent, std::memory_order_release);
  closed_received_.store(received, std::memory_order_release);
  closed_peers_.store(static_cast<std::uint32_t>(closed_.size()), std::memory_order_release);
}

ClosedFlows Gateway::closed() const {
  ClosedFlows closed;
  closed.peers = closed_peers_.load(std::memory_order_acquire);
  closed.sent = closed_sent_.load(std::memory_order_acquire);
  closed.received = closed_received_.load(std::memory_order_acquire);
  return closed;
}

void Gateway::flush() {
  for (Flow* flow : in_use_)
    if (flow->out.has_unsent()) (void)flow->out.try_flush();
}

/// A frame that is not full is sent only if the network would otherwise be idle.
bool Gateway::send(Flow& flow, bool idle) {
  return (idle || flow.out.in_flight() < kKeepsWireBusy) && flow.out.try_flush();
}

/// Acknowledges at once if the other end may run out of buffers or waits for an answer; otherwise
/// only if no frame has carried the acknowledgement for a while.
void Gateway::acknowledge(Flow& flow) {
  if (flow.out.must_answer() || flow.out.unannounced() >= flow.out.window() / 2)
    return (void)flow.out.try_acknowledge();
  if (transport_->now() - flow.owes_since >= kAcknowledgeAfter) (void)flow.out.try_acknowledge();
}

/// Returns whether something has moved. If links are checked, only a frame with something new
/// counts: otherwise resent frames and the answers to them would hide a stall.
bool Gateway::poll() {
  std::array<Completion, kCompletionsAtOnce> completions;
  const std::size_t count = transport_->poll(completions);
  bool moved = count > 0 && !checked_;
  for (std::size_t i = 0; i < count; ++i) moved |= complete(completions[i]);
  return moved;
}

/// True if a frame has arrived that brings something new.
bool Gateway::complete(const Completion& completion) {
  if (completion.operation == nullptr) {
    count_refused(FrameError::malformed);
    return false;
  }
  Operation& operation = *completion.operation;
  if (!operation.receives && is_lost(operation.peer)) return false;
  if (completion.error == kTooLong) count_refused(FrameError::malformed);
  if (operation.receives && completion.error == 0) return handle_received(completion);
  if (operation.receives) {
    post(operation);
    return false;
  }
  if (completion.error != 0)
    note_error(operation.peer, (operation.reads ? "cannot read a put: " : "") +
                                   transport_->text_of(completion.error));
  // A failed read ends the run, so its completion is not reported.
  if (!operation.reads)
    flows_[operation.peer]->out.completed(operation);
  else if (completion.error == 0)
    read_completed(operation);
  return false;
}

/// If a frame is refused that a peer has written into a buffer, the buffer stays as it was, in use
/// or free.
bool Gateway::handle_received(const Completion& completion) {
  Operation& operation = *completion.operation;
  if (!closed_.empty() && is_of_lost(completion)) {
    if (!completion.was_written) post(operation);
    return false;
  }
  const FrameError error = accept(operation, completion.was_written);
  if (error != FrameError::none) {
    count_refused(error);
    if (checked_) answer_refused(error, operation);
    if (!completion.was_written) post(operation);
    return false;
  }
  const FrameHeader& header = received_frames_[operation.user].view.header;
  Flow& flow = *flows_[header.source];
  const bool is_news = flow.out.acknowledged(header);
  if (suspect() == static_cast<int>(flow.peer)) look_for_suspect();
  if (header.sequence != 0) return take_in(flow) || is_news;
  post(operation);
  return is_news;
}

/// Delivers the frames that are next in order.
bool Gateway::take_in(Flow& flow) {
  if (!flow.out.owes_acknowledgement()) flow.owes_since = transport_->now();
  bool moved = false;
  for (; Operation* next = flow.in.next(); moved = true) {
    ReceivedFrame& frame = received_frames_[next->user];
    if (checked_) flow.in.note_crc(frame.view.header.crc);
    frame.runs_left = frame.view.header.runs;
    for (const PacketRun& run : frame.view.runs) flow.packets += run.packets;
    deliver(frame);
  }
  if (checked_ && flow.in.held() != 0) flow.out.answer(Outflow::Answer::state);
  return moved;
}

/// Sees to it that the sender of a refused frame gets an answer. A frame that comes twice was
/// resent because its acknowledgement was lost. If no flow matches the header of a damaged frame,
/// there is no answer, and the frame is resent after a timeout.
void Gateway::answer_refused(FrameError error, const Operation& operation) {
  if (operation.bytes < sizeof(FrameHeader)) return;
  FrameHeader header;
  std::memcpy(&header, operation.buffer.data(), sizeof header);
  Flow* const flow = flow_of(header);
  if (flow == nullptr) return;
  ++flow->refused;
  flow->out.answer(error == FrameError::wrong_sequence ? Outflow::Answer::state
                                                       : Outflow::Answer::damage);
}

/// Updates received_frames_ only if the new frame is accepted: if frames are written, the previous
/// frame in the same buffer may still be in use.
FrameError Gateway::accept(Operation& operation, bool was_written) {
  const auto bytes =
      was_written ? frame_in(operation.buffer) : operation.buffer.first(operation.bytes);
  FrameView view;
  const FrameError error = parse(bytes, view, crc_);
  if (error != FrameError::none) return error;
  const FrameHeader& header = view.header;
  if (flow_of(header) == nullptr) return FrameError::wrong_job;
  Flow& flow = *flows_[header.source];
  if (was_written && !is_in_its_slot(flow, header, operation)) return FrameError::wrong_sequence;
  if (header.sequence != 0) {
    const FrameError packets = check(view);
    if (packets != FrameError::none) return packets;
    const FrameError order = flow.in.hold(header.sequence, operation);
    if (order != FrameError::none) return order;
  }
  received_frames_[operation.user].view = view;
  return FrameError::none;
}

/// The flow that matches a frame's sender and token; null if there is none.
Gateway::Flow* Gateway::flow_of(const FrameHeader& header) const {
  if (header.source >= flows_.size() || flows_[header.source] == nullptr) return nullptr;
  Flow* const flow = flows_[header.source].get();
  return flow->in.knows(header) ? flow : nullptr;
}

/// Whether a written frame is in the slot that belongs to its number. Acknowledgements (number 0)
/// are never written.
bool Gateway::is_in_its_slot(const Flow& flow, const FrameHeader& header,
                             const Operation& operation) {
  return header.sequence != 0 && operation.user == flow.first + header.sequence % flow.out.window();
}

FrameError Gateway::check(const FrameView& view) const {
  struct Valid {
    const Gateway& gateway;
    unsigned source;
    bool operator()(const PacketRun& run, const PacketHeader& packet) const {
      return gateway.is_valid(source, run, packet);
    }
    bool operator()(const PacketRun& run, const PartHeader& part) const {
      return gateway.is_valid_part(source, run, part);
    }
  };
  return check_packets(view, Valid{*this, view.header.source});
}

void Gateway::count_refused(FrameError error) {
  refused_[static_cast<std::size_t>(error)].fetch_add(1, std::memory_order_relaxed);
}

RefusedFrames Gateway::refused() const {
  RefusedFrames counts{};
  for (std::size_t e = 0; e < counts.size(); ++e)
    counts[e] = refused_[e].load(std::memory_order_relaxed);
  return counts;
}

void Gateway::release(ReceivedFrame& frame) {
  flows_[frame.view.header.source]->in.free(frame.view.header.sequence);
  post(*frame.operation);
}

void Gateway::look_for_suspect() {
  int suspect = -1;
  const Clock::time_point now = transport_->now();
  for (const Flow* flow : in_use_)
    if (flow->out.is_unanswered(now, suspect_after_)) suspect = static_cast<int>(flow->peer);
  suspect_.store(suspect, std::memory_order_relaxed);
}

std::vector<FlowHealth> Gateway::health() const {
  std::vector<FlowHealth> health;
  for (const Flow* flow : in_use_)
    if (const KeptFrames* const kept = flow->out.kept())
      health.push_back({.peer = flow->peer,
                        .sent = flow->out.sent(),
                        .repeats = kept->repeats(),
                        .sent_crcs = kept->sent_crcs(),
                        .received = flow->in.received(),
                        .refused = flow->refused,
                        .received_crc = flow->in.received_crc()});
  return health;
}

void Gateway::note_error(unsigned peer, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = {peer, what, Clock::now()};
}

std::optional<TransportError> Gateway::transport_error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace toroid::ofi
