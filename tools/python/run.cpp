// Runs commands in the Python process: takes the words of a command line, returns the results as
// JSON and arrays.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>  // IWYU pragma: keep (converts containers)

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/latency.hpp"
#include "router/threads/start_thread.hpp"
#include "tools/command/command_line.hpp"
#include "tools/files/host_array.hpp"
#include "tools/options/named_policies.hpp"
#include "tools/python/module.hpp"
#include "tools/python/plan_host.hpp"
#include "tools/python/policy.hpp"
#include "tools/python/policy_call.hpp"
#include "tools/python/process_state.hpp"
#include "tools/report/recording.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/text/json.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

using namespace std::chrono_literals;

/// The results of one command, filled in by the command's thread.
struct Results {
  std::string json;
  std::string printed;
  std::optional<HostArray> array;
  std::optional<Recording> recording;
  std::optional<FabricCounters> counters;
  std::optional<Shape> shape;
  std::optional<LatencyHistogram> latency;
};

/// A command that runs in its own thread, so that the calling Python thread can handle signals and
/// the progress line. Owned by Command.
class Run final : public EmbeddingProgram {
 public:
  Run(std::vector<std::string> words, const HostArray* input, bool records, bool shows_progress)
      : words_(std::move(words)), input_(input), records_(records), shows_(shows_progress) {}

  bool is_interrupted() const override { return interrupted_.load(std::memory_order_relaxed); }
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  bool shows_progress() const override { return shows_; }
  void show_progress(std::string_view line) override {
    const std::lock_guard lock(mutex_);
    line_ = line;
  }
  void print(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    results_.printed += text;
  }
  const HostArray* input() const override { return input_; }
  bool wants_recording() const override { return records_; }
  void take_result(const Json& result) override {
    results_.json = result.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void take_array(HostArray array) override { results_.array = std::move(array); }
  void take_recording(const Recording& recording) override { results_.recording = recording; }
  void take_counters(const FabricCounters& counters, const Shape& shape) override {
    results_.counters = counters;
    results_.shape = shape;
  }
  void take_latency(const LatencyHistogram& latency) override { results_.latency = latency; }

  /// Starts the thread. It has a reference to `keeper`, the owner of this object.
  void start(std::shared_ptr<void> keeper) {
    thread_ = start_thread<std::thread>("the thread of the run",
                                        [this, keeper = std::move(keeper)]() mutable {
                                          try {
                                            run_command_line(words_);
                                          } catch (...) {
                                            failure_ = std::current_exception();
                                          }
                                          if (note_end()) release_abandoned(std::move(keeper));
                                        });
  }
  /// Waits up to 50 ms; returns whether the command has ended.
  bool wait_a_moment() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 50ms, [this] { return done_; });
  }
  void join() { thread_.join(); }
  /// Lets the command end later, whenever what it is in returns. Returns false if it has ended.
  bool try_abandon() {
    const std::lock_guard lock(mutex_);
    if (done_) return false;
    is_abandoned_ = true;
    thread_.detach();
    return true;
  }
  std::string line() {
    const std::lock_guard lock(mutex_);
    return line_;
  }
  const std::exception_ptr& failure() const { return failure_; }
  Results& results() { return results_; }

 private:
  /// Returns whether the command was abandoned.
  bool note_end() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
    return is_abandoned_;
  }
  /// Objects of Python may be released only with the interpreter's lock; while the interpreter
  /// ends, not at all.
  static void release_abandoned(std::shared_ptr<void> keeper) {
    if (is_ending()) {
      new std::shared_ptr<void>(std::move(keeper));
      return;
    }
    const py::gil_scoped_acquire interpreter;
    keeper.reset();
  }

  std::vector<std::string> words_;
  const HostArray* input_;
  bool records_;
  bool shows_;
  std::atomic<bool> interrupted_ = false;
  std::thread thread_;
  std::mutex mutex_;  ///< guards line_, done_, is_abandoned_ and results_.printed
  std::condition_variable changed_;
  std::string line_;
  bool done_ = false;
  bool is_abandoned_ = false;
  std::exception_ptr failure_;
  Results results_;
};

