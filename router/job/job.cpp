#include "router/job/job.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/job/member.hpp"
#include "router/job/membership.hpp"
#include "router/job/wire.hpp"

namespace toroid {

class Job::Impl {
 public:
  Impl(Membership membership, const JobOptions& options)
      : party(membership.rank == 0 ? job::make_hub(std::move(membership), options)
                                   : job::make_leaf(std::move(membership), options)) {
    party->join();
  }

  job::PartyPtr party;
};

Job::Job(Membership membership, JobOptions options) {
  TOROID_CHECK_LT(membership.rank, membership.size);
  impl_ = std::make_unique<Impl>(std::move(membership), options);
}
Job::~Job() = default;

unsigned Job::rank() const {
  return impl_->party->membership().rank;
}
unsigned Job::size() const {
  return impl_->party->membership().size;
}
const JobKey& Job::key() const {
  return impl_->party->membership().key;
}
const std::string& Job::source() const {
  return impl_->party->membership().source;
}
const ProcessInfo& Job::process(unsigned rank) const {
  TOROID_CHECK_LT(rank, size());
  return impl_->party->process(rank);
}
std::uint64_t Job::session() const {
  return impl_->party->session();
}
std::chrono::nanoseconds Job::clock_offset() const {
  return impl_->party->clock_offset();
}
std::uint64_t Job::refused() const {
  return impl_->party->refused();
}
std::string Job::name(unsigned rank) const {
  TOROID_CHECK_LT(rank, size());
  return impl_->party->name(rank);
}
void Job::set_place(unsigned rank, std::string place) {
  TOROID_CHECK_LT(rank, size());
  impl_->party->set_place(rank, std::move(place));
}
std::vector<Blob> Job::all_gather(std::span<const std::byte> mine) {
  return impl_->party->collect(job::BlobKind::all_gather, mine);
}
std::vector<Blob> Job::gather(std::span<const std::byte> mine) {
  return impl_->party->collect(job::BlobKind::gather, mine);
}
void Job::watch(RunMonitor& monitor, std::chrono::milliseconds stall) {
  impl_->party->watch(monitor, stall);
}
Verdict Job::wait(std::chrono::milliseconds time) {
  return impl_->party->wait(time);
}
void Job::end_watch() {
  impl_->party->end_watch();
}
void Job::fail(const std::string& why) noexcept {
  impl_->party->fail(why);
}
std::string Job::failure() const {
  return impl_->party->failure();
}

}  // namespace toroid
