// Messages are matched with receives as MPI specifies, whatever the order in which their packets
// arrive, on the model and on rings.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/group.hpp"
#include "packet/message_passing/all_to_all.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/message_passing/request.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/random_bytes.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::kHandler;
using testing::RingMachine;
using testing::SimMachine;

using Bytes = std::vector<std::byte>;

Bytes text_of(std::uint64_t key, std::size_t bytes) {
  Bytes message(bytes);
  testing::fill_at_random(message, Random(key + 1, bytes));
  return message;
}

/// Calls test(machine) for the model and for rings of two workers, with every route and every
/// routing rule.
template <typename Test>
void on_every_fabric(const char* torus, const Test& test) {
  const Shape shape = Shape::parse(torus);
  SimMachine model(shape);
  test(model);
  for (const auto& c : testing::ring_cases()) {
    if (c.threads != 2) continue;
    SCOPED_TRACE(c.text());
    RingMachine rings(shape, c.threads, c.node(), testing::routed(c.route));
    test(rings);
  }
}

/// A node's messages, buffers and requests. They do not move.
struct Mail {
  explicit Mail(Node& node) : layer(node, kHandler) {}
  MessagePassing layer;
  std::vector<Bytes> sent{};
  std::vector<Bytes> received{};
  std::vector<MessageRequest> requests{};
};

/// Lengths below and above the eager limit and the payload of a packet, and zero.
constexpr std::size_t kLengths[] = {5000, 0, 100, 1000, 1001, 224, 225, 1, 30000, 0, 16};
constexpr std::size_t kMessages = std::size(kLengths);

enum class First { receives, sends };

/// Node 0 sends all messages to the last node, with one tag.
Program in_order(Node& node, Mail& mail, First first) {
  const Rank last = node.size() - 1;
  mail.requests.resize(kMessages);
  mail.received.assign(kMessages, Bytes(30000));
  for (std::size_t n = 0; n < kMessages; ++n) mail.sent.push_back(text_of(n, kLengths[n]));
  if (node.rank() == last && first == First::receives)
    for (std::size_t n = 0; n < kMessages; ++n)
      mail.layer.receive(0, 1, 7, mail.received[n], mail.requests[n]);
  co_await node.barrier();
  if (node.rank() == 0)
    for (std::size_t n = 0; n < kMessages; ++n)
      mail.layer.send(last, 1, 7, mail.sent[n], mail.requests[n]);
  for (int turns = 0; turns < 200; ++turns) co_await node.progress();
  co_await node.barrier();
  if (node.rank() == last && first == First::sends)
    for (std::size_t n = 0; n < kMessages; ++n)
      mail.layer.receive(0, 1, 7, mail.received[n], mail.requests[n]);
  const RequestsAwaiter all = MessagePassing::wait(mail.requests);
  RequestsAwaiter wait = all;
  co_await wait;
}

/// One Mail per node, made together with the node's program.
template <typename MakeProgram>
std::vector<std::unique_ptr<Mail>> run(EmulatedMachine& machine, const MakeProgram& program) {
  std::vector<std::unique_ptr<Mail>> mails(machine.size());
  machine.run([&](Node& node) {
    mails[node.rank()] = std::make_unique<Mail>(node);
    return program(node, *mails[node.rank()]);
  });
  EXPECT_TRUE(machine.finished());
  return mails;
}

TEST(MessagePassing, MessagesOfOneSourceMeetReceivesInTheOrderOfTheirSends) {
  for (const First first : {First::receives, First::sends})
    on_every_fabric("3x2", [&](EmulatedMachine& machine) {
      const auto mails =
          run(machine, [&](Node& node, Mail& mail) { return in_order(node, mail, first); });
      const Mail& last = *mails.back();
      for (std::size_t n = 0; n < kMessages; ++n) {
        ASSERT_EQ(last.requests[n].bytes, kLengths[n]);
        ASSERT_EQ(last.requests[n].peer, 0u);
        ASSERT_TRUE(testing::equal_bytes(std::span(last.received[n]).first(kLengths[n]),
                                         text_of(n, kLengths[n])));
      }
    });
}

