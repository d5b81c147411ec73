#include "tests/memory_model/explorer.hpp"

#include <fmt/core.h>
#include <sys/ucontext.h>
#include <ucontext.h>
#ifdef TOROID_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"

namespace toroid::model {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;
/// The pseudo-thread that makes and destroys scenarios. Everything that the threads do happens
/// after its stores.
constexpr unsigned kMaker = kMostThreads;

/// The knowledge of a thread: the number of steps of each thread that have happened before, and the
/// latest known store of each location.
struct Knowledge {
  std::array<std::uint32_t, kMostThreads> steps{};
  std::vector<std::uint32_t> latest;  ///< number of a store for each location

  std::uint32_t latest_of(std::size_t location) const {
    return location < latest.size() ? latest[location] : 0;
  }
  void learn(std::size_t location, std::uint32_t store) {
    if (location >= latest.size()) latest.resize(location + 1, 0);
    latest[location] = std::max(latest[location], store);
  }
  void join(const Knowledge& other) {
    for (unsigned t = 0; t < kMostThreads; ++t) steps[t] = std::max(steps[t], other.steps[t]);
    for (std::size_t l = 0; l < other.latest.size(); ++l) learn(l, other.latest[l]);
  }
};

struct StoredValue {
  std::uint64_t value;
  Knowledge released;  ///< empty if the store was relaxed
};

/// An atomic object with its stores in order; or a mutex, whose stores are its unlocks.
struct Location {
  std::vector<StoredValue> stores;
  std::uint32_t last_sequential = 0;  ///< index of the last sequentially consistent store
  bool locked = false;
};

/// The threads that store in a location, over all executions so far, as bits. If only one thread
/// stores in a location, its own loads there depend on no other thread, so the explorer chooses no
/// thread at these loads. The first execution finds the writers; whenever another writer shows up,
/// the exploration restarts.
struct Users {
  unsigned writers = 0;
  unsigned known = 0;  ///< writers at the last restart
};

/// The uses of an object in plain memory: for each thread, the last step that wrote it and the last
/// step that read it.
struct PlainUse {
  std::array<std::uint32_t, kMostThreads> wrote{};
  std::array<std::uint32_t, kMostThreads> read{};
};

/// A thread's next step. Two steps depend on each other if they use the same location and at least
/// one of them changes it.
struct Step {
  enum class Kind { none, load, store, lock, unlock, sleep, notify, wake };
  Kind kind = Kind::none;
  std::size_t location = 0;

  bool changes() const { return kind != Kind::load && kind != Kind::wake && kind != Kind::none; }
  bool depends_on(const Step& other) const {
    if (kind == Kind::none || other.kind == Kind::none) return false;
    return location == other.location && (changes() || other.changes());
  }
};

struct Fiber {
  ucontext_t context{};
  std::vector<char> stack = std::vector<char>(kStackBytes);
};

struct Thread {
  Knowledge knows;
  Step next;
  bool finished = false;
  bool asleep = false;  ///< it sleeps until another thread notifies it
  /// During await(): for each location that the thread has loaded, the store that it has read.
  std::optional<std::map<std::size_t, std::uint32_t>> awaited;
};

/// A choice on the way to the current execution.
struct Choice {
  std::vector<unsigned> options;  ///< threads or outcomes, in the order in which they are tried
  std::size_t at = 0;
  // Only for a choice of threads:
  std::array<Step, kMostThreads> steps{};
  unsigned asleep = 0;  ///< threads, as bits, whose step was tried before with the same outcome
};

/// How an execution ended. `known` means that it would only repeat executions that have been tried.
enum class Ended { completed, failed, known };

class Explorer {
 public:
  explicit Explorer(const ExploreOptions& options) : options_(options) {}

  Outcome run(const std::function<std::unique_ptr<Scenario>()>& make);

  // Called by scenarios and atomics.
  [[noreturn]] void fail(const char* why);
  void use(const void* object, bool write);
  void begin_await() { self().awaited.emplace(); }
  void wait_for_news();
  void end_await() { self().awaited.reset(); }
  void begin_location(const void* address, std::uint64_t value);
  void store(const void* address, std::uint64_t value, std::memory_order order,
             const std::source_location& where);
  std::uint64_t load(const void* address, std::memory_order order,
                     const std::source_location& where);
  void lock(const void* mutex);
  void unlock(const void* mutex);
  void sleep(const void* condition, const void* mutex);
  void notify_one(const void* condition);

