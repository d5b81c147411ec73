// Programs that use the layer in the wrong order or with wrong values: the run ends with a message
// that says what was wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/ring_broadcast.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/exchange/window.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/message_passing/request.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/packet/node/wrong_programs.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid {
namespace {

using testing::bytes_of;
using testing::EmulatedMachine;
using testing::end_of;
using testing::exchanges;
using testing::expect_end;
using testing::kHandler;
using testing::MisusedExchange;
using testing::wait_for;

// Handlers and packets.

Program send_to(Node& node, Rank to, HandlerId handler) {
  if (node.rank() == 0) co_await node.send(to, handler, 1);
}

TEST(Misuse, OfANodeOrHandlerThatDoesNotExistIsNamed) {
  expect_end([](Node& node) { return send_to(node, 99, kHandler); },
             {"node (0)", "node 99, which does not exist; expected 0 to 3"});
  expect_end([](Node& node) { return send_to(node, 1, 200); }, {"node (1)", "handler 200"});
}

TEST(Misuse, OfAShorterPayloadThanItsHandlerReadsIsNamed) {
  expect_end(
      [](Node& node) {
        node.on(kHandler, [](const Packet& packet) { (void)packet.as<std::uint64_t>(); });
        return send_to(node, 1, kHandler);
      },
      {"node (1): a packet for handler 16 has 4 bytes of payload, but its handler reads 8"});
}

Program post_to_next(Node& node, std::size_t bytes) {
  const std::vector<std::byte> payload(bytes);
  if (node.rank() == 0) node.post(1, kHandler, payload);
  co_return;
}

TEST(Misuse, OfTooLargeAPayloadIsNamed) {
  expect_end([](Node& node) { return post_to_next(node, 241); },
             {"a payload of 241 bytes; a packet carries at most 240"});
}

TEST(Misuse, OfAHandlerNumberOutOfRangeIsNamed) {
  expect_end(
      [](Node& node) {
        node.on(kMaxHandlers, [](const Packet&) {});
        return Program();
      },
      {"a handler has number 256; expected 16 to 255"});
}

Program throw_something(Node& node, int what) {
  co_await node.barrier();
  if (node.rank() == 2 && what == 0) throw std::domain_error("a reason");
  if (node.rank() == 2) throw 42;
  co_await node.barrier();
}

TEST(Misuse, OfExceptionsInProgramsAndHandlersIsNamed) {
  expect_end([](Node& node) { return throw_something(node, 0); }, {"node (2): a reason"});
  expect_end([](Node& node) { return throw_something(node, 1); },
             {"threw something that is not a std::exception"});
  expect_end(
      [](Node& node) {
        node.on(kHandler, [](const Packet&) { throw std::domain_error("a reason"); });
        return send_to(node, 1, kHandler);
      },
      {"node (1): a reason"});
  expect_end(
      [](Node& node) {
        node.on(kHandler, [](const Packet&) { throw 42; });
        return send_to(node, 1, kHandler);
      },
      {"threw something that is not a std::exception"});
}

// Objects that are used in the wrong order.

Program open_different_windows(Node& node, std::vector<double>* memory) {
  std::deque<Window> windows;
  windows.emplace_back(node, bytes_of(*memory).first(80));
  if (node.rank() != 1) windows.emplace_back(node, bytes_of(*memory).last(80));
  co_await node.barrier();
  const std::vector<double> row(10);
  if (node.rank() == 0) {
    const PendingPut put = windows.back().put(1, 0, std::as_bytes(std::span(row)));
    WindowAwaiter left = put.local();
    co_await left;
  }
  co_await node.barrier();
}

TEST(Misuse, OfAWindowThatTheOtherNodeDoesNotHaveIsNamed) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(100));
  expect_end([&](Node& node) { return open_different_windows(node, &memory[node.rank()]); },
             {"node (1)", "254, which it does not have"});
}

Program put_too_much(Node& node, std::vector<double>* memory) {
  Window window(node, bytes_of(*memory).first(node.rank() == 1 ? 80 : 800));
  co_await node.barrier();
  const std::vector<double> row(100);
  if (node.rank() == 0) {
    const PendingPut put = window.put(1, 0, std::as_bytes(std::span(row)), Acknowledge::yes);
    WindowAwaiter there = put.remote();
    co_await there;
  }
  co_await node.barrier();
}

