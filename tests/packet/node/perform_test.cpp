// Programs made of parts, and the handlers that parts reserve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::failure_of;
using testing::kHandler;
using testing::on_every_machine;
using testing::SimMachine;

using Steps = std::vector<std::string>;

/// The parts of a node's program, kept here so that they outlive their awaits, and the steps that
/// they have noted.
struct Notes {
  std::deque<Program> parts;
  Steps steps;
};

Program leaf(Node& node, Notes* notes, std::string_view name) {
  co_await node.barrier();
  notes->steps.push_back(std::string(name));
}

Program at_once(Node&, Notes* notes) {
  notes->steps.push_back("at once");
  co_return;
}

Program branch(Node& node, Notes* notes) {
  notes->steps.push_back("branch");
  Program& one = notes->parts.emplace_back(leaf(node, notes, "one"));
  co_await node.perform(one);
  Program& ended = notes->parts.emplace_back(at_once(node, notes));
  co_await node.perform(ended);
  Program& two = notes->parts.emplace_back(leaf(node, notes, "two"));
  co_await node.perform(two);
  notes->steps.push_back("branch ends");
}

Program trunk(Node& node, Notes* notes) {
  notes->steps.push_back("trunk");
  for (int i = 0; i < 2; ++i) {
    Program& part = notes->parts.emplace_back(branch(node, notes));
    co_await node.perform(part);
    EXPECT_TRUE(part.done());
    co_await node.barrier();
  }
  notes->steps.push_back("trunk ends");
}

TEST(Perform, RunsNestedPartsInOrder) {
  const Steps once = {"branch", "one", "at once", "two", "branch ends"};
  Steps expected = {"trunk"};
  for (int i = 0; i < 2; ++i) expected.insert(expected.end(), once.begin(), once.end());
  expected.push_back("trunk ends");
  for (const char* torus : {"1", "3x2"})
    on_every_machine(torus, [&](EmulatedMachine& machine) {
      std::vector<Notes> notes(machine.size());
      machine.run([&](Node& node) { return trunk(node, &notes[node.rank()]); });
      EXPECT_TRUE(machine.finished());
      for (const Notes& of_node : notes) EXPECT_EQ(of_node.steps, expected);
    });
}

Program deep(Node& node, Notes* notes, int depth) {
  if (depth > 0) {
    Program& part = notes->parts.emplace_back(deep(node, notes, depth - 1));
    co_await node.perform(part);
  }
  co_await node.barrier();
  notes->steps.push_back(std::to_string(depth));
}

TEST(Perform, NestsAHundredDeep) {
  on_every_machine("2", [](EmulatedMachine& machine) {
    std::vector<Notes> notes(machine.size());
    machine.run([&](Node& node) { return deep(node, &notes[node.rank()], 100); });
    for (const Notes& of_node : notes) {
      EXPECT_EQ(of_node.steps.size(), 101u);
      EXPECT_EQ(of_node.steps.front(), "0");
      EXPECT_EQ(of_node.steps.back(), "100");
    }
  });
}

/// Performs an empty part, one that ends without an await, and one that has already ended.
Program empty_parts(Node& node, Notes* notes) {
  Program none;
  co_await node.perform(none);
  Program& part = notes->parts.emplace_back(at_once(node, notes));
  co_await node.perform(part);
  co_await node.perform(part);
  notes->steps.push_back("end");
}

TEST(Perform, GoesOnAfterAPartThatEndsAtOnce) {
  on_every_machine("2", [](EmulatedMachine& machine) {
    std::vector<Notes> notes(machine.size());
    machine.run([&](Node& node) { return empty_parts(node, &notes[node.rank()]); });
    EXPECT_TRUE(machine.finished());
    for (const Notes& of_node : notes) EXPECT_EQ(of_node.steps, (Steps{"at once", "end"}));
  });
}

Program compute_for(Node& node, Tick cycles) {
  co_await node.compute(cycles);
}

Program computing_parts(Node& node, Notes* notes) {
  for (const Tick cycles : {100u, 0u, 23u}) {
    Program& part = notes->parts.emplace_back(compute_for(node, cycles));
    co_await node.perform(part);
  }
}

TEST(Perform, TakesTheTimeOfItsParts) {
  SimMachine machine(Shape::parse("2"));
  std::vector<Notes> notes(2);
  machine.run([&](Node& node) { return computing_parts(node, &notes[node.rank()]); });
  EXPECT_GE(machine.finished_at(), 123u);
  EXPECT_LE(machine.finished_at(), 123u + 2 * 3);  // each turn may take a cycle
}

Program fail(Node& node, unsigned when) {
  if (node.rank() == 3 && when == 0) throw std::domain_error("in a part");
  co_await node.barrier();
  if (node.rank() == 3) throw std::domain_error("in a part");
  co_await node.barrier();
}

Program failing_part(Node& node, Notes* notes, unsigned depth, unsigned when) {
  Program& part = notes->parts.emplace_back(
      depth == 0 ? fail(node, when) : failing_part(node, notes, depth - 1, when));
  co_await node.perform(part);
  ADD_FAILURE() << "goes on after a failure";
}

TEST(Perform, ExceptionInAPartEndsTheRunWithTheNameOfItsNode) {
  for (const unsigned depth : {0u, 1u, 2u})
    for (const unsigned when : {0u, 1u}) {
      SimMachine machine(Shape::parse("2x2"));
      std::vector<Notes> notes(4);
      const auto program = [&](Node& node) {
        if (node.rank() == 3) return failing_part(node, &notes[3], depth, when);
        return fail(node, when);
      };
      EXPECT_EQ(failure_of([&] { machine.run(program); }), "node (1,1): in a part");
    }
}

Program wait_for_ever(Node& node, const Counter* counter) {
  co_await node.until(*counter, 7);
}

Program waiting_part(Node& node, Notes* notes, const Counter* counter) {
  Program& part = notes->parts.emplace_back(wait_for_ever(node, counter));
  co_await node.perform(part);
}

TEST(Perform, SaysWhatAPartWaitsFor) {
  SimMachine machine(Shape::parse("2"));
  std::vector<Notes> notes(2);
  const Counter counter("apples");
  const std::string text = failure_of([&] {
    machine.run([&](Node& node) { return waiting_part(node, &notes[node.rank()], &counter); });
  });
  EXPECT_THAT(text, ::testing::HasSubstr("apples at 0 of 7"));
  EXPECT_EQ(machine.node(0).waits_for(), "apples at 0 of 7");
}

TEST(ReserveHandlers, ReservesFromTheHighestDownwards) {
  SimMachine machine(Shape::parse("1"));
  Node& node = machine.node(0);
  EXPECT_EQ(node.reserve_handlers(1), kMaxHandlers - 1);
  EXPECT_EQ(node.reserve_handlers(10), kMaxHandlers - 11);
  EXPECT_EQ(node.reserve_handlers(0), kMaxHandlers - 11);
}

TEST(ReserveHandlers, RefusesMoreThanAreLeftAndTakesNone) {
  SimMachine machine(Shape::parse("1"));
  Node& node = machine.node(0);
  EXPECT_THROW(node.reserve_handlers(kMaxHandlers), BadInput);
  EXPECT_EQ(node.reserve_handlers(kMaxHandlers - kFirstUserHandler), kFirstUserHandler);
  EXPECT_EQ(node.reserve_handlers(0), kFirstUserHandler);
  EXPECT_THROW(node.reserve_handlers(1), BadInput);
}

}  // namespace
}  // namespace toroid
