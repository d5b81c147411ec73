#include "tools/processes.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "hal/check.hpp"
#include "tools/progress.hpp"
#include "tools/version.hpp"

namespace toroid {
namespace {

/// Whoever uses the job does not come back to it, so there is no way out but this.
[[noreturn]] void end_process(const std::string& why) {
  std::fputs(("toroid: " + one_line(why) + "\n").c_str(), stderr);
  std::_Exit(1);
}

/// The build and the arguments, without the program's own name.
std::string invocation() {
  std::ifstream file("/proc/self/cmdline");
  std::string program;
  std::getline(file, program, '\0');
  std::string text = fmt::format("{} ({})", kVersion, kGitHash);
  for (std::string argument; std::getline(file, argument, '\0');) text += ' ' + argument;
  return text;
}

void refuse_different(Job& job) {
  const std::string mine = invocation();
  const auto texts = job.all_gather(std::as_bytes(std::span(mine)));
  for (unsigned p = 1; p < job.size(); ++p)
    if (texts[p] != texts[0])
      throw BadInput(fmt::format("{} was started as '{}', process 0 as '{}'", job.name(p),
                                 text_of(texts[p]), text_of(texts[0])));
}

}  // namespace

Processes Processes::join() {
  Processes processes;
  JobOptions options;
  options.abandon = end_process;
  options.poll = throw_if_interrupted;
  processes.job_ = std::make_shared<Job>(find_membership(), options);
  processes.run([&] {
    refuse_different(processes.job());
    return 0;
  });
  return processes;
}

void Processes::refuse_several() {
  const char* const size = std::getenv("WORLD_SIZE");
  if (std::getenv("TOROID_JOB_KEY") != nullptr && size != nullptr && std::string_view(size) != "1")
    throw BadInput(fmt::format("started as one of {} processes; those are for --fabric ofi", size));
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
    CHECK_EQ(blob.size(), sizeof(double));
    std::memcpy(&all.emplace_back(), blob.data(), sizeof(double));
  }
  return all;
}

}  // namespace toroid