TEST(Misuse, OfAWindowThatIsSmallerAtTheOtherNodeIsNamed) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(100));
  expect_end([&](Node& node) { return put_too_much(node, &memory[node.rank()]); },
             {"node (1)", "goes beyond window", "by (0)"});
}

Program use_one_memory_twice(Node& node, std::vector<double>* memory) {
  const Window one(node, bytes_of(*memory));
  const Window two(node, bytes_of(*memory).subspan(8, 8));
  co_await node.barrier();
}

TEST(Misuse, OfOneMemoryForTwoWindowsIsNamed) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(100));
  expect_end([&](Node& node) { return use_one_memory_twice(node, &memory[node.rank()]); },
             {"shares memory with another window of node"});
}

Program start_twice(Node& node, MisusedExchange* shared) {
  Exchange exchange(node, kHandler, Group::all(node.shape(), node.rank()), *shared->plan,
                    shared->messages);
  exchange.start();
  exchange.start();
  co_return;
}

TEST(Misuse, OfAnExchangeThatIsStartedTwiceIsNamed) {
  std::deque<MisusedExchange> shared = exchanges(Shape::parse("4"), {}, 100'000);
  expect_end([&](Node& node) { return start_twice(node, &shared[node.rank()]); },
             {"an Exchange was started again before"});
}

Program shift_wrongly(Node& node, bool begins_twice) {
  const Rank right = (node.rank() + 1) % node.size();
  const Rank left = (node.rank() + node.size() - 1) % node.size();
  std::vector<std::byte> own(1000), other(1000);
  RingShift shift(node, kHandler, RingShift::Way{.to = right, .from = left}, 1000);
  shift.begin(own, other);
  if (begins_twice)
    shift.begin(own, other);
  else
    shift.advance();
  co_await node.barrier();
}

TEST(Misuse, OfARingShiftInTheWrongOrderIsNamed) {
  expect_end([](Node& node) { return shift_wrongly(node, true); },
             {"a RingShift began a round before its last one was over"});
  expect_end([](Node& node) { return shift_wrongly(node, false); },
             {"a RingShift went on before it had released its block"});
}

Program broadcast_wrongly(Node& node, bool begins_twice) {
  const Rank up = (node.rank() + 1) % node.size();
  const Rank down = (node.rank() + node.size() - 1) % node.size();
  std::array<std::vector<std::byte>, 3> blocks;
  for (auto& block : blocks) block.resize(1000);
  RingBroadcast ring(node, kHandler, {up, down, node.rank(), node.size(), 0}, 1000);
  ring.begin(blocks[0], {blocks[1], blocks[2]});
  if (begins_twice) ring.begin(blocks[0], {blocks[1], blocks[2]});
  ring.advance();
  ring.advance();
  co_await node.barrier();
}

TEST(Misuse, OfARingBroadcastInTheWrongOrderIsNamed) {
  expect_end([](Node& node) { return broadcast_wrongly(node, true); },
             {"a RingBroadcast began a round before its last one was over"});
  expect_end([](Node& node) { return broadcast_wrongly(node, false); },
             {"a RingBroadcast went on before its block had arrived"});
}

Program send_wrongly(Node& node, Rank to, MessageTag tag, bool twice) {
  MessagePassing layer(node, kHandler);
  const std::vector<std::byte> message(100'000);
  MessageRequest request;
  layer.send(to == 1 ? (node.rank() + 1) % node.size() : to, 0, tag, message, request);
  if (twice) layer.send((node.rank() + 1) % node.size(), 0, tag, message, request);
  co_await node.barrier();
}

TEST(Misuse, OfMessagesThatCannotBeSentIsNamed) {
  expect_end([](Node& node) { return send_wrongly(node, node.rank(), 7, false); },
             {"expected another node, 0 to 3"});
  expect_end([](Node& node) { return send_wrongly(node, 99, 7, false); }, {"a message to node 99"});
  expect_end([](Node& node) { return send_wrongly(node, 1, kAnyTag, false); }, {"kAnyTag"});
  expect_end([](Node& node) { return send_wrongly(node, 1, 7, true); },
             {"a MessageRequest was used again before it was done"});
}

Program receive_too_little(Node& node, MessagePassing* layer, MessageRequest* request,
                           std::vector<std::byte>* message) {
  const auto all = std::span(*message);
  if (node.rank() == 0) layer->send(1, 0, 7, all, *request);
  if (node.rank() == 1) layer->receive(0, 0, 7, all.first(10), *request);
  RequestsAwaiter done = MessagePassing::wait(std::span(request, 1));
  co_await done;
  co_await node.barrier();
}

TEST(Misuse, OfAMessageThatIsLongerThanItsReceiveIsNamed) {
  for (const std::size_t bytes : {100u, 100000u})
    for (std::size_t number = 0; number < testing::kMachines; ++number)
      testing::on_machine(number, Shape::parse("4"), {}, [&](EmulatedMachine& machine) {
        std::deque<MessagePassing> layers;
        for (const Rank r : machine.ranks()) layers.emplace_back(machine.node(r), kHandler);
        std::vector<MessageRequest> requests(4);
        std::vector<std::vector<std::byte>> messages(4, std::vector<std::byte>(bytes));
        const std::string end = end_of(machine, [&](Node& node) {
          return receive_too_little(node, &layers[node.rank()], &requests[node.rank()],
                                    &messages[node.rank()]);
        });
        EXPECT_THAT(end, ::testing::HasSubstr("is longer than the 10 bytes of its receive"));
      });
}

Program take_a_number_of_a_window(Node& node, std::vector<double>* memory) {
  const Window window(node, bytes_of(*memory));
  node.on(window.number(), [](const Packet&) {});
  co_await node.barrier();
}

TEST(Misuse, OfHandlerNumbersOfOthersIsNamed) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(10));
  expect_end([&](Node& node) { return take_a_number_of_a_window(node, &memory[node.rank()]); },
             {"handler 255 belongs to a Window; expected another number"});
  expect_end(
      [](Node& node) {
        node.on(3, [](const Packet&) {});
        return Program();
      },
      {"a handler has number 3; expected 16 to 255"});
}

