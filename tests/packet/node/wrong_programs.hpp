// Runs programs that misuse the layer, on every fabric, and returns what is said.
#pragma once

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"

namespace toroid::testing {

using MakeProgram = std::function<Program(Node&)>;

/// The message with which a run of these programs on this machine ends, or with which it is
/// refused.
inline std::string end_of(EmulatedMachine& machine, const MakeProgram& program) {
  try {
    return failure_of([&] { machine.run(program); });
  } catch (const BadInput& refused) {
    return refused.what();
  }
}

/// Lets `expect` look at the end of the run on each of the fabrics that this executable tests:
/// wrong_programs.cpp has the model and rings of both routes, tests/router/ofi/wrong_programs.cpp
/// has several processes.
void on_every_fabric(const char* torus, const NodeOptions& nodes, const MakeProgram& program,
                     const std::function<void(const std::string&)>& expect);

/// The run of this program ends with a message that has all of these words.
inline void expect_end(const MakeProgram& program, const std::vector<std::string>& words,
                       const NodeOptions& nodes = {}, const char* torus = "4") {
  on_every_fabric(torus, nodes, program, [&](const std::string& end) {
    for (const std::string& word : words) EXPECT_THAT(end, ::testing::HasSubstr(word));
    EXPECT_THAT(end, ::testing::Not(::testing::HasSubstr("\n")));
  });
}

inline std::span<std::byte> bytes_of(std::vector<double>& numbers) {
  return std::as_writable_bytes(std::span(numbers));
}

inline Program wait_for(Node& node, const Counter* counter) {
  co_await node.until(*counter, 1);
}

/// The messages and the plan of an exchange, which outlive the run.
struct MisusedExchange {
  MisusedExchange(const Shape& shape, const NodeOptions& options, std::uint64_t bytes)
      : plan(plan_for(options, shape, shape, {.payload = false, .places = false})),
        messages(shape, bytes, plan->data_bytes()) {}
  PlanPointer plan;
  UniformMessages messages;
};

/// One for each node.
inline std::deque<MisusedExchange> exchanges(const Shape& shape, const NodeOptions& options,
                                             std::uint64_t bytes) {
  std::deque<MisusedExchange> all;
  for (Rank r = 0; r < shape.size(); ++r) all.emplace_back(shape, options, bytes);
  return all;
}

}  // namespace toroid::testing
