// One-sided communication: a node opens a window on some of its memory. Every other node may put
// bytes there and get bytes from there, and no program at the window's node takes part.
//
// Source of the idea: direct put, remote get and byte counters of the DMA engines of Blue Gene/P
// and Blue Gene/Q. There, as here, a get is a packet whose payload says what the node that receives
// it should send back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hal/object_pool.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/strided_box.hpp"
#include "packet/exchange/window_message.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

class Window;

/// Whether the node that puts is told when the bytes are in place.
enum class Acknowledge : bool { no, yes };

/// Awaits a part of a window's work. It may be awaited any number of times. ready() tests it
/// without waiting.
class WindowAwaiter final : public Awaiter {
 public:
  bool ready() override;
  std::string text() const override;

 private:
  friend class Window;
  friend class PendingPut;
  enum class For : std::uint8_t {
    arrival,   ///< a number of bytes has arrived
    leaving,   ///< the data of all puts has left
    all,       ///< all puts and gets that this node has begun are complete
    local,     ///< one put is locally complete: its source may be overwritten
    complete,  ///< one put or get is complete
  };
  WindowAwaiter(const Window& window, For what, std::uint64_t bytes)
      : window_(&window), bytes_(bytes), what_(what) {}
  WindowAwaiter(const Window& window, For what, std::uint32_t operation, std::uint32_t generation)
      : window_(&window), what_(what), operation_(operation), generation_(generation) {}

  const Window* window_;
  std::uint64_t bytes_ = 0;  ///< bytes that are to arrive
  Tick seen_at_ = 0;         ///< when the processor sees that it is done; 0 if not known yet
  For what_;
  std::uint32_t operation_ = 0;
  std::uint32_t generation_ = 0;
};

/// A put that has begun. Copying or destroying this object does not affect the put.
class PendingPut {
 public:
  /// Local completion: the source is no longer needed.
  WindowAwaiter local() const;
  /// Remote completion: all bytes are in place. Throws BadInput unless the put has
  /// Acknowledge::yes.
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

/// One node's window, and its access to the windows with the same number at the other nodes.
///
/// **Number:** a window's number is that of its handler. It is the same on all nodes if all open
/// their windows, and make other calls of Node::reserve_handlers(), in the same order. Windows may
/// differ in size. A node that puts or gets does not know the size of the other node's window; the
/// other node checks that the put or get fits.
/// **Nothing outside:** a put or get that goes beyond the window of its receiver ends the run with
/// an error message that names window, origin, offset and bytes. None of its bytes is written.
/// **Order:** puts and gets are not ordered. If one must follow another, begin it after the remote
/// completion of the earlier one, or after a barrier that follows that completion.
/// **Memory:** while other nodes put into a window or get from it, nothing else may use that
/// memory. The window's node learns from arrived() that bytes have come. It learns that other nodes
/// have got bytes only if these nodes tell it, by a message of their own.
/// **Turns:** a node stores the bytes of puts and answers gets whenever it has a turn, that is,
/// while its program awaits anything or after it has ended. A long computation should await
/// progress() now and then, except with a DMA engine.
/// **Lifetimes:** construct a window before the program's first await, because it must exist when
/// others put. Its memory, and the arrays of puts and gets until these are complete, must outlive
/// it. A put or get for a window that has been destroyed ends the run. So does the end of a window
/// with own puts or gets that are not complete; its destructor waits until other workers no longer
/// read the arrays of such puts.
///
/// The node's program and handlers call it, on the node's own thread.
class Window final : public Outgoing, private PayloadSource {
 public:
  /// Opens `memory`, which may be empty, to all nodes. Throws BadInput if another window of this
  /// node has some of this memory, or if no number is left for the window.
  Window(Node& node, std::span<std::byte> memory);
  Window(const Window&) = delete;
  ~Window() override;

  HandlerId number() const { return number_; }
  std::span<std::byte> memory() const { return memory_; }