TEST(Misuse, OfHandlerNumbersIsNamed) {
  expect_end(
      [](Node& node) {
        node.reserve_handlers(1000);
        return Program();
      },
      {"a node has only 240 handler numbers left, but needs 1000"});
}

// Awaits that were forgotten.

Program forget_to_wait_for_a_part(Node& node, Program* part, bool waits_for_other) {
  (void)node.perform(*part);
  if (waits_for_other) co_await node.barrier();
  co_return;
}

TEST(Misuse, OfAPartThatIsNotAwaitedIsNamed) {
  for (const bool waits : {false, true}) {
    std::deque<Program> parts;
    const Counter apples("apples");
    expect_end(
        [&](Node& node) {
          return forget_to_wait_for_a_part(node, &parts.emplace_back(wait_for(node, &apples)),
                                           waits);
        },
        {"without waiting for it; use co_await"});
  }
}

TEST(Misuse, OfAPartThatAHandlerBeginsIsNamed) {
  std::deque<Program> parts;
  const Counter apples("apples");
  expect_end(
      [&](Node& node) {
        Program& part = parts.emplace_back(wait_for(node, &apples));
        node.on(kHandler, [&node, &part](const Packet&) { (void)node.perform(part); });
        return send_to(node, 1, kHandler);
      },
      {"node (1)", "perform() was called by a handler or before the run"});
  expect_end(
      [&](Node& node) {
        (void)node.perform(parts.emplace_back(wait_for(node, &apples)));
        return Program();
      },
      {"perform() was called by a handler or before the run"});
}

Program recurse(Node& node, std::deque<Program>* parts, unsigned depth) {
  if (depth == 0) co_return;
  Program& part = parts->emplace_back(recurse(node, parts, depth - 1));
  co_await node.perform(part);
}

TEST(Misuse, OfTooManyPartsWithinPartsIsNamed) {
  std::array<std::deque<Program>, 4> parts;
  expect_end([&](Node& node) { return recurse(node, &parts[node.rank()], 300); },
             {"programs are nested more than 250 deep"});
}

Program forget_a_barrier(Node& node) {
  (void)node.barrier();
  co_await node.barrier();
}

TEST(Misuse, OfABarrierThatIsNotAwaitedIsNamed) {
  expect_end(forget_a_barrier, {"a barrier before it has passed the one before"});
}

}  // namespace
}  // namespace toroid
