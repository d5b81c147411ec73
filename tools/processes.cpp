#include "tools/processes.hpp"

#include <algorithm>
#include <cstring>

namespace toroid {

Processes Processes::join() {
  Processes processes;
  processes.job_ = std::make_shared<Job>(find_membership());
  return processes;
}

std::vector<Blob> Processes::gather(Blob mine) const {
  if (job_ != nullptr) return job_->gather(mine);
  std::vector<Blob> all;
  all.push_back(std::move(mine));
  return all;
}

std::uint64_t Processes::largest(std::uint64_t mine) const {
  if (job_ == nullptr) return mine;
  std::uint64_t largest = mine;
  for (const Blob& blob : job_->all_gather(std::as_bytes(std::span(&mine, 1)))) {
    std::uint64_t other = 0;
    std::memcpy(&other, blob.data(), std::min(sizeof(other), blob.size()));
    largest = std::max(largest, other);
  }
  return largest;
}

}  // namespace toroid