 private:
  Ended execute(Scenario& scenario);
  void start(Scenario& scenario);
  static void enter();
  void resume(unsigned thread);
  void pause();
  void take_step(Step step);
  bool is_enabled(unsigned thread) const;
  bool has_news(const Thread& thread) const;
  std::optional<unsigned> next_thread();
  Choice choice_of_threads() const;
  std::size_t choose(std::size_t options);
  bool backtrack();
  void forget();
  bool begin_anew();
  bool is_alone(std::size_t location);
  void count_writer(std::size_t location);

  std::size_t index(const void* address);
  std::memory_order order_of(std::memory_order order, const std::source_location& where,
                             std::string_view what);
  Thread& self() { return threads_[current_]; }
  void give_back(std::size_t mutex);
  void take(std::size_t mutex);

  ExploreOptions options_;
  Outcome outcome_;
  std::vector<Choice> path_;
  std::vector<Users> users_;  ///< indexed by location
  bool begins_anew_ = false;  ///< a location has a writer that was not known
  std::size_t depth_ = 0;     ///< number of choices in the current execution so far
  unsigned asleep_ = 0;       ///< threads, as bits, that need not be tried here

  // The current execution.
  Scenario* scenario_ = nullptr;
  ucontext_t main_{};
  std::array<Fiber, kMostThreads> fibers_;
  std::vector<Thread> threads_;
  unsigned current_ = kMaker;
  std::map<const void*, std::size_t> indices_;
  std::vector<Location> locations_;
  std::map<const void*, PlainUse> plain_;
  std::string failure_;
};

/// The explorer of the running test. It is global, because scenarios and atomics have no reference
/// to it.
Explorer* present = nullptr;

/// Makes AddressSanitizer forget the frames that an execution left on its stack when it ended
/// early.
void forget_frames([[maybe_unused]] std::vector<char>& stack) {
#ifdef TOROID_SANITIZED
  ASAN_UNPOISON_MEMORY_REGION(stack.data(), stack.size());
#endif
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

Outcome Explorer::run(const std::function<std::unique_ptr<Scenario>()>& make) {
  do {
    forget();
    const std::unique_ptr<Scenario> scenario = make();
    const Ended ended = execute(*scenario);
    current_ = kMaker;
    if (ended != Ended::known) ++outcome_.executions;
    if (ended == Ended::failed) outcome_.failure = failure_;
    outcome_.complete = ended == Ended::failed || !(begins_anew_ ? begin_anew() : backtrack());
  } while (!outcome_.complete && outcome_.executions < options_.most_executions);
  return outcome_;
}

bool Explorer::begin_anew() {
  begins_anew_ = false;
  path_.clear();
  for (Users& users : users_) users.known = users.writers;
  outcome_.executions = 0;
  return true;
}

void Explorer::forget() {
  depth_ = 0;
  asleep_ = 0;
  threads_.clear();
  indices_.clear();
  locations_.clear();
  plain_.clear();
  failure_.clear();
}

/// Runs every thread to its first operation, then lets one thread at a time take a step.
Ended Explorer::execute(Scenario& scenario) {
  start(scenario);
  while (failure_.empty()) {
    if (std::ranges::all_of(threads_, &Thread::finished)) return Ended::completed;
    const std::optional<unsigned> next = next_thread();
    if (next)
      resume(*next);
    else if (failure_.empty())
      return Ended::known;
  }
  return Ended::failed;
}

void Explorer::start(Scenario& scenario) {
  scenario_ = &scenario;
  threads_.resize(scenario.threads());
  for (unsigned t = 0; t < threads_.size(); ++t) {
    threads_[t].knows.steps[t] = 1;
    Fiber& fiber = fibers_[t];
    forget_frames(fiber.stack);
    TOROID_CHECK_EQ(::getcontext(&fiber.context), 0);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    ::makecontext(&fiber.context, &Explorer::enter, 0);
    if (failure_.empty()) resume(t);
  }
}

/// A fiber never returns from its last pause. By then nothing on its stack owns memory.
void Explorer::enter() {
  Explorer& explorer = *present;
  explorer.scenario_->run(explorer.current_);
  explorer.self().finished = true;
  explorer.pause();
  std::abort();
}

void Explorer::resume(unsigned thread) {
  current_ = thread;
  ::swapcontext(&main_, &fibers_[thread].context);
}

void Explorer::pause() {
  const unsigned thread = current_;
  ::swapcontext(&fibers_[thread].context, &main_);
}

/// Lets other threads go first, then takes the step.
void Explorer::take_step(Step step) {
  self().next = step;
  pause();
  ++self().knows.steps[current_];
}

bool Explorer::has_news(const Thread& thread) const {
  return std::ranges::any_of(*thread.awaited, [&](const auto& read) {
    return locations_[read.first].stores.size() > read.second + std::size_t{1};
  });
}

bool Explorer::is_enabled(unsigned thread) const {
  const Thread& t = threads_[thread];
  if (t.finished || t.asleep) return false;
  if (t.next.kind == Step::Kind::lock) return !locations_[t.next.location].locked;
  return t.next.kind != Step::Kind::wake || has_news(t);
}

/// The threads that can continue, except those whose step would lead to executions already tried.
Choice Explorer::choice_of_threads() const {
  Choice choice;
  choice.asleep = asleep_;
  for (unsigned t = 0; t < threads_.size(); ++t) {
    choice.steps[t] = threads_[t].next;
    if (is_enabled(t) && (asleep_ >> t & 1u) == 0) choice.options.push_back(t);
  }
  return choice;
}

/// Returns the thread to continue. Returns none if every thread that can continue has been tried
/// here, or if no thread can continue, which is a failure.
std::optional<unsigned> Explorer::next_thread() {
  if (depth_ == path_.size()) {
    path_.push_back(choice_of_threads());
    bool any = false;
    for (unsigned t = 0; t < threads_.size(); ++t) any = any || is_enabled(t);
    if (!any) failure_ = "every thread waits forever";
  }
  const Choice& choice = path_[depth_++];
  if (choice.options.empty()) return std::nullopt;
  const unsigned next = choice.options[choice.at];
  unsigned tried = choice.asleep;
  for (std::size_t i = 0; i < choice.at; ++i) tried |= 1u << choice.options[i];
  asleep_ = 0;
  for (unsigned t = 0; t < threads_.size(); ++t)
    if ((tried >> t & 1u) != 0 && !choice.steps[t].depends_on(choice.steps[next]))
      asleep_ |= 1u << t;
  return next;
}

/// Chooses one of several outcomes of a step.
std::size_t Explorer::choose(std::size_t options) {
  if (options == 1) return 0;
  if (depth_ == path_.size()) {
    Choice choice;
    for (unsigned i = 0; i < options; ++i) choice.options.push_back(i);
    path_.push_back(choice);
  }
  const Choice& choice = path_[depth_++];
  return choice.options[choice.at];
}

/// Goes back to the last choice that has another option. Returns false if there is none.
bool Explorer::backtrack() {
  for (; !path_.empty(); path_.pop_back())
    if (++path_.back().at < path_.back().options.size()) return true;
  return false;
}

std::size_t Explorer::index(const void* address) {
  const auto found = indices_.find(address);
  TOROID_CHECK(found != indices_.end());
  return found->second;
}

/// Returns the memory order of an operation, or relaxed if this operation is the one to weaken.
std::memory_order Explorer::order_of(std::memory_order order, const std::source_location& where,
                                     std::string_view what) {
  if (order == std::memory_order_relaxed) return order;
  const std::string_view file = where.file_name();
  const Site site = fmt::format("{}:{} {}", file.substr(file.rfind('/') + 1), where.line(), what);
  outcome_.ordered.insert(site);
  return site == options_.weakened ? std::memory_order_relaxed : order;
}

void Explorer::fail(const char* why) {
  failure_ = why;
  pause();
  std::abort();
}

void Explorer::use(const void* object, bool write) {
  PlainUse& use = plain_[object];
  const std::uint32_t now = self().knows.steps[current_];
  for (unsigned t = 0; t < threads_.size(); ++t) {
    const std::uint32_t known = self().knows.steps[t];
    if (t != current_ && (use.wrote[t] > known || (write && use.read[t] > known)))
      fail(write ? "plain memory is written while another thread uses it"
                 : "plain memory is read while another thread writes it");
  }
  (write ? use.wrote : use.read)[current_] = now;
}

/// Waits for a new store in one of the awaited locations. Later loads read that store or a newer
/// one, so a thread does not wait forever.
void Explorer::wait_for_news() {
  take_step({Step::Kind::wake, 0});
  for (const auto& [location, read] : *self().awaited)
    if (locations_[location].stores.size() > read + std::size_t{1})
      self().knows.learn(location, read + 1);
}

void Explorer::begin_location(const void* address, std::uint64_t value) {
  if (!indices_.emplace(address, locations_.size()).second) return;
  locations_.emplace_back().stores.push_back({value, {}});
  users_.resize(std::max(users_.size(), locations_.size()));
}

/// Whether the current thread is the only one that stores in the location.
bool Explorer::is_alone(std::size_t location) {
  return users_[location].known == 1u << current_;
}

void Explorer::count_writer(std::size_t location) {
  Users& users = users_[location];
  users.writers |= 1u << current_;
  begins_anew_ = begins_anew_ || users.writers != users.known;
}

void Explorer::store(const void* address, std::uint64_t value, std::memory_order order,
                     const std::source_location& where) {
  const std::size_t location = index(address);
  if (current_ == kMaker) {
    locations_[location].stores.back() = {value, {}};
    return;
  }
  order = order_of(order, where, "store");
  take_step({Step::Kind::store, location});
  count_writer(location);
  const auto number = static_cast<std::uint32_t>(locations_[location].stores.size());
  self().knows.learn(location, number);
  locations_[location].stores.push_back({value, releases(order) ? self().knows : Knowledge()});
  if (order == std::memory_order_seq_cst) locations_[location].last_sequential = number;
}

std::uint64_t Explorer::load(const void* address, std::memory_order order,
                             const std::source_location& where) {
  const std::size_t location = index(address);
  order = order_of(order, where, "load");
  is_alone(location) ? void(++self().knows.steps[current_])
                     : take_step({Step::Kind::load, location});
  const Location& from = locations_[location];
  std::uint32_t oldest = self().knows.latest_of(location);
  if (order == std::memory_order_seq_cst) oldest = std::max(oldest, from.last_sequential);
  const auto stores = static_cast<std::uint32_t>(from.stores.size());
  const std::uint32_t chosen = stores - 1 - static_cast<std::uint32_t>(choose(stores - oldest));
  self().knows.learn(location, chosen);
  if (acquires(order)) self().knows.join(from.stores[chosen].released);
  if (self().awaited) (*self().awaited)[location] = chosen;
  return from.stores[chosen].value;
}

void Explorer::give_back(std::size_t mutex) {
  locations_[mutex].locked = false;
  locations_[mutex].stores.push_back({0, self().knows});
}

void Explorer::take(std::size_t mutex) {
  take_step({Step::Kind::lock, mutex});
  locations_[mutex].locked = true;
  self().knows.join(locations_[mutex].stores.back().released);
}

void Explorer::lock(const void* mutex) {
  begin_location(mutex, 0);
  take(index(mutex));
}

void Explorer::unlock(const void* mutex) {
  const std::size_t location = index(mutex);
  take_step({Step::Kind::unlock, location});
  give_back(location);
}

/// The step also releases the mutex, but counts as a step of the condition only. So the mutex must
/// be used with this condition alone.
void Explorer::sleep(const void* condition, const void* mutex) {
  begin_location(condition, 0);
  const std::size_t location = index(condition);
  take_step({Step::Kind::sleep, location});
  give_back(index(mutex));
  locations_[location].stores.push_back({current_, {}});
  self().asleep = true;
  take(index(mutex));
}

/// Wakes the lowest-numbered sleeping thread, if any.
void Explorer::notify_one(const void* condition) {
  begin_location(condition, 0);
  const std::size_t location = index(condition);
  take_step({Step::Kind::notify, location});
  const auto sleeper = std::ranges::find(threads_, true, &Thread::asleep);
  if (sleeper != threads_.end()) sleeper->asleep = false;
}

}  // namespace

Outcome explore(const std::function<std::unique_ptr<Scenario>()>& make,
                const ExploreOptions& options) {
  Explorer explorer(options);
  present = &explorer;
  const Outcome outcome = explorer.run(make);
  present = nullptr;
  return outcome;
}

void fail(const char* why) {
  present->fail(why);
}
void wrote(const void* object) {
  present->use(object, true);
}
void read(const void* object) {
  present->use(object, false);
}
void begin_await() {
  present->begin_await();
}
void wait_for_news() {
  present->wait_for_news();
}
void end_await() {
  present->end_await();
}
void begin_location(const void* location, std::uint64_t value) {
  present->begin_location(location, value);
}
void store(const void* location, std::uint64_t value, std::memory_order order,
           const std::source_location& where) {
  present->store(location, value, order, where);
}
std::uint64_t load(const void* location, std::memory_order order,
                   const std::source_location& where) {
  return present->load(location, order, where);
}
void lock(const void* mutex) {
  present->lock(mutex);
}
void unlock(const void* mutex) {
  present->unlock(mutex);
}
void sleep(const void* condition, const void* mutex) {
  present->sleep(condition, mutex);
}
void notify_one(const void* condition) {
  present->notify_one(condition);
}

}  // namespace toroid::model
