// Programs that misuse the layer: each run ends with a message that says what was wrong, on the
// model and on rings, and no memory is touched that has been freed (which AddressSanitizer checks).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/exchange/ring_broadcast.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/exchange/window.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/message_passing/request.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/policies/policies.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::kHandler;
using testing::kRoutes;
using testing::PlanPointer;
using testing::RingMachine;
using testing::routed;
using testing::SimMachine;

using MakeProgram = std::function<Program(Node&)>;

/// The message with which a run of these programs on this machine ends.
std::string end_of(EmulatedMachine& machine, const MakeProgram& program) {
  try {
    machine.run(program);
  } catch (const RunFailed& failed) {
    return failed.what();
  } catch (const BadInput& refused) {
    return refused.what();
  }
  return "nothing was said";
}

/// Lets `expect` look at the end of the run on the model and on rings of both routes.
void on_every_fabric(const char* torus, const NodeOptions& nodes, const MakeProgram& program,
                     const std::function<void(const std::string&)>& expect) {
  const Shape shape = Shape::parse(torus);
  {
    SCOPED_TRACE("sim");
    SimOptions model;
    model.cycles = 1'000'000;
    SimMachine sim(shape, nodes, model);
    expect(end_of(sim, program));
  }
  for (const RingRoute route : kRoutes) {
    SCOPED_TRACE(kRingRouteNames[static_cast<unsigned>(route)]);
    RingOptions options = routed(route);
    options.stall = std::chrono::milliseconds(250);
    options.limit = std::chrono::milliseconds(400);
    RingMachine rings(shape, 2, nodes, options);
    expect(end_of(rings, program));
  }
}

/// The run of this program ends with a message that has all of these words.
void expect_end(const MakeProgram& program, const std::vector<std::string>& words,
                const NodeOptions& nodes = {}, const char* torus = "4") {
  on_every_fabric(torus, nodes, program, [&](const std::string& end) {
    for (const std::string& word : words) EXPECT_THAT(end, ::testing::HasSubstr(word));
    EXPECT_THAT(end, ::testing::Not(::testing::HasSubstr("\n")));
  });
}

std::span<std::byte> bytes_of(std::vector<double>& numbers) {
  return std::as_writable_bytes(std::span(numbers));
}

Program wait_for(Node& node, const Counter* counter) {
  co_await node.until(*counter, 1);
}

// Objects that end too early.

Program free_a_window(Node& node, std::vector<double>* row) {
  auto window = std::make_unique<Window>(node, bytes_of(*row));
  const HandlerId number = window->number();
  if (node.rank() == 0) window.reset();
  co_await node.barrier();
  if (node.rank() == 1) {
    std::vector<double> other(row->size());
    const PendingPut put = window->put(0, 0, std::as_bytes(std::span(other)));
    WindowAwaiter left = put.local();
    co_await left;
    co_await node.barrier();
  }
  co_await node.barrier();
  TOROID_CHECK(number > 0);
}

TEST(Misuse, OfAWindowThatAnotherNodeStillPutsToIsNamed) {
  for (const std::size_t cells : {3u, 4000u}) {
    std::vector<std::vector<double>> rows(4, std::vector<double>(cells));
    expect_end([&](Node& node) { return free_a_window(node, &rows[node.rank()]); },
               {"node (0)", "for its Window (handler", "destroyed; it must live until"});
  }
}

Program leave_a_put(Node& node, std::vector<double>* memory, std::size_t cells) {
  const std::vector<double> row(cells, 1.0);
  Window window(node, bytes_of(*memory));
  co_await node.barrier();
  if (node.rank() == 0)
    for (Rank to = 1; to < node.size(); ++to)
      window.put(to, 0, std::as_bytes(std::span(row)), Acknowledge::yes);
  else
    co_await node.barrier();  // never passed, so these windows live
}

TEST(Misuse, OfAWindowWithAPutUnderWayIsNamed) {
  for (const std::size_t cells : {3u, 100000u}) {
    std::vector<std::vector<double>> memory(4, std::vector<double>(cells));
    expect_end([&](Node& node) { return leave_a_put(node, &memory[node.rank()], cells); },
               {"node (0)", "its Window was destroyed before all that it had begun was complete"});
  }
}

Program fail_during_a_put(Node& node, std::vector<double>* memory, std::size_t cells) {
  const std::vector<double> row(cells, 1.0);
  Window window(node, bytes_of(*memory));
  co_await node.barrier();
  if (node.rank() == 0) {
    for (Rank to = 1; to < node.size(); ++to) window.put(to, 0, std::as_bytes(std::span(row)));
    throw std::domain_error("a program that fails");
  }
  co_await node.barrier();
}

