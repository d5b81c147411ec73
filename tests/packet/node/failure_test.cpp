// An exception in a handler or a program ends the run, and run() throws an error that names the
// node.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::SimMachine;

Program greet(Node& node) {
  if (node.rank() == 0) co_await node.send(1, kHandler, node.rank());
}

template <typename Error>
std::string error_of(SimMachine& machine, auto program) {
  try {
    machine.run(program);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Failure, AnExceptionInAHandlerSurfacesFromRunWithItsNode) {
  SimMachine machine(Shape::parse("2"));
  machine.node(1).on(kHandler, [](const Packet&) { throw std::out_of_range("in a handler"); });
  EXPECT_EQ(error_of<RunFailed>(machine, greet), "node (1): in a handler");
}

TEST(Failure, AnObjectThatIsNoExceptionSurfacesFromRunWithItsNode) {
  SimMachine machine(Shape::parse("2"));
  machine.node(1).on(kHandler, [](const Packet&) { throw 42; });
  EXPECT_EQ(error_of<RunFailed>(machine, greet),
            "node (1): threw something that is not a std::exception");
}

Program fail_at_once(Node& node) {
  if (node.rank() == 1) throw std::domain_error("at once");
  co_return;
}

Program fail_later(Node& node) {
  co_await node.barrier();
  if (node.rank() == 3) throw std::domain_error("later");
  co_await node.barrier();
}

TEST(Failure, AnExceptionInAProgramSurfacesFromRunWithItsNode) {
  SimMachine one(Shape::parse("2"));
  EXPECT_EQ(error_of<RunFailed>(one, fail_at_once), "node (1): at once");
  SimMachine other(Shape::parse("2x2"));
  EXPECT_EQ(error_of<RunFailed>(other, fail_later), "node (1,1): later");
}

TEST(Failure, UnknownHandlerIsReportedWithItsNode) {
  for (const HandlerId id : {HandlerId{16}, HandlerId{255}, HandlerId{1000}, HandlerId{65535}}) {
    SimMachine machine(Shape::parse("2x2"));
    machine.node(3).on(kHandler + 1, [](const Packet&) {});
    machine.node(0).post(3, id, {});
    const std::string text = error_of<RunFailed>(machine, [](Node&) { return Program(); });
    EXPECT_NE(text.find("handler " + std::to_string(id)), std::string::npos) << text;
    EXPECT_NE(text.find("(1,1)"), std::string::npos) << text;
  }
}

TEST(Failure, ReadingMoreThanAPacketCarriesIsRefused) {
  Packet packet;
  packet.header = PacketHeader(HeaderFields{.hints = {}, .payload_bytes = 4});
  packet.payload = {};
  EXPECT_EQ(packet.as<std::uint32_t>(), 0u);
  EXPECT_THROW((void)packet.as<std::uint64_t>(), RunFailed);
}

}  // namespace
}  // namespace toroid