/// Lets only one command at a time run in the process. A semaphore, because the thread of an
/// abandoned command gives the turn back.
class Turn {
 public:
  /// Waits for the turn; the caller can be interrupted. Throws RunFailed if it would never come.
  Turn() {
    const auto begin = std::chrono::steady_clock::now();
    while (!try_take()) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      check(std::chrono::steady_clock::now() - begin > 1s);
    }
  }
  ~Turn() { semaphore().release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static std::binary_semaphore& semaphore() {
    static std::binary_semaphore one(1);
    return one;
  }
  static bool try_take() {
    check(false);
    const py::gil_scoped_release released;
    return semaphore().try_acquire_for(100ms);
  }
  static void check(bool has_waited) {
    if (is_ending()) throw RunFailed("the interpreter is ending");
    if (was_forked_during_a_run())
      throw RunFailed(
          "this process was forked while its parent was in a run; let multiprocessing "
          "start it with 'spawn', or fork before the run");
    if (PolicyCall::is_going_on() || (has_waited && PolicyCall::has_begun_this_thread()))
      throw RunFailed("a policy cannot start a run, not in another thread either");
  }
};

/// The Python policies of a command, by the names that stand for them in its words.
class Policies {
 public:
  explicit Policies(const py::dict& policies) {
    const py::object source_of = py::module_::import("toroid._policy").attr("source_of");
    for (const auto& [name, policy] : policies) {
      const auto& [key, made] = made_.emplace_back(
          std::string(py::str(name)),
          std::make_unique<PythonPolicy>(py::reinterpret_borrow<py::object>(policy)));
      add_named_policy(key, *made, py::str(source_of(policy)));
    }
  }
  ~Policies() {
    for (const auto& one : made_) remove_named_policy(one.first);
  }
  /// If the failure contains a policy's refusal, throws that refusal.
  void look_for_refusal(const std::exception_ptr& failure) const {
    try {
      std::rethrow_exception(failure);
    } catch (const EmbeddingError&) {  // this is the refusal; the caller raises it
    } catch (const RunFailed& failed) {
      for (const auto& one : made_)
        if (const EmbeddingError* const refusal = one.second->refusal_in(failed.what()))
          raise(std::make_exception_ptr(*refusal));
    } catch (...) {  // the failure has another cause
    }
  }
  Policies(const Policies&) = delete;
  Policies& operator=(const Policies&) = delete;

 private:
  std::vector<std::pair<std::string, std::unique_ptr<PythonPolicy>>> made_;
};

/// Packets by [node, direction]; NaN if there is no such link.
py::array loads(const FabricCounters& counters, const Shape& ranks) {
  const Shape shape = ranks.torus();
  const std::size_t links = shape.links();
  py::array_t<double> table({std::size_t{shape.size()}, links});
  auto cells = table.mutable_unchecked<2>();
  for (Rank node = 0; node < shape.size(); ++node)
    for (unsigned l = 0; l < links; ++l)
      cells(node, l) = shape.neighbour(node, {static_cast<std::uint8_t>(l)})
                           ? static_cast<double>(counters.links[node * links + l].total_packets())
                           : std::numeric_limits<double>::quiet_NaN();
  return table;
}

/// The n + 1 edges of n buckets, and the packets per bucket.
py::tuple histogram(const LatencyHistogram& latency) {
  std::vector<std::uint64_t> edges;
  std::vector<std::uint64_t> counts;
  for (std::size_t b = 0; b < LatencyHistogram::kBuckets; ++b) {
    if (counts.empty() && latency.packets(b) == 0) continue;
    if (counts.empty()) edges.push_back(b == 0 ? 0 : LatencyHistogram::upper_end(b - 1) + 1);
    if (LatencyHistogram::upper_end(b) > latency.max() && latency.packets(b) == 0) break;
    counts.push_back(latency.packets(b));
    edges.push_back(LatencyHistogram::upper_end(b) + 1);
  }
  return py::make_tuple(
      py::array_t<std::uint64_t>(static_cast<py::ssize_t>(edges.size()), edges.data()),
      py::array_t<std::uint64_t>(static_cast<py::ssize_t>(counts.size()), counts.data()));
}