  // These calls do not block. They throw BadInput for:
  // - a node that does not exist;
  // - a box that does not lie in its array;
  // - boxes of different sizes;
  // - 4 GiB or more;
  // - a place outside this node's own window, if the call names this node.
  // A put or get of this node's own window is complete when the call returns. Before local
  // completion the caller must not change `source`, `array` or `destination`. They must share no
  // memory with the place that their bytes go to or come from.
  /// Copies `source` to the window of node `to`, from byte `offset` on.
  PendingPut put(Rank to, std::uint64_t offset, std::span<const std::byte> source,
                 Acknowledge acknowledge = Acknowledge::no);
  /// Copies the bytes of box `here` of `array` to box `there` of the window of node `to`.
  PendingPut put(Rank to, const StridedBox& there, std::span<const std::byte> array,
                 const StridedBox& here, Acknowledge acknowledge = Acknowledge::no);
  /// Copies bytes of the window of node `from`, from byte `offset` on, to `destination`.
  WindowAwaiter get(Rank from, std::uint64_t offset, std::span<std::byte> destination);
  /// Copies the bytes of box `there` of the window of node `from` to box `here` of `array`.
  WindowAwaiter get(Rank from, const StridedBox& there, std::span<std::byte> array,
                    const StridedBox& here);

  /// Number of bytes that have been put into this window since it was opened.
  const Counter& bytes_arrived() const { return arrived_; }
  /// A program that awaits this goes on when `bytes` bytes have been put into this window, in total
  /// since it was opened.
  WindowAwaiter arrived(std::uint64_t bytes) const;
  /// A program that awaits this goes on when all puts that this node has begun are locally
  /// complete.
  WindowAwaiter sent() const;
  /// A program that awaits this goes on when all puts and gets that this node has begun are
  /// complete. A put with an acknowledgement is then complete remotely, other puts only locally.
  WindowAwaiter complete() const;

  bool fill(OutputQueues& queues) override;
  NextLook next_look() override;

 private:
  friend class WindowAwaiter;
  using Kind = WindowMessageKind;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A message that this node sends: a put, the request of a get, or the answer to another node's
  /// get. When it is complete, its place is used again with another generation.
  struct Operation {
    // Set when the operation begins. The receiver of a put by descriptor reads these.
    WindowMessage message;    ///< label of all its packets, which differ in `at` only
    StridedBox here;          ///< box of the source, or of a get's destination
    const std::byte* source;  ///< source of a put or answer
    std::byte* destination;   ///< destination of a get
    Rank peer;
    // Progress.
    bool is_open;
    bool is_put;           ///< it moves by put
    bool is_offered;       ///< its receiver reads its bytes remotely
    std::uint32_t number;  ///< its place in operations_
    std::uint32_t generation = 0;
    std::uint32_t next = kNone;  ///< the next one in the line
    std::uint32_t queued;        ///< packets queued
    std::uint32_t left;          ///< packets that have not left
    std::uint32_t to_come;       ///< bytes of a get that are still to come
    Tick written_at;             ///< when the processor has written its descriptor
  };
  /// A list of the operations that wait to be queued, in order.
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

  Node* node_;   ///< its program calls
  Node* mover_;  ///< the node that sends and receives: the DMA engine if there is one, or the node
                 ///< itself
  std::span<std::byte> memory_;
  HandlerId number_;
  bool is_posted_ = false;          ///< the mover will call fill() for the waiting operations
  bool waits_for_writing_ = false;  ///< in the last fill(), the first in line had no descriptor yet
  Line line_;
  ObjectPool<Operation> operations_;
  std::uint64_t unsent_ = 0;      ///< own puts that are not locally complete
  std::uint64_t incomplete_ = 0;  ///< own puts and gets that are not complete
  Counter arrived_{"bytes put into its window"};
  Tick moved_at_ = 0;  ///< when the engine finished its last move
  /// For each put that has arrived only in part and is to be acknowledged: the number of bytes that
  /// are still missing, by origin and operation.
  std::unordered_map<std::uint64_t, std::uint32_t> partly_come_;
  Attachment attachment_;
};

}  // namespace toroid
