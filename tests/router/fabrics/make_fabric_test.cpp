// Fabrics by their names.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "router/fabrics/make_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/greetings.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;

void expect_greetings(const char* name) {
  const Shape shape = Shape::parse("3x2");
  EmulatedMachine machine(make_fabric(name, shape, Machine{}));
  std::vector<testing::Greetings> logs(shape.size());
  machine.run([&](Node& node) { return testing::greet(node, &logs[node.rank()]); });
  for (const auto& log : logs) EXPECT_EQ(log.size(), shape.size()) << name;
}

std::string refusal_of_fabric(const char* name) {
  try {
    make_fabric(name, Shape::parse("2"), Machine{});
    return "";
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
}

TEST(MakeFabric, MakesTheFabricsOfOneProcess) {
  for (const char* name : {"sim", "shm"}) expect_greetings(name);
}

TEST(MakeFabric, MakesOfiIfTheBuildHasIt) {
  if (TOROID_WITH_OFI)
    expect_greetings("ofi");
  else
    EXPECT_EQ(refusal_of_fabric("ofi"),
              "fabric ofi: this toroid is built without ofi (TOROID_OFI)");
}

TEST(MakeFabric, RefusesOtherNames) {
  EXPECT_EQ(refusal_of_fabric("tcp"), "fabric 'tcp' does not exist; use sim, shm or ofi");
}

}  // namespace
}  // namespace toroid
