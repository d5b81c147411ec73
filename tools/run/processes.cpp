#include "tools/run/processes.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "fft/kernels/fftw.hpp"
#include "router/job/agreement.hpp"
#include "router/job/job.hpp"
#include "tools/files/run_inputs.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/launch.hpp"
#include "tools/text/version.hpp"

namespace toroid {

struct Processes::Membership {
  Job job;
  bool agreed = false;  ///< whether the inputs have been compared inside run()
  std::string provider{};
};

namespace {

/// The environment variables that change results, or that both ends of a connection must have
/// alike: the set of instructions for which OpenBLAS computes; libfabric's limits of short
/// messages. Others choose among equals (providers and interfaces of libfabric: FI_*), say how
/// processes find each other (RANK, MASTER_ADDR, TOROID_JOB_KEY and so on), or serve the launcher
/// (TOROID_SSH); they may differ from host to host.
constexpr std::array kVariables = {"OPENBLAS_CORETYPE", "FI_OFI_RXM_EAGER_LIMIT",
                                   "FI_OFI_RXM_BUFFER_SIZE"};

constexpr const char* kAlike = "all processes of a run must be started alike";

/// Keeps this process in the job that a command joins, until the command has ended: until then its
/// refusals can be told to the others. At most one exists.
class KeptHandle {
 public:
  KeptHandle() { present_ = this; }
  ~KeptHandle() { present_ = nullptr; }
  KeptHandle(const KeptHandle&) = delete;
  KeptHandle& operator=(const KeptHandle&) = delete;

  static void keep(const Processes& processes) {
    if (present_ != nullptr) present_->joined_ = processes;
  }
  /// None if the command has joined nothing.
  const std::optional<Processes>& joined() const { return joined_; }

 private:
  static inline KeptHandle* present_ = nullptr;
  std::optional<Processes> joined_;
};

/// What must be the same in all processes apart from files. Instruction sets may differ, although
/// FFTW and OpenBLAS choose code by them: each element is computed by one process, and differs in
/// its last bits. Wisdom may differ too: it changes how local transforms are computed, and the
/// number of planes is that of process 0 (transform/plane_tuner.cpp).
std::vector<std::string> items_of_this_process() {
  std::vector<std::string> items{"toroid " + version_and_commit(), "compiler " __VERSION__,
                                 fmt::format("FFT library {}", fft::local::fftw_name())};
  for (const char* const name : kVariables) {
    const char* const value = std::getenv(name);
    items.push_back(fmt::format("{}={}", name, value == nullptr ? "" : value));
  }
  if (const RunInputs* const inputs = RunInputs::current())
    items.insert(items.end(), inputs->options().begin(), inputs->options().end());
  return items;
}

/// Compares what has been read since the last call. A collective call.
void compare_inputs(Job& job) {
  std::vector<RunInput> inputs;
  if (RunInputs* const all = RunInputs::current()) inputs = all->take();
  std::vector<NamedValue> values;
  for (const RunInput& input : inputs)
    values.push_back({input.name, std::as_bytes(std::span(&input.hash, 1))});
  job.agree(values);
}

/// Calls a comparison, which throws BadInput on all processes or on none. A program around the
/// command gets the refusal itself; otherwise it is printed once.
template <typename Compare>
void refuse_together(const Processes& processes, Job& job, const Compare& compare) {
  try {
    compare();
  } catch (const BadInput& refusal) {
    if (embedding_program() != nullptr) throw;
    throw SharedRefusal(refusal.what(), [processes, &job](const SharedRefusal::Print& print) {
      if (job.rank() == 0) print();
      try {
        job.all_gather({});
      } catch (const std::exception&) {
        if (job.rank() != 0) print();
      }
    });
  }
}

}  // namespace

Processes Processes::join() {
  return join([](Job& job) { compare_inputs(job); });
}

void Processes::join_to_refuse(const std::string& why) {
  join([&](Job& job) { job.refuse(why); });
}

Processes Processes::join(const std::function<void(Job&)>& compare) {
  Processes processes;
  processes.membership_.reset(new Membership{join_job({.poll = throw_if_interrupted})});
  Job& job = processes.membership_->job;
  if (RunInputs* const inputs = RunInputs::current()) inputs->note_join(job.size() > 1);
  KeptHandle::keep(processes);
  try {
    refuse_together(processes, job, [&] {
      job::refuse_different(job, items_of_this_process(), kAlike);
      compare(job);
    });
  } catch (const BadInput&) {
    processes.membership_->agreed = true;  // all refuse already
    throw;
  } catch (const std::exception& error) {
    processes.fail(error.what());
    throw;
  }
  return processes;
}

unsigned Processes::count() const {
  return membership_ == nullptr ? 1 : membership_->job.size();
}

bool Processes::reports() const {
  return membership_ == nullptr || membership_->job.rank() == 0;
}

Job& Processes::job() const {
  agree();
  return membership_->job;
}

std::string& Processes::provider() const {
  return membership_->provider;
}

void Processes::agree() const {
  if (membership_ != nullptr && !membership_->agreed) meet();
}

void Processes::meet() const {
  if (membership_ == nullptr) return;
  membership_->agreed = true;
  refuse_together(*this, membership_->job, [&] { compare_inputs(membership_->job); });
}

void Processes::refuse(const std::string& why) const {
  if (membership_ == nullptr) return;
  if (std::exchange(membership_->agreed, true)) return fail(why);
  try {
    refuse_together(*this, membership_->job, [&] { membership_->job.refuse(why); });
  } catch (const SharedRefusal&) {
    throw;
  } catch (const std::exception&) {
    // The program around the command, or a job that has failed: run() throws this process's reason.
  }
}

void Processes::fail(const std::string& why) const noexcept {
  if (membership_ != nullptr) membership_->job.fail(why);
}

std::vector<Blob> Processes::gather(Blob mine) const {
  if (membership_ != nullptr) return job().gather(mine);
  std::vector<Blob> all;
  all.push_back(std::move(mine));
  return all;
}

Blob Processes::from_reporter(Blob mine) const {
  if (membership_ == nullptr) return mine;
  return job().all_gather(reports() ? mine : Blob()).front();
}

std::vector<double> Processes::numbers(double mine) const {
  if (membership_ == nullptr) return {mine};
  std::vector<double> all;
  for (const Blob& blob : job().all_gather(std::as_bytes(std::span(&mine, 1)))) {
    if (blob.empty()) continue;  // the process is lost
    TOROID_CHECK_EQ(blob.size(), sizeof(double));
    std::memcpy(&all.emplace_back(), blob.data(), sizeof(double));
  }
  return all;
}

namespace {

/// Refuses on all processes what this one refuses: throws SharedRefusal, unless the others cannot
/// be told. Called while a BadInput is handled.
void refuse_on_all(const std::optional<Processes>& joined, const BadInput& refusal) {
  try {
    if (joined)
      joined->run([]() -> int { throw; });
    else if (RunInputs::current()->any_attempted() || is_checked_by_launcher())
      Processes::join_to_refuse(refusal.what());
  } catch (const SharedRefusal&) {
    throw;
  } catch (const std::exception&) {
    // The caller throws this process's own refusal.
  }
}

}  // namespace

int run_with_others(const std::function<int()>& command) {
  const KeptHandle kept;
  try {
    return command();
  } catch (const SharedRefusal&) {
    throw;
  } catch (const BadInput& refusal) {
    refuse_on_all(kept.joined(), refusal);
    throw;
  }
}

}  // namespace toroid
