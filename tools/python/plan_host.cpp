#include "tools/python/plan_host.hpp"

#include <cstring>
#include <utility>

#include "hal/check.hpp"
#include "packet/policies/policy.hpp"
#include "router/fabrics/job_fabric.hpp"
#include "router/fabrics/make_fabric.hpp"
#include "router/threads/start_thread.hpp"
#include "tools/run/interruption.hpp"

namespace toroid::python {
namespace {

using namespace std::chrono_literals;

/// Nodes look for the next call without pause for this long: a call that follows at once should
/// find them awake.
constexpr auto kAwake = 200us;
/// Sleep of an idle node between two looks. If other processes have nodes, their packets wait as
/// long for each idle node of a worker.
constexpr auto kSleepAlone = 100ms;
constexpr auto kSleepTogether = 50us;

/// The process that has a plan open on `ofi`; 0 if there is none.
std::atomic<::pid_t> open_on_ofi = 0;

/// What the thread calls while it waits for other processes; null: what runs of commands call.
thread_local const Poll* present_poll = nullptr;

class Polling {
 public:
  explicit Polling(Poll poll) : poll_(std::move(poll)) { present_poll = &poll_; }
  ~Polling() { present_poll = nullptr; }
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;

 private:
  Poll poll_;
};

struct KeptJob {
  ::pid_t process = 0;
  std::shared_ptr<void> handle;
};

/// The job outlives a plan: a process cannot join it again. Never destroyed, because in a forked
/// process its threads do not exist.
KeptJob& kept_job() {
  static auto* const job = new KeptJob;
  return *job;
}

/// REQUIRES: the caller has the OfiTurn.
void join_and_keep_job() {
  KeptJob& job = kept_job();
  if (job.handle == nullptr) {
    job.handle = fabrics::keep_job([] {
      if (present_poll == nullptr) return throw_if_interrupted();
      (*present_poll)();
    });
    job.process = ::getpid();
  }
  if (job.process != ::getpid())
    throw BadInput(
        "this process was forked after plans on ofi; let multiprocessing start it with "
        "'spawn', or fork before");
}

std::unique_ptr<Fabric> fabric_of(const std::string& name, const Shape& shape,
                                  const Machine& machine, const RingOptions& options,
                                  const Poll& poll) {
  if (name != "ofi") return make_fabric(name, shape, machine, options);
  const Polling polling(poll);
  join_and_keep_job();
  return make_fabric(name, shape, machine, options);
}

}  // namespace

PlanNode::PlanNode(PlanHost& host, Node& node,
                   const std::shared_ptr<const fft::Blueprint>& blueprint)
    : host_(&host),
      rank_(node.rank()),
      plan_(std::in_place, node, blueprint),
      in_(fft::LocalArray::of_bytes(plan_->input_size() * blueprint->bytes(blueprint->real_in()))),
      out_(fft::LocalArray::of_bytes(plan_->output_size() *
                                     blueprint->bytes(blueprint->real_out()))) {}

PerformAwaiter PlanNode::call() {
  const fft::Blueprint& blueprint = plan_->blueprint();
  const fft::Precision precision = blueprint.description().precision;
  const fft::Array in(data(true), plan_->input_size(), blueprint.real_in(), precision);
  const fft::Array out(data(false), plan_->output_size(), blueprint.real_out(), precision);
  return host_->way() == fft::Way::forward ? plan_->forward(in, out) : plan_->backward(out, in);
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
    if (host.is_last(number)) co_return;
    co_await self->call();
  }
}

OfiTurn::OfiTurn() {
  check();
  open_on_ofi = ::getpid();
}

OfiTurn::~OfiTurn() {
  open_on_ofi = 0;
}

void OfiTurn::check() {
  if (open_on_ofi == ::getpid()) throw BadInput("a plan on ofi is open; close it first");
}

void leave_job() {
  if (kept_job().process == ::getpid()) kept_job().handle.reset();
}

PlanHost::PlanHost(const std::string& fabric, const Shape& shape, const Machine& machine,
                   const fft::Description& description, const Policy* policy, const Poll& poll)
    : turn_(fabric == "ofi" ? std::make_unique<OfiTurn>() : nullptr),
      blueprint_(std::make_shared<const fft::Blueprint>(description, shape)),
      fabric_(fabric_of(fabric, shape, machine, ring_options(), poll)),
      options_(fft::node_options(*blueprint_, machine, {.policy = policy})),
      runner_(std::make_unique<Runner>(*fabric_, options_)),
      is_alone_(fabric_->nodes().size() == shape.size()) {
  make_nodes(poll);
  thread_ = start_thread<std::thread>("the thread of the plan", [this] { run(); });
  try {
    while (!wait_a_moment()) poll();
  } catch (...) {
    cancel("the plan was interrupted while it was made");
    close();
    throw;
  }
}

void PlanHost::make_nodes(const Poll& poll) {
  for (Node& node : runner_->nodes()) {
    poll();
    PlanNode& made = nodes_.emplace_back(*this, node, blueprint_);
    node.run(PlanNode::serve(node, &made));
  }
}

RingOptions PlanHost::ring_options() {
  RingOptions options;
  options.route = RingRoute::direct;
  options.notice = [](const std::string&) {};  // between calls, silence is usual
  options.watch = [this](std::uint64_t) {
    if (const char* const why = cancelled_) throw RunFailed(why);
  };
  return options;
}

void PlanHost::run() {
  const Polling polling([] {});  // the run does not heed signals; the callers' threads do
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

/// REQUIRES: mutex_ is locked.
void PlanHost::check_can_call() {
  if (ends_) throw BadInput("the plan is closed");
  if (calling_ != 0) throw BadInput("a call of the plan is under way");
  if (const char* const why = cancelled_) throw RunFailed(why);
  if (!over_) return;
  is_reported_ = true;
  if (failure_) std::rethrow_exception(failure_);
  throw RunFailed("the plan's run has ended");
}

void PlanHost::start(fft::Way way) {
  const std::lock_guard lock(mutex_);
  check_can_call();
  way_ = way;
  calling_ = called_.fetch_add(1, std::memory_order_release) + 1;  // pairs with has_called()
  changed_.notify_all();
}

bool PlanHost::wait_a_moment() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, 50ms, [this] { return has_done(calling_) || over_; });
  if (has_done(calling_)) return true;
  if (!over_) return false;
  is_reported_ = true;
  if (failure_) std::rethrow_exception(failure_);
  throw RunFailed("the plan was closed during a call");
}

void PlanHost::end_call() {
  const std::lock_guard lock(mutex_);
  calling_ = 0;
}

void PlanHost::cancel(const char* why) {
  const char* none = nullptr;
  cancelled_.compare_exchange_strong(none, why);
}

std::exception_ptr PlanHost::take_failure() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_reported_, true) || cancelled_) return {};
  return failure_;
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

void PlanHost::begin_to_close() {
  const std::lock_guard lock(mutex_);
  if (ends_.exchange(true)) return;
  if (calling_ != 0) cancel("the plan was closed during a call");
  if (cancelled_) return;  // the run ends as a failure, which other processes then report
  last_ = called_ + 1;
  called_.fetch_add(1, std::memory_order_release);  // pairs with has_called()
  changed_.notify_all();
}

bool PlanHost::wait_for_end() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, 50ms, [this] { return over_; });
}

void PlanHost::close() {
  begin_to_close();
  const std::lock_guard lock(closing_);
  if (thread_.joinable()) thread_.join();
  for (PlanNode& node : nodes_) node.let_go();
  runner_.reset();
  fabric_.reset();
  turn_.reset();
}

}  // namespace toroid::python
