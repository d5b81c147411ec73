#include "router/job/pmix_session.hpp"

#include <fmt/core.h>
#include <pmix.h>
#include <signal.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "hal/check.hpp"

namespace toroid::job {
namespace {

constexpr const char* kPresent = "toroid.present";

void expect(pmix_status_t status, const char* what) {
  if (status != PMIX_SUCCESS)
    throw RunFailed(fmt::format("PMIx cannot {}: {}", what, PMIx_Error_string(status)));
}

/// A value looked up in PMIx, if it exists.
class FoundValue {
 public:
  FoundValue(const pmix_proc_t& of, const char* name, std::span<const pmix_info_t> how = {}) {
    if (PMIx_Get(&of, name, how.data(), how.size(), &value_) != PMIX_SUCCESS) value_ = nullptr;
  }
  ~FoundValue() {
    if (value_ != nullptr) PMIX_VALUE_RELEASE(value_);
  }
  FoundValue(const FoundValue&) = delete;
  FoundValue& operator=(const FoundValue&) = delete;
  explicit operator bool() const { return value_ != nullptr; }
  bool has(pmix_data_type_t type) const { return value_ != nullptr && value_->type == type; }
  const pmix_value_t& operator*() const { return *value_; }

 private:
  pmix_value_t* value_ = nullptr;
};

/// The information that `key` is set.
pmix_info_t info_of(const char* key) {
  pmix_info_t info{};
  std::strncpy(info.key, key, PMIX_MAX_KEYLEN);
  info.value.type = PMIX_BOOL;
  info.value.data.flag = true;
  return info;
}

const pmix_info_t* find(std::span<const pmix_info_t> infos, std::string_view key,
                        pmix_data_type_t type) {
  for (const pmix_info_t& info : infos)
    if (key == info.key && info.value.type == type) return &info;
  return nullptr;
}

/// Blocks SIGINT and SIGTERM in the threads that PMIx starts, so that the program's threads get
/// them.
pmix_status_t init_without_signals(pmix_proc_t& self) {
  sigset_t signals;
  sigset_t before;
  ::sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM}) ::sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before);
  const pmix_status_t status = PMIx_Init(&self, nullptr, 0);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

/// The events by which a launcher reports that a process has died.
std::array<pmix_status_t, 5> deaths() {
  return {PMIX_ERR_PROC_ABORTED_BY_SIG, PMIX_ERR_PROC_TERM_WO_SYNC, PMIX_ERR_EXIT_NONZERO_TERM,
          PMIX_ERR_PROC_KILLED_BY_CMD, PMIX_ERR_PROC_SENSOR_BOUND_EXCEEDED};
}

/// The listener for events. It outlives a session that is abandoned.
struct Listener {
  std::mutex mutex;  ///< held while `died` is called
  LauncherEvents::Died died;
  std::string job;  ///< PMIx's name of this job, because launchers may also report about other jobs
};

Listener& listener() {
  static auto* const one = new Listener;
  return *one;
}

/// Called by PMIx's thread.
void hear(std::size_t, pmix_status_t status, const pmix_proc_t* source, pmix_info_t* infos,
          std::size_t count, pmix_info_t*, std::size_t, pmix_event_notification_cbfunc_fn_t done,
          void* context) {
  const pmix_info_t* const affected = find({infos, count}, PMIX_EVENT_AFFECTED_PROC, PMIX_PROC);
  const pmix_proc_t* const of = affected == nullptr ? source : affected->value.data.proc;
  {
    const std::lock_guard lock(listener().mutex);
    if (of != nullptr && listener().died && listener().job == of->nspace)
      listener().died(of->rank, fmt::format("the launcher says {}", PMIx_Error_string(status)));
  }
  if (done != nullptr) done(PMIX_SUCCESS, nullptr, 0, nullptr, nullptr, context);
}

/// Called by PMIx's thread when all processes have come to the fence, or at a failure.
void note_fence(pmix_status_t status, void* all_came) {
  const std::unique_ptr<std::promise<pmix_status_t>> promise(
      static_cast<std::promise<pmix_status_t>*>(all_came));
  promise->set_value(status);
}

}  // namespace

PmixSession::PmixSession() {
  expect(init_without_signals(self_), "be reached");
}

PmixSession::~PmixSession() {
  if (!abandoned_) PMIx_Finalize(nullptr, 0);
}

bool PmixSession::sends_events() const {
  return std::string_view(self_.nspace).starts_with("prte");
}

pmix_proc_t PmixSession::process(pmix_rank_t rank) const {
  pmix_proc_t one = self_;
  one.rank = rank;
  return one;
}

std::uint32_t PmixSession::of_job(const char* name) const {
  const FoundValue value(process(PMIX_RANK_WILDCARD), name);
  return value.has(PMIX_UINT32) ? (*value).data.uint32 : 0;
}

void PmixSession::publish(const char* name, const Blob& bytes) const {
  pmix_value_t value{};
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
  value.data.bo.size = bytes.size();
  expect(PMIx_Put(PMIX_GLOBAL, name, &value), "publish an address");
  expect(PMIx_Commit(), "publish an address");
}

/// A fence of PMIx itself has no limit of time that every launcher heeds.
void PmixSession::exchange(std::chrono::seconds patience) const {
  const pmix_proc_t all = process(PMIX_RANK_WILDCARD);
  const pmix_info_t info = info_of(PMIX_COLLECT_DATA);
  publish(kPresent, Blob(1));
  auto* const all_came = new std::promise<pmix_status_t>;  // `note_fence` deletes it
  auto status = all_came->get_future();
  expect(PMIx_Fence_nb(&all, 1, &info, 1, &note_fence, all_came), "exchange addresses");
  if (status.wait_for(patience) == std::future_status::timeout)
    throw RunFailed(fmt::format("{} did not join within {} s", absent_process(), patience.count()));
  expect(status.get(), "exchange addresses");
}

/// The first process that has published nothing.
std::string PmixSession::absent_process() const {
  const pmix_info_t at_once = info_of(PMIX_IMMEDIATE);
  for (std::uint32_t rank = 0; rank < of_job(PMIX_JOB_SIZE); ++rank)
    if (!FoundValue(process(rank), kPresent, {&at_once, 1})) return fmt::format("process {}", rank);
  return "a process";
}

std::optional<Blob> PmixSession::published_by_0(const char* name) const {
  const FoundValue value(process(0), name);
  if (!value.has(PMIX_BYTE_OBJECT)) return {};
  const pmix_byte_object_t& object = (*value).data.bo;
  const auto* bytes = reinterpret_cast<const std::byte*>(object.bytes);
  return Blob(bytes, bytes + object.size);
}

/// Ignores a failure to register: without events, losses are noticed by the connections alone.
void PmixSession::listen(Died died) {
  {
    const std::lock_guard lock(listener().mutex);
    listener().died = std::move(died);
    listener().job = self_.nspace;
  }
  auto codes = deaths();
  PMIx_Register_event_handler(codes.data(), codes.size(), nullptr, 0, &hear, nullptr, nullptr);
}

void PmixSession::stop(bool failed) noexcept {
  const std::lock_guard lock(listener().mutex);
  listener().died = nullptr;
  abandoned_ = failed;
}

}  // namespace toroid::job