/// Node 0 sends with tags 0, 1, 2, each in communicators 0 and 1; node 1 receives them in reverse
/// order.
Program by_tag(Node& node, Mail& mail) {
  constexpr std::size_t kTags = 3;
  mail.requests.resize(2 * kTags);
  mail.received.assign(2 * kTags, Bytes(2000));
  for (std::size_t n = 0; n < 2 * kTags; ++n) mail.sent.push_back(text_of(n, 300 * n));
  for (std::size_t n = 0; n < 2 * kTags; ++n)
    if (node.rank() == 0)
      mail.layer.send(1, static_cast<Communicator>(n % 2), static_cast<MessageTag>(n / 2),
                      mail.sent[n], mail.requests[n]);
  for (std::size_t n = 2 * kTags; n-- > 0;)
    if (node.rank() == 1)
      mail.layer.receive(0, static_cast<Communicator>(n % 2), static_cast<MessageTag>(n / 2),
                         mail.received[n], mail.requests[n]);
  RequestsAwaiter wait = MessagePassing::wait(mail.requests);
  co_await wait;
}

TEST(MessagePassing, ReceivesChooseByTagAndCommunicator) {
  on_every_fabric("2", [&](EmulatedMachine& machine) {
    const auto mails = run(machine, [](Node& node, Mail& mail) { return by_tag(node, mail); });
    for (std::size_t n = 0; n < 6; ++n) {
      ASSERT_EQ(mails[1]->requests[n].bytes, 300 * n);
      ASSERT_EQ(mails[1]->requests[n].tag, n / 2);
      ASSERT_TRUE(
          testing::equal_bytes(std::span(mails[1]->received[n]).first(300 * n), mails[0]->sent[n]));
    }
  });
}

/// All other nodes send node 0 a message whose tag is their rank; it takes them from any source.
Program from_anybody(Node& node, Mail& mail) {
  mail.requests.resize(node.size());
  mail.sent = {text_of(node.rank(), 100 * node.rank())};
  mail.received.assign(node.size(), Bytes(100 * node.size()));
  if (node.rank() > 0)
    mail.layer.send(0, 0, static_cast<MessageTag>(node.rank()), mail.sent[0], mail.requests[0]);
  else
    for (Rank n = 1; n < node.size(); ++n)
      mail.layer.receive(kAnySource, 0, kAnyTag, mail.received[n], mail.requests[n]);
  RequestsAwaiter wait = MessagePassing::wait(mail.requests);
  co_await wait;
}

TEST(MessagePassing, ReceiveFromAnySourceNamesTheSender) {
  on_every_fabric("4x3", [&](EmulatedMachine& machine) {
    const auto mails =
        run(machine, [](Node& node, Mail& mail) { return from_anybody(node, mail); });
    std::vector<bool> heard(machine.size());
    for (Rank n = 1; n < machine.size(); ++n) {
      const MessageRequest& request = mails[0]->requests[n];
      ASSERT_EQ(request.tag, request.peer);
      ASSERT_EQ(request.bytes, 100 * request.peer);
      ASSERT_TRUE(testing::equal_bytes(std::span(mails[0]->received[n]).first(request.bytes),
                                       mails[request.peer]->sent[0]));
      heard[request.peer] = true;
    }
    EXPECT_EQ(std::ranges::count(heard, true), machine.size() - 1);
  });
}

/// Node 0 sends node 1 one message of `bytes` bytes, into a buffer of `room` bytes.
Program one_message(Node& node, Mail& mail, std::size_t bytes, std::size_t room) {
  mail.requests.resize(1);
  mail.sent = {text_of(1, bytes)};
  mail.received = {Bytes(room)};
  if (node.rank() == 0) mail.layer.send(1, 0, 0, mail.sent[0], mail.requests[0]);
  if (node.rank() == 1) mail.layer.receive(0, 0, 0, mail.received[0], mail.requests[0]);
  RequestsAwaiter wait = MessagePassing::wait(mail.requests);
  co_await wait;
}

