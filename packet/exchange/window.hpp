// One-sided communication: a node opens a window on some of its memory, and every other node puts
// bytes there and gets bytes from there, without a program that takes part at the window's node.
//
// Source of the idea: direct put, remote get and byte counters of the DMA engines of Blue Gene/P
// and Blue Gene/Q. A get is there as here a packet whose payload says what the node that it reaches
// is to send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/place_pool.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/strided_box.hpp"
#include "packet/exchange/window_message.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

class Window;

/// Whether the node that puts is told when the bytes are in place.
enum class Acknowledge : bool { no, yes };

/// Stands behind co_await: a part of a window's work, until it is done. May be awaited any number
/// of times, and ready() tests it.
class WindowAwaiter final : public Awaiter {
 public:
  bool ready() override;
  std::string text() const override;

 private:
  friend class Window;
  friend class PendingPut;
  enum class For : std::uint8_t {
    arrival,   ///< of so many bytes
    leaving,   ///< of the data of all puts
    all,       ///< that this node has begun
    local,     ///< completion of one put: its source may be overwritten
    complete,  ///< one put or get
  };
  WindowAwaiter(const Window& window, For what, std::uint64_t bytes)
      : window_(&window), bytes_(bytes), what_(what) {}
  WindowAwaiter(const Window& window, For what, std::uint32_t operation, std::uint32_t generation)
      : window_(&window), what_(what), operation_(operation), generation_(generation) {}

  const Window* window_;
  std::uint64_t bytes_ = 0;  ///< to arrive
  Tick seen_at_ = 0;         ///< when the processor sees that it is done; 0: it is not done yet
  For what_;
  std::uint32_t operation_ = 0;
  std::uint32_t generation_ = 0;
};

/// A put that has begun. A value: it may be copied, and be dropped.
class PendingPut {
 public:
  /// Local completion: the source is needed no more.
  WindowAwaiter local() const;
  /// Remote completion: all bytes are in place. REQUIRES: Acknowledge::yes.
  WindowAwaiter remote() const;

 private:
  friend class Window;
  PendingPut(const Window& window, Acknowledge acknowledge, std::uint32_t operation,
             std::uint32_t generation)
      : window_(&window),
        operation_(operation),
        generation_(generation),
        acknowledge_(acknowledge) {}

  const Window* window_;
  std::uint32_t operation_;
  std::uint32_t generation_;
  Acknowledge acknowledge_;
};

/// One node's window, and its access to the windows of the same number at the other nodes.
///
/// **Number:** it is a handler's, and the same everywhere if all nodes open their windows, and what
/// else asks Node::reserve_handlers(), in the same order. Windows may differ in size; who puts or
/// gets does not know the size elsewhere, the receiver checks it.
/// **Nothing outside:** a put or get that goes beyond the window of its receiver ends the run with
/// a line that names window, origin, offset and bytes. None of its bytes has been written then.
/// **Order:** there is none among puts and gets. What is to come later is begun after the earlier
/// one's remote completion, or a barrier after it.
/// **Memory:** what others put into a window and get from it is nobody's else meanwhile. Its node
/// learns by arrived() that bytes have come, and by what the others tell it that they have been
/// got.
/// **Turns:** a node stores and answers whenever it has a turn: while its program awaits anything,
/// or has ended. A long computation awaits progress() now and then. A DMA engine needs no such
/// help.
/// **Lifetimes:** construct it before the program's first await: it must exist when others put. It
/// must outlive the run, and so must its memory and the arrays of puts and gets: where nodes share
/// memory others read and write them, even after a program has failed.
///
/// The node's program and handlers call it, on the node's own thread.
class Window final : public Outgoing, private PayloadSource {
 public:
  /// Opens `memory`, perhaps none, to all nodes. Throws BadInput where another window of this node
  /// has some of it, or no number is left.
  Window(Node& node, std::span<std::byte> memory);
  Window(const Window&) = delete;

  HandlerId number() const { return number_; }
  std::span<std::byte> memory() const { return memory_; }

  // Non-blocking. They throw BadInput for a node that there is not, a box that its array does not
  // hold, boxes of different sizes, 4 GiB or more, and for this node if its own window is too
  // small. A put or get of this node's own window is complete when they return. `source`, `array`
  // and `destination` stay as they are until local completion, and share no memory with where their
  // bytes go or come from.
  /// Brings `source` to the window of node `to`, from byte `offset` on.
  PendingPut put(Rank to, std::uint64_t offset, std::span<const std::byte> source,
                 Acknowledge acknowledge = Acknowledge::no);
  /// Brings the bytes of box `here` of `array` to box `there` of the window of node `to`.
  PendingPut put(Rank to, const StridedBox& there, std::span<const std::byte> array,
                 const StridedBox& here, Acknowledge acknowledge = Acknowledge::no);
  /// Brings bytes of the window of node `from`, from byte `offset` on, to `destination`.
  WindowAwaiter get(Rank from, std::uint64_t offset, std::span<std::byte> destination);
  /// Brings the bytes of box `there` of the window of node `from` to box `here` of `array`.
  WindowAwaiter get(Rank from, const StridedBox& there, std::span<std::byte> array,
                    const StridedBox& here);

