// Output queues in a node's memory. They hold packets that the processor wants to send until an
// injection FIFO has room for them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>  // IWYU pragma: keep (placement new)
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/packet.hpp"
#include "hal/queue_head_lookup.hpp"
#include "hal/send_descriptor.hpp"

namespace toroid {

/// The output queues of a node: L queues that fill uses in turn (patent, FIG. 9, step 912), and
/// "named" queues, which are chosen by number. All are drained round robin (FIG. 10).
///
/// Descriptors of all queues share one pool, so an empty queue takes 16 bytes and L may be one
/// queue per peer. From kIndexedFrom queues on, their heads are indexed, so a drain takes as long
/// with thousands of stuck queues as with a few. Only the node that owns this object calls it, on
/// its own thread.
class OutputQueues {
 public:
  static constexpr unsigned kIndexedFrom = 33;

  /// Fill puts at most `capacity` descriptors into a queue. Handlers may exceed this, because they
  /// must never wait. The numbers of named queues follow those of the queues in turn. REQUIRES:
  /// in_turn > 0.
  OutputQueues(unsigned in_turn, std::size_t capacity, unsigned named = 0);

  /// One of the queues, as a container.
  class Queue {
   public:
    Queue(OutputQueues& queues, unsigned i) : queues_(&queues), i_(i) {}
    bool empty() const { return queues_->is_empty(i_); }
    std::size_t size() const { return queues_->state(i_).size; }
    const SendDescriptor& front() const { return queues_->front(i_); }
    void push(const SendDescriptor& descriptor) { queues_->push(i_, descriptor); }
    void pop() { queues_->pop(i_); }

   private:
    OutputQueues* queues_;
    unsigned i_;
  };
  Queue operator[](unsigned i) { return {*this, i}; }
  Queue named(unsigned i) { return {*this, in_turn_ + i}; }

  unsigned count() const { return count_; }
  bool has_room(unsigned i) const { return state(i).size < capacity_; }
  /// Whether at least one of the queues in turn has room.
  bool any_has_room() const { return full_ < in_turn_; }
  bool all_have_room() const { return full_ == 0; }
  bool empty() const { return waiting_ == 0; }
  /// The number of queues that are not empty.
  unsigned waiting() const { return waiting_; }
  bool is_empty(unsigned i) const { return state(i).size == 0; }

  /// The number of the queue whose turn it is (step 912).
  unsigned next() const { return next_; }
  /// Ends the visit to a peer: it is the next queue's turn.
  void advance() {
    next_ = next_ + 1 == in_turn_ ? 0 : next_ + 1;
    ++profile_.visits;
    const auto made = static_cast<std::uint32_t>(profile_.packets);
    profile_.empty_visits += made_before_ == made ? 1 : 0;
    made_before_ = made;
  }
  /// Ends a round: the next one begins with the first queue (step 908).
  void restart() {
    next_ = 0;
    ++profile_.rounds;
  }

  void push(unsigned i, const SendDescriptor& descriptor) {
    emplace(i, [&] { return descriptor; });
  }
  /// Pushes the descriptor that make() returns, constructed in place, unless it has no packets.
  /// Returns the number of packets of the message that the descriptor stands for. REQUIRES: make()
  /// pushes nothing to these queues.
  template <std::invocable Make>
  std::uint32_t emplace(unsigned i, Make&& make);

  // Used by drain.
  unsigned after(unsigned i) const { return i + 1 == count() ? 0 : i + 1; }
  /// REQUIRES: not empty.
  const SendDescriptor& front(unsigned i) const {
    TOROID_CHECK_IN_CHECKED_BUILD(!is_empty(i));
    return pool_[state(i).head].descriptor;
  }
  /// PacketHeader::fifo_directions() of the packet at the front; none if the queue is empty.
  DirectionSet front_hints(unsigned i) const { return state(i).front_hints; }
  /// Directions of all kinds of packets that have been at a front: all links, kHighPriority or
  /// both.
  DirectionSet kinds() const {
    DirectionSet kinds(static_cast<std::uint16_t>(fronts_ & kHighPriority.bits()));
    if ((fronts_ & kAllLinks.bits()) != 0) kinds.add(kAllLinks);
    return kinds;
  }
  /// Length in chunks of the packet at the front; if the queue is empty, of the last packet that
  /// was there.
  unsigned front_chunks(unsigned i) const { return state(i).front_chunks; }
  /// Notes that `packets` packets of the front descriptor have left. Removes the descriptor if its
  /// last packet has left.
  void pop_packets(unsigned i, std::uint32_t packets) {
    SendDescriptor& front = pool_[state(i).head].descriptor;
    front.first += packets;
    if (front.first == front.packets) pop(i);
  }
  void pop(unsigned i);
  /// Prefetches the memory that the next push() touches and, if there is only one queue, that of
  /// its next pop().
  void prefetch() const {
    __builtin_prefetch(pool_.data() + (free_ == kNone ? 0 : free_));
    if (count_ == 1) __builtin_prefetch(pool_.data() + (waiting_ == 0 ? 0 : only_.head));
  }
  /// The index of the heads; null if there are fewer than kIndexedFrom queues.
  const QueueHeadLookup* heads() const { return heads_.get(); }