TEST(Misuse, AProgramThatFailsDuringAPutFreesItsArrayOnlyWhenNobodyReadsIt) {
  for (const std::size_t cells : {3u, 100000u}) {
    std::vector<std::vector<double>> memory(4, std::vector<double>(cells));
    expect_end([&](Node& node) { return fail_during_a_put(node, &memory[node.rank()], cells); },
               {"node (0): a program that fails"});
  }
}

Program leave_a_get(Node& node, std::vector<double>* memory) {
  std::vector<double> got(memory->size());
  Window window(node, bytes_of(*memory));
  co_await node.barrier();
  if (node.rank() == 0) window.get(1, 0, bytes_of(got));
  if (node.rank() != 0) co_await node.barrier();
}

TEST(Misuse, OfAWindowWithAGetUnderWayIsNamed) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(1000));
  expect_end([&](Node& node) { return leave_a_get(node, &memory[node.rank()]); },
             {"node (0)", "its Window was destroyed before"});
}

Program open_one_window_after_another(Node& node, std::vector<double>* memory) {
  { const Window first(node, bytes_of(*memory)); }
  const Window second(node, bytes_of(*memory));
  co_await node.barrier();
}

TEST(Misuse, MemoryOfAWindowThatHasEndedMayBeOpenedAgain) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(10));
  expect_end([&](Node& node) { return open_one_window_after_another(node, &memory[node.rank()]); },
             {"nothing was said"});
}

/// The messages and the plan of an exchange, which outlive the run.
struct MisusedExchange {
  explicit MisusedExchange(const Shape& shape, const NodeOptions& options, std::uint64_t bytes)
      : plan(testing::plan_for(options, shape, shape, {.payload = false, .places = false})),
        messages(shape, bytes, plan->data_bytes()) {}
  PlanPointer plan;
  UniformMessages messages;
};

Program exchange_in_the_program(Node& node, MisusedExchange* shared, bool waits) {
  Exchange exchange(node, kHandler, Group::all(node.shape(), node.rank()), *shared->plan,
                    shared->messages);
  co_await node.barrier();
  exchange.start();
  const ExchangeAwaiter all = exchange.wait();
  ExchangeAwaiter received = all;
  if (waits) co_await received;
}