TEST(MessagePassing, MessageLongerThanItsReceiveEndsTheRun) {
  for (const std::size_t bytes : {100u, 4000u}) {
    SimMachine machine(Shape::parse("2"));
    EXPECT_THROW(
        run(machine,
            [&](Node& node, Mail& mail) { return one_message(node, mail, bytes, bytes - 1); }),
        RunFailed);
  }
}

/// Node 0 sends four messages with tags 0 to 3; the last two are longer than the eager limit. Node
/// 1 receives tags 0 to `received` - 1. No node waits for its sends.
Program unclaimed(Node& node, Mail& mail, MessageTag received) {
  mail.requests.resize(4);
  mail.sent = {text_of(1, 100), text_of(2, 0), text_of(3, 4000), text_of(4, 4000)};
  mail.received.assign(4, Bytes(4000));
  for (MessageTag tag = 0; tag < 4; ++tag) {
    if (node.rank() == 0) mail.layer.send(1, 5, tag, mail.sent[tag], mail.requests[tag]);
    if (node.rank() == 1 && tag < received)
      mail.layer.receive(0, 5, tag, mail.received[tag], mail.requests[tag]);
  }
  for (int turns = 0; turns < 200; ++turns) co_await node.progress();
}

/// The text of the failure of a run; empty if it has succeeded.
std::string failure_of_unclaimed(Fabric& fabric, MessageTag received) {
  Runner runner(fabric);
  std::vector<std::unique_ptr<Mail>> mails;
  for (Node& node : runner.nodes()) mails.push_back(std::make_unique<Mail>(node));
  try {
    runner.run([&](Node& node) { return unclaimed(node, *mails[node.rank()], received); });
    return "";
  } catch (const RunFailed& failure) {
    return failure.what();
  }
}

TEST(MessagePassing, MessageThatNoReceiveTakesFailsTheRun) {
  const auto failure = [](MessageTag received) {
    return failure_of_unclaimed(*make_sim_fabric(Shape::parse("2"), Machine{}), received);
  };
  EXPECT_EQ(failure(4), "");
  EXPECT_EQ(
      failure(3),
      "node (1) has a message that no receive took: from (0), tag 3, communicator 5, 4000 bytes");
  EXPECT_EQ(
      failure(0),
      "node (1) has 4 messages that no receive took: from (0), tag 0, communicator 5, 100 "
      "bytes; from (0), tag 1, communicator 5, 0 bytes; from (0), tag 2, communicator 5, 4000 "
      "bytes; ...");
}

TEST(MessagePassing, AReceiveThatNoMessageReachesFailsTheRun) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
  Runner runner(*fabric);
  MessagePassing layer(runner.node(1), kHandler);
  std::array<std::byte, 8> buffer{};
  std::array<MessageRequest, 2> requests;
  layer.receive(0, 5, 7, buffer, requests[0]);
  layer.receive(kAnySource, 5, kAnyTag, buffer, requests[1]);
  EXPECT_EQ(testing::failure_of([&] { runner.run([](Node&) { return Program(); }); }),
            "node (1) has 2 receives that no message reached, the first from (0), tag 7, "
            "communicator 5");
}

/// The same if the layer is a local of the program, which ends before the run.
Program unclaimed_by_local(Node& node) {
  MessagePassing layer(node, kHandler);
  MessageRequest request;
  const std::byte one{};
  if (node.rank() == 0) layer.send(1, 0, 7, std::span(&one, 1), request);
  co_await node.sleep_until(100000);
}

TEST(MessagePassing, LayerThatEndsWithItsProgramLeavesItsMessagesUnclaimed) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
  Runner runner(*fabric);
  EXPECT_THROW(runner.run(unclaimed_by_local), RunFailed);
}

