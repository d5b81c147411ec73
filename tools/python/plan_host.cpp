#include "tools/python/plan_host.hpp"

#include <cstring>
#include <utility>

#include "hal/check.hpp"
#include "router/fabrics/make_fabric.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::python {
namespace {

using namespace std::chrono_literals;

/// Nodes look for the next call without pause for this long: a call that follows at once should
/// find them awake.
constexpr auto kAwake = 200us;
/// Sleep between two looks. If other processes have nodes, their packets wait as long.
constexpr auto kSleepAlone = 100ms;
constexpr auto kSleepTogether = 50us;

}  // namespace

PlanNode::PlanNode(PlanHost& host, Node& node,
                   const std::shared_ptr<const fft::Blueprint>& blueprint)
    : host_(&host),
      rank_(node.rank()),
      plan_(node, blueprint),
      in_(fft::LocalArray::of_bytes(plan_.input_size() * blueprint->bytes(blueprint->real_in()))),
      out_(fft::LocalArray::of_bytes(plan_.output_size() *
                                     blueprint->bytes(blueprint->real_out()))) {}

PerformAwaiter PlanNode::call() {
  const fft::Blueprint& blueprint = plan_.blueprint();
  const fft::Precision precision = blueprint.description().precision;
  const fft::Array in(data(true), plan_.input_size(), blueprint.real_in(), precision);
  const fft::Array out(data(false), plan_.output_size(), blueprint.real_out(), precision);
  return host_->way() == fft::Way::forward ? plan_.forward(in, out) : plan_.backward(out, in);
}

Program PlanNode::serve(Node& node, PlanNode* self) {
  PlanHost& host = *self->host_;
  // The thread that runs the node touches its memory first.
  std::memset(static_cast<void*>(self->in_.data()), 0, self->in_.size() * sizeof(fft::Complex));
  std::memset(static_cast<void*>(self->out_.data()), 0, self->out_.size() * sizeof(fft::Complex));
  for (std::uint64_t number = 1;; ++number) {
    host.note_done();
    while (!host.has_called(number)) {
      host.rest();
      co_await node.progress();
    }
    if (host.ends()) co_return;
    co_await self->call();
  }
}

PlanHost::PlanHost(const std::string& fabric, const Shape& shape, const Machine& machine,
                   const fft::Description& description, const Policy* policy)
    : blueprint_(std::make_shared<const fft::Blueprint>(description, shape)),
      fabric_(make_fabric(fabric, shape, machine, ring_options())),
      options_(fft::node_options(*blueprint_, machine, {.policy = policy})),
      runner_(std::make_unique<Runner>(*fabric_, options_)),
      is_alone_(fabric_->nodes().size() == shape.size()) {
  for (Node& node : runner_->nodes()) {
    PlanNode& made = nodes_.emplace_back(*this, node, blueprint_);
    node.run(PlanNode::serve(node, &made));
  }
  thread_ = std::thread([this] { run(); });
  while (!wait_a_moment()) {
  }
}

RingOptions PlanHost::ring_options() {
  RingOptions options;
  options.route = RingRoute::direct;
  options.notice = [](const std::string&) {};  // between calls, silence is usual
  options.watch = [this](std::uint64_t) {
    if (cancelled_) throw RunFailed("the plan was interrupted during a call");
  };
  return options;
}

void PlanHost::run() {
  std::exception_ptr failure;
  try {
    runner_->run();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  over_ = true;
  changed_.notify_all();
}

void PlanHost::start(fft::Way way) {
  if (is_closed()) throw BadInput("the plan is closed");
  way_ = way;
  const std::lock_guard lock(mutex_);
  called_.fetch_add(1, std::memory_order_release);  // pairs with has_called()
  changed_.notify_all();
}

bool PlanHost::wait_a_moment() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, 50ms, [this] { return is_complete() || over_; });
  if (over_ && failure_) std::rethrow_exception(failure_);
  return is_complete() || over_;
}

void PlanHost::note_done() {
  const std::uint64_t done = done_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (done % nodes_.size() != 0) return;
  idle_since_ = Clock::now().time_since_epoch().count();
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

/// Called by a node that waits for a call; returns at once while other nodes are in a call.
void PlanHost::rest() {
  if (!is_complete()) return;
  const Clock::duration idle(Clock::now().time_since_epoch().count() - idle_since_);
  if (idle < kAwake) return std::this_thread::yield();
  if (!is_alone_) return std::this_thread::sleep_for(kSleepTogether);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kSleepAlone, [this] { return !is_complete() || over_; });
}

void PlanHost::close() {
  if (!thread_.joinable()) return;
  ends_ = true;
  {
    const std::lock_guard lock(mutex_);
    called_.fetch_add(1, std::memory_order_release);  // pairs with has_called()
    changed_.notify_all();
  }
  thread_.join();
}

}  // namespace toroid::python