TEST(Misuse, OfAnExchangeThatIsDestroyedBeforeItsPacketsHaveLeftIsNamed) {
  const Shape shape = Shape::parse("4");
  std::deque<MisusedExchange> sends;
  for (Rank r = 0; r < 4; ++r) sends.emplace_back(shape, NodeOptions{}, 100'000);
  expect_end([&](Node& node) { return exchange_in_the_program(node, &sends[node.rank()], false); },
             {"its Exchange was destroyed before all that it had begun was complete"});
}

/// A relaying policy's packets reach nodes whose own part is over: the run ends with the name of
/// the exchange, or all is complete by chance.
TEST(Misuse, OfAnExchangeThatIsDestroyedBeforeItHasRelayedForOthersIsNamed) {
  const Shape shape = Shape::parse("4x4");
  const Policy& policy = policy_by_name("two-phase");
  testing::PolicySetup setup(policy, "4x4", {}, {.payload = false, .places = false});
  std::deque<MisusedExchange> sends;
  for (Rank r = 0; r < shape.size(); ++r) sends.emplace_back(shape, setup.nodes, 2000);
  on_every_fabric(
      "4x4", setup.nodes,
      [&](Node& node) { return exchange_in_the_program(node, &sends[node.rank()], true); },
      [](const std::string& end) {
        EXPECT_THAT(end, ::testing::AnyOf(::testing::HasSubstr("xchange"),
                                          ::testing::Eq("nothing was said")));
      });
}

Program free_a_ring_shift(Node& node) {
  const Rank right = (node.rank() + 1) % node.size();
  const Rank left = (node.rank() + node.size() - 1) % node.size();
  std::vector<std::byte> own(1000), other(1000);
  auto shift =
      std::make_unique<RingShift>(node, kHandler, RingShift::Way{.to = right, .from = left}, 1000);
  if (node.rank() == 0) shift.reset();
  co_await node.barrier();
  if (shift) {
    shift->begin(own, other);
    shift->release();
  }
  co_await node.barrier();
  co_await node.barrier();
}

TEST(Misuse, OfARingShiftThatIsDestroyedWhileItsNeighbourSendsIsNamed) {
  expect_end(free_a_ring_shift, {"node (0)", "for its RingShift (handler"});
}

Program free_a_ring_broadcast(Node& node) {
  const Rank up = (node.rank() + 1) % node.size();
  const Rank down = (node.rank() + node.size() - 1) % node.size();
  std::array<std::vector<std::byte>, 3> blocks;
  for (auto& block : blocks) block.resize(1000);
  auto ring = std::make_unique<RingBroadcast>(
      node, kHandler, RingBroadcast::Ring{up, down, node.rank(), node.size(), 0}, 1000);
  if (node.rank() == 0) ring.reset();
  co_await node.barrier();
  if (ring) ring->begin(blocks[0], {blocks[1], blocks[2]});
  co_await node.barrier();
  co_await node.barrier();
}

TEST(Misuse, OfARingBroadcastThatIsDestroyedWhileItsNeighboursSendIsNamed) {
  expect_end(free_a_ring_broadcast, {"node (0)", "for its RingBroadcast (handler"});
}

Program free_message_passing(Node& node, bool at_the_receiver) {
  auto layer = std::make_unique<MessagePassing>(node, kHandler);
  std::vector<std::byte> message(100'000);
  if (at_the_receiver && node.rank() == 0) layer.reset();
  co_await node.barrier();
  if (node.rank() == 1) {
    MessageRequest request;
    layer->send(0, 0, 7, message, request);
    if (!at_the_receiver) layer.reset();
    RequestsAwaiter sent = MessagePassing::wait(std::span(&request, 1));
    co_await sent;
  }
  co_await node.barrier();
}

TEST(Misuse, OfMessagePassingThatIsDestroyedTooEarlyIsNamed) {
  expect_end([](Node& node) { return free_message_passing(node, true); },
             {"node (0)", "for its MessagePassing (handler"});
  expect_end([](Node& node) { return free_message_passing(node, false); },
             {"node (1)", "its MessagePassing was destroyed before all that it had begun"});
}

Program forget_a_request(Node& node, MessagePassing* layer, bool receives) {
  std::vector<std::byte> message(100'000);
  co_await node.barrier();
  if (node.rank() == 1) {
    std::vector<MessageRequest> requests(1);
    if (receives)
      layer->receive(0, 0, 7, message, requests[0]);
    else
      layer->send(0, 0, 7, message, requests[0]);
  }
  co_await node.barrier();
}

TEST(Misuse, OfARequestThatIsDestroyedBeforeItIsDoneIsNamed) {
  for (const bool receives : {false, true})
    for (const RingRoute route : kRoutes) {
      RingMachine machine(Shape::parse("4"), 2, {}, routed(route));
      std::deque<MessagePassing> layers;
      for (const Rank r : machine.ranks()) layers.emplace_back(machine.node(r), kHandler);
      const std::string end = end_of(machine, [&](Node& node) {
        return forget_a_request(node, &layers[node.rank()], receives);
      });
      EXPECT_THAT(end, ::testing::HasSubstr("its MessageRequest was destroyed before"));
      EXPECT_THAT(end, ::testing::HasSubstr("node (1)"));
    }
}

Program forget_a_stream(Node& node) {
  const std::vector<std::byte> message(100'000);
  co_await node.barrier();
  if (node.rank() == 0) {
    Stream stream(node, kHandler, 1, message);
    stream.start();
  }
}

TEST(Misuse, OfAStreamThatIsDestroyedBeforeItHasBeenSentIsNamed) {
  expect_end(
      [](Node& node) {
        node.on(kHandler, [](const Packet&) {});
        return forget_a_stream(node);
      },
      {"node (0)", "its Stream was destroyed before"});
}

// Handlers.

Program count_in_the_program(Node& node) {
  std::vector<unsigned> counts(1000);
  Counter seen;
  node.on(kHandler, [&](const Packet& packet) {
    ++counts[packet.header.argument()];
    seen.bump();
  });
  co_await node.barrier();
  if (node.rank() != 0) co_return;
  for (std::uint32_t i = 0; i < 100; ++i) {
    co_await node.compute(1000);
    co_await node.send(1, kHandler, i, i);
  }
}

TEST(Misuse, OfAHandlerWhoseProgramHasEndedIsNamed) {
  expect_end(count_in_the_program,
             {"node (1)", "handler 16, which ended with the program that set it",
              "set the handler before the run"});
}

Program part_with_a_handler(Node& node) {
  std::vector<unsigned> counts(1000);
  node.on(kHandler, [&](const Packet& packet) { ++counts[packet.header.argument()]; });
  co_await node.barrier();
}

Program send_after_the_part(Node& node, Program* part) {
  co_await node.perform(*part);
  co_await node.barrier();
  co_await node.send((node.rank() + 1) % node.size(), kHandler, 1, 1);
  co_await node.barrier();
  co_await node.barrier();
}

TEST(Misuse, OfAHandlerWhosePartHasEndedIsNamed) {
  std::deque<Program> parts;
  expect_end(
      [&](Node& node) {
        return send_after_the_part(node, &parts.emplace_back(part_with_a_handler(node)));
      },
      {"handler 16, which ended with the program that set it"});
}

TEST(Misuse, AHandlerThatIsSetBeforeTheRunOutlivesThePrograms) {
  std::vector<unsigned> counts(4);
  expect_end(
      [&](Node& node) {
        node.on(kHandler, [&counts, &node](const Packet& packet) {
          const std::uint32_t left = packet.header.argument();
          ++counts[node.rank()];
          if (left > 0) node.post((node.rank() + 1) % node.size(), kHandler, {}, left - 1);
        });
        if (node.rank() == 0) node.post(1, kHandler, {}, 11);
        return Program();
      },
      {"nothing was said"});
  EXPECT_EQ(counts, std::vector<unsigned>(4, 9u));  // 3 on each of 3 machines
}

Program send_to(Node& node, Rank to, HandlerId handler) {
  if (node.rank() == 0) co_await node.send(to, handler, 1);
}

TEST(Misuse, OfANodeOrHandlerThatDoesNotExistIsNamed) {
  expect_end([](Node& node) { return send_to(node, 99, kHandler); },
             {"node (0)", "node 99, which does not exist; expected 0 to 3"});
  expect_end([](Node& node) { return send_to(node, 1, 200); }, {"node (1)", "handler 200"});
}

TEST(Misuse, OfTooLargeAPayloadIsNamed) {
  expect_end(
      [](Node& node) {
        const std::vector<std::byte> payload(241);
        if (node.rank() == 0) node.post(1, kHandler, payload);
        return Program();
      },
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
  const Shape shape = Shape::parse("4");
  std::deque<MisusedExchange> shared;
  for (Rank r = 0; r < 4; ++r) shared.emplace_back(shape, NodeOptions{}, 100'000);
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

// Programs that wait for ever or never end.

Program at_barrier(Node& node) {
  co_await node.barrier();
}

Program end_at_once(Node& node) {
  if (node.rank() != 0) co_await node.barrier();
}

TEST(Misuse, OfABarrierThatOneNodeDoesNotReachIsNamed) {
  expect_end(end_at_once, {"wait", "the barrier"});
}

TEST(Misuse, OfACounterThatNobodyCountsIsNamed) {
  const Counter apples("apples");
  expect_end([&](Node& node) { return wait_for(node, &apples); }, {"apples at 0 of 1"});
}

TEST(Misuse, ANodeThatSendsToItselfForEverIsNamed) {
  expect_end(
      [](Node& node) {
        node.on(kHandler, [&node](const Packet&) { node.post(node.rank(), kHandler, {}); });
        if (node.rank() == 1) node.post(1, kHandler, {});
        return Program();
      },
      {});
  SUCCEED();
}

TEST(Misuse, PacketsThatCircleForEverAreNamed) {
  expect_end(
      [](Node& node) {
        const Rank next = (node.rank() + 1) % node.size();
        node.on(kHandler, [&node, next](const Packet&) { node.post(next, kHandler, {}); });
        if (node.rank() == 1) node.post(next, kHandler, {});
        return Program();
      },
      {"the run did not end", "the busiest nodes: ("});
}

Program go_on_for_ever(Node& node) {
  for (;;) co_await node.progress();
}

TEST(Misuse, AProgramThatGoesOnForEverIsNamed) {
  expect_end(go_on_for_ever, {"the run did not end", "the busiest nodes: ("});
}

Program go_on_slowly(Node& node) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    co_await node.progress();
  }
}

/// The process goes on, because every node returns from its turns.
TEST(Misuse, ASlowProgramThatGoesOnForEverFailsTheRunOnly) {
  SimMachine sim(Shape::parse("2"), {}, {.limit = std::chrono::milliseconds(100)});
  EXPECT_THAT(end_of(sim, go_on_slowly), ::testing::HasSubstr("the run did not end within 0.1 s"));
}

Program never_return(Node& node) {
  co_await node.barrier();
  for (volatile unsigned i = 0;;) i = i + 1;
}

/// A thread that does not return cannot be stopped, so the process ends.
TEST(MisuseDeathTest, AProgramThatNeverReturnsIsNamedAndEndsTheProcess) {
  constexpr std::chrono::milliseconds kLimit{300};
  const Shape shape = Shape::parse("3");
  const auto program = [](Node& node) {
    return node.rank() == 1 ? never_return(node) : at_barrier(node);
  };
  const auto said =
      "the run did not end within 0.3 s; node \\(1\\) has not returned from its program";
  EXPECT_EXIT(
      {
        SimMachine sim(shape, {}, {.limit = kLimit});
        sim.run(program);
      },
      ::testing::ExitedWithCode(1), said);
  for (const RingRoute route : kRoutes)
    EXPECT_EXIT(
        {
          RingOptions options = routed(route);
          options.limit = kLimit;
          RingMachine rings(shape, 2, {}, options);
          rings.run(program);
        },
        ::testing::ExitedWithCode(1), said);
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