Tick time_of_one(const Machine& machine, std::size_t bytes) {
  SimMachine model(Shape::parse("2"), {}, {}, machine);
  run(model, [&](Node& node, Mail& mail) { return one_message(node, mail, bytes, bytes); });
  return model.finished_at();
}

TEST(MessagePassing, MessageIsChargedAtBothEnds) {
  const Machine bare;
  Machine costly = bare;
  costly.message_cycles = 3000;
  costly.message_packet_cycles = 10;
  // One packet is queued and sent, then received and matched. None of this overlaps.
  EXPECT_EQ(time_of_one(costly, 100) - time_of_one(bare, 100), 2u * 3000 + 2 * 10);
}

TEST(MessagePassing, RendezvousAddsTwoPackets) {
  Machine eager;
  eager.eager_bytes = 1000;
  Machine rendezvous = eager;
  rendezvous.eager_bytes = 999;
  const Machine& m = eager;
  // An announcement of 16 B and an empty permission, one after the other, each over one hop.
  const Tick one_way = m.inject_cycles + m.hop_latency_cycles + m.receive_cycles;
  const Tick more = time_of_one(rendezvous, 1000) - time_of_one(eager, 1000);
  EXPECT_GE(more, 2 * one_way);
  EXPECT_LE(more, 2 * (one_way + m.wire_cycles(m.wire_bytes(1)) + m.hop_latency_cycles));
}

/// Length of the block from one node to another: some are empty, some long.
std::size_t block_bytes(Rank from, Rank to) {
  return (from * 7 + to * 3) % 5 == 0 ? 0 : (from * 131 + to * 517) % 1700;
}

AllToAll::Lengths lengths_of(const Group& group) {
  AllToAll::Lengths lengths;
  for (Rank member = 0; member < group.size(); ++member) {
    const Rank self = group.rank(group.self());
    lengths.to.push_back(static_cast<std::uint32_t>(block_bytes(self, group.rank(member))));
    lengths.from.push_back(static_cast<std::uint32_t>(block_bytes(group.rank(member), self)));
  }
  return lengths;
}

/// Collective calls of the whole machine and of its lines take turns, twice, without barriers.
Program all_to_all_twice(Node& node, Mail& mail, bool& is_right) {
  const Group lines(node.shape(), 0, 1, node.rank());
  const Group whole = Group::all(node.shape(), node.rank());
  AllToAll in_lines(mail.layer, lines, 1, lengths_of(lines));
  AllToAll of_all(mail.layer, whole, 2, lengths_of(whole));
  is_right = true;
  for (std::uint64_t round = 0; round < 4; ++round) {
    AllToAll& call = round % 2 == 0 ? of_all : in_lines;
    const Group& group = round % 2 == 0 ? whole : lines;
    const auto key = [&](Rank from, Rank to) { return (round * 1000 + from) * 1000 + to; };
    for (Rank member = 0; member < group.size(); ++member)
      if (member != group.self())
        std::ranges::copy(text_of(key(node.rank(), group.rank(member)),
                                  block_bytes(node.rank(), group.rank(member))),
                          call.to(member).begin());
    call.start();
    RequestsAwaiter wait = call.wait();
    co_await wait;
    for (Rank member = 0; member < group.size(); ++member)
      if (member != group.self())
        is_right &= testing::equal_bytes(call.from(member),
                                         text_of(key(group.rank(member), node.rank()),
                                                 block_bytes(group.rank(member), node.rank())));
  }
}

TEST(AllToAllOfMessages, DeliversEveryBlockCallAfterCall) {
  for (const char* torus : {"1", "2", "3x2", "5x2m"})
    on_every_fabric(torus, [&](EmulatedMachine& machine) {
      SCOPED_TRACE(torus);
      const auto is_right = std::make_unique<bool[]>(machine.size());
      run(machine, [&](Node& node, Mail& mail) {
        return all_to_all_twice(node, mail, is_right[node.rank()]);
      });
      for (Rank r = 0; r < machine.size(); ++r) EXPECT_TRUE(is_right[r]) << r;
    });
}

}  // namespace
}  // namespace toroid
