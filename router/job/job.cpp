#include "router/job/job.hpp"

#include <mutex>
#include <utility>

#include "hal/check.hpp"
#include "hal/hash64.hpp"
#include "hal/process_end.hpp"
#include "hal/random.hpp"
#include "router/job/agreement.hpp"
#include "router/job/launcher_pipe.hpp"
#include "router/job/member_thread.hpp"
#include "router/job/wire.hpp"

namespace toroid {
namespace {

void leave(job::MemberThread* member) noexcept {
  const unsigned rank = member->bootstrap().rank;
  member->leave();
  delete member;
  job::tell_launcher(rank | job::kEndsInOrder);
}

}  // namespace

Job::Job(Bootstrap bootstrap, JobOptions options) {
  TOROID_CHECK_LT(bootstrap.rank, bootstrap.size);
  member_ = {new job::MemberThread(std::move(bootstrap), std::move(options)), leave};
  member_->join();
}
Job::Job(std::shared_ptr<job::MemberThread> member) : member_(std::move(member)) {}
Job::~Job() = default;

unsigned Job::rank() const {
  return member_->bootstrap().rank;
}
unsigned Job::size() const {
  return member_->bootstrap().size;
}
const JobKey& Job::key() const {
  return member_->bootstrap().key;
}
const std::string& Job::source() const {
  return member_->bootstrap().source;
}
const ProcessInfo& Job::process(unsigned rank) const {
  TOROID_CHECK_LT(rank, size());
  return member_->process(rank);
}
std::uint64_t Job::session() const {
  return member_->session();
}
std::chrono::nanoseconds Job::clock_offset() const {
  return member_->clock_offset();
}
std::uint64_t Job::refused() const {
  return member_->refused();
}
std::string Job::name(unsigned rank) const {
  TOROID_CHECK_LT(rank, size());
  return member_->name(rank);
}
void Job::set_place(unsigned rank, std::string place) {
  TOROID_CHECK_LT(rank, size());
  member_->set_place(rank, std::move(place));
}
std::vector<Blob> Job::all_gather(std::span<const std::byte> mine) {
  return member_->gather(job::BlobKind::all_gather, mine);
}
std::vector<Blob> Job::gather(std::span<const std::byte> mine) {
  return member_->gather(job::BlobKind::gather, mine);
}
void Job::agree(std::span<const NamedValue> mine) {
  job::NamedHashes hashes;
  for (const NamedValue& value : mine) {
    std::uint64_t& hash = hashes[value.name];
    hash = mix64(hash) + hash64(value.bytes);
  }
  job::agree(*this, hashes);
}
void Job::agree(const std::string& name, std::span<const std::byte> mine) {
  const NamedValue value{name, mine};
  agree(std::span(&value, 1));
}
void Job::refuse(const std::string& why) {
  job::refuse(*this, why);
}
void Job::watch(RunMonitor& monitor, std::chrono::milliseconds stall, OnLoss on_loss) {
  member_->watch(monitor, stall, on_loss);
}
std::vector<Loss> Job::losses() const {
  return member_->losses();
}
termination::Verdict Job::wait(std::chrono::milliseconds time) {
  return member_->wait(time);
}
void Job::end_watch() {
  member_->end_watch();
}
void Job::fail(const std::string& why) noexcept {
  member_->fail(why);
}
std::string Job::failure() const {
  return member_->failure();
}

/// A launcher starts a process as one member of one job.
Job join_job(JobOptions options) {
  static std::mutex mutex;
  static std::weak_ptr<job::MemberThread> present;  // guarded by mutex
  const std::lock_guard lock(mutex);
  if (auto member = present.lock()) return Job(std::move(member));
  // The program may be busy or stuck, and does not notice that its job has failed.
  if (!options.abandon)
    options.abandon = [](const std::string& why) { end_process(one_line(why)); };
  const Job job(find_bootstrap(), std::move(options));
  if (job.size() > 1) present = job.member_;
  return job;
}

}  // namespace toroid