template <typename T>
py::array rows(const std::vector<T>& values, std::size_t columns) {
  return py::array_t<T>({values.size() / columns, columns}, values.data());
}

py::dict recorded(const Recording& recording) {
  py::dict made;
  made["interval"] = recording.interval;
  made["end"] = recording.end;
  made["fifos"] = recording.fifos;
  made["fifo_chunks"] = recording.fifo_chunks;
  made["link_busy"] = rows(recording.link_busy, recording.links());
  made["fifo_fill"] = rows(recording.fifo_fill, recording.shape.size());
  made["fifo_mean"] = rows(recording.fifo_mean, recording.fifos);
  made["fifo_most"] = rows(recording.fifo_most, recording.fifos);
  for (const auto& [name, level] :
       {std::pair{"reception", &recording.reception}, std::pair{"queues", &recording.queues}}) {
    made[py::str(name) + py::str("_full")] = level->full;
    made[py::str(name) + py::str("_mean")] = rows(level->mean, 1);
    made[py::str(name) + py::str("_most")] = rows(level->most, 1);
  }
  return made;
}

py::dict made_of(Results& results) {
  py::dict made;
  made["json"] = results.json;
  made["printed"] = results.printed;
  if (results.counters && !results.counters->links.empty())
    made["link_loads"] = loads(*results.counters, *results.shape);
  if (results.latency && results.latency->count() > 0)
    made["latency"] = histogram(*results.latency);
  if (results.recording) made["recording"] = recorded(*results.recording);
  if (results.array) made["array"] = array_of(std::move(*results.array));
  return made;
}

/// Everything that a run uses. The calling thread owns it or, once the run is abandoned, the run's
/// thread. The destructor needs the interpreter's lock.
struct Command {
  Command(std::vector<std::string> words, const py::dict& policies, const py::object& given,
          bool batched, bool records, bool shows_progress)
      : own(policies),
        input(given),
        batched(batched),
        run(std::move(words), borrow(), records, shows_progress) {
    set_embedding_program(&run);
  }
  ~Command() { set_embedding_program(nullptr); }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  const HostArray* borrow() {
    if (!input.is_none()) array = borrowed(py::cast<py::array>(input), batched);
    return array ? &*array : nullptr;
  }

  Turn turn;
  Policies own;
  py::object input;
  bool batched;
  std::optional<HostArray> array{};
  Run run;
};

/// The command that runs, for end_runs(). Used only with the interpreter's lock.
std::weak_ptr<Command>& present_command() {
  static std::weak_ptr<Command> command;
  return command;
}

/// Starts a run. The destructor ends it and joins its thread, unless the run was abandoned.
class Going {
 public:
  explicit Going(const std::shared_ptr<Command>& command) : command_(command) {
    command->run.start(command);
    present_command() = command;
  }
  ~Going() {
    if (is_abandoned_) return;
    Run& run = command_->run;
    run.interrupt();  // has no effect on a run that has ended; needed if an exception is in flight
    const py::gil_scoped_release released;
    run.join();
  }
  Going(const Going&) = delete;
  Going& operator=(const Going&) = delete;

  Run& run() { return command_->run; }
  /// Returns false if the run has ended.
  bool try_abandon() { return is_abandoned_ = run().try_abandon(); }

 private:
  std::shared_ptr<Command> command_;
  bool is_abandoned_ = false;
};