  /// Bytes that have been put into this window since it was opened.
  const Counter& bytes_arrived() const { return arrived_; }
  /// A program that awaits this goes on when so many bytes have been put into this window, of all
  /// puts since it was opened together.
  WindowAwaiter arrived(std::uint64_t bytes) const;
  /// ... when all puts that this node has begun are locally complete.
  WindowAwaiter sent() const;
  /// ... when all puts and gets that this node has begun are complete; remotely, where a put asks
  /// for an acknowledgement.
  WindowAwaiter complete() const;

  bool fill(OutputQueues& queues) override;
  NextLook next_look() override;

 private:
  friend class WindowAwaiter;
  using Kind = WindowMessageKind;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// What this node sends: a put, the request of a get, or the answer to another node's get. Its
  /// place is used again, with another generation, when it is complete.
  struct Operation {
    // As it was begun. The receiver of a put by descriptor reads this.
    WindowMessage message;    ///< of all its packets; only `at` differs
    StridedBox here;          ///< of the source, or of a get's destination
    const std::byte* source;  ///< of a put or answer
    std::byte* destination;   ///< of a get
    Rank peer;
    // How far it is.
    bool is_open;
    bool is_put;           ///< goes by descriptor
    bool is_offered;       ///< its receiver reads it from afar
    std::uint32_t number;  ///< its place
    std::uint32_t generation = 0;
    std::uint32_t next = kNone;  ///< among those that wait
    std::uint32_t queued;        ///< packets
    std::uint32_t left;          ///< packets that have not left
    std::uint32_t to_come;       ///< bytes, of a get
    Tick written_at;             ///< when the processor has written its descriptor
  };
  /// Operations that wait to be queued, the first first.
  struct Line {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  // Beginning.
  std::uint32_t checked_bytes(std::string_view what, Rank peer, const StridedBox& there,
                              std::size_t array, const StridedBox& here) const;
  Operation& open(Kind kind, Rank peer, const StridedBox& there, const StridedBox& here,
                  std::uint32_t bytes);
  void begin(Operation& operation);
  bool goes_by_put(const Operation& operation) const;
  bool try_pass(Operation& operation);
  void wait_in_line(Operation& operation);
  // Leaving.
  bool is_by_engine() const { return mover_ != node_; }
  static bool carries_data(const Operation& operation) {
    return operation.message.kind != Kind::get;
  }
  static std::uint32_t packets_of(const Operation& operation);
  SendDescriptor describe(const Operation& operation);
  void note_left(Operation& operation, std::uint32_t packets);
  std::size_t write(const Operation& operation, std::uint64_t at, std::uint64_t most,
                    std::span<std::byte> to) const;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;
  PutDescriptor put(const SendDescriptor& descriptor) override;
  std::size_t pack(const SendDescriptor& descriptor, std::uint32_t first, std::uint32_t packets,
                   std::span<std::byte> to) override;
  PutOffer offer(const SendDescriptor& descriptor, std::size_t least) override;
  void put_done(const PutDescriptor& put) override;
  void close(Operation& operation);
  // Arriving.
  void take(Rank origin, std::span<const std::byte> bytes);
  std::size_t take(const PutDescriptor& put);
  std::size_t take_shared(const PutDescriptor& put);
  std::size_t land(const PutDescriptor& put);
  void check_box(Rank origin, const WindowMessage& message) const;
  void store(Rank origin, const WindowMessage& message, std::span<const std::byte> data);
  void acknowledge(Rank origin, const WindowMessage& message, std::size_t bytes);
  void acknowledged(Rank origin, const WindowMessage& message);
  void answer(Rank origin, const WindowMessage& message);
  Operation& asked(Rank origin, const WindowMessage& message, Kind kind);
  void note_arrival(std::uint64_t bytes);
  void note_answer(Operation& get, std::uint64_t bytes);
  void note_moved() {
    if (is_by_engine()) moved_at_ = mover_->now();
  }
  // Waiting.
  const Operation* operation_of(const WindowAwaiter& what) const;
  bool is_done(const WindowAwaiter& what) const;
  bool is_seen(Tick& seen_at) const;
  std::string waits_for(const WindowAwaiter& what) const;

  Node* node_;   ///< whose program calls
  Node* mover_;  ///< that sends and receives: the node's DMA engine, or the node itself
  std::span<std::byte> memory_;
  HandlerId number_;
  bool is_posted_ = false;          ///< the mover asks this for what waits
  bool waits_for_writing_ = false;  ///< the first in line had no descriptor yet in the last fill()
  Line line_;
  PlacePool<Operation> operations_;
  std::uint64_t unsent_ = 0;      ///< own puts that are not locally complete
  std::uint64_t incomplete_ = 0;  ///< own puts and gets that are not complete
  Counter arrived_{"bytes put into its window"};
  Tick moved_at_ = 0;  ///< when the engine was through with what it moved last
  /// Bytes that have not come of puts that are to be acknowledged and have come in part, by origin
  /// and operation.
  std::unordered_map<std::uint64_t, std::uint32_t> partly_come_;
};

}  // namespace toroid