  const FillProfile& profile() const { return profile_; }
  /// Counts that fill had to stop before it was done.
  void note_stop() { ++(all_have_room() ? profile_.held_back : profile_.stops); }

  /// The index of the heads is not saved, because it can be made again from the queues.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(only_, states_, pool_, free_, last_free_, next_, waiting_, full_, made_before_, fronts_,
            profile_);
    if (archive.loads() && heads_ != nullptr)
      for (unsigned i = 0; i < count(); ++i)
        heads_->replace(i, {}, {state(i).front_hints, state(i).front_chunks});
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Pooled {
    SendDescriptor descriptor;
    std::uint32_t next;  ///< next place in its queue or in the free list; kNone if there is none
    template <typename Archive>
    void serialize(Archive& archive) {
      archive(descriptor, next);
    }
  };
  struct State {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;  ///< meaningless if the queue is empty
    std::uint32_t size = 0;      ///< descriptors
    DirectionSet front_hints;    ///< copies of the front's values, because fronts lie far apart in
                                 ///< memory
    std::uint8_t front_chunks = kMaxChunks;
  };

  /// Adds a free place to the pool. Called when there is none.
  [[gnu::noinline]] void grow();
  void link(unsigned i, std::uint32_t place);
  /// Puts a place at the end of the free list. It is used again after all other free places.
  /// Therefore the places of a queue are mostly consecutive in memory, and processors prefetch
  /// them.
  void release(std::uint32_t pooled) {
    pool_[pooled].next = kNone;
    (free_ == kNone ? free_ : pool_[last_free_].next) = pooled;
    last_free_ = pooled;
  }
  /// Must be called when the queue's front has changed or the queue has become empty.
  void front_changed(unsigned i);

  State& state(unsigned i) { return count_ == 1 ? only_ : states_[i]; }
  const State& state(unsigned i) const { return count_ == 1 ? only_ : states_[i]; }

  std::vector<Pooled> pool_;
  State only_;  ///< used instead of states_ if there is a single queue, as in most nodes
  unsigned count_;
  std::uint32_t free_ = kNone;   ///< first place of the free list
  std::uint32_t last_free_ = 0;  ///< last of the free list; meaningless if none is free
  std::uint32_t capacity_;
  unsigned in_turn_;
  unsigned next_ = 0;
  unsigned waiting_ = 0;           ///< queues that are not empty
  unsigned full_ = 0;              ///< queues in turn without room
  std::uint32_t made_before_ = 0;  ///< low 32 bits of profile_.packets when the visit began; these
                                   ///< are enough, because a visit makes fewer than 2^32 packets
  unsigned fronts_ = 0;            ///< all front_hints() that there have been, as bits
  std::unique_ptr<QueueHeadLookup> heads_;
  FillProfile profile_;
  std::vector<State> states_;  ///< [queue]; empty if there is one queue
};

template <std::invocable Make>
std::uint32_t OutputQueues::emplace(unsigned i, Make&& make) {
  if (free_ == kNone) [[unlikely]]
    grow();
  const std::uint32_t place = free_;
  const SendDescriptor* const made = new (&pool_[place].descriptor) SendDescriptor(make());
  TOROID_CHECK_IN_CHECKED_BUILD(free_ == place);
  const std::uint32_t packets = made->packets;
  if (packets == 0) return 0;
  const std::uint32_t of_message = made->message_packets();
  free_ = pool_[place].next;
  pool_[place].next = kNone;
  profile_.packets += packets;
  ++profile_.descriptors;
  link(i, place);
  return of_message;
}

/// Appends the place to a queue.
inline void OutputQueues::link(unsigned i, std::uint32_t place) {
  State& queue = state(i);
  if (++queue.size == capacity_ && i < in_turn_) ++full_;
  if (queue.size == 1) {
    queue.head = queue.tail = place;
    ++waiting_;
    front_changed(i);
  } else {
    pool_[queue.tail].next = place;
    queue.tail = place;
  }
}

inline void OutputQueues::pop(unsigned i) {
  State& queue = state(i);
  const std::uint32_t left = queue.head;
  queue.head = pool_[left].next;
  release(left);
  if (queue.size-- == capacity_ && i < in_turn_) --full_;
  if (queue.size == 0) --waiting_;
  front_changed(i);
}

inline void OutputQueues::front_changed(unsigned i) {
  State& queue = state(i);
  DirectionSet hints;
  unsigned chunks = queue.front_chunks;
  if (queue.size > 0) {
    const Pooled& front = pool_[queue.head];
    hints = front.descriptor.header.fifo_directions();
    fronts_ |= hints.bits();
    chunks = front.descriptor.header.chunks();
    if (queue.size > 1) __builtin_prefetch(&pool_[front.next]);  // the next front
  }
  if (heads_ != nullptr)
    heads_->replace(i, {queue.front_hints, queue.front_chunks}, {hints, chunks});
  queue.front_hints = hints;
  queue.front_chunks = static_cast<std::uint8_t>(chunks);
}

}  // namespace toroid
