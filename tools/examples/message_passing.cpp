// Sends and receives matched by source and tag, as in MPI: every node passes a number to its right
// neighbour and receives one from its left neighbour, until all have seen all numbers.
#include <array>
#include <cstdio>
#include <deque>
#include <span>
#include <toroid/hal/check.hpp>
#include <toroid/packet/message_passing/message_passing.hpp>
#include <toroid/packet/node/runner.hpp>
#include <toroid/router/sim/sim_fabric.hpp>

using namespace toroid;

constexpr Communicator kWorld = 0;

Program pass_on(Node& node, MessagePassing* layer) {
  const Rank left = (node.rank() + node.size() - 1) % node.size();
  const Rank right = (node.rank() + 1) % node.size();
  std::uint64_t mine = node.rank();
  std::uint64_t sum = mine;
  for (Rank step = 1; step < node.size(); ++step) {
    std::uint64_t received = 0;
    std::array<MessageRequest, 2> requests;
    const auto tag = static_cast<MessageTag>(step);
    layer->receive(left, kWorld, tag, std::as_writable_bytes(std::span(&received, 1)), requests[0]);
    layer->send(right, kWorld, tag, std::as_bytes(std::span(&mine, 1)), requests[1]);
    RequestsAwaiter both = MessagePassing::wait(requests);
    co_await both;
    TOROID_CHECK_EQ(received, (node.rank() + node.size() - step) % node.size());
    sum += mine = received;
  }
  TOROID_CHECK_EQ(sum, std::uint64_t{node.size()} * (node.size() - 1) / 2);
}

int main() {
  const auto fabric = make_sim_fabric(Shape::parse("4x4"), Machine{});
  Runner runner(*fabric);
  std::deque<MessagePassing> layers;
  for (Node& node : runner.nodes())
    node.run(pass_on(node, &layers.emplace_back(node, kFirstUserHandler)));
  runner.run();
  std::printf("%lld cycles\n", static_cast<long long>(runner.finished_at()));
}
