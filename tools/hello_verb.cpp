// toroid hello: the first program. Every node tells every other its rank.
#include "tools/emulation.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

constexpr HandlerId kHello = kFirstUserHandler;

struct HelloOptions {
  CommonOptions common;
  TorusOptions torus;
};

Program hello(Node& node) {
  Counter heard("hellos");
  std::uint64_t sum = 0;
  node.on(kHello, [&](const Packet& packet) {
    sum += packet.as<Rank>();
    heard.bump();
  });
  const SendOrder order = node.random_order();
  const Rank me = node.rank();
  for (const Rank peer : order) co_await node.send(peer, kHello, me);
  const std::uint64_t others = node.size() - 1;
  co_await node.until(heard, others);
  const std::uint64_t expected = others * node.size() / 2 - me;
  if (sum != expected) throw RunFailed(fmt::format("the ranks heard add up to {}", sum));
}

int run_on(const HelloOptions& options, const RunOptions& run_options) {
  const Shape shape = shape_of(options.torus);
  Emulation emulation(shape, load_machine(options.common.machine), run_options,
                      options.common.quiet, std::uint64_t{shape.size()} * (shape.size() - 1));
  for (Node& node : emulation.nodes()) node.run(hello(node));
  emulation.run();
  const Processes& processes = run_options.processes;
  if (processes.reports() && !options.common.quiet)
    fmt::print("{} nodes of torus {} in {} process{} have heard of each other\n", shape.size(),
               shape.text(), processes.count(), processes.count() == 1 ? "" : "es");
  return 0;
}

int run(const HelloOptions& options) {
  shape_of(options.torus);  // before anybody waits for others
  const RunOptions run_options = toroid::run_options(options.common, options.torus);
  return run_options.processes.run([&] { return run_on(options, run_options); });
}

}  // namespace

Verb add_hello_verb(CLI::App& app) {
  auto options = std::make_shared<HelloOptions>();
  CLI::App* verb = app.add_subcommand("hello", "every node tells every other its rank");
  add_torus_options(*verb, options->torus);
  add_common_options(*verb, options->common);
  return [options] { return run(*options); };
}

}  // namespace toroid