/// Why a run is to end: signals that its caller has received, or the end of the interpreter.
class Reasons {
 public:
  void note(const py::error_already_set& error) {
    if (!raised_) raised_.emplace(error);
    insists_ = std::exchange(ends_, true);
    latest_ = std::chrono::steady_clock::now();
  }
  void note_end_of_interpreter() {
    if (!std::exchange(insists_, true)) latest_ = std::chrono::steady_clock::now();
    ends_ = true;
  }
  bool any() const { return ends_; }
  /// Whether the user has asked twice, or the interpreter ends, and the run has not ended in half a
  /// second: it is in code that cannot be interrupted, such as a policy that sleeps.
  bool insist() const { return insists_ && std::chrono::steady_clock::now() - latest_ > 500ms; }
  std::optional<py::error_already_set> raised() && { return std::move(raised_); }

 private:
  std::optional<py::error_already_set> raised_;
  bool ends_ = false;
  bool insists_ = false;
  std::chrono::steady_clock::time_point latest_{};
};

/// Waits for the end of a run. A signal ends the run; a second one abandons it if it does not end.
/// Calls `progress` with each new line of the progress. Returns the Python exception that ended the
/// run, if any.
std::optional<py::error_already_set> follow(Going& going, const py::object& progress) {
  Run& run = going.run();
  Reasons reasons;
  std::string shown;
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release released;
      done = run.wait_a_moment();
    }
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (std::string line = run.line(); !progress.is_none() && line != shown && !reasons.any())
        progress(shown = std::move(line));
    } catch (py::error_already_set& error) {
      reasons.note(error);
      run.interrupt();
    }
    if (is_ending()) reasons.note_end_of_interpreter();
    if (reasons.any() && !done) PolicyCall::interrupt();
    if (reasons.insist() && !done) done = going.try_abandon();
  }
  return std::move(reasons).raised();
}

/// Throws BadInput if the command runs on `ofi`, and a plan on `ofi` is open.
void refuse_beside_plan(const std::vector<std::string>& words) {
  for (std::size_t w = 0; w < words.size(); ++w)
    if (words[w] == "--fabric=ofi" || (words[w] == "ofi" && w > 0 && words[w - 1] == "--fabric"))
      OfiTurn::check();
}

py::dict run_command(std::vector<std::string> words, const py::dict& policies,
                     const py::object& input, bool batched, bool records,
                     const py::object& progress) {
  refuse_beside_plan(words);
  const InRun here;
  const auto command = std::make_shared<Command>(std::move(words), policies, input, batched,
                                                 records, !progress.is_none());
  std::optional<py::error_already_set> raised;
  {
    Going going(command);
    raised = follow(going, progress);
  }
  if (is_ending()) {  // nobody waits for the result; SystemExit ends a thread without a message
    PyErr_SetNone(PyExc_SystemExit);
    throw py::error_already_set();
  }
  if (raised) throw *std::move(raised);
  if (command->run.failure()) {
    command->own.look_for_refusal(command->run.failure());
    raise(command->run.failure());
  }
  return made_of(command->run.results());
}

/// Ends all runs before the interpreter ends: afterwards no thread could return to it. A run that
/// is in code which cannot be interrupted is left behind, and ends with the process.
void end_runs() {
  begin_to_end();
  if (was_forked_during_a_run()) return;
  const auto begin = std::chrono::steady_clock::now();
  while ((InRun::any() || !present_command().expired()) &&
         std::chrono::steady_clock::now() - begin < 2s) {
    if (const auto command = present_command().lock()) command->run.interrupt();
    PolicyCall::interrupt();
    const py::gil_scoped_release released;
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace

void add_run(py::module_& module) {
  module.def("run_command", &run_command, py::arg("words"), py::arg("policies"), py::arg("input"),
             py::arg("batched"), py::arg("records"), py::arg("progress"),
             "Run a toroid command in this process and return its results.");
  watch_forks();
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_runs));
}

}  // namespace toroid::python
