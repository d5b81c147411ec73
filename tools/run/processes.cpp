#include "tools/run/processes.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstring>
#include <span>
#include <utility>

#include "hal/check.hpp"
#include "router/job/job.hpp"
#include "tools/options/named_policies.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/interruption.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

/// The build and the arguments, without the program's own name.
std::string invocation() {
  std::vector<std::string> arguments = typed_arguments();
  if (!arguments.empty()) arguments.erase(arguments.begin());
  return fmt::format("{} ({}) {}", kVersion, kGitHash, fmt::join(arguments, " "));
}

/// The policy files that the arguments name, each with its checksum: "./mine.so 8c1f".
std::string policy_files() {
  std::string text;
  for (const std::string& argument : typed_arguments())
    for (const std::string& name : split(argument.substr(argument.find('=') + 1), ','))
      if (names_policy_file(name))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, policy_sum(name));
  return text;
}

/// Throws BadInput if the policy files of two processes differ, since each host may have its own
/// files.
void refuse_different_policies(Job& job) {
  const std::string mine = policy_files();
  const auto texts = job.all_gather(std::as_bytes(std::span(mine)));
  for (unsigned p = 1; p < job.size(); ++p)
    if (texts[p] != texts[0])
      throw BadInput(
          fmt::format("{} has a different policy than process 0: {}, not {} (file names and "
                      "checksums)",
                      job.name(p), text_of(texts[p]), text_of(texts[0])));
}

void refuse_different(Job& job) {
  const std::string mine = invocation();
  const auto texts = job.all_gather(std::as_bytes(std::span(mine)));
  for (unsigned p = 1; p < job.size(); ++p)
    if (texts[p] != texts[0])
      throw BadInput(fmt::format("{} was started as '{}', process 0 as '{}'", job.name(p),
                                 text_of(texts[p]), text_of(texts[0])));
  refuse_different_policies(job);
}

}  // namespace

Processes Processes::join() {
  Processes processes;
  processes.job_ = std::shared_ptr<Job>(new Job(join_job({.poll = throw_if_interrupted})));
  processes.run([&] {
    refuse_different(processes.job());
    return 0;
  });
  return processes;
}

unsigned Processes::count() const {
  return job_ == nullptr ? 1 : job_->size();
}

bool Processes::reports() const {
  return job_ == nullptr || job_->rank() == 0;
}

void Processes::meet() const {
  if (job_ != nullptr) job_->all_gather({});
}

void Processes::fail(const std::string& why) const noexcept {
  if (job_ != nullptr) job_->fail(why);
}

std::vector<Blob> Processes::gather(Blob mine) const {
  if (job_ != nullptr) return job_->gather(mine);
  std::vector<Blob> all;
  all.push_back(std::move(mine));
  return all;
}

std::vector<double> Processes::numbers(double mine) const {
  if (job_ == nullptr) return {mine};
  std::vector<double> all;
  for (const Blob& blob : job_->all_gather(std::as_bytes(std::span(&mine, 1)))) {
    if (blob.empty()) continue;  // the process is lost
    TOROID_CHECK_EQ(blob.size(), sizeof(double));
    std::memcpy(&all.emplace_back(), blob.data(), sizeof(double));
  }
  return all;
}

}  // namespace toroid
